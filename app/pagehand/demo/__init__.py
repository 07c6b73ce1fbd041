"""The embedded demo model: deterministic, bilingual, needs no key."""
