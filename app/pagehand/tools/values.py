"""Reads what people write in table cells: numbers, money, percent, dates, yes and no.

    mark = decimal_mark(["1.234,50", "7,00"], "de")     # ","
    parse_number("(1.234,50 €)", mark)                  # Number(-1234.5, "currency")
    parse_date("2026年3月18日", None)                     # "2026-03-18"

Nothing is guessed: a text that could mean two things gives None.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARKS = dict.fromkeys(map(ord, "\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069"))
_GROUPING = dict.fromkeys(map(ord, " \u00a0\u202f\u2009'’_"))
_CURRENCY = "$€£¥￥₹₩₽₺₫฿元円"
_COMMA_DECIMAL = frozenset(
    {"de", "fr", "es", "it", "pt", "nl", "ru", "pl", "tr", "sv", "da", "nb", "fi", "cs", "id", "vi"}
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YES = frozenset({"✓", "✔", "☑", "✅", "yes", "true", "是", "有"})
_NO = frozenset({"✗", "✘", "☐", "❌", "no", "false", "否", "无"})


# What most cells of a column of figures look like: read at once.
_USUAL = re.compile(r"([$€£¥] ?)?(-?[0-9]{1,15}(?:\.[0-9]{1,9})?)")


class Number(NamedTuple):
    """A number and what kind of quantity it is: `number`, `percent` or `currency`."""

    value: float
    kind: str


def _plain(text: str) -> str:
    """Bidi marks dropped, digits of any script as ASCII, one kind of minus."""
    text = text.translate(_MARKS).replace("\u2212", "-").replace("\u066b", ".").strip()
    if text.isascii():
        return text
    return "".join(str(int(c)) if c.isdecimal() else c for c in text)


def _strip_unit(text: str) -> tuple[str, str]:
    """The figure without its unit, and the kind of quantity."""
    kind = "number"
    if text.endswith(("%", "％")):
        return text[:-1].strip(), "percent"
    bare = text.strip(_CURRENCY + " \u00a0\u202f")
    if bare != text:
        kind, text = "currency", bare
    for cut in (text[:3], text[-3:]):
        if len(text) > 3 and cut.isascii() and cut.isalpha() and cut.isupper():
            kind = "currency"
            text = text.removeprefix(cut).removesuffix(cut).strip(_CURRENCY + " \u00a0\u202f")
            break
    if len(text) > 2 and text[:2].isalpha() and text[:2].isupper() and text[2] in _CURRENCY:
        kind, text = "currency", text[3:].strip()
    return text, kind


def _unsigned(text: str) -> tuple[str, int]:
    if text.startswith("(") and text.endswith(")"):
        return text[1:-1].strip(), -1
    if text.endswith("-"):
        return text[:-1].strip(), -1
    if text.startswith(("-", "+")):
        return text[1:].strip(), -1 if text[0] == "-" else 1
    return text, 1


def _core(text: str) -> tuple[str, int, str] | None:
    """Digits and marks only, the sign, the kind; None when it is no number."""
    body, sign = _unsigned(_plain(text))
    body, kind = _strip_unit(body)
    if sign == 1:
        body, sign = _unsigned(body)
    body = body.translate(_GROUPING)
    if not body or not body[0].isdecimal() or not all(c.isdecimal() or c in ".," for c in body):
        return None
    return body, sign, kind


def decimal_mark(texts: Iterable[str], language: str = "") -> str | None:
    """Which of "." and "," is the decimal mark in a column.

    The cells themselves settle it ("1.234,5"); else the language does, where the
    figures agree with it; None when "1.234" could be either.
    """
    votes: set[str] = set()
    unsure: set[str] = set()
    for text in texts:
        if "." not in text and "," not in text and "\u066b" not in text:
            continue  # nothing in it that could tell
        found = _core(text)
        if found is None:
            continue
        vote = _vote(found[0])
        if vote:
            votes.add(vote)
        elif "." in found[0] or "," in found[0]:
            unsure.add("." if "." in found[0] else ",")
    if len(votes) == 1:
        return votes.pop()
    if votes:
        return None
    expected = "," if language.split("-", maxsplit=1)[0].lower() in _COMMA_DECIMAL else "."
    return None if expected in unsure else expected


def _vote(body: str) -> str | None:
    """The decimal mark that one figure proves, or None."""
    dot, comma = body.rfind("."), body.rfind(",")
    if dot >= 0 and comma >= 0:
        return "." if dot > comma else ","
    mark = "." if dot >= 0 else ","
    if body.count(mark) > 1:
        return "," if mark == "." else "."
    at = max(dot, comma)
    if at < 0:
        return None
    tail = len(body) - at - 1
    if tail != 3 or body[:at] == "0" or at > 3:
        return mark
    return None


def parse_number(text: str, mark: str | None) -> Number | None:
    """A number, or None. `mark` is the column's decimal mark; None refuses what is ambiguous."""
    if mark == "." and (usual := _USUAL.fullmatch(text)):
        value = float(usual[2])
        is_whole = value.is_integer() and abs(value) < 2**53
        return Number(int(value) if is_whole else value, "currency" if usual[1] else "number")
    if text[1:2].islower() and text[0].isalpha():
        return None  # a word, as no unit begins
    found = _core(text)
    if found is None:
        return None
    body, sign, kind = found
    if mark is None:
        if "." in body or "," in body:
            return None
        mark = "."
    group = "," if mark == "." else "."
    whole, _, part = body.partition(mark)
    pieces = whole.split(group)
    grouped = all(len(piece) in (2, 3) for piece in pieces[1:]) and len(pieces[-1]) in (0, 3)
    if mark in part or group in part or (len(pieces) > 1 and not grouped):
        return None
    figure = float(f"{''.join(pieces) or '0'}.{part or '0'}") * sign
    return Number(int(figure) if figure.is_integer() and abs(figure) < 2**53 else figure, kind)


