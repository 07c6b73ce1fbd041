"""Scripts of the set-up; each runs by itself."""
