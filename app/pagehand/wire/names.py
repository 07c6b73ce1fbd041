"""What a tool may be called, on the wire and in a page."""

from __future__ import annotations

from re import fullmatch

NAME_PATTERN = "[A-Za-z_][A-Za-z0-9_-]{0,62}"
"""What a tool's name may be; Mastra rewrites any other name, some providers refuse it."""

RESERVED = frozenset({"__proto__", "constructor", "prototype"})
"""Names that would mean something else as keys of a JavaScript object."""


def is_name(name: object) -> bool:
    """Whether this is a text that a tool may be called by, reserved or not."""
    return isinstance(name, str) and fullmatch(NAME_PATTERN, name) is not None
