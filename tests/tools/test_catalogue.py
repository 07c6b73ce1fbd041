"""The built-in tools as the model sees them."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module, util
from pathlib import Path

import pytest

from pagehand.toolkit.toolkit import Toolkit
from pagehand.tools import CATEGORIES, page_tools
from pagehand.tools.catalogue import TOOLS

APP = Path(__file__).resolve().parents[2] / "app"


def test_every_tool_can_be_declared_and_has_words() -> None:
    declared = page_tools().declarations()
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


@pytest.mark.parametrize("wrong", [{"categories": ["dat"]}, {"without": ["querydata"]}])
def test_a_misspelt_name_is_an_error_that_lists_the_right_ones(wrong: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match=r"knows no .*there are"):
        page_tools(**wrong)  # type: ignore[arg-type]


def test_every_tool_has_its_module_and_category() -> None:
    for name, category, _risk, work, *_ in TOOLS:
        module = work.partition(":")[0]
        assert util.find_spec(f"pagehand.tools.{module}"), name
        assert category in CATEGORIES


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
    assert done.stdout.strip().split("\n") == ["['pagehand.tools.catalogue']", "False"]


def test_the_pure_modules_need_no_page() -> None:
    for name in ("values", "grid", "query", "urls", "secrets", "outcome"):
        import_module(f"pagehand.tools.{name}")


def test_the_document_lists_every_tool_with_its_category_and_risk() -> None:
    text = (APP.parent / "docs" / "page-tools.md").read_text(encoding="utf-8")
    for name, category, risk, *_ in TOOLS:
        assert f"| `{name}` | {category} | {risk} |" in text
