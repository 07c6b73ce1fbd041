import pytest

from pagehand.toolkit.portable import ANY_TYPE, portable
from pagehand.toolkit.schema_references import UnportableSchemaError


def prop(schema, definitions=None):
    """The portable form of one property."""
    root = {"type": "object", "properties": {"x": schema}, "$defs": definitions or {}}
    return portable(root)[0]["properties"]["x"]


def test_a_plain_schema_stays_as_it_is():
    schema = {
        "type": "object",
        "properties": {"url": {"type": "string", "description": "Full address"}},
        "required": ["url"],
    }
    assert portable(schema) == (schema, [])


def test_the_given_schema_is_not_changed():
    inner = {"$ref": "#/$defs/A"}
    schema = {"type": "object", "properties": {"a": inner}, "$defs": {"A": {"type": "string"}}}
    portable(schema)
    assert schema["properties"]["a"] is inner
    assert inner == {"$ref": "#/$defs/A"}


def test_an_empty_schema_is_an_object_without_properties():
    assert portable({})[0] == {"type": "object", "properties": {}}


def test_references_are_inlined_and_their_siblings_win():
    found = prop(
        {"$ref": "#/$defs/Day", "description": "The first day"},
        {"Day": {"type": "string", "description": "A day", "title": "Day"}},
    )
    assert found == {"type": "string", "description": "The first day"}


def test_draft_seven_definitions_are_found_too():
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/definitions/a~1b"}},
        "definitions": {"a/b": {"type": "integer"}},
    }
    assert portable(schema)[0] == {"type": "object", "properties": {"x": {"type": "integer"}}}


def test_recursion_is_cut_to_any_value_and_noted():
    node = {
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
    }
    schema = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": node},
    }
    result, notes = portable(schema)
    inner = result["properties"]["tree"]["properties"]["kids"]["items"]
    assert inner == {"type": ANY_TYPE, "description": "Node (the same form again)"}
    assert notes == ["arguments.tree.kids[]: refers to itself; cut here to any value"]


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("https://example.com/a.json", "leaves the document"),
        ("#/$defs/Nothing", "leads nowhere"),
        ("#Node", "leads nowhere"),
        ("#/anyOf/\u00b2", "leads nowhere"),
        (7, "leaves the document"),
    ],
)
def test_a_reference_that_cannot_be_inlined_is_an_error_with_its_place(reference, words):
    with pytest.raises(UnportableSchemaError, match=rf"arguments\.x: .*{words}"):
        prop({"$ref": reference})


def test_a_free_value_is_spelled_out():
    assert prop({}) == {"type": ANY_TYPE}
    assert prop(True) == {"type": ANY_TYPE}
    assert prop({"description": "Anything"}) == {"type": ANY_TYPE, "description": "Anything"}


def test_false_allows_nothing_so_its_property_goes():
    result, _ = portable({"type": "object", "properties": {"x": False, "y": {"type": "null"}}})
    assert list(result["properties"]) == ["y"]


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"enum": ["a", "b"]}, "string"),
        ({"enum": [1, 2]}, "integer"),
        ({"enum": ["a", 1, None]}, ["string", "integer", "null"]),
        ({"const": True}, "boolean"),
        ({"properties": {}}, "object"),
        ({"items": {"type": "string"}}, "array"),
        ({"pattern": "^a"}, "string"),
        ({"minimum": 1}, "number"),
    ],
)
def test_every_schema_gets_a_type(schema, kind):
    assert prop(schema)["type"] == kind


def test_nothing_is_required_that_has_a_default():
    result, notes = portable(
        {
            "type": "object",
            "properties": {"a": {"type": "integer", "default": 1}, "b": {"type": "integer"}},
            "required": ["a", "b", "ghost"],
        }
    )
    assert result["required"] == ["b"]
    assert result["properties"]["a"]["default"] == 1
    assert "arguments.a: has a default, so it is not required" in notes
    assert "arguments: required 'ghost' is no property, left out" in notes


def test_or_null_is_one_schema_with_two_types():
    assert prop(
        {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": None}
    ) == {
        "type": ["integer", "null"],
        "minimum": 1,
    }


def test_or_null_of_an_enum_names_null():
    assert prop({"anyOf": [{"enum": ["a"], "type": "string"}, {"type": "null"}]}) == {
        "enum": ["a", None],
        "type": ["string", "null"],
    }


def test_a_union_stays_a_union():
    found = prop({"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 3})
    assert found == {"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 3}


def test_one_of_becomes_any_of_and_the_discriminator_goes():
    cat = {"type": "object", "properties": {"kind": {"const": "cat", "type": "string"}}}
    found = prop({"oneOf": [cat, {"type": "string"}], "discriminator": {"propertyName": "kind"}})
    assert found == {"anyOf": [cat, {"type": "string"}]}


def test_rules_beside_a_union_hold_for_each_member():
    found = prop({"type": "string", "anyOf": [{"minLength": 2}, {"pattern": "^a"}]})
    assert [option["type"] for option in found["anyOf"]] == ["string", "string"]


def test_a_root_of_several_forms_becomes_one_object():
    result, notes = portable(
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"required": ["a", "b"]}],
        }
    )
    assert result == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "required": ["a"],
    }
    assert notes == ["arguments: several forms written as one with all their properties"]


