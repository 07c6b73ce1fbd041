import pytest

from pagehand.errors import ToolDefinitionError
from pagehand.toolkit.definition import Definition, locals_of, place, place_of

SCHEMA = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}


def run(url: str) -> str:
    """Opens an address."""
    return url


@pytest.mark.parametrize("name", ["../evil", "", "1st", "a b", "a" * 64, "工具", "a.b", None, 7])
def test_names_that_a_server_would_refuse_are_refused_here(name):
    with pytest.raises(ToolDefinitionError, match="a name starts with a letter"):
        Definition(name, "frontend", execute=run)


@pytest.mark.parametrize("name", ["__proto__", "constructor", "prototype"])
def test_names_that_mean_something_to_javascript_are_refused_here(name):
    with pytest.raises(ToolDefinitionError, match="is reserved; choose another"):
        Definition(name, "frontend", execute=run)


@pytest.mark.parametrize("name", ["a", "_a", "jump-url-tool", "A1_-", "a" * 63])
def test_good_names(name):
    assert Definition(name, "frontend", execute=run).name == name


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("frontend", {}, "a frontend tool needs `execute`"),
        ("human", {"parameters": SCHEMA}, "a human tool needs `render`"),
        ("human", {"render": run, "execute": run}, "answered in its card"),
        ("backend", {"execute": run}, "runs elsewhere"),
        ("stub", {}, "must be stated in `parameters`"),
        ("mcp", {}, "connects on the server"),
        ("magic", {}, "there is no type 'magic'"),
        (
            "frontend",
            {"execute": run, "requires_confirmaton": True},
            "did you mean 'requires_confirmation'",
        ),
        ("frontend", {"execute": run, "zzz": True}, "known are: description"),
        ("frontend", {"execute": run, "risk": "high"}, "safe, moderate, dangerous"),
        ("frontend", {"execute": run, "timeout": 0}, "above 0"),
        ("frontend", {"execute": run, "timeout": "10"}, "above 0"),
        ("frontend", {"execute": run, "display": "big"}, "'inline' or 'standalone'"),
        ("frontend", {"execute": run, "description": 5}, "must be a text"),
        ("frontend", {"execute": 5}, "must be a function"),
        ("frontend", {"execute": run, "parameters": [1]}, "not list"),
        ("frontend", {"execute": run, "provider_options": {"a": {1, 2}}}, "plain JSON"),
        ("frontend", {"execute": run, "concurrency": 3}, "name of a lane"),
        ("frontend", {"execute": lambda *args: None}, r"`\*args` can never be filled"),
        ("frontend", {"execute": lambda a, /: None}, "remove the `/`"),
    ],
)
def test_a_definition_that_cannot_work_says_why_and_where(kind, options, words):
    with pytest.raises(ToolDefinitionError, match=words) as caught:
        Definition("save-note", kind, source="my_tools.py:7", **options)
    assert "'save-note' (my_tools.py:7)" in str(caught.value)


@pytest.mark.parametrize(
    ("category", "lane"),
    [("form", "page"), ("ui", "page"), ("navigation", "page"), ("data", None), ("other", None)],
)
def test_tools_that_move_the_page_share_a_lane(category, lane):
    assert Definition("a", "frontend", execute=run, category=category).concurrency == lane


def test_a_stated_lane_wins():
    assert (
        Definition("a", "frontend", execute=run, category="form", concurrency=None).concurrency
        is None
    )
    assert Definition("a", "frontend", execute=run, concurrency="db").concurrency == "db"


def test_display():
    assert Definition("a", "human", render=lambda call, url: None).display == "standalone"
    assert Definition("a", "frontend", execute=run).display == "inline"
    assert Definition("a", "frontend", execute=run, display="standalone").display == "standalone"


def test_places_are_told_by_folder_and_file():
    import sys

    frame = sys._getframe()
    assert place(frame) == f"toolkit/test_definition.py:{frame.f_lineno}"
    assert place_of(run) == f"toolkit/test_definition.py:{run.__code__.co_firstlineno}"
    assert place_of(print) == ""
    assert locals_of(frame)["frame"] is frame
