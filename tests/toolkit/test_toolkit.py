import pytest

from pagehand.errors import DuplicateToolError, ToolDefinitionError, ToolkitError
from pagehand.toolkit.tool import Tool
from pagehand.toolkit.toolkit import Toolkit

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def make(name, **options):
    return Tool(name, "frontend", source="there.py:1", execute=lambda: None, **options)


def test_a_decorated_function_stays_a_function():
    toolkit = Toolkit()

    @toolkit.tool("add", risk="moderate")
    def add(a: int, b: int = 0) -> int:
        """Adds."""
        return a + b

    assert add(1, 2) == 3
    tool = toolkit.get("add")
    assert (tool.kind, tool.risk, tool.execute) == ("frontend", "moderate", add)
    assert tool.source.startswith("toolkit/test_toolkit.py:")


def test_the_name_may_be_the_functions():
    toolkit = Toolkit()

    @toolkit.tool()
    def read_table() -> None:
        """Reads."""

    assert [tool.name for tool in toolkit] == ["read-table"]


def test_a_decorator_without_brackets_is_explained():
    with pytest.raises(ToolDefinitionError, match="with brackets"):
        Toolkit().tool(lambda: None)


def test_all_kinds():
    toolkit = Toolkit()

    @toolkit.human("ask", description="Asks.")
    def ask(call, question: str):
        return question

    toolkit.backend("server", render=lambda call: None)
    toolkit.provider("search", args={"max": 3})
    toolkit.external("else", render_text={"running": "..."})
    toolkit.stub("later", parameters=SCHEMA, description="Later.")
    kinds = {tool.name: tool.kind for tool in toolkit}
    assert kinds == {
        "ask": "human",
        "server": "backend",
        "search": "provider",
        "else": "external",
        "later": "stub",
    }
    assert list(toolkit.declarations()) == ["ask", "later"]
    assert toolkit.get("server").source.startswith("toolkit/test_toolkit.py:")
    assert toolkit.declared_names() == ["ask", "later"]


def test_declarations_are_sorted_and_only_json():
    import json

    toolkit = Toolkit()
    toolkit.add(make("b"))
    toolkit.add(make("a"))
    toolkit.add(make("hidden", disabled=True))
    declarations = toolkit.declarations()
    assert list(declarations) == ["a", "b"]
    assert json.loads(json.dumps(declarations)) == declarations
    assert set(declarations["a"]) == {"description", "inputSchema"}


def test_a_name_twice_names_both_places():
    toolkit = Toolkit()

    @toolkit.tool("save")
    def save() -> None: ...

    with pytest.raises(DuplicateToolError) as caught:

        @toolkit.tool("save")
        def save_again() -> None: ...

    text = str(caught.value)
    assert "'save'" in text
    assert text.count("toolkit/test_toolkit.py:") == 2


def test_combined_toolkits_with_one_name_are_an_error_and_change_nothing():
    one, two = Toolkit(), Toolkit()
    one.add(make("x"))
    two.add(make("y"))
    two.add(make("x"))
    with pytest.raises(DuplicateToolError, match=r"there\.py:1"):
        one.include(two)
    assert len(one) == 1


def test_the_same_tool_twice_is_fine():
    one, tool = Toolkit(), make("x")
    one.add(tool)
    one.add(tool)
    assert len(Toolkit(one, one)) == 1


def test_a_combination_follows_its_parts():
    part = Toolkit()
    whole = Toolkit(part)
    changes = []
    whole.subscribe(lambda: changes.append([tool.name for tool in whole]))
    remove = part.add(make("x"))
    remove()
    assert changes == [["x"], []]


def test_a_duplicate_through_a_part_is_refused_before_anything_changes():
    part, whole = Toolkit(), Toolkit()
    whole.add(make("x"))
    whole.include(part)
    with pytest.raises(DuplicateToolError):
        part.add(make("x"))
    assert len(part) == 0


