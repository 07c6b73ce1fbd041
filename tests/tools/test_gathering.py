"""Rows of tables that show a part at a time."""

from __future__ import annotations

from typing import Any

import pytest

from pagehand.tools.gathering import Gathered, leads_home, leads_on, pinned_together, total_in


def row(text: str, index: int = 0, section: str = "b") -> list[Any]:
    return [section, [[text, 1, 1, 0, None]], index]


def texts(gathered: Gathered) -> list[str]:
    return [one[1][0][0] for one in gathered.rows()]


def test_windows_overlap_and_equal_rows_are_kept() -> None:
    gathered = Gathered()
    assert gathered.add([row("a"), row("b"), row("b")]) == 3
    assert gathered.add([row("b"), row("b"), row("c")]) == 1
    assert gathered.add([row("b"), row("c")]) == 0
    assert gathered.add([row("d")]) == 1
    assert texts(gathered) == ["a", "b", "b", "c", "d"]


def test_rows_with_an_index_are_known_by_it() -> None:
    gathered = Gathered()
    gathered.add([row("head", 1, "h"), row("x", 5), row("y", 6)])
    assert gathered.add([row("head", 1, "h"), row("w", 4), row("x", 5)]) == 1
    assert texts(gathered) == ["head", "w", "x", "y"]


def test_pages_follow_each_other_and_a_grown_table_takes_its_place() -> None:
    gathered = Gathered()
    gathered.add([row("a"), row("b")])
    assert gathered.turn([row("b"), row("c")]) == 2, "a page begins with what ended the last"
    assert gathered.turn([row("b"), row("c")]) == 0, "the same page again"
    grown = Gathered()
    grown.add([row("a"), row("b"), row("sum", 0, "f")])
    assert grown.turn([row("a"), row("b"), row("c"), row("sum 3", 0, "f")]) == 1
    assert texts(grown) == ["a", "b", "c", "sum 3"]


def test_rows_of_one_index_in_several_boxes_are_one() -> None:
    rows = [row("A", 2), row("B", 3), row("1", 2), row("2", 3), row("free"), row("free")]
    joined = pinned_together(rows)
    assert [[cell[0] for cell in one[1]] for one in joined] == [
        ["A", "1"],
        ["B", "2"],
        ["free"],
        ["free"],
    ]
    assert len(rows[0][1]) == 1, "what was given is left alone"


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("1–10 of 253", 253),
        ("1 - 50 von 1.204", 1204),
        ("共 1,234 条", 1234),
        ("page 2 of 9", None),
        ("第 2 页，共 9 页", None),
        ("11–20 sur 2 000", 2000),
        ("", None),
        (None, None),
    ],
)
def test_the_total_a_pager_speaks_of(text: str | None, total: int | None) -> None:
    assert total_in(text) == total


@pytest.mark.parametrize(
    ("name", "on", "home"),
    [
        ("Next page", True, False),
        ("next", True, False),
        ("›", True, False),
        ("»", False, False),
        ("Last page", False, False),
        ("Previous", False, False),
        ("First page", False, True),
        ("下一页", True, False),
        ("首页", False, True),
        ("加载更多", True, False),
        ("Load more", True, False),
        ("Nextdoor shop", False, False),
        ("More about us", True, False),
    ],
)
def test_which_controls_lead_on(name: str, on: bool, home: bool) -> None:
    assert (leads_on(name), leads_home(name)) == (on, home)
