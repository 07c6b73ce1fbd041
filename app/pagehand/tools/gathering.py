"""Puts together the rows of a table that shows only a part at a time.

    gathered = Gathered()
    gathered.add(rows)               # a window of a list that is scrolled down
    gathered.add(rows)               # the next one; what both show counts once
    gathered.turn(rows)              # the next page of a paged table
    gathered.rows()

A row is `[section, cells, index]` as eyes-tables.js reads it; `index` is its `aria-rowindex`, or
0. Rows that tell their index are known by it; for the others two windows overlap, and what they
share is found as the longest end of the one that begins the other, so that equal rows are kept.
"""

from __future__ import annotations

import re
from typing import Any

MOST_ROWS = 20_000  # of one table

Row = list[Any]


class Gathered:
    """The rows seen so far."""

    __slots__ = ("_foot", "_head", "_indexed", "_plain")

    def __init__(self) -> None:
        self._head: list[Row] = []
        self._foot: list[Row] = []
        self._indexed: dict[int, Row] = {}
        self._plain: list[Row] = []

    def __len__(self) -> int:
        return len(self._indexed) + len(self._plain)

    def add(self, rows: list[Row]) -> int:
        """Takes a window in; returns how many rows were new."""
        body = self._split(rows)
        before = len(self)
        plain = self._take_indexed(body)
        self._plain += plain[_overlap(self._plain, plain) :]
        return len(self) - before

    def turn(self, rows: list[Row]) -> int:
        """Takes the next page in, or the same table grown longer; returns how many were new."""
        body = self._split(rows)
        before = len(self)
        plain = self._take_indexed(body)
        grown = plain[: len(self._plain)] == self._plain
        same = plain == self._plain[-len(plain) :] if plain else True
        if grown:
            self._plain = plain
        elif not same:
            self._plain += plain
        return len(self) - before

    def rows(self) -> list[Row]:
        """All rows: the head, the body in order, the foot as it was last."""
        ordered = [self._indexed[index] for index in sorted(self._indexed)]
        return [*self._head, *ordered, *self._plain, *self._foot]

    def _split(self, rows: list[Row]) -> list[Row]:
        head = [row for row in rows if row[0] == "h"]
        foot = [row for row in rows if row[0] == "f"]
        self._head = self._head or head
        self._foot = foot or self._foot
        return [row for row in rows if row[0] not in ("h", "f")]

    def _take_indexed(self, body: list[Row]) -> list[Row]:
        self._indexed.update((row[2], row) for row in body if row[2])
        return [row for row in body if not row[2]]


def _overlap(seen: list[Row], new: list[Row]) -> int:
    """How many rows of `new` are the end of what was seen."""
    for size in range(min(len(seen), len(new)), 0, -1):
        if seen[-size] == new[0] and seen[-size:] == new[:size]:
            return size
    return 0


def pinned_together(rows: list[Row]) -> list[Row]:
    """Rows of one index that stand in several boxes (pinned columns), each as one row."""
    if not any(row[2] for row in rows):
        return rows
    whole: dict[tuple[str, int], Row] = {}
    joined: list[Row] = []
    for row in rows:
        section, cells, index = row[0], row[1], row[2]
        key = (section, index)
        if index and key in whole:
            whole[key][1] = [*whole[key][1], *cells]
            continue
        mine = [section, list(cells), index]
        if index:
            whole[key] = mine
        joined.append(mine)
    return joined


_TOTAL = re.compile(
    r"(?:of|von|de|sur|di|共|/)\s*(\d{1,3}(?:[.,\u00a0\u202f ]\d{3})+|\d+)(?!\s*(?:页|pages?\b))",
    re.IGNORECASE,
)
_PAGES = re.compile(r"\bpage\b|\bseite\b|页", re.IGNORECASE)


def total_in(text: str | None) -> int | None:
    """The number of rows that a pager speaks of: "1–10 of 253" gives 253; "page 2 of 9" nothing."""
    if not text or _PAGES.search(text):
        return None
    found = _TOTAL.search(text)
    return int(re.sub(r"\D", "", found[1])) if found else None


_NEXT = re.compile(
    r"^(?:go to )?(?:the )?next(?: page)?\b|^older\b|^(?:load|show|view|see) more\b|^more\b"
    r"|^(?:nächste|weiter|suivant|siguiente|próxima|volgende|successiv)"
    r"|下一页|下页|后一页|加载更多|查看更多|显示更多|更多结果",
    re.IGNORECASE,
)
_FIRST = re.compile(r"^(?:go to )?(?:the )?first(?: page)?\b|首页|第一页|^erste\b", re.IGNORECASE)
_ARROWS = frozenset({"›", ">", "→", "▶", "▸", "❯"})


def leads_on(name: str) -> bool:
    """Whether a control of this name shows further rows. Words win: « and » alone tell nothing."""
    plain = name.strip()
    return bool(_NEXT.search(plain)) or plain in _ARROWS


def leads_home(name: str) -> bool:
    """Whether a control of this name goes to the first page."""
    return bool(_FIRST.search(name.strip()))
