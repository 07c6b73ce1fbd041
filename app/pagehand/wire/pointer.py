"""JSON Pointer (RFC 6901): the way to one place in a JSON value.

find({"$defs": {"A/b": {"type": "string"}}}, "#/$defs/A~1b")   # {"type": "string"}
"""

from __future__ import annotations

from typing import Any

ABSENT: Any = object()
"""What `find` gives where there is nothing."""


def steps_of(pointer: str) -> list[str]:
    """The steps of a pointer, which is "" for the whole value or begins with "/"."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def index_of(step: str, size: int) -> int | None:
    """The place in a list of this size that a step names; None for one that is not there."""
    plain = step.isascii() and step.isdigit() and len(step) < 10 and str(int(step)) == step
    return int(step) if plain and int(step) < size else None


def find(document: Any, reference: str) -> Any:
    """What a JSON Schema's `$ref` points at within its own document, or `ABSENT`.

    Args:
        document: The whole schema.
        reference: "#" for the document, or "#/" and a pointer, perhaps percent-encoded. Anything
            else, such as an anchor's name or another document's address, points at nothing.
    """
    if reference != "#" and not reference.startswith("#/"):
        return ABSENT
    pointer = reference[1:]
    if "%" in pointer:
        from urllib.parse import unquote

        pointer = unquote(pointer)
    value = document
    for step in steps_of(pointer):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and (index := index_of(step, len(value))) is not None:
            value = value[index]
        else:
            return ABSENT
    return value
