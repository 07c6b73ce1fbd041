"""The arguments of a risky call, flat: one element for each name and each value.

Nothing stands inside another, so that no rule of the page can reach a part of a text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pagehand.html import span
from pagehand.ui.field_names import field_name
from pagehand.ui.format import number, raw, visible
from pagehand.ui.i18n import text as say

_MOST = 60  # rows shown in words; the raw form has all
_DEEP = 3


def rows_of(args: Any, defaults: list[str]) -> list[Any]:
    """The elements for the arguments, for the slot `args`."""
    if not isinstance(args, dict) or not args:
        return []
    rows = list(_rows(args, defaults, 0))
    made = [
        span(text, slot="args", data_kind=kind, title=title)
        for kind, text, title in rows[: 2 * _MOST]
    ]
    if len(rows) > 2 * _MOST:
        more = say("value.more", count=len(rows) // 2 - _MOST)
        made.append(span(more, slot="args", data_kind="head"))
    return made


def _rows(
    value: dict[str, Any], defaults: list[str], depth: int
) -> Iterator[tuple[str, str, str | None]]:
    for key, inner in value.items():
        name = field_name(str(key))
        if key in defaults:
            name = say("confirmation.default", name=name)
        kind = "inner" if depth else "name"
        if isinstance(inner, dict) and inner and depth < _DEEP:
            yield "head", name, str(key)
            yield from _rows(inner, [], depth + 1)
        elif isinstance(inner, list) and any(isinstance(one, dict) for one in inner):
            for place, one in enumerate(inner, 1):
                yield "head", f"{name} {place}", str(key)
                part = one if isinstance(one, dict) else {say("value.item", number=place): one}
                yield from _rows(part, [], depth + 1)
        else:
            yield kind, name, str(key)
            yield "value", _text(inner), None


def _text(value: Any) -> str:
    if value is None:
        return say("value.none")
    if isinstance(value, bool):
        return say("value.yes" if value else "value.no")
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list) and all(isinstance(one, (str, int, float)) for one in value):
        return "\n".join(f"• {_text(one)}" for one in value) or say("value.empty")
    if isinstance(value, (dict, list)):
        return raw(value) if value else say("value.empty")
    return visible(str(value)) or say("value.empty")
