import datetime as dt
import enum
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from pagehand.errors import ArgumentsError, ToolDefinitionError
from pagehand.toolkit.context import ToolContext
from pagehand.toolkit.tool import Tool


class Status(enum.Enum):
    OPEN = "open"
    DONE = "done"


class Item(BaseModel):
    name: str
    count: int = Field(1, ge=1, le=9)


@dataclass
class Point:
    x: int
    y: int = 0


class Options(TypedDict, total=False):
    dark: bool


class Node(BaseModel):
    value: int
    children: list["Node"] = []


def tool(execute, **options):
    return Tool("do-it", "frontend", execute=execute, **options)


def values(execute, arguments):
    return tool(execute).compiled().check(arguments).values


def schema_of(execute):
    return tool(execute).schema()


def complaint(execute, arguments, **options):
    with pytest.raises(ArgumentsError) as caught:
        tool(execute, **options).compiled().check(arguments)
    return str(caught.value)


def everything(
    text: Annotated[str, Field(description="The note", min_length=1)],
    status: Status,
    kind: Literal["a", "b"],
    items: list[Item],
    point: Point,
    day: dt.date,
    options: Options | None = None,
    ratio: float = 0.5,
    anything: Any = None,
    either: int | list[str] = 3,
    tags: set[str] = frozenset(),
    pair: tuple[int, str] = (1, "a"),
    by_key: dict[str, int] | None = None,
    when: dt.datetime | None = None,
    ctx: ToolContext | None = None,
) -> None:
    """Does everything.

    Args:
        text: Not used, the Field says it.
        status: The new status.
        day: The day
            it happens.
    """


FULL = {
    "text": "a",
    "status": "done",
    "kind": "b",
    "items": [{"name": "x", "count": "2"}],
    "point": {"x": 1},
    "day": "2026-01-31",
    "options": {"dark": True},
    "either": ["q"],
    "tags": ["t", "t"],
    "pair": [2, "b"],
    "by_key": {"k": 1},
    "when": "2026-01-31T09:30:00Z",
}


def test_every_kind_of_annotation_is_converted():
    assert values(everything, FULL) == {
        "text": "a",
        "status": Status.DONE,
        "kind": "b",
        "items": [Item(name="x", count=2)],
        "point": Point(1),
        "day": dt.date(2026, 1, 31),
        "options": {"dark": True},
        "either": ["q"],
        "tags": {"t"},
        "pair": (2, "b"),
        "by_key": {"k": 1},
        "when": dt.datetime(2026, 1, 31, 9, 30, tzinfo=dt.UTC),
    }


def test_the_schema_has_every_argument_with_its_words():
    schema = schema_of(everything)
    assert "ctx" not in schema["properties"]
    assert schema["required"] == ["text", "status", "kind", "items", "point", "day"]
    assert schema["properties"]["text"]["description"] == "The note (at least 1 characters)"
    assert schema["properties"]["status"] == {
        "enum": ["open", "done"],
        "type": "string",
        "description": "The new status.",
    }
    assert schema["properties"]["day"]["description"] == "The day it happens. (date as YYYY-MM-DD)"
    assert schema["properties"]["ratio"] == {"type": "number", "default": 0.5}
    assert schema["properties"]["items"]["items"]["properties"]["count"] == {
        "type": "integer",
        "default": 1,
        "minimum": 1,
        "maximum": 9,
    }
    assert "$ref" not in str(schema)
    assert "$defs" not in schema


def test_left_out_arguments_keep_the_functions_defaults():
    marker = ["own"]

    def run(a: list[str] = marker): ...

    assert values(run, {}) == {}


def test_field_defaults_are_filled_in():
    def run(
        a: int = Field(3, ge=1),
        b: list[int] = Field(default_factory=list),  # noqa: B008 -- what is tested
        c: str = Field(..., description="Needed"),
    ): ...

    assert schema_of(run)["required"] == ["c"]
    assert values(run, {"c": "x"}) == {"a": 3, "b": [], "c": "x"}


def test_names_that_mean_something_to_pydantic_are_only_names():
    def run(schema: str, model_config: int, _hidden: bool, copy: str = "c", self: int = 1): ...

    arguments = {"schema": "s", "model_config": 1, "_hidden": True, "copy": "d", "self": 2}
    assert values(run, arguments) == arguments
    assert list(schema_of(run)["properties"]) == list(arguments)


