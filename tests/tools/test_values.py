"""Numbers, dates and yes-or-no as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.tools.values import (
    day_first,
    decimal_mark,
    folded,
    parse_bool,
    parse_date,
    parse_number,
)


@pytest.mark.parametrize(
    ("text", "mark", "value", "kind"),
    [
        ("1,234.50", ".", 1234.5, "number"),
        ("1.234,50", ",", 1234.5, "number"),
        ("1 234,5", ",", 1234.5, "number"),
        ("1\u202f234,5", ",", 1234.5, "number"),
        ("1’234.5", ".", 1234.5, "number"),
        ("12,34,567", ".", 1234567, "number"),
        ("(1,000)", ".", -1000, "number"),
        ("1,000-", ".", -1000, "number"),
        ("\u22125", ".", -5, "number"),
        ("\u200e-5", ".", -5, "number"),
        ("١٢٣", ".", 123, "number"),
        ("45%", ".", 45, "percent"),
        ("¥3,460.00", ".", 3460, "currency"),
        ("-¥5.5", ".", -5.5, "currency"),
        ("12,50 €", ",", 12.5, "currency"),
        ("CHF 12.50", ".", 12.5, "currency"),
        ("12.50 USD", ".", 12.5, "currency"),
        ("CN¥428.00", ".", 428, "currency"),
    ],
)
def test_numbers(text: str, mark: str, value: float, kind: str) -> None:
    number = parse_number(text, mark)
    assert number is not None
    assert (number.value, number.kind) == (value, kind)


@pytest.mark.parametrize(
    "text", ["", "-", "abc", "1.2.3", "HP-2051", "3 items", "1,23,4", "2026-03-18", "12:30"]
)
def test_what_is_no_number(text: str) -> None:
    assert parse_number(text, ".") is None


def test_an_unknown_mark_refuses_what_is_ambiguous() -> None:
    assert parse_number("1.234", None) is None
    assert parse_number("1234", None) is not None


@pytest.mark.parametrize(
    ("texts", "language", "mark"),
    [
        (["1.234,5", "7"], "en", ","),
        (["1,234.5"], "de", "."),
        (["0.125", "1.234"], "de", "."),
        (["1.234.567"], "", ","),
        (["1,5"], "en", ","),
        (["1,234"], "en", "."),
        (["1.234"], "de", ","),
        (["1.234"], "en", None),
        (["1,5", "1.5"], "en", None),
        (["12"], "de", ","),
        (["12"], "", "."),
    ],
)
def test_the_decimal_mark(texts: list[str], language: str, mark: str | None) -> None:
    assert decimal_mark(texts, language) == mark


@pytest.mark.parametrize(
    ("text", "first", "iso"),
    [
        ("2026-03-18", None, "2026-03-18"),
        ("2026-03-18T10:00", None, "2026-03-18T10:00"),
        ("2026-03-18 10:00", None, "2026-03-18T10:00"),
        ("2026/3/8", None, "2026-03-08"),
        ("2026年3月18日", None, "2026-03-18"),
        ("Mar 18, 2026", None, "2026-03-18"),
        ("18 March 2026", None, "2026-03-18"),
        ("5.3.2024", True, "2024-03-05"),
        ("03/05/2024", False, "2024-03-05"),
        ("03/05/2024", True, "2024-05-03"),
        ("18/03/2026", None, None),
        ("03/05/2024", None, None),
        ("2026-02-30", None, None),
        ("2024-02-29", None, "2024-02-29"),
        ("20240305", None, None),
        ("soon", None, None),
    ],
)
def test_dates(text: str, first: bool | None, iso: str | None) -> None:
    assert parse_date(text, first) == iso


@pytest.mark.parametrize(
    ("texts", "language", "first"),
    [
        (["13/01/2026"], "en-US", True),
        (["01/13/2026"], "de", False),
        (["03/05/2024"], "de", True),
        (["03/05/2024"], "en-US", False),
        (["03/05/2024"], "en", None),
    ],
)
def test_whether_the_day_comes_first(texts: list[str], language: str, first: bool | None) -> None:
    assert day_first(texts, language) is first


def test_yes_and_no() -> None:
    assert [parse_bool(text) for text in ("✓", "Yes", "是", "✗", "否", "maybe")] == [
        True,
        True,
        True,
        False,
        False,
        None,
    ]


def test_folding_ignores_case_accents_and_width() -> None:
    assert folded("  Café\u00a0ＡＢＣ ") == "cafe abc"


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
def test_what_python_formats_is_read_back(value: float) -> None:
    number = parse_number(f"{value:,.2f}", ".")
    assert number is not None
    assert number.value == pytest.approx(round(value, 2), abs=0.01)


@given(st.text(max_size=40))
def test_no_text_breaks_the_readers(text: str) -> None:
    parse_number(text, decimal_mark([text]))
    parse_date(text, day_first([text]))
