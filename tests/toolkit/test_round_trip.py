"""200 generated signatures keep everything on their way through the portable pass."""

import json
from functools import cache

import pytest

from pagehand.toolkit.toolkit import Toolkit
from pagehand.wire.declarations import read_declarations, to_wire
from toolkit.generated import made

MADE = made(200)


@cache
def toolkit_of(one):
    toolkit = Toolkit()
    toolkit.tool("made")(one.function)
    return toolkit


def kinds(schema):
    """The types a schema allows, itself or in its members."""
    if "anyOf" in schema:
        return set().union(*(kinds(option) for option in schema["anyOf"]))
    found = schema["type"]
    return {found} if isinstance(found, str) else set(found)


def walk(schema):
    """Every schema inside a schema."""
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from walk(inner)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from walk(schema[key])
    for option in schema.get("anyOf", ()):
        yield from walk(option)


@pytest.mark.parametrize("one", MADE, ids=lambda one: f"made_{one.number}")
def test_properties_types_required_and_descriptions_survive(one):
    toolkit = toolkit_of(one)
    sent = json.loads(json.dumps(to_wire(toolkit.declarations(), "clientTools")))
    schema = read_declarations(sent)["made"]["inputSchema"]
    assert list(schema["properties"]) == list(one.types)
    assert schema.get("required", []) == one.required
    for name, types in one.types.items():
        assert kinds(schema["properties"][name]) >= types, name
    for name, words in one.descriptions.items():
        assert words in schema["properties"][name]["description"]


@pytest.mark.parametrize("one", MADE, ids=lambda one: f"made_{one.number}")
def test_every_inner_schema_is_portable(one):
    toolkit = toolkit_of(one)
    for schema in walk(toolkit.declarations()["made"]["inputSchema"]):
        assert "type" in schema or "anyOf" in schema
        assert not {"$ref", "$defs", "oneOf", "allOf", "prefixItems", "title"} & schema.keys()
        for name in schema.get("required", ()):
            assert "default" not in schema["properties"][name]


@pytest.mark.parametrize("one", MADE, ids=lambda one: f"made_{one.number}")
def test_arguments_that_fit_arrive(one):
    tool = toolkit_of(one).get("made")
    prepared = tool.compiled().check(one.arguments)
    assert set(one.function(**prepared.values)) == set(one.types)
    assert prepared.repairs == []


def test_the_generator_covers_what_it_should():
    assert len(MADE) == 200
    assert sum(len(one.types) for one in MADE) > 500
    assert any(one.types == {} for one in MADE)
