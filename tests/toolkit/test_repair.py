import pytest

from pagehand.toolkit.repair import repair


def one(value, schema, required=()):
    arguments, notes = repair(
        {"x": value}, {"type": "object", "properties": {"x": schema}, "required": list(required)}
    )
    return arguments, notes


def test_what_fits_is_not_touched():
    arguments = {"a": "5", "b": [1], "c": {"d": None}}
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array"}}}
    assert repair(arguments, schema) == (arguments, [])


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("3", "integer", 3),
        ("3", "number", 3),
        ("3.5", "number", 3.5),
        ("true", "boolean", True),
        ('["a"]', "array", ["a"]),
        ('{"a": 1}', "object", {"a": 1}),
    ],
)
def test_a_text_becomes_what_it_says(text, kind, value):
    assert one(text, {"type": kind}) == ({"x": value}, ["x: read from a text"])


@pytest.mark.parametrize(
    ("text", "kind"), [("3.5", "integer"), ("many", "integer"), ("[1", "array"), ("5", "boolean")]
)
def test_a_text_that_says_something_else_stays(text, kind):
    assert one(text, {"type": kind}) == ({"x": text}, [])


def test_a_text_stays_a_text_where_one_may_be():
    assert one("5", {"type": ["string", "integer"]}) == ({"x": "5"}, [])
    assert one("5", {"anyOf": [{"type": "integer"}, {"type": "string"}]}) == ({"x": "5"}, [])


def test_null_for_an_optional_argument_is_absence():
    assert one(None, {"type": "string"}) == ({}, ["x: null taken as left out"])


def test_null_stays_where_it_is_a_value_or_missing_would_be_wrong():
    assert one(None, {"type": ["string", "null"]}) == ({"x": None}, [])
    assert one(None, {"type": "string"}, ["x"]) == ({"x": None}, [])


def test_inner_values_are_mended_too():
    schema = {
        "type": "array",
        "items": {"type": "object", "properties": {"n": {"type": "integer"}}},
    }
    assert one('[{"n": "1"}]', schema) == (
        {"x": [{"n": 1}]},
        ["x: read from a text", "x[0].n: read from a text"],
    )


def test_the_given_arguments_are_not_changed():
    given = {"x": {"n": "1"}}
    repair(
        given, {"properties": {"x": {"type": "object", "properties": {"n": {"type": "integer"}}}}}
    )
    assert given == {"x": {"n": "1"}}
