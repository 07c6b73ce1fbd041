"""Mends the slips models make in arguments, where nothing can be lost by it.

    repair({"count": "3", "note": None}, schema)   # ({"count": 3}, ["count: ...", ...])

An optional argument sent as null counts as absent; a number or a list written
as a text becomes what it says. A text where a text is expected is never
touched. What was mended is reported, so that it shows in the log.
"""

from __future__ import annotations

from typing import Any


def repair(arguments: dict[str, Any], schema: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns mended arguments (the given ones are not changed) and what was done."""
    notes: list[str] = []
    return _object(arguments, schema, "", notes), notes


def _value(value: Any, schema: dict[str, Any], path: str, notes: list[str]) -> Any:
    kinds = _kinds(schema)
    if isinstance(value, str) and kinds and "string" not in kinds:
        value = _text(value, kinds, path, notes)
    if isinstance(value, dict) and "object" in kinds:
        return _object(value, schema, path, notes)
    if isinstance(value, list) and "array" in kinds and isinstance(schema.get("items"), dict):
        return [
            _value(item, schema["items"], f"{path}[{index}]", notes)
            for index, item in enumerate(value)
        ]
    return value


def _object(
    value: dict[str, Any], schema: dict[str, Any], path: str, notes: list[str]
) -> dict[str, Any]:
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    result = {}
    for name, item in value.items():
        inner = properties.get(name)
        place = f"{path}.{name}" if path else name
        if inner is None:
            result[name] = item
        elif item is None and name not in required and "null" not in _kinds(inner):
            notes.append(f"{place}: null taken as left out")
        else:
            result[name] = _value(item, inner, place, notes)
    return result


def _text(text: str, kinds: set[str], path: str, notes: list[str]) -> Any:
    """What a text says, if that is exactly one of the wanted kinds."""
    from pagehand.errors import MalformedEventError
    from pagehand.wire.jsontext import loads

    try:
        value = loads(text)
    except MalformedEventError:
        return text
    found = _kind_of(value)
    if found in kinds or (found == "integer" and "number" in kinds):
        notes.append(f"{path}: read from a text")
        return value
    return text


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names = {int: "integer", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null" if value is None else "string")


def _kinds(schema: dict[str, Any]) -> set[str]:
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return {kinds}
    if isinstance(kinds, list):
        return set(kinds)
    found: set[str] = set()
    for option in schema.get("anyOf", ()):
        found |= _kinds(option)
    return found
