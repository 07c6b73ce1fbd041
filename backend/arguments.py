"""A call's arguments: a quick look, so that the model can mend them at once, and their one form.

Not a validator: the page checks the whole schema before it runs anything. Only what models
get wrong and what takes bounded time to see is looked at: the type, missing and unknown
keys, values outside `enum`. A schema comes from outside, so `pattern` (which can take
forever) and `$ref` are left to the page.
"""

from __future__ import annotations

import json
from contextlib import suppress
from decimal import Decimal
from typing import Any

from pagehand.errors import UnsendableValueError
from pagehand.wire.jsontext import dumps

_DEPTH = 12
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def canonical(value: object) -> str:
    """The same text for what JavaScript cannot tell apart, before and after a client had it.

    A client reads `2.0` and sends back `2`; `1e16` comes back with all its digits, half a
    surrogate pair as U+FFFD, and keys in any order. Values that differ stay different.
    """
    with suppress(UnsendableValueError):  # then no client can have had it
        value = _READER.decode(dumps(value))
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def first_fault(schema: object, value: object, path: str = "", depth: int = 0) -> str:
    """The first thing wrong, as a sentence for the model; empty if nothing is."""
    if not isinstance(schema, dict) or depth > _DEPTH:
        return ""
    name = path or "The arguments"
    types = schema.get("type")
    types = [types] if isinstance(types, str) else types
    if isinstance(types, list) and types and not any(_is(value, kind) for kind in types):
        return f"{name} must be of type {' or '.join(map(str, types))}."
    choices = schema.get("enum")
    if isinstance(choices, list) and value not in choices:
        return f"{name} must be one of {', '.join(map(repr, choices[:20]))}."
    if isinstance(value, dict):
        return _object_fault(schema, value, path, depth)
    if isinstance(value, list):
        for index, item in enumerate(value[:1_000]):
            if fault := first_fault(schema.get("items"), item, f"{path}[{index}]", depth + 1):
                return fault
    return ""


def _object_fault(schema: dict[str, Any], value: dict[str, Any], path: str, depth: int) -> str:
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    for key in required if isinstance(required, list) else ():
        if isinstance(key, str) and key not in value:
            return f"{_join(path, key)} is missing."
    for key, item in value.items():
        if key in properties:
            if fault := first_fault(properties[key], item, _join(path, key), depth + 1):
                return fault
        elif schema.get("additionalProperties") is False and "patternProperties" not in schema:
            known = ", ".join(map(str, properties)) or "none"
            return f"{_join(path, key)[:80]} is not an argument of this tool. It takes: {known}."
    return ""


def _is(value: object, kind: object) -> bool:
    types = _TYPES.get(kind) if isinstance(kind, str) else None
    if types is None:
        return True
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, types)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _whole(digits: str) -> int | float:
    """A whole number; as a float if JavaScript would write that float with these digits."""
    number = int(digits)
    if abs(number) < 2**53:
        return number
    try:
        near = float(number)
    except OverflowError:
        return number
    return near if Decimal(repr(near)) == number else number


_READER = json.JSONDecoder(parse_int=_whole)
