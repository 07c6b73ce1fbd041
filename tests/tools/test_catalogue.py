"""The built-in tools as the model sees them."""

from __future__ import annotations

import re
import subprocess
import sys
from ast import literal_eval
from importlib import import_module, util
from pathlib import Path

import pytest

from pagehand.engine.policy import risk_of
from pagehand.toolkit.toolkit import Toolkit
from pagehand.tools import CATEGORIES, page_tools
from pagehand.tools.catalogue import TOOLS

APP = Path(__file__).resolve().parents[2] / "app"


def test_every_tool_can_be_declared_and_has_words() -> None:
    declared = page_tools(cookies=["theme"], javascript=True).declarations()
    assert len(declared) == len(TOOLS)
    for name, entry in declared.items():
        assert len(entry["description"]) > 20, name
        for argument, schema in entry["inputSchema"]["properties"].items():
            assert schema["description"], f"{name}.{argument}"


def test_the_names_of_the_source_document_are_there() -> None:
    names = set(page_tools().declared_names())
    assert {"navigate_to", "fill_form_field", "query_data", "scroll_to", "read_storage"} <= names


def test_it_leaves_room_for_the_contracts_example() -> None:
    toolkit = Toolkit(page_tools())
    for name in ("get-user-info-tool", "jump-url-tool", "save-note"):
        assert name not in toolkit


def test_categories_and_single_tools_can_be_left_out() -> None:
    only = page_tools(["data", "ui"], without=["highlight"])
    assert only.declared_names() == ["extract_links", "list_tables", "query_data", "scroll_to"]


def test_storage_can_be_switched_off() -> None:
    assert not any(tool.category == "storage" for tool in page_tools(storage=False))


def test_what_takes_an_opt_in_is_not_there_without() -> None:
    plain = set(page_tools().declared_names())
    assert not plain & {"run_javascript", "read_cookie"}
    assert "run_javascript" in page_tools(javascript=True)
    assert "read_cookie" in page_tools(cookies=["theme"])
    assert "read_cookie" not in page_tools(cookies=["theme"], storage=False)


def test_a_risk_is_known_before_the_page_is_looked_at() -> None:
    tools = page_tools()
    for name, _category, risk, _work, _text, _schema, options in TOOLS:
        tool = tools.get(name)
        if "rate" in options and tool is not None:
            assert risk_of(tool, {}) == risk, name


@pytest.mark.parametrize(
    "wrong",
    [{"categories": ["dat"]}, {"without": ["querydata"]}, {"budget": {"call": 3}}],
)
def test_a_misspelt_name_is_an_error_that_lists_the_right_ones(wrong: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match=r"knows no .*there are"):
        page_tools(**wrong)  # type: ignore[arg-type]


def test_every_tool_has_its_module_and_category() -> None:
    for name, category, _risk, work, _text, _schema, options in TOOLS:
        for place in (work, *(options.get(key, work) for key in ("ask", "rate", "draw"))):
            module, _, function = place.partition(":")
            assert util.find_spec(f"pagehand.tools.{module}"), name
            source = (APP / "pagehand" / "tools" / f"{module}.py").read_text(encoding="utf-8")
            assert f"def {function}(" in source, f"{name}: {place}"
        assert category in CATEGORIES
        assert options.get("acts") in (None, "guarded", "compared"), name


def test_making_the_tools_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from pagehand.tools import page_tools; page_tools();"
        "print([m for m in sys.modules if m.startswith('pagehand.tools.')]);"
        "print('pydantic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(APP)], capture_output=True, text=True, check=True
    )
    loaded, pydantic = done.stdout.strip().split("\n")
    names = ("catalogue", "catalogue_browser", "catalogue_page", "schemas")
    assert sorted(literal_eval(loaded)) == [f"pagehand.tools.{name}" for name in names]
    assert pydantic == "False"


def test_the_pure_modules_need_no_page() -> None:
    for name in (
        "budget",
        "chords",
        "gathering",
        "grid",
        "outcome",
        "query",
        "secrets",
        "urls",
        "values",
    ):
        import_module(f"pagehand.tools.{name}")


def test_the_documents_table_is_the_catalogue() -> None:
    text = (APP.parent / "docs" / "page-tools.md").read_text(encoding="utf-8")
    told = [line for line in text.splitlines() if line.startswith("| `")]
    told = [line for line in told if line.count("|") == 8]
    listed = []
    for name, category, risk, _work, _text, schema, _options in TOOLS:
        needed = schema["required"]
        arguments = [f"`{one}`" if one in needed else f"[`{one}`]" for one in schema["properties"]]
        listed.append(f"| `{name}` | {category} | {risk} | {' '.join(arguments) or 'none'} |")
    assert [line[: len(row)] for line, row in zip(told, listed, strict=True)] == listed
    for line in told:
        assert all(cell.strip() for cell in line.strip("|").split("|")), line


def test_the_document_names_every_code() -> None:
    text = (APP.parent / "docs" / "page-tools.md").read_text(encoding="utf-8")
    text = text[text.index("## Codes") :]
    for path in sorted((APP / "pagehand" / "tools").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        found = re.findall(r'(?:TroubleError\(\s*|code=)"([a-z_]+)"', source)
        found += re.findall(r'"([a-z_]+)" if \w+ else "(?:ok|no_change)"', source)
        for code in found:
            assert f"`{code}`" in text, f"{path.name}: {code}"
