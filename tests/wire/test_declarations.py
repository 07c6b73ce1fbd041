"""Every refusal of the contract, and what is folded into one form."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pagehand.errors import DeclarationError
from pagehand.wire.declarations import Limits, check_declarations, read_declarations, to_wire
from pagehand.wire.names import NAME_PATTERN

URL_SCHEMA = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
JUMP = {"jump-url-tool": {"description": "Opens an address", "inputSchema": URL_SCHEMA}}


def tool(**keys: object) -> dict[str, Any]:
    return {"clientTools": {"t": keys}}


@pytest.mark.parametrize(
    "body",
    [
        {"clientTools": JUMP},
        {"clientTools": JUMP, "tools": None},
        {"tools": {"jump-url-tool": {"description": "Opens an address", "parameters": URL_SCHEMA}}},
        {"tools": {"jump-url-tool": {"description": "Opens an address", "schema": URL_SCHEMA}}},
        {"tools": {"jump-url-tool": {"description": "Opens an address", "jsonSchema": URL_SCHEMA}}},
        {
            "clientTools": {
                "jump-url-tool": {
                    "description": "Opens an address",
                    "inputSchema": {"jsonSchema": URL_SCHEMA},
                    "parameters": URL_SCHEMA,
                    "title": "Jump",
                    "type": "frontend",
                }
            }
        },
    ],
)
def test_all_forms_become_one(body: dict[str, Any]) -> None:
    assert read_declarations(body) == JUMP


def test_options_for_providers_are_passed_on() -> None:
    options = {"anthropic": {"cacheControl": {"type": "ephemeral"}}}
    tools = {"t": {"description": "d", "inputSchema": URL_SCHEMA, "providerOptions": options}}
    assert read_declarations({"clientTools": tools}) == tools
    assert read_declarations(to_wire(tools, "tools")) == tools
    assert "providerOptions" not in read_declarations(tool(providerOptions=None))["t"]


@pytest.mark.parametrize("body", [{}, {"clientTools": None}, {"clientTools": {}}, {"tools": {}}])
def test_no_tools(body: dict[str, Any]) -> None:
    assert read_declarations(body) == {}


def test_what_may_be_left_out() -> None:
    assert read_declarations(tool()) == {
        "t": {"description": "", "inputSchema": {"type": "object", "properties": {}}}
    }
    schema = {"properties": {"a": {}}}
    read = read_declarations(tool(inputSchema=schema))["t"]["inputSchema"]
    assert read == {"type": "object", "properties": {"a": {}}}
    assert schema == {"properties": {"a": {}}}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            {"clientTools": {}, "tools": {}},
            "^clientTools and tools cannot be provided at the same time$",
        ),
        ({"clientTools": []}, "clientTools must be an object that maps each tool's name"),
        ({"tools": "x"}, "tools must be an object that maps each tool's name"),
        ({"clientTools": {"t": None}}, "clientTools.t must be an object with a description"),
        ({"clientTools": {"t": []}}, "clientTools.t must be an object with a description"),
        (tool(execute="function..."), "clientTools.t must not hold execute"),
        (tool(execute=None), "clientTools.t must not hold execute"),
        (tool(providerOptions="x"), "clientTools.t.providerOptions must be an object that maps"),
        (tool(providerOptions={"openai": 7}), "providerOptions must be an object that maps"),
        (tool(providerOptions={"o": {"x": "y" * 40_000}}), "providerOptions is larger than 32,768"),
        (tool(description=7), "clientTools.t: description must be a text"),
        (tool(description=None), "clientTools.t: description must be a text"),
        (tool(description="x" * 4097), "description is longer than 4,096 characters"),
        (tool(inputSchema="not-object"), "clientTools.t.inputSchema must be a JSON Schema object"),
        (tool(parameters=[]), "clientTools.t.parameters must be a JSON Schema object"),
        (tool(schema=True), "clientTools.t.schema must be a JSON Schema object"),
        (tool(schema=3), "clientTools.t.schema must be a JSON Schema object"),
        (
            tool(inputSchema={"jsonSchema": 3}),
            "clientTools.t.inputSchema must be a JSON Schema object",
        ),
        (
            tool(inputSchema={}, parameters=URL_SCHEMA),
            "different schemas under inputSchema and param",
        ),
        (tool(inputSchema={"type": "string"}), 'the schema\'s type must be "object"'),
        (tool(inputSchema={"type": ["object", "null"]}), 'the schema\'s type must be "object"'),
        (tool(inputSchema={"type": {}}), 'the schema\'s type must be "object"'),
        (tool(inputSchema={"execute": "x"}), "the schema at /execute must not be sent"),
    ],
)
def test_refusals(body: dict[str, Any], text: str) -> None:
    with pytest.raises(DeclarationError, match=text):
        read_declarations(body)


@pytest.mark.parametrize("name", ["a", "_", "jump-url-tool", "A_9-z", "a" * 63, "execute"])
def test_names(name: str) -> None:
    assert re.fullmatch(NAME_PATTERN, name)
    assert list(read_declarations({"clientTools": {name: {}}})) == [name]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../evil",
        "9a",
        "-a",
        "a b",
        "a.b",
        "é",
        "a\n",
        "٣",
        "a" * 64,
        "工具",
        "x\x00",
        "x" * 9_000,
    ],
)
def test_bad_names(name: str) -> None:
    with pytest.raises(DeclarationError, match="must begin with a letter or _ and hold") as caught:
        read_declarations({"tools": {name: {}}})
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("name", ["__proto__", "constructor", "prototype"])
def test_names_that_mean_something_to_javascript(name: str) -> None:
    with pytest.raises(DeclarationError, match="is reserved; choose another"):
        read_declarations({"clientTools": {name: {}}})


def test_number_of_tools() -> None:
    tools = {f"t{number}": {} for number in range(65)}
    with pytest.raises(DeclarationError, match="holds 65 tools; at most 64 may be declared"):
        read_declarations({"clientTools": tools})
    assert len(read_declarations({"clientTools": tools}, Limits(tools=65))) == 65


def test_size_of_all_schemas() -> None:
    big = {"type": "object", "description": "x" * 30_000}
    tools = {f"t{number}": {"inputSchema": big} for number in range(5)}
    with pytest.raises(DeclarationError, match="together are larger than 131,072 bytes"):
        read_declarations({"clientTools": tools})


@pytest.mark.parametrize(
    ("declarations", "text"),
    [
        ({7: {}}, 'the tool name "int" must begin'),
        ({"t": {"description": "", "inputSchema": {"default": print}}}, "is not plain JSON"),
        ({"t": {"description": "", "inputSchema": {"default": float("nan")}}}, "is not plain JSON"),
        (
            {"t": {"description": "", "inputSchema": {"properties": {1: {}}}}},
            "a key that is no text",
        ),
    ],
)
def test_the_page_checks_before_it_sends(declarations: dict[Any, Any], text: str) -> None:
    with pytest.raises(DeclarationError, match=text):
        check_declarations(declarations)


def test_both_forms_on_the_wire() -> None:
    check_declarations(JUMP)
    assert to_wire(JUMP) == {"clientTools": JUMP}
    tools = {"jump-url-tool": {"description": "Opens an address", "parameters": URL_SCHEMA}}
    assert to_wire(JUMP, "tools") == {"tools": tools}
    for field in ("clientTools", "tools"):
        assert read_declarations(to_wire(JUMP, field)) == JUMP
    with pytest.raises(ValueError, match="must be clientTools or tools, not 'toolz'"):
        to_wire(JUMP, "toolz")
