"""Cells to records: spans, headers, types."""

from __future__ import annotations

from typing import Any

from pagehand.tools.grid import read_grid


def cell(
    text: str, across: int = 1, down: int = 1, header: int = 0, value: Any = None
) -> list[Any]:
    return [text, across, down, header, value]


def head(*texts: str) -> list[Any]:
    return ["h", [cell(text, header=1) for text in texts], 0]


def row(*texts: str) -> list[Any]:
    return ["b", [cell(text) for text in texts], 0]


def read(*rows: list[Any], language: str = "en", **facts: Any) -> Any:
    return read_grid({"rows": list(rows), "language": language, **facts})


def test_a_plain_table() -> None:
    grid = read(head("Name", "Amount"), row("Ann", "¥1,200.00"), row("Bo", "¥80.00"))
    assert [tuple(column) for column in grid.columns] == [("Name", "text"), ("Amount", "currency")]
    assert grid.records[0] == {"Name": "Ann", "Amount": "¥1,200.00"}
    assert [record["Amount"] for record in grid.typed] == [1200, 80]


def test_packed_rows_are_the_same_rows() -> None:
    names = head("Name", "Amount", "Note")
    whole = read(
        names, row("Ann", "¥1,200.00", "x"), row("Bo", "¥80.00", ""), row("Cé", "¥7.50", "")
    )
    packed = read(names, columns=["Ann\nBo\nCé", "¥1,200.00\n¥80.00\n¥7.50"], size=3)
    mixed = read(
        names, row("Ann", "¥1,200.00", "x"), columns=["Bo\nCé", "¥80.00\n¥7.50", "\n"], size=2
    )
    assert packed.columns == whole.columns == mixed.columns
    assert [one["Name"] for one in packed.records] == ["Ann", "Bo", "Cé"]
    assert mixed.records == whole.records
    assert mixed.typed == whole.typed
    assert [packed.size, mixed.size, packed.record(0)["Note"]] == [3, 3, ""]
    assert packed.folded("Name") == ["ann", "bo", "ce"]


def test_spans_repeat_and_end_with_their_group() -> None:
    grid = read(
        head("A", "B", "C"),
        ["b", [cell("x", down=9), cell("1", across=2)], 0],
        ["b", [cell("2"), cell("3")], 0],
        ["f", [cell("sum"), cell("6", across=2)], 0],
    )
    assert grid.records == [{"A": "x", "B": "1", "C": "1"}, {"A": "x", "B": "2", "C": "3"}]
    assert grid.footer == [["sum", "6", "6"]]


def test_a_rowspan_of_zero_reaches_the_end_of_the_group() -> None:
    grid = read(head("A", "B"), ["b", [cell("x", down=0), cell("1")], 0], ["b", [cell("2")], 0])
    assert [record["A"] for record in grid.records] == ["x", "x"]


def test_a_huge_span_allocates_nothing() -> None:
    grid = read(head("A"), ["b", [cell("x", across=65534)], 0])
    assert len(grid.columns) == 200


def test_two_header_rows_are_joined() -> None:
    grid = read(
        ["h", [cell("Name", down=2, header=1), cell("Price", across=2, header=1)], 0],
        ["h", [cell("net", header=1), cell("gross", header=1)], 0],
        row("a", "1", "2"),
    )
    assert [column.name for column in grid.columns] == ["Name", "Price / net", "Price / gross"]


def test_without_a_head_the_first_row_of_headers_is_it() -> None:
    grid = read(["b", [cell("A", header=1), cell("B", header=1)], 0], row("1", "2"))
    assert grid.records == [{"A": "1", "B": "2"}]


def test_nameless_and_repeated_columns_get_names() -> None:
    grid = read(head("A", "", "A"), row("1", "2", "3"))
    assert [column.name for column in grid.columns] == ["A", "col2", "A (2)"]


def test_short_rows_have_empty_cells() -> None:
    grid = read(head("A", "B"), row("1"))
    assert grid.records == [{"A": "1", "B": ""}]


def test_the_value_beside_the_text_gives_the_type() -> None:
    grid = read(
        head("Day"),
        ["b", [cell("yesterday", value="2026-03-17")], 0],
        ["b", [cell("today", value="2026-03-18")], 0],
    )
    assert grid.columns[0].type == "date"
    assert grid.records[0]["Day"] == "yesterday"
    assert grid.typed[0]["Day"] == "2026-03-17"


def test_ambiguous_figures_stay_text_and_are_noted() -> None:
    grid = read(head("N"), row("1.234"), row("2.345"))
    assert grid.columns[0].type == "text"
    assert "two ways" in grid.notes[0]


def test_numbers_with_leading_zeros_are_names() -> None:
    assert read(head("Code"), row("007"), row("012")).columns[0].type == "text"


def test_german_figures_on_a_german_page() -> None:
    grid = read(head("Preis"), row("1.234,50 €"), row("7,00 €"), language="de")
    assert [record["Preis"] for record in grid.typed] == [1234.5, 7]


def test_the_pages_own_column_names_are_kept() -> None:
    grid = read(["h", [cell("状态", header=1, value="status")], 0], row("待审核"))
    assert grid.aliases == {"status": "状态"}