def test_all_of_is_merged():
    base = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    found = prop(
        {
            "allOf": [
                {"$ref": "#/$defs/Base"},
                {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
            ]
        },
        {"Base": base},
    )
    assert found == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    }


def test_all_of_that_contains_itself_is_an_error():
    with pytest.raises(UnportableSchemaError, match="contains itself"):
        portable({"allOf": [{"$ref": "#"}]})


@pytest.mark.parametrize(
    "members",
    [
        {"prefixItems": [{"type": "integer"}, {"type": "string"}]},
        {"items": [{"type": "integer"}, {"type": "string"}]},
    ],
)
def test_a_tuple_becomes_a_list_with_its_order_in_words(members):
    assert prop({"type": "array", **members, "description": "A pair"}) == {
        "type": "array",
        "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "minItems": 2,
        "maxItems": 2,
        "description": "A pair (in this order: integer, string)",
    }


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string", "format": "date"}, "(date as YYYY-MM-DD)"),
        ({"type": "string", "format": "made-up"}, "(format made-up)"),
        ({"type": "string", "minLength": 2, "maxLength": 5}, "(2 to 5 characters)"),
        ({"type": "string", "minLength": 3, "maxLength": 3}, "(exactly 3 characters)"),
        ({"type": "number", "multipleOf": 0.5}, "(a multiple of 0.5)"),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, "(no item twice)"),
    ],
)
def test_rules_that_servers_drop_are_said_in_words_too(schema, words):
    found = prop({**schema, "description": "About it."})
    assert found["description"] == f"About it. {words}"
    assert prop(schema)["description"] == words


def test_the_pass_is_stable():
    schema = {
        "type": "object",
        "properties": {
            "a": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "b": {"type": "string", "format": "date", "maxLength": 10},
            "c": {},
            "d": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "e": {"oneOf": [{"type": "string"}, {"type": "array", "items": {}}]},
        },
    }
    once, _ = portable(schema)
    twice, _ = portable(once)
    assert twice == once


def test_open_objects_are_kept_and_noted():
    result, notes = portable(
        {
            "type": "object",
            "properties": {"x": {"type": "object", "additionalProperties": {"type": "integer"}}},
        }
    )
    assert result["properties"]["x"]["additionalProperties"] == {"type": "integer"}
    assert any("takes any key" in note for note in notes)


def test_what_servers_lose_is_left_out_with_a_note():
    result, notes = portable(
        {
            "type": "object",
            "$schema": "x",
            "properties": {"a": {"type": "string", "not": {"const": "b"}}},
        }
    )
    assert result == {"type": "object", "properties": {"a": {"type": "string"}}}
    assert notes == ["arguments.a: `not` left out, servers drop it"]


def test_old_drafts_and_open_api_are_understood():
    assert prop({"type": "integer", "minimum": 1, "exclusiveMinimum": True}) == {
        "type": "integer",
        "exclusiveMinimum": 1,
    }
    assert prop({"type": "string", "nullable": True}) == {"type": ["string", "null"]}


def test_a_title_that_says_something_becomes_the_description():
    assert prop({"type": "string", "title": "X"}) == {"type": "string"}
    assert prop({"type": "string", "title": "Where to"}) == {
        "type": "string",
        "description": "Where to",
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "array", "items": {}},
        {"$ref": "#/$defs/S", "$defs": {"S": {"type": "integer"}}},
    ],
)
def test_arguments_that_are_no_object_are_an_error(schema):
    with pytest.raises(UnportableSchemaError, match="arguments are an object"):
        portable(schema)


def test_a_schema_that_explodes_is_an_error():
    definitions = {
        f"L{n}": {
            "type": "object",
            "properties": {"a": {"$ref": f"#/$defs/L{n + 1}"}, "b": {"$ref": f"#/$defs/L{n + 1}"}},
        }
        for n in range(20)
    }
    definitions["L20"] = {"type": "string"}
    with pytest.raises(UnportableSchemaError, match="grows too large"):
        portable(
            {"type": "object", "properties": {"x": {"$ref": "#/$defs/L0"}}, "$defs": definitions}
        )
