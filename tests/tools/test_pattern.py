"""Which regular expressions are run in the page, and which are refused."""

from __future__ import annotations

import pytest

from pagehand.tools.pattern import LONGEST, complaint


@pytest.mark.parametrize(
    "pattern",
    [
        r"v\d",
        r"\d+\.\d+\s*(USD|EUR)",
        r"\d{1,3}(,\d{3})*",
        r"(ab)+",
        r"(?:Mr|Mrs|Ms)?\s?[A-Z]\w+",
        r"[(*+|]+\(a+\)",
        r"2026-\d\d-\d\d",
        "(",
        ")",
        "|".join(["word"] * 30),
    ],
)
def test_patterns_that_are_run(pattern: str) -> None:
    assert complaint(pattern) == ""


@pytest.mark.parametrize(
    ("pattern", "word"),
    [
        ("(a+)+$", "repeated group"),
        ("(a|a)*b", "repeated group"),
        ("(?:a?){50}b", "repeated group"),
        ("((a{1,5}))+", "repeated group"),
        ("(?<n>x*){2,}y", "repeated group"),
        (".*.*.*.*.*x", "too many"),
        ("a?" * 40, "too many"),
        ("(a|a)" * 30, "too many"),
        ("a" * (LONGEST + 1), str(LONGEST)),
    ],
)
def test_patterns_that_could_take_for_ever(pattern: str, word: str) -> None:
    assert word in complaint(pattern)
