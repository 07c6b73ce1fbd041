"""What kind of control an element is: the way it is filled."""

from __future__ import annotations

from typing import Any

_DATES = frozenset({"date", "month", "week", "time", "datetime-local"})
_BUTTONS = frozenset({"submit", "reset", "button", "image"})
_DRAWN = {
    "switch": "toggle",
    "checkbox": "toggle",
    "radio": "radio",
    "combobox": "widget",
    "listbox": "widget",
    "slider": "slider",
}


def kind_of(element: Any) -> str:
    """The way it is filled.

    One of text, date, number, range, color, select, multi, check, radio, toggle (ARIA), slider
    (ARIA), rich (contenteditable), widget (a list drawn by scripts), file, button, none.
    """
    tag = str(element.localName)
    role = str(element.getAttribute("role") or "")
    if tag == "input":
        return _input_kind(element, str(element.type), role)
    if tag == "select":
        return "multi" if element.multiple else "select"
    if tag == "textarea":
        return "text"
    if element.isContentEditable:
        return "rich"
    if role in _DRAWN:
        return _DRAWN[role]
    if element.getAttribute("aria-haspopup") == "listbox":
        return "widget"
    return "button" if tag == "button" else _own_kind(tag, element)


def _own_kind(tag: str, element: Any) -> str:
    """A custom element that is a box by itself, without a native one inside."""
    if "-" not in tag or not isinstance(getattr(element, "checked", None), bool):
        return "none"
    return "radio" if "radio" in tag else "toggle"


def _input_kind(element: Any, kind: str, role: str) -> str:
    if kind in _DATES:
        return "date"
    if kind in _BUTTONS:
        return "button"
    if kind in ("number", "range", "color", "file", "radio"):
        return kind
    if kind == "checkbox":
        return "check"
    drawn = role == "combobox" or element.getAttribute("aria-haspopup") == "listbox"
    return "widget" if drawn else "text"
