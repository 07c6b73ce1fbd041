import pytest
from pydantic import BaseModel

from pagehand.errors import ToolDefinitionError
from pagehand.toolkit.tool import Tool
from pagehand.toolkit.toolkit import define_toolkit

URL = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}


class Url(BaseModel):
    url: str


def card(call):
    return call


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ({"parameters": URL, "execute": lambda url: url}, "frontend"),
        ({"type": "frontend", "parameters": URL, "execute": lambda url: url}, "frontend"),
        ({"type": "human", "parameters": URL, "render": card}, "human"),
        ({"parameters": URL, "render": card}, "human"),
        ({"type": "frontend", "parameters": URL, "render": card}, "human"),
        ({"render": card}, "backend"),
        ({"render_text": {"running": "..."}}, "backend"),
        ({"type": "backend", "parameters": URL, "render": card}, "backend"),
        ({"type": "provider", "args": {"n": 1}}, "provider"),
        ({"type": "external", "render": card}, "external"),
        ({"type": "stub", "parameters": URL}, "stub"),
    ],
)
def test_kinds_are_stated_or_inferred(entry, kind):
    assert define_toolkit({"a": entry}).get("a").kind == kind


def test_the_older_form_says_what_it_was_taken_for():
    """Document 000 writes the confirm card as `type: frontend` without `execute`."""
    toolkit = define_toolkit(
        {"jump-url-tool": {"type": "frontend", "parameters": URL, "render": card}}
    )
    assert len(toolkit.notes) == 1
    assert "jump-url-tool (toolkit/test_mapping.py:" in toolkit.notes[0]
    assert "taken as 'human'" in toolkit.notes[0]
    assert list(toolkit.declarations()) == ["jump-url-tool"]
    assert toolkit.check()[0] == toolkit.notes[0]


def test_a_clear_entry_needs_no_note():
    assert define_toolkit({"a": {"execute": lambda: 1}}).notes == []


@pytest.mark.parametrize("parameters", [URL, Url, {"jsonSchema": URL}])
def test_parameters_in_every_form(parameters):
    toolkit = define_toolkit({"a": {"parameters": parameters, "execute": lambda url: url}})
    assert toolkit.declarations()["a"]["inputSchema"] == URL


def test_a_signature_as_parameters():
    def shape(url: str): ...

    toolkit = define_toolkit({"a": {"parameters": shape, "execute": lambda url: url}})
    assert toolkit.declarations()["a"]["inputSchema"]["properties"] == URL["properties"]


def test_every_field_of_the_contract_is_taken():
    entry = {
        "type": "frontend",
        "description": "Opens.",
        "parameters": URL,
        "execute": lambda url: url,
        "render": card,
        "render_text": {"running": "..."},
        "display": "standalone",
        "to_model_output": str,
        "provider_options": {"x": {"y": 1}},
        "disabled": False,
        "category": "navigation",
        "risk": "moderate",
        "requires_confirmation": True,
        "timeout": 5,
    }
    tool = define_toolkit({"a": entry}).get("a")
    assert all(getattr(tool, key) == value for key, value in entry.items() if key != "type")


def test_javascript_spellings_are_understood():
    tool = define_toolkit(
        {
            "a": {
                "inputSchema": URL,
                "execute": lambda url: url,
                "requiresConfirmation": True,
                "riskLevel": "dangerous",
                "toModelOutput": str,
            }
        }
    ).get("a")
    assert (tool.requires_confirmation, tool.risk, tool.to_model_output, tool.parameters) == (
        True,
        "dangerous",
        str,
        URL,
    )


def test_ready_tools_may_stand_in_the_mapping():
    tool = Tool("b", "frontend", execute=lambda: 1)
    assert define_toolkit({"b": tool}).get("b") is tool


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"a": {}}, "neither `execute` nor `render`"),
        ({"a": {"type": "frontend", "parameters": URL}}, "needs `execute`"),
        ({"a": {"type": "mcp"}}, "connects on the server"),
        ({"a": lambda: 1}, "an entry is a mapping"),
        ({"a b": {"execute": lambda: 1}}, "a name starts with"),
        ({"a": {"execute": lambda: 1, "excute": 2}}, "did you mean 'execute'"),
        ([1], "takes a mapping"),
    ],
)
def test_what_cannot_work_says_why_and_where(entries, words):
    with pytest.raises(ToolDefinitionError, match=words) as caught:
        define_toolkit(entries)
    assert "toolkit/test_mapping.py:" in str(caught.value)
