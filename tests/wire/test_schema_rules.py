"""What a schema may hold, and that no schema takes long to refuse."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.errors import DeclarationError
from pagehand.wire.schema_rules import Limits, check_schema, shown

LIMITS = Limits()


def check(schema: dict[str, Any], limits: Limits = LIMITS) -> int:
    return check_schema(schema, "the schema", limits)


def nested(levels: int, key: str = "properties") -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels - 1):
        schema = {"type": "object", key: {"a": schema} if key == "properties" else schema}
    return schema


GOOD = [
    {},
    {"type": "object", "properties": {}, "required": []},
    {"properties": {"a": True, "b": False, "execute": {"type": "string"}}},
    {"properties": {"a": {"type": ["string", "null"], "default": None, "examples": [{"x": 1}]}}},
    {"properties": {"a": {"enum": [1, "a", None]}, "b": {"const": {"deep": [[]]}}}},
    {"properties": {"a": {"items": {"type": "number", "minimum": 0.5, "multipleOf": 2}}}},
    {"properties": {"a": {"items": [{"type": "number"}], "maxItems": 3}}},
    {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "additionalProperties": False},
    {"properties": {"a": {"$ref": "#/$defs/A~1b"}}, "$defs": {"A/b": {"title": "x"}}},
    {"properties": {"a": {"$ref": "#/properties/b/items/0"}, "b": {"items": [{}]}}},
    {"properties": {"tree": {"$ref": "#"}}, "x-own-keyword": {"anything": 1}},
    {"$defs": {"T": {"properties": {"next": {"$ref": "#/$defs/T"}}}}, "$ref": "#/$defs/T"},
    {"properties": {"a": {"enum": list(range(6_000))}}},
    nested(12),
    nested(12, "items"),
]


@pytest.mark.parametrize("schema", GOOD)
def test_good(schema: dict[str, Any]) -> None:
    assert check(schema) > 0


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"properties": []}, "at /properties must be an object that maps names to schemas"),
        ({"properties": {"a": 3}}, "at /properties/a must be a JSON Schema object, true or false"),
        ({"properties": {"a": "string"}}, "at /properties/a must be a JSON Schema object"),
        ({"properties": {"a": None}}, "at /properties/a must be a JSON Schema object"),
        ({"items": 3}, "at /items must be a JSON Schema object"),
        ({"items": []}, "at /items must be a list of schemas, not empty"),
        ({"anyOf": {}}, "at /anyOf must be a list of schemas"),
        ({"allOf": [7]}, "at /allOf/0 must be a JSON Schema object"),
        ({"additionalProperties": "no"}, "at /additionalProperties must be a JSON Schema object"),
        ({"type": "strnig"}, "at /type must be one of array, boolean"),
        ({"type": []}, "at /type must be one of"),
        ({"type": {}}, "at /type must be one of"),
        (
            {"properties": {"a": {"required": True}}},
            "at /properties/a/required must be a list of prop",
        ),
        ({"required": [1]}, "at /required must be a list of property names"),
        ({"enum": []}, "at /enum must be a list of values, not empty"),
        ({"enum": "a"}, "at /enum must be a list of values"),
        ({"description": 7}, "at /description must be a text"),
        ({"minimum": "1"}, "at /minimum must be a number"),
        ({"maximum": True}, "at /maximum must be a number"),
        ({"minLength": -1}, "at /minLength must be a number, zero or more"),
        ({"maxItems": False}, "at /maxItems must be a number, zero or more"),
        ({"$ref": "https://example.com/s.json"}, r"at /\$ref must point into this schema"),
        ({"$ref": 7}, r"at /\$ref must point into this schema"),
        ({"$ref": "#/$defs/A"}, r"at /\$ref points to nothing in this schema"),
        ({"$ref": "#A"}, r"at /\$ref points to nothing in this schema"),
        ({"$ref": f"#/anyOf/{'9' * 5_000}", "anyOf": [{}]}, "points to nothing in this schema"),
        ({"$ref": "#/anyOf/1", "anyOf": [{}]}, "points to nothing"),
        ({"$ref": "#/anyOf/0/x/y", "anyOf": [{"x": 1}]}, "points to nothing"),
        ({"$dynamicRef": "#"}, r"at /\$dynamicRef cannot be used here; use \$ref"),
        ({"properties": {"__proto__": {}}}, "a key that is no text or is __proto__"),
        ({"default": [{"__proto__": {}}]}, "a key that is no text or is __proto__"),
        ({"execute": None}, "at /execute must not be sent"),
        (nested(13), "nested deeper than 12 levels; flatten it"),
        (nested(13, "items"), "nested deeper than 12 levels; flatten it"),
        ({"properties": {f"p{n}": True for n in range(257)}}, "more than 256 properties"),
        ({"description": "é" * 16_400}, "is larger than 32,768 bytes; shorten or split it"),
    ],
)
def test_bad(schema: dict[str, Any], text: str) -> None:
    with pytest.raises(DeclarationError, match=text) as caught:
        check(schema)
    assert len(str(caught.value)) < 250


def test_a_long_path_is_shortened() -> None:
    with pytest.raises(DeclarationError) as caught:
        check({"properties": {"x" * 5_000: 3}})
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("ab", '"ab"'),
        ("x" * 99, f'"{"x" * 40}..."'),
        (7, '"int"'),
        ("\x00\u202e", '"\\u0000\\u202e"'),
    ],
)
def test_only_a_short_piece_is_shown(value: object, text: str) -> None:
    assert shown(value) == text


def bomb(levels: int, width: int) -> dict[str, Any]:
    """References that multiply: each level names the next one several times."""
    defs = {
        f"L{level}": {"anyOf": [{"$ref": f"#/$defs/L{level + 1}"}] * width}
        for level in range(levels)
    }
    defs[f"L{levels}"] = {"type": "string"}
    return {"$ref": "#/$defs/L0", "$defs": defs}


def cycle_of_lists() -> dict[str, Any]:
    schema: dict[str, Any] = {"examples": []}
    schema["examples"].append(schema)
    return schema


def deep_list(levels: int) -> dict[str, Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return {"default": value}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (bomb(20, 10), r"its \$ref expand to too much"),
        (bomb(60, 1), "references that lead to references too often"),
        (cycle_of_lists(), "is nested too deeply"),
        (deep_list(60), "is nested too deeply"),
        (deep_list(900), "is nested too deeply"),
        ({"enum": list(range(500_000))}, "is larger than"),
        ({"properties": {f"p{n}": {"a": n} for n in range(60_000)}}, "is larger than"),
        (nested(400), "is nested too deeply"),
    ],
)
def test_bombs_are_refused_at_once(schema: dict[str, Any], text: str) -> None:
    before = time.process_time()
    with pytest.raises(DeclarationError, match=text):
        check(schema)
    assert time.process_time() - before < 0.5


def test_recursion_beyond_the_interpreter() -> None:
    with pytest.raises(DeclarationError, match="is nested too deeply"):
        check(deep_list(200_000))


KEYWORDS = ["a", "type", "properties", "items", "anyOf", "$ref", "$defs", "required", "enum", "not"]

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["object", "#", "#/$defs/a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYWORDS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(schema=st.dictionaries(st.sampled_from(["properties", "$defs", "anyOf", "$ref"]), anything))
def test_any_json_is_accepted_or_refused(schema: dict[str, Any]) -> None:
    before = time.process_time()
    with suppress(DeclarationError):
        assert check(schema) > 0
    assert time.process_time() - before < 0.5
