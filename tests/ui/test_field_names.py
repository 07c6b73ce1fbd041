from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from pagehand.tools import page_tools
from pagehand.ui.field_names import field_name
from pagehand.ui.i18n import set_language


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    set_language("en")


def fields_of(schema: Any) -> set[str]:
    """The names of all fields of a schema, at every depth."""
    if isinstance(schema, list):
        return set().union(*map(fields_of, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    own = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
    return own.union(*map(fields_of, schema.values()))


def test_every_argument_of_the_built_in_tools_has_a_chinese_name() -> None:
    declared = page_tools(cookies=["theme"], javascript=True).declarations()
    named = fields_of([entry["inputSchema"] for entry in declared.values()])
    assert len(named) > 40
    set_language("zh-CN")
    missing = {key for key in named if not re.search("[\u4e00-\u9fff]", field_name(key))}
    assert missing == set()


def test_other_names_are_shown_as_words() -> None:
    assert field_name("sortBy") == "Sort by"
    set_language("zh-CN")
    assert (field_name("sortBy"), field_name("orderNumber")) == ("排序列", "Order number")