def test_exclude_undoes_include():
    part, whole = Toolkit(), Toolkit()
    part.add(make("x"))
    whole.add(make("own"))
    whole.include(part)
    whole.exclude(part)
    whole.exclude(part)
    part.add(make("y"))
    assert [tool.name for tool in whole] == ["own"]
    whole.include(part)
    assert [tool.name for tool in whole] == ["own", "x", "y"]


def test_an_empty_toolkit_is_still_a_toolkit():
    assert Toolkit()


def test_overwrite_replaces():
    toolkit = Toolkit()
    toolkit.add(make("x", description="old"))
    toolkit.add(make("x", description="new", overwrite=True))
    assert toolkit.get("x").description == "new"


def test_a_higher_priority_adds_to_what_is_there():
    toolkit = Toolkit()
    toolkit.add(make("x", description="base", risk="moderate"))
    remove = toolkit.add(make("x", description="over", priority=10))
    assert (toolkit.get("x").description, toolkit.get("x").risk) == ("over", "moderate")
    remove()
    assert toolkit.get("x").description == "base"


def test_a_scope_takes_its_tools_along():
    toolkit = Toolkit()
    with toolkit.scope("editor") as editor:

        @editor.tool("insert")
        def insert(text: str) -> None:
            """Inserts."""

        assert "insert" in toolkit
        assert list(toolkit.declarations()) == ["insert"]
    assert "insert" not in toolkit


def test_a_closed_scope_cannot_change_the_toolkit_any_more():
    toolkit = Toolkit()
    scope = toolkit.scope("editor")
    scope.close()
    scope.add(make("x"))
    assert "x" not in toolkit


def test_a_stub_gets_its_function_later():
    toolkit = Toolkit()
    toolkit.stub("later", parameters=SCHEMA)
    whole = Toolkit(toolkit)
    before = toolkit.declarations()

    def run(a="x"):
        return a

    unbind = toolkit.bind("later", run)
    assert toolkit.get("later").execute is run
    assert whole.get("later").execute is run
    assert toolkit.declarations() == before
    unbind()
    assert toolkit.get("later").execute is None
    assert whole.get("later").execute is None


def test_binding_what_is_no_stub_is_an_error():
    toolkit = Toolkit()
    toolkit.add(make("x"))
    with pytest.raises(ToolkitError, match="no stub 'x'"):
        toolkit.bind("x", print)


def test_unsubscribe_and_remove():
    toolkit, changes = Toolkit(), []
    stop = toolkit.subscribe(lambda: changes.append(1))
    toolkit.add(make("x"))
    toolkit.remove("x")
    stop()
    stop()
    toolkit.add(make("x"))
    toolkit.remove("nothing")
    assert changes == [1, 1]
    assert toolkit.get("nothing") is None


def test_every_broken_tool_is_listed_at_once():
    def run(day: "NeverDefined"): ...  # noqa: F821 -- a mistake that only the schema shows

    toolkit = Toolkit()
    toolkit.add(Tool("a", "frontend", source="a.py:1", execute=run))
    toolkit.add(Tool("b", "frontend", source="b.py:2", execute=run))
    toolkit.add(make("c"))
    with pytest.raises(ToolDefinitionError) as caught:
        toolkit.declarations()
    names = [line.partition(": an annotation")[0] for line in str(caught.value).split("\n")]
    assert names == ["tool 'a' (a.py:1)", "tool 'b' (b.py:2)"]


def test_check_tells_the_author_what_to_know():
    toolkit = Toolkit()

    @toolkit.tool("silent")
    def silent(anything) -> None: ...

    notes = toolkit.check()
    assert "silent has no description: the model must guess from its name" in notes
    assert "silent: arguments.anything: takes any value, spelled out as every type" in notes


def test_local_names_in_annotations_are_found():
    from pydantic import BaseModel

    class Note(BaseModel):
        text: str

    toolkit = Toolkit()

    @toolkit.tool("save")
    def save(note: "Note") -> None:
        """Saves."""

    assert toolkit.get("save").schema()["properties"]["note"]["properties"] == {
        "text": {"type": "string"}
    }
