"""Filters, sorting and paging."""

from __future__ import annotations

from typing import Any

import pytest

from pagehand.tools.grid import Grid, read_grid
from pagehand.tools.query import QueryError, natural, run_query
from pagehand.tools.values import folded

ROWS = [
    ("HP-9", "Lin Yue", "2026-03-18", "3", "¥428.00", "Pending review"),
    ("HP-10", "Zhao Ning", "2026-03-16", "12", "¥3,460.00", "Pending review"),
    ("HP-11", "Zoë", "2026-03-11", "1", "", "Completed"),
    ("HP-12", "Chen", "2026-02-01", "21", "¥90.50", "Shipped"),
]
NAMES = ("Order", "Customer", "Date", "Items", "Amount", "Status")


@pytest.fixture
def grid() -> Grid:
    rows: list[Any] = [["h", [[name, 1, 1, 1, name.lower()] for name in NAMES], 0]]
    rows += [["b", [[text, 1, 1, 0, None] for text in row], 0] for row in ROWS]
    return read_grid({"rows": rows, "language": "en"})


def orders(grid: Grid, **question: Any) -> list[str]:
    return [row["Order"] for row in run_query(grid, **question).rows]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"Status": "Pending review"}, ["HP-9", "HP-10"]),
        ({"status": "pending REVIEW"}, ["HP-9", "HP-10"]),
        ({"Items": 1}, ["HP-11"]),
        ({"Items": "1"}, ["HP-11"]),
        ({"Customer": "zoe"}, ["HP-11"]),
        ({"Amount": {"ge": 428}}, ["HP-9", "HP-10"]),
        ({"Amount": {"gt": "¥428.00"}}, ["HP-10"]),
        ({"Amount": {"lt": 100}}, ["HP-12"]),
        ({"Date": {"between": ["2026-03-11", "2026-03-16"]}}, ["HP-10", "HP-11"]),
        ({"Status": {"in": ["Shipped", "Completed"]}}, ["HP-11", "HP-12"]),
        ({"Status": ["Shipped"]}, ["HP-12"]),
        ({"Status": {"ne": "Pending review"}}, ["HP-11", "HP-12"]),
        ({"Customer": {"starts": "z"}}, ["HP-10", "HP-11"]),
        ({"Customer": {"contains": "n"}}, ["HP-9", "HP-10", "HP-12"]),
        ({"Amount": {"empty": True}}, ["HP-11"]),
        ({"Amount": {"empty": False}, "Items": {"le": 3}}, ["HP-9"]),
        ({"Status": "nothing"}, []),
    ],
)
def test_filters(grid: Grid, filters: dict[str, Any], expected: list[str]) -> None:
    assert orders(grid, filters=filters) == expected


def test_conditions_as_a_list(grid: Grid) -> None:
    where = [
        {"column": "Items", "operator": "ge", "value": 3},
        {"column": "Items", "operator": "le", "value": 12},
    ]
    assert orders(grid, where=where) == ["HP-9", "HP-10"]


def test_a_text_that_equals_nothing_is_looked_for_inside_and_said(grid: Grid) -> None:
    answer = run_query(grid, filters={"Status": "pending"})
    assert answer.matched == 2
    assert "contain" in answer.notes[0]


@pytest.mark.parametrize(
    ("column", "descending", "expected"),
    [
        ("Amount", False, ["HP-12", "HP-9", "HP-10", "HP-11"]),
        ("Amount", True, ["HP-10", "HP-9", "HP-12", "HP-11"]),
        ("Order", False, ["HP-9", "HP-10", "HP-11", "HP-12"]),
        ("Date", True, ["HP-9", "HP-10", "HP-11", "HP-12"]),
    ],
)
def test_sorting_is_typed_and_keeps_empty_cells_last(
    grid: Grid, column: str, descending: bool, expected: list[str]
) -> None:
    assert orders(grid, sort_by=column, descending=descending) == expected


def test_matched_is_counted_before_the_limit(grid: Grid) -> None:
    answer = run_query(grid, limit=1, offset=1)
    assert answer.matched == 4
    assert [row["Order"] for row in answer.rows] == ["HP-10"]


def test_only_the_columns_asked_for(grid: Grid) -> None:
    assert run_query(grid, limit=1, columns=["amount", "Order"]).rows == [
        {"Amount": "¥428.00", "Order": "HP-9"}
    ]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"filters": {"Colour": "red"}}, 'no column "Colour"; the columns are "Order"'),
        ({"sort_by": "Colour"}, "the columns are"),
        ({"filters": {"Amount": {"like": 1}}}, 'no operator "like"'),
        ({"filters": {"Amount": {"gt": "much"}}}, "cannot use 'much'"),
        ({"filters": {"Amount": {"between": [1]}}}, "two values"),
        ({"filters": {"Amount": {"in": 1}}}, "takes a list"),
        ({"columns": ["s"]}, "fits several columns"),
    ],
)
def test_questions_that_cannot_be_answered(
    grid: Grid, question: dict[str, Any], words: str
) -> None:
    with pytest.raises(QueryError, match=words.replace('"', ".")):
        run_query(grid, **question)


def test_a_column_answers_to_the_pages_own_name_for_it() -> None:
    rows = [["h", [["状态", 1, 1, 1, "status"]], 0], ["b", [["待审核", 1, 1, 0, None]], 0]]
    answer = run_query(read_grid({"rows": rows}), filters={"status": "待审核"})
    assert answer.rows == [{"状态": "待审核"}]


def test_natural_order() -> None:
    names = ["item 10", "Item 9", "item 1b", "item 1a"]
    order = sorted(names, key=lambda name: natural(folded(name)))
    assert order == ["item 1a", "item 1b", "Item 9", "item 10"]
    figures = ["9", "1" + "0" * 5000, "010", "2"]
    assert sorted(figures, key=natural) == ["2", "9", "010", "1" + "0" * 5000]
