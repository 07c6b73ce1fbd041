import subprocess
import sys

import pytest

from pagehand.errors import ToolDefinitionError
from pagehand.toolkit.tool import Tool

SCHEMA = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}


def run(url: str) -> str:
    """Opens an address."""
    return url


def test_a_declaration_is_json_only():
    tool = Tool("open", "frontend", execute=run)
    assert tool.declaration() == {
        "description": "Opens an address.",
        "inputSchema": {**SCHEMA, "additionalProperties": False},
    }


def test_a_stated_description_goes_before_the_docstring():
    assert Tool("open", "frontend", execute=run, description="").description_text() == ""


def test_provider_options_travel():
    tool = Tool("open", "frontend", execute=run, provider_options={"anthropic": {"cache": True}})
    assert tool.declaration()["providerOptions"] == {"anthropic": {"cache": True}}


def test_a_schema_that_cannot_travel_fails_at_the_definition():
    with pytest.raises(ToolDefinitionError, match=r"tool 'a' \(f.py:1\): arguments\.x: `\$ref`"):
        Tool(
            "a",
            "frontend",
            source="f.py:1",
            execute=run,
            parameters={"type": "object", "properties": {"x": {"$ref": "https://a"}}},
        )


def test_a_schema_too_big_for_the_wire_fails_at_the_definition():
    properties = {f"p{n}": {"type": "string"} for n in range(2000)}
    with pytest.raises(ToolDefinitionError, match="tool 'a'"):
        Tool(
            "a",
            "frontend",
            execute=lambda **rest: None,
            parameters={"type": "object", "properties": properties},
        )


def test_a_wrong_json_schema_fails_at_the_definition():
    import jsonschema  # noqa: F401 -- it must be loaded for the check to be made at once

    with pytest.raises(ToolDefinitionError, match=r"`parameters` at properties\.x\.type"):
        Tool(
            "a",
            "frontend",
            execute=lambda x: x,
            parameters={"type": "object", "properties": {"x": {"type": "strin"}}},
        )


def test_a_name_that_is_defined_further_down_is_no_mistake_yet():
    import pydantic  # noqa: F401 -- schemas are built at once now

    def run(day: "LaterDefined"): ...  # noqa: F821 -- what is tested

    tool = Tool("a", "frontend", source="f.py:1", execute=run)
    with pytest.raises(ToolDefinitionError, match="an annotation names 'LaterDefined'"):
        tool.schema()
    globals()["LaterDefined"] = int
    try:
        assert tool.schema()["properties"] == {"day": {"type": "integer"}}
    finally:
        del globals()["LaterDefined"]


def test_a_type_no_schema_can_describe_fails_at_the_definition():
    with pytest.raises(ToolDefinitionError, match="tool 'a'"):
        Tool("a", "frontend", execute=_with_object)


def _with_object(x: object.__class__) -> None: ...


def test_what_is_declared():
    assert Tool("a", "frontend", execute=run).declared
    assert Tool("a", "human", render=lambda call: None).declared
    assert Tool("a", "stub", parameters=SCHEMA).declared
    assert not Tool("a", "backend", render=lambda call: None).declared
    assert not Tool("a", "provider", args={}).declared
    assert not Tool("a", "frontend", execute=run, disabled=True).declared


def test_disabled_may_be_asked_each_time():
    off = [True]
    tool = Tool("a", "frontend", execute=run, disabled=lambda: off[0])
    assert not tool.declared
    off[0] = False
    assert tool.declared


class _Call:
    def __init__(self, status):
        self.status = status


def test_status_text():
    tool = Tool(
        "a",
        "frontend",
        execute=run,
        render_text={"running": "Opening", "complete": lambda call: f"Opened ({call.status})"},
    )
    assert tool.status_text(_Call("running")) == "Opening"
    assert tool.status_text(_Call("requires-action")) == "Opening"
    assert tool.status_text(_Call("complete")) == "Opened (complete)"
    assert Tool("a", "frontend", execute=run).status_text(_Call("running")) is None


def test_making_tools_does_not_load_pydantic():
    """The page makes its tools long before pydantic is there."""
    code = (
        "import sys\n"
        "from pagehand.toolkit.toolkit import Toolkit\n"
        "toolkit = Toolkit()\n"
        "@toolkit.tool('a')\n"
        "def a(x: int) -> int: return x\n"
        "assert not {'pydantic', 'inspect'} & set(sys.modules), 'too early'\n"
        "assert toolkit.get('a').schema()['properties'] == {'x': {'type': 'integer'}}\n"
        "assert 'pydantic' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": "app", "PATH": ""})


def test_a_json_schema_tool_never_loads_pydantic():
    code = (
        "import sys\n"
        "from pagehand.toolkit.tool import Tool\n"
        "schema = {'type': 'object', 'properties': {'x': {'type': 'integer'}}}\n"
        "tool = Tool('a', 'frontend', execute=lambda x: x, parameters=schema)\n"
        "tool.declaration()\n"
        "assert 'jsonschema' not in sys.modules, 'describing needs no validator'\n"
        "tool.compiled().check({'x': 1})\n"
        "assert 'pydantic' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": "app", "PATH": ""})
