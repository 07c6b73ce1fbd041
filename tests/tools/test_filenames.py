"""Names of files that are made of text."""

from __future__ import annotations

import pytest

from pagehand.tools.filenames import accepts, file_name, preview, type_of
from pagehand.tools.outcome import TroubleError


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("orders.csv", "orders.csv"),
        ("../../etc/pass.txt", "pass.txt"),
        ("C:\\temp\\a.md", "a.md"),
        ("a<b>:c.json", "a_b__c.json"),
        (" notes.TXT ", "notes.TXT"),
        ("订单.csv", "订单.csv"),
        ("evil\u202egnp.txt", "evil_gnp.txt"),
        ("x" * 300 + ".csv", "x" * 96 + ".csv"),
    ],
)
def test_names_are_made_safe(given: str, name: str) -> None:
    assert file_name(given) == name


@pytest.mark.parametrize(
    "wrong", ["", "a", ".csv", "a.exe", "a.html", "a.svg", "a.csv.bat", "a.js", "a.lnk", "/"]
)
def test_other_kinds_are_refused(wrong: str) -> None:
    with pytest.raises(TroubleError, match="text file") as caught:
        file_name(wrong)
    assert caught.value.code == "bad_file"


@pytest.mark.parametrize(
    ("accept", "name", "kind", "fits"),
    [
        ("", "a.csv", "text/csv", True),
        (".csv", "A.CSV", "text/csv", True),
        (".txt, .md", "a.csv", "text/csv", False),
        ("text/*", "a.csv", "text/csv; charset=utf-8", True),
        ("image/*", "a.csv", "text/csv", False),
        ("application/json", "a.json", "application/json", True),
    ],
)
def test_what_a_field_accepts(accept: str, name: str, kind: str, fits: bool) -> None:
    assert accepts(accept, name, kind) is fits


def test_types_and_previews() -> None:
    assert (type_of("a.csv"), type_of("a.unknown")) == ("text/csv", "text/plain")
    assert (preview("short"), len(preview("x" * 1000))) == ("short", 301)
