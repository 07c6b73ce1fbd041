"""Which JSON Schemas may describe a tool's arguments: well formed, small, self-contained.

These are the rules of the door, cheap and bounded whatever is sent: size first, then one
walk. Whether a schema says what its author meant is not judged here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from pagehand.errors import DeclarationError
from pagehand.wire.pointer import find


class Limits:
    """What declarations may hold at most. Source of the numbers: docs/backend.md."""

    __slots__ = (
        "all_schema_bytes",
        "depth",
        "description",
        "expanded",
        "properties",
        "schema_bytes",
        "tools",
    )

    def __init__(
        self,
        *,
        tools: int = 64,
        description: int = 4_096,
        schema_bytes: int = 32 * 1024,
        all_schema_bytes: int = 128 * 1024,
        depth: int = 12,
        properties: int = 256,
        expanded: int = 20_000,
    ) -> None:
        self.tools = tools
        self.description = description
        self.schema_bytes = schema_bytes
        self.all_schema_bytes = all_schema_bytes
        self.depth = depth
        self.properties = properties
        self.expanded = expanded


_Rule: TypeAlias = Callable[["_Walk", Any, str, int], None]

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_JSON_DEPTH = 4  # levels of JSON that one level of a schema may take: properties, name, enum, value
_EXPANDED_DEPTH = 150  # levels of JSON, once references are followed


def shown(value: object) -> str:
    """A short piece of something that was sent, to name it in an error."""
    text = value if isinstance(value, str) else type(value).__name__
    return json.dumps(text if len(text) <= 40 else text[:40] + "...")


def check_schema(schema: dict[str, Any], place: str, limits: Limits) -> int:
    """Check one schema.

    Args:
        schema: The JSON Schema object of a tool's arguments.
        place: What to call it in an error.
        limits: What is still accepted.

    Returns:
        Its size in bytes as compact JSON.

    Raises:
        DeclarationError: It breaks a rule; the text says where and what to change.
    """
    size = check_json(schema, place, limits)
    walk = _Walk(schema, place, limits)
    walk.schema(schema, "", 1)
    if walk.expanded(schema, 0) > limits.expanded:
        raise DeclarationError(f"{place}: its $ref expand to too much; repeat fewer of them")
    return size


def check_json(value: object, place: str, limits: Limits) -> int:
    """Check that something is plain JSON and no larger or deeper than one schema may be.

    Returns:
        Its size in bytes as compact JSON.

    Raises:
        DeclarationError: It is not.
    """
    too_large = f"{place} is larger than {limits.schema_bytes:,} bytes; shorten or split it"
    if _count_values(value, place, limits) > limits.schema_bytes:
        raise DeclarationError(too_large)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError):
        raise DeclarationError(
            f"{place} holds something that is not plain JSON; send only JSON values"
        ) from None
    size = len(text.encode(errors="replace"))
    if size > limits.schema_bytes:
        raise DeclarationError(too_large)
    return size


def _count_values(root: object, place: str, limits: Limits) -> int:
    """Check keys and depth, whatever the value means; return how many values it holds.

    Level by level and bounded, so that a bomb or a cycle never reaches anything recursive.
    """
    level: list[Any] = [root]
    seen = 1
    for _ in range(limits.depth * _JSON_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below.extend(value.values())
                if "__proto__" in value or not all(isinstance(key, str) for key in value):
                    raise DeclarationError(
                        f"{place} has a key that is no text or is __proto__; rename it"
                    )
            elif isinstance(value, (list, tuple)):
                below.extend(value)
        seen += len(below)
        if not below or seen > limits.schema_bytes:
            return seen
        level = below
    raise DeclarationError(f"{place} is nested too deeply; flatten it")


class _Walk:
    """One walk over a schema, by the meaning of its keywords."""

    def __init__(self, root: dict[str, Any], place: str, limits: Limits) -> None:
        self._root = root
        self._place = place
        self._limits = limits
        self._properties = 0
        self._weights: dict[int, int] = {}

    def fail(self, path: str, reason: str) -> NoReturn:
        shortened = path if len(path) <= 80 else f"{path[:40]}...{path[-40:]}"
        raise DeclarationError(f"{self._place}{' at ' + shortened if path else ''} {reason}")

    def schema(self, schema: object, path: str, depth: int) -> None:
        if isinstance(schema, bool):
            return
        if not isinstance(schema, dict):
            self.fail(path, "must be a JSON Schema object, true or false")
        if depth > self._limits.depth:
            self.fail(path, f"is nested deeper than {self._limits.depth} levels; flatten it")
        for key, value in schema.items():
            rule = _RULES.get(key)
            if rule is not None:
                rule(self, value, f"{path}/{key}", depth)

    def schemas(self, value: object, path: str, depth: int) -> None:
        if not isinstance(value, list) or not value:
            self.fail(path, "must be a list of schemas, not empty")
        for index, item in enumerate(value):
            self.schema(item, f"{path}/{index}", depth + 1)

    def below(self, value: object, path: str, depth: int) -> None:
        self.schema(value, path, depth + 1)

    def items(self, value: object, path: str, depth: int) -> None:
        (self.schemas if isinstance(value, list) else self.below)(value, path, depth)

    def named(self, value: object, path: str, depth: int) -> None:
        if not isinstance(value, dict):
            self.fail(path, "must be an object that maps names to schemas")
        for name, item in value.items():
            self.schema(item, f"{path}/{name}", depth + 1)

    def properties(self, value: object, path: str, depth: int) -> None:
        self.named(value, path, depth)
        self._properties += len(value)  # type: ignore[arg-type]  # named() saw a dict
        if self._properties > self._limits.properties:
            self.fail("", f"has more than {self._limits.properties} properties; leave some out")

    def text(self, value: object, path: str, _depth: int) -> None:
        if not isinstance(value, str):
            self.fail(path, "must be a text")

    def types(self, value: object, path: str, _depth: int) -> None:
        kinds = value if isinstance(value, list) and value else [value]
        if not all(isinstance(kind, str) and kind in _TYPES for kind in kinds):
            self.fail(path, f"must be one of {', '.join(sorted(_TYPES))}, or a list of these")

    def required(self, value: object, path: str, _depth: int) -> None:
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            self.fail(path, "must be a list of property names")

    def values(self, value: object, path: str, _depth: int) -> None:
        if not isinstance(value, list) or not value:
            self.fail(path, "must be a list of values, not empty")

    def number(self, value: object, path: str, _depth: int) -> None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail(path, "must be a number")

    def count(self, value: object, path: str, _depth: int) -> None:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            self.fail(path, "must be a number, zero or more")

    def ref(self, value: object, path: str, _depth: int) -> None:
        if not isinstance(value, str) or not value.startswith("#"):
            self.fail(path, "must point into this schema: use #/$defs/NAME")
        if not isinstance(find(self._root, value), (dict, bool)):
            self.fail(path, "points to nothing in this schema")

    def refuse_ref(self, _value: object, path: str, _depth: int) -> None:
        self.fail(path, "cannot be used here; use $ref with #/$defs/NAME")

    def execute(self, _value: object, path: str, _depth: int) -> None:
        self.fail(path, "must not be sent: functions stay in the page")

    def expanded(self, value: object, depth: int) -> int:
        """How many values there are when each reference is replaced by what it points to.

        A reference into what contains it counts once, as a recursive type is not expanded.
        """
        if depth > _EXPANDED_DEPTH:
            self.fail("", "has references that lead to references too often; flatten them")
        if isinstance(value, list):
            return 1 + sum([self.expanded(item, depth + 1) for item in value])
        if not isinstance(value, dict):
            return 1
        total = 1 + sum([self.expanded(item, depth + 1) for item in value.values()])
        ref = value.get("$ref")
        if isinstance(ref, str):
            total += self._weight(find(self._root, ref), depth + 1)
        return min(total, self._limits.expanded + 1)

    def _weight(self, target: object, depth: int) -> int:
        if id(target) not in self._weights:
            self._weights[id(target)] = 1
            self._weights[id(target)] = self.expanded(target, depth)
        return self._weights[id(target)]


def _rules() -> dict[str, _Rule]:
    w = _Walk
    groups: list[tuple[_Rule, str]] = [
        (
            w.below,
            "additionalItems additionalProperties contains contentSchema else if not"
            " propertyNames then unevaluatedItems unevaluatedProperties",
        ),
        (w.schemas, "allOf anyOf oneOf prefixItems"),
        (w.named, "$defs definitions dependentSchemas patternProperties"),
        (w.text, "$anchor $comment $id $schema description format pattern title"),
        (w.count, "maxItems maxLength maxProperties minItems minLength minProperties"),
        (w.number, "exclusiveMaximum exclusiveMinimum maximum minimum multipleOf"),
        (w.properties, "properties"),
        (w.items, "items"),
        (w.types, "type"),
        (w.required, "required"),
        (w.values, "enum"),
        (w.ref, "$ref"),
        (w.refuse_ref, "$dynamicRef $recursiveRef"),
        (w.execute, "execute"),
    ]
    return {key: rule for rule, keys in groups for key in keys.split()}


_RULES = _rules()
