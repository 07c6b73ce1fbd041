"""The selectors of `page_tools`, as far as they are known without a browser."""

from __future__ import annotations

from typing import Any

import pytest

from pagehand.tools import page_tools
from pagehand.tools.selectors import read_selectors


def test_one_selector_is_one() -> None:
    assert read_selectors("exclude", "nav") == ("nav",)
    assert read_selectors("exclude", ["nav", ".private"]) == ("nav", ".private")


@pytest.mark.parametrize("wrong", ["  ", [""], [None], ["nav", 3]])
def test_what_is_no_selector_is_named(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"page_tools\(exclude=...\) takes a CSS selector"):
        page_tools(exclude=wrong)


def test_a_list_of_regions_that_came_out_empty_opens_nothing() -> None:
    with pytest.raises(ValueError, match="names no selector"):
        page_tools(include=[])
    with pytest.raises(ValueError, match="takes a CSS selector"):
        page_tools(include="")
    assert page_tools(exclude=[]).declared_names() == page_tools().declared_names()
    assert page_tools(include=["#orders"]).declared_names() == page_tools().declared_names()
