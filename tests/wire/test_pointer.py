from __future__ import annotations

from typing import Any

import pytest

from pagehand.wire.pointer import ABSENT, find, index_of, steps_of

DOCUMENT: dict[str, Any] = {
    "$defs": {"A/b": 1, "m~n": 2, "a b": 3, "": 4, "100%": 5, "null": None},
    "anyOf": [{"x": 6}, 7],
}


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#", DOCUMENT),
        ("#/$defs/A~1b", 1),
        ("#/$defs/m~0n", 2),
        ("#/$defs/a%20b", 3),
        ("#/$defs/", 4),
        ("#/$defs/100%25", 5),
        ("#/$defs/null", None),
        ("#/anyOf/0/x", 6),
        ("#/anyOf/1", 7),
    ],
)
def test_what_a_reference_points_at(reference: str, found: Any) -> None:
    assert find(DOCUMENT, reference) == found


@pytest.mark.parametrize(
    "reference",
    [
        "#A",  # an anchor's name
        "#anyOf",
        "",
        "/anyOf",
        "https://example.com/#/anyOf",
        "#/anyOf/2",
        "#/anyOf/-1",
        "#/anyOf/01",
        "#/anyOf/\u00b2",  # a digit to str.isdigit, and no number to int
        "#/anyOf/\u0661",
        "#/anyOf/" + "9" * 5_000,  # more figures than int takes
        "#/anyOf/1/x",
        "#/nothing",
    ],
)
def test_references_that_point_at_nothing(reference: str) -> None:
    assert find(DOCUMENT, reference) is ABSENT


def test_steps_and_places() -> None:
    assert steps_of("") == []
    assert steps_of("/a~1b/~01") == ["a/b", "~1"]
    assert [index_of(step, 2) for step in ("0", "1", "2", "-", "")] == [0, 1, None, None, None]