def test_an_alias_is_the_name_on_the_wire():
    def run(
        form_id: Annotated[str, Field(alias="formId")], size: int = Field(1, alias="theSize")
    ): ...

    assert list(schema_of(run)["properties"]) == ["formId", "theSize"]
    assert values(run, {"formId": "a", "theSize": 2}) == {"form_id": "a", "size": 2}


def test_further_arguments_go_into_kwargs():
    def run(a: int, **rest): ...

    assert values(run, {"a": 1, "b": 2}) == {"a": 1, "b": 2}
    assert schema_of(run)["additionalProperties"] is True


def test_an_argument_without_annotation_takes_anything():
    assert values(lambda x: x, {"x": {"a": [None]}}) == {"x": {"a": [None]}}


def test_recursive_models_are_checked_to_the_bottom():
    def run(tree: Node): ...

    deep = {"tree": {"value": 1, "children": [{"value": 2, "children": [{"value": "x"}]}]}}
    assert "tree.children[0].children[0].value" in complaint(run, deep)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"text": None}, "text: expected a text (at least 1 characters), got null."),
        ({"text": ""}, 'text: expected a text (at least 1 characters), got "".'),
        ({"status": "lost"}, 'status: expected one of "open", "done", got "lost".'),
        ({"kind": 1}, 'kind: expected one of "a", "b", got 1.'),
        ({"items": [{"count": 1}]}, "items[0].name: is required (a text), but was left out."),
        (
            {"items": [{"name": "a", "count": 10}]},
            "items[0].count: expected an integer (at least 1, at most 9), got 10.",
        ),
        ({"items": "a, b"}, 'items: expected a list, got "a, b".'),
        ({"point": {"x": 1.5}}, "point.x: expected an integer, got 1.5."),
        ({"point": {"x": 1, "z": 1}}, "point.z: no such argument; known are: x, y."),
        ({"day": "31.1."}, 'day: expected a text (date as YYYY-MM-DD), got "31.1."'),
        ({"ratio": "half"}, 'ratio: expected a number, got "half".'),
        ({"either": None}, "null taken as left out"),
        ({"either": {}}, "either: expected an integer or a list, got {}."),
        ({"colour": "red"}, "colour: no such argument; known are: text, status,"),
    ],
)
def test_the_error_says_which_argument_what_was_expected_and_what_came(change, words):
    arguments = {**FULL, **change}
    if words == "null taken as left out":
        assert words in tool(everything).compiled().check(arguments).repairs[-1]
        return
    text = complaint(everything, arguments)
    assert text.startswith("The arguments of 'do-it' do not fit. ")
    assert words in text


def test_several_problems_are_told_at_once():
    text = complaint(everything, {})
    assert text.count("is required") == 6


def test_an_endless_list_of_problems_is_cut():
    def run(a: list[int]): ...

    text = complaint(run, {"a": ["x"] * 50})
    assert text.endswith("And 42 more problems.")


def test_a_long_value_is_shortened():
    def run(a: int): ...

    assert len(complaint(run, {"a": "x" * 5000})) < 250


def test_a_validators_own_words_are_kept():
    from pydantic import AfterValidator

    def even(value: int) -> int:
        if value % 2:
            raise ValueError("must be even")
        return value

    def run(a: Annotated[int, AfterValidator(even)]): ...

    assert "got 3 (Value error, must be even)" in complaint(run, {"a": 3})


def test_infinity_is_no_number():
    def run(a: float): ...

    assert "a: expected a number" in complaint(run, {"a": float("inf")})


# Stated parameters


def test_a_model_arrives_as_fields_or_as_one():
    assert _call(lambda name, count: (name, count), Item, {"name": "a"}) == ("a", 1)
    assert _call(lambda item: item, Item, {"name": "a", "count": 2}) == Item(name="a", count=2)


@pytest.mark.parametrize("kind", [Point, Options, Item])
def test_any_type_that_describes_an_object_will_do(kind):
    whole = _call(
        lambda args: args,
        kind,
        {"x": 1} if kind is Point else {"dark": True} if kind is Options else {"name": "a"},
    )
    assert whole == {Point: Point(1), Options: {"dark": True}, Item: Item(name="a")}[kind]


