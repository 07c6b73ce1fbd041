"""JSON Schema draft 3 in the words of the later drafts, to be declared: today's servers know those.

modernised({"properties": {"n": {"type": "integer", "required": True}}})
# {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
"""

from __future__ import annotations

from typing import Any

_RENAMED = {"divisibleBy": "multipleOf"}


def is_draft3(schema: dict[str, Any]) -> bool:
    """Whether the schema says that it is one of draft 3."""
    return "draft-03" in str(schema.get("$schema", ""))


def modernised(schema: Any) -> Any:
    """The schema and those inside it, rewritten; the given one is not changed."""
    if isinstance(schema, list):
        return [modernised(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key not in ("$schema", "required"):
            found.update(_keyword(key, value))
    required = [name for name, inner in schema.get("properties", {}).items() if _required(inner)]
    if required:
        found["required"] = required
    return found


def _keyword(key: str, value: Any) -> dict[str, Any]:
    if key in ("properties", "patternProperties") and isinstance(value, dict):
        return {key: {name: modernised(inner) for name, inner in value.items()}}
    if key in ("items", "additionalItems", "additionalProperties"):
        return {key: modernised(value)}
    if key == "extends":
        return {"allOf": modernised(value if isinstance(value, list) else [value])}
    if key == "disallow":
        return {"not": _types(value)}
    if key == "type":
        return _types(value)
    return {_RENAMED.get(key, key): value}


def _required(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("required") is True


def _types(stated: Any) -> dict[str, Any]:
    """What a draft 3 `type` says: it may be "any", and hold schemas."""
    listed = stated if isinstance(stated, list) else [stated]
    if "any" in listed:
        return {}
    if all(isinstance(item, str) for item in listed):
        return {"type": stated}
    options = [{"type": item} if isinstance(item, str) else modernised(item) for item in listed]
    return {"anyOf": options}
