"""Texts into the values a schema wants: numbers, dates, yes or no, one of several choices."""

from __future__ import annotations

import re
from typing import Any

from pagehand.demo.words import ideas, same_meaning, stem, stems

_NO = (
    r"\b(?:off|un(?:check|tick)\w*|disable\w*|false|no|deselect|hide)\b|取消|关闭|关掉|停用|不要|否"
)
_YES = r"\b(?:on|check\w*|tick\w*|enable\w*|true|yes|show)\b|勾选|勾上|开启|启用|打开|是"
_CHINESE_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {"两": 2}
_ALIASES = {
    "asc": (
        "ascending",
        "lowest",
        "smallest",
        "cheapest",
        "oldest",
        "升序",
        "最小",
        "最低",
        "最少",
        "最早",
    ),
    "desc": (
        "descending",
        "highest",
        "largest",
        "biggest",
        "most",
        "newest",
        "latest",
        "top",
        "降序",
        "最大",
        "最高",
        "最多",
        "最新",
    ),
    "table": ("order", "row", "record", "订单", "记录"),
    "smooth": ("smoothly", "平滑"),
}


def as_boolean(text: str) -> bool | None:
    """True or False if the text says so."""
    if re.search(_NO, text, re.IGNORECASE):
        return False
    return True if re.search(_YES, text, re.IGNORECASE) else None


def as_number(text: str, schema: dict[str, Any]) -> int | float | None:
    """The number in a text, if the schema allows it."""
    found = re.search(r"-?\d[\d,]*(?:\.\d+)?", text)
    if found:
        value = float(found[0].replace(",", ""))
    elif text.strip() in _CHINESE_DIGITS:
        value = float(_CHINESE_DIGITS[text.strip()])
    else:
        return None
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, int | float) and value < low:
        return None
    if isinstance(high, int | float) and value > high:
        return None
    if value.is_integer():
        return int(value)
    return None if schema.get("type") == "integer" else value


def as_date(text: str) -> str | None:
    """A date in a text as YYYY-MM-DD."""
    found = re.search(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})", text)
    if found:
        return f"{int(found[1]):04}-{int(found[2]):02}-{int(found[3]):02}"
    days = {"today": 0, "今天": 0, "tomorrow": 1, "明天": 1, "yesterday": -1, "昨天": -1, "后天": 2}
    for word, offset in days.items():
        if word in text.lower():
            from datetime import date, timedelta

            return (date.today() + timedelta(days=offset)).isoformat()
    return None


def pick_choice(key: str, choices: list[Any], text: str, *, required: bool) -> Any:
    """The choice that a text names, or None. A single choice needs no naming."""
    words = set(stems(text))
    meant = ideas(text)
    for choice in choices:
        name = str(choice)
        if not name:
            continue
        own = stems(name)
        if own and all(word in words for word in own):
            return choice
        if not own and name in text:
            return choice
    for choice in choices:
        name = str(choice)
        aliases = _ALIASES.get(name, ())
        if any(
            stem(alias) in words or (not alias.isascii() and alias in text) for alias in aliases
        ):
            return choice
        if name and (ideas(name) & meant) and len(choices) > 1:
            return choice
    for choice in choices:
        if same_meaning(str(choice), text):
            return choice
    return choices[0] if required and len(choices) == 1 else None