URL = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "format": "uri"},
        "size": {"type": "integer", "default": 7, "maximum": 9},
    },
    "required": ["url"],
    "additionalProperties": False,
}


def test_a_json_schema_gives_plain_json_and_its_defaults():
    assert _call(lambda **rest: rest, URL, {"url": "u"}) == {"url": "u", "size": 7}
    assert _call(lambda url: url, URL, {"url": "u"}) == "u"
    assert _call(lambda args, ctx: (args, ctx.tool_call_id), URL, {"url": "u"}) == (
        {"url": "u", "size": 7},
        "c1",
    )
    assert _call(lambda url, context: (url, context.tool_call_id), URL, {"url": "u"}) == ("u", "c1")


def test_the_context_comes_wherever_it_is_asked_for():
    def run(ctx: ToolContext, **arguments):
        return ctx.tool_call_id, arguments

    assert _call(run, URL, {"url": "u"}) == ("c1", {"url": "u", "size": 7})

    def first(context_here: ToolContext, url: str):
        return context_here.tool_call_id, url

    assert _call(first, None, {"url": "u"}) == ("c1", "u")


def test_a_function_that_wants_more_than_the_schema_has_is_an_error():
    with pytest.raises(
        ToolDefinitionError, match="takes 'colour', which `parameters` does not have"
    ):
        tool(lambda url, colour: None, parameters=URL)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "url: is required (a text (full URL)), but was left out."),
        ({"url": 5}, "url: expected a text (full URL), got 5."),
        ({"url": "u", "size": 10}, "size: expected an integer (at most 9), got 10."),
        ({"url": "u", "colour": "red"}, "colour: no such argument; known are: url, size."),
    ],
)
def test_json_schema_errors_read_the_same(arguments, words):
    assert words in complaint(lambda **rest: rest, arguments, parameters=URL)


@pytest.mark.parametrize(
    "dialect",
    [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ],
)
def test_all_drafts(dialect):
    schema = {
        "$schema": dialect,
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    }
    assert "n: expected an integer" in complaint(lambda n: n, {"n": "x"}, parameters=schema)
    assert "$schema" not in tool(lambda n: n, parameters=schema).schema()


def test_draft_three_is_declared_in_words_of_today():
    schema = {
        "$schema": "http://json-schema.org/draft-03/schema#",
        "type": "object",
        "properties": {
            "n": {"type": "integer", "required": True, "divisibleBy": 2},
            "free": {"type": "any"},
            "either": {"type": ["string", {"type": "object", "properties": {}}]},
            "inner": {"type": "object", "properties": {"m": {"type": "string", "required": True}}},
        },
    }
    declared = tool(lambda **rest: rest, parameters=schema).schema()
    assert declared["required"] == ["n"]
    assert declared["properties"]["n"]["multipleOf"] == 2
    assert declared["properties"]["inner"]["required"] == ["m"]
    assert [option["type"] for option in declared["properties"]["either"]["anyOf"]] == [
        "string",
        "object",
    ]
    assert "n: is required" in complaint(lambda **rest: rest, {}, parameters=schema)
    assert "n: expected an integer" in complaint(lambda **rest: rest, {"n": 3}, parameters=schema)
    assert _call(lambda **rest: rest, schema, {"n": 2, "free": [1]}) == {"n": 2, "free": [1]}


@pytest.mark.parametrize(
    ("more", "arguments", "words"),
    [
        ({"dependentRequired": {"n": ["m"]}}, {"n": 1}, "'m' is a dependency of 'n'"),
        ({"minProperties": 2}, {"n": 1}, "enough properties"),
        ({"propertyNames": {"maxLength": 1}}, {"n": 1, "long": 1}, "'long' is too long"),
        ({"not": {"required": ["n"]}}, {"n": 1}, "should not be valid under"),
    ],
)
def test_rules_between_arguments_are_told_in_words(more, arguments, words):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, **more}
    assert words in complaint(lambda **rest: rest, arguments, parameters=schema)


def test_schema_notes_tell_what_was_changed():
    assert tool(everything).schema_notes()


def test_the_schema_is_built_once():
    found = tool(everything)
    assert found.schema() is found.schema()


def _call(execute, parameters, arguments):
    found = tool(execute, **({} if parameters is None else {"parameters": parameters}))
    compiled = found.compiled()
    return compiled.call(execute, compiled.check(arguments), ToolContext("c1"))
