"""Presses an element with the whole pointer sequence that widgets wait for, and one click."""

from __future__ import annotations

from typing import Any

from pagehand.tools.controls import realm
from pagehand.tools.page import is_nothing

_BEFORE = (
    ("pointerover", True),
    ("pointerenter", False),
    ("mouseover", True),
    ("mouseenter", False),
    ("pointermove", True),
    ("mousemove", True),
)
_FOCUSABLE = (
    "a[href], area[href], button, input, select, textarea, summary, iframe, [tabindex], "
    "[contenteditable]:not([contenteditable='false'])"
)


def _fire(element: Any, name: str, bubbles: bool, buttons: int) -> bool:
    window = realm(element)
    box = element.getBoundingClientRect()
    details: dict[str, Any] = {
        "bubbles": bubbles,
        "cancelable": bubbles,
        "composed": True,
        "view": window,
        "clientX": box.left + box.width / 2,
        "clientY": box.top + box.height / 2,
        "button": 0,
        "buttons": buttons,
        "detail": 0 if name.startswith("pointer") else 1,
    }
    if not name.startswith("pointer"):
        return bool(element.dispatchEvent(window.MouseEvent.new(name, **details)))
    pressure = 0.5 if buttons else 0
    event = window.PointerEvent.new(
        name, pointerId=1, isPrimary=True, pointerType="mouse", pressure=pressure, **details
    )
    return bool(element.dispatchEvent(event))


async def press(element: Any) -> None:
    """Presses once. Disabled controls do not react, as for a person."""
    for name, bubbles in _BEFORE:
        _fire(element, name, bubbles, 0)
    _fire(element, "pointerdown", True, 1)
    if _fire(element, "mousedown", True, 1):
        place = element.closest(_FOCUSABLE)
        if not is_nothing(place):
            place.focus(preventScroll=True)
    if not element.isConnected:
        return
    _fire(element, "pointerup", True, 0)
    _fire(element, "mouseup", True, 0)
    if element.isConnected:
        element.click()
