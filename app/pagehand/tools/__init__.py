"""The built-in page tools."""