def day_first(texts: Iterable[str], language: str = "") -> bool | None:
    """Whether "03/05/2026" means 3 May: proved by a 13th, else by the language, else None."""
    for text in texts:
        parts = _slashed(text)
        if parts and parts[0] > 12 >= parts[1]:
            return True
        if parts and parts[1] > 12 >= parts[0]:
            return False
    if language.lower().startswith("en-us"):
        return False
    return None if not language or language.lower() == "en" else True


def _slashed(text: str) -> tuple[int, int, int] | None:
    for mark in "/.":
        if mark not in text:
            continue
        parts = _plain(text).split(mark)
        if len(parts) == 3 and all(part.isdecimal() for part in parts) and len(parts[2]) == 4:
            return int(parts[0]), int(parts[1]), int(parts[2])
    return None


def parse_date(text: str, is_day_first: bool | None) -> str | None:
    """The date as ISO text (with the time if it has one), or None. ISO texts sort as they are."""
    text = _plain(text)
    if len(text) >= 10 and text[4] == "-" and text[7] == "-":
        return _iso_like(text)
    for cut in "年月日":
        if cut in text:
            digits = text.replace("年", "-").replace("月", "-").replace("日", "").strip()
            return _ymd(digits.split("-"))
    parts = text.split("/")
    if len(parts) == 3 and len(parts[0]) == 4:
        return _ymd(parts)
    slashed = _slashed(text)
    if slashed is not None:
        if is_day_first is None and slashed[0] <= 12 and slashed[1] <= 12:
            return None
        day, month = slashed[:2] if is_day_first else (slashed[1], slashed[0])
        return _ymd([str(slashed[2]), str(month), str(day)])
    return _named_month(text)


def _iso_like(text: str) -> str | None:
    day = _ymd(text[:10].split("-"))
    rest = text[10:].lstrip("T ").strip()
    if day is None or (rest and not rest[0].isdecimal()):
        return None
    return f"{day}T{rest}" if rest else day


def _named_month(text: str) -> str | None:
    words = text.replace(",", " ").replace(".", " ").lower().split()
    if len(words) != 3:
        return None
    month = [word for word in words if word[:3] in _MONTHS and word.isalpha()]
    figures = [word for word in words if word.isdecimal()]
    if len(month) != 1 or len(figures) != 2 or len(figures[1]) != 4:
        return None
    return _ymd([figures[1], str(_MONTHS.index(month[0][:3]) + 1), figures[0]])


def _ymd(parts: list[str]) -> str | None:
    if len(parts) != 3 or not all(part.strip().isdecimal() for part in parts):
        return None
    year, month, day = (int(part) for part in parts)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not (1 <= month <= 12 and 1 <= day <= days[month - 1] and 1 <= year <= 9999):
        return None
    return f"{year:04d}-{month:02d}-{day:02d}"


def parse_bool(text: str) -> bool | None:
    """Yes or no, in signs, English or Chinese; None for anything else."""
    folded = text.strip().lower()
    return True if folded in _YES else False if folded in _NO else None


def folded(text: str) -> str:
    """For comparing texts: case, accents and full-width forms do not count."""
    if text.isascii():
        return " ".join(text.lower().split())
    from unicodedata import combining, normalize

    text = normalize("NFKD", text).casefold()
    return " ".join("".join(c for c in text if not combining(c)).split())
