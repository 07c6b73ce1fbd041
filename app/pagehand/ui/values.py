"""JSON values as rows a person can read: names as words, lists of records as small tables."""

from __future__ import annotations

from typing import Any

from pagehand.html import dd, div, dl, dt, li, p, span, table, tbody, td, th, thead, tr, ul
from pagehand.ui.field_names import field_name
from pagehand.ui.format import number, one_line, visible
from pagehand.ui.i18n import text as say

_ROWS = 20  # rows or items shown of a list
_COLUMNS = 6  # columns shown of a table
_DEEP = 3  # levels shown inside one another


def draw_value(value: Any, depth: int = 0) -> Any:
    """An element that shows any JSON value."""
    if isinstance(value, dict):
        return _record(value, depth) if value else _quiet(say("value.empty"))
    if isinstance(value, list):
        return _sequence(value, depth) if value else _quiet(say("value.empty"))
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if value is None:
        return _quiet(say("value.none"))
    if isinstance(value, bool):
        return span(say("value.yes" if value else "value.no"), class_="ph-value")
    if isinstance(value, (int, float)):
        return span(number(value), class_="ph-value ph-value-number")
    text = visible(str(value))
    return span(text, class_="ph-value", dir="auto") if text else _quiet(say("value.empty"))


def _quiet(text: str) -> Any:
    return span(text, class_="ph-value ph-value-quiet")


def _record(value: dict[str, Any], depth: int) -> Any:
    if depth >= _DEEP:
        return _short(value)
    rows = [
        div(dt(field_name(str(key)), title=str(key)), dd(draw_value(inner, depth + 1)))
        for key, inner in list(value.items())[:_ROWS]
    ]
    return div(dl(rows, class_="ph-rows"), _more(len(value)))


def _sequence(value: list[Any], depth: int) -> Any:
    if depth >= _DEEP:
        return _short(value)
    if len(value) > 1 and all(isinstance(item, dict) for item in value):
        return _table(value, depth)
    if all(not isinstance(item, (dict, list)) for item in value):
        items = [li(_scalar(item)) for item in value[:_ROWS]]
        return div(ul(items, class_="ph-items"), _more(len(value)))
    items = [li(draw_value(item, depth + 1)) for item in value[:_ROWS]]
    return div(ul(items, class_="ph-items ph-items-deep"), _more(len(value)))


def _table(records: list[dict[str, Any]], depth: int) -> Any:
    columns: list[str] = []
    for record in records[:_ROWS]:
        columns += [key for key in record if key not in columns]
    columns = columns[:_COLUMNS]
    head = tr([th(field_name(key), title=key, scope="col") for key in columns])
    body = [
        tr(
            [
                td(_cell(record.get(key), depth), data_number=_is_number(record.get(key)) or None)
                for key in columns
            ]
        )
        for record in records[:_ROWS]
    ]
    return div(
        div(table(thead(head), tbody(body)), class_="ph-value-table", tabindex=0),
        _more(len(records)),
    )


def _cell(value: Any, depth: int) -> Any:
    return _short(value) if isinstance(value, (dict, list)) else _scalar(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _short(value: Any) -> Any:
    from pagehand.ui.format import raw

    return span(one_line(raw(value), 160), class_="ph-value ph-value-code")


def _more(count: int) -> Any:
    return p(say("value.more", count=count - _ROWS), class_="ph-more") if count > _ROWS else None
