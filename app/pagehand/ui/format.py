"""Turning names, times and values into words a person reads. Pure functions."""

from __future__ import annotations

import json
import re
from typing import Any

from pagehand.ui.i18n import text as say

# Marks that turn the direction of text or hide in it: they could make an address or a name
# read as another one.
_HIDDEN = re.compile(
    r"[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_SMALL_WORDS = {"id": "ID", "url": "URL", "html": "HTML", "json": "JSON", "ip": "IP", "ui": "UI"}


def title_of(name: str) -> str:
    """A tool's or field's name as words: `get-user-info-tool` gives "Get user info"."""
    plain = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    words = re.sub(r"[-_.\s]+", " ", plain).strip().split(" ")
    if len(words) > 1 and words[-1].lower() == "tool":
        words.pop()
    spelled = [_SMALL_WORDS.get(word.lower(), word.lower()) for word in words]
    first = spelled[0]
    return " ".join([first[:1].upper() + first[1:], *spelled[1:]]) if first else name


def duration(seconds: float) -> str:
    """`0.4` gives "400 ms", `12.3` "12 s", `75` "1 min 15 s"."""
    if seconds < 1:
        return say("time.milliseconds", value=max(1, round(seconds * 1000)))
    if seconds < 10:
        return say("time.seconds", value=f"{seconds:.1f}")
    if seconds < 60:
        return say("time.seconds", value=round(seconds))
    whole = round(seconds)
    return say("time.minutes", minutes=whole // 60, seconds=whole % 60)


def one_line(text: str, limit: int = 120) -> str:
    """Text on one line, without hidden marks, cut with "…" beyond `limit` characters."""
    line = " ".join(_HIDDEN.sub("", text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def visible(text: str) -> str:
    r"""Text whose hidden marks are written out, as in `\u202e`."""
    return _HIDDEN.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


def host_of(address: str) -> str:
    """The host of an http address, without `www.`; empty for others."""
    match = re.match(r"https?://(?:[^/@]*@)?([^/:?#]+)", address, re.IGNORECASE)
    return match[1].removeprefix("www.") if match else ""


def raw(value: Any) -> str:
    """JSON as people read it: indented, non-ASCII as it is, hidden marks written out."""
    try:
        return visible(json.dumps(value, ensure_ascii=False, indent=2, default=str))
    except (TypeError, ValueError):
        return visible(str(value))


def number(value: float) -> str:
    """A number without digits that only binary fractions have."""
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.10g}"
    return str(int(value)) if isinstance(value, float) else str(value)
