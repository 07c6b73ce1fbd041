"""What must not stand in the repository: registries and CDNs, machine paths, unfinished work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repo.sources import ROOT, tracked

TEXT = tracked(
    ".py", ".pyi", ".js", ".mjs", ".css", ".html", ".md", ".toml", ".json", ".txt", ".sh", ".yml"
)
REGISTRIES = re.compile(
    r"regist"
    r"ry\.npmjs|py"
    r"pi\.org|python"
    r"hosted|deb\.deb"
    r"ian\.org|jsdel"
    r"ivr|unp"
    r"kg\.com|cdn\."
)
MACHINE = re.compile(r"(?<![\w.])/(?:wo" r"rk|ro" r"ot|ho" r"me/\w+|tmp/pl" r"an)/")
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")


@pytest.mark.parametrize("path", [p for p in TEXT if "data" not in p.parts], ids=str)
def test_no_word_that_must_not_be_here(path: Path) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    for pattern in (REGISTRIES, MACHINE, UNFINISHED):
        found = pattern.search(text)
        assert not found, f"{path} holds {found.group()!r}" if found else ""


def test_nothing_large_is_kept_in_git() -> None:
    large = [str(p) for p in tracked("") if (ROOT / p).stat().st_size > 1_000_000]
    assert not large
