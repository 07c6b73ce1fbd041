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


_PRESSABLE = (
    "a[href], area[href], button, input, select, textarea, summary, label, [tabindex], "
    "[role=option], [role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], "
    "[role=treeitem], [role=tab], [role=button], [role=link], [role=checkbox], [role=radio], "
    "[role=switch]"
)


def middle(element: Any) -> tuple[float, float]:
    """The middle of an element, in its window's coordinates."""
    box = element.getBoundingClientRect()
    return float(box.left + box.width / 2), float(box.top + box.height / 2)


def fire(
    element: Any,
    name: str,
    bubbles: bool,
    buttons: int,
    detail: int = 1,
    at: tuple[float, float] | None = None,
) -> bool:
    """Dispatches one pointer or mouse event; False when a listener prevented it."""
    window = realm(element)
    x, y = at or middle(element)
    is_pointer = name.startswith("pointer")
    details: dict[str, Any] = {
        "bubbles": bubbles,
        "cancelable": bubbles,
        "composed": True,
        "view": window,
        "clientX": x,
        "clientY": y,
        "button": 0,
        "buttons": buttons,
        "detail": 0 if is_pointer else detail,
    }
    if not is_pointer:
        return bool(element.dispatchEvent(window.MouseEvent.new(name, **details)))
    pressure = 0.5 if buttons else 0
    event = window.PointerEvent.new(
        name, pointerId=1, isPrimary=True, pointerType="mouse", pressure=pressure, **details
    )
    return bool(element.dispatchEvent(event))


def hover(element: Any) -> None:
    """Moves the pointer over it, as scripts see that."""
    for name, bubbles in _BEFORE:
        fire(element, name, bubbles, 0)


def touched(element: Any) -> Any:
    """What a pointer in the middle of the element really meets: the innermost part of it.

    Some widgets listen only there. Where another thing to press lies in the middle, as an open
    menu's entries inside it, the element's first line is touched.
    """
    box = element.getBoundingClientRect()
    places = [box.top + box.height / 2, box.top + min(box.height / 2, 12)]
    if not is_nothing(element.querySelector(_PRESSABLE)):
        places.reverse()  # a menu's entry around its own entries: its title is its first line
    for y in places:
        found = element.getRootNode().elementFromPoint(box.left + box.width / 2, y)
        if is_nothing(found) or not element.contains(found):
            continue
        if found == element or found.closest(_PRESSABLE) == element.closest(_PRESSABLE):
            # A drawing takes no click of its own.
            while not hasattr(found, "click") and found != element:
                found = found.parentElement
            return found
    return element


async def press(element: Any) -> None:
    """Presses once. Disabled controls do not react, as for a person."""
    element = touched(element)
    hover(element)
    fire(element, "pointerdown", True, 1)
    if fire(element, "mousedown", True, 1):
        place = element.closest(_FOCUSABLE)
        if not is_nothing(place):
            place.focus(preventScroll=True)
    if not element.isConnected:
        return
    fire(element, "pointerup", True, 0)
    fire(element, "mouseup", True, 0)
    if not element.isConnected:
        return
    if hasattr(element, "click"):
        element.click()
    else:
        fire(element, "click", True, 0)  # a drawing: links stand in them too
