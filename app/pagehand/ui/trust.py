"""Whether an event was really made by the person, on something the person could see.

Scripts of the host page can read this page's shadow root, send events of their own, and lay
things over a button. They cannot make an event trusted, and they cannot change what the
browser's own hit test says.
"""

from __future__ import annotations

from typing import Any

import js

_EDGE = 6  # pixels inside the border, so that round corners do not count as covered
_GRID = (0.08, 0.5, 0.92)


def is_real_click(event: Any) -> bool:
    """Whether this is a click or key press by the person on the element that listens for it.

    The browser's own getter is asked, so that an object that only claims to be an event is
    found out; an event caught elsewhere and handed on has another or no current target.
    """
    try:
        trusted = _trusted_getter().call(event)
    except Exception:  # noqa: BLE001 - whatever it is, it is no event
        return False
    return bool(trusted) and event.type == "click" and bool(event.currentTarget)


def is_in_sight(box: Any, control: Any) -> bool:
    """Whether nothing of the page lies over `control` or over `box` around it.

    Args:
        box: The dialog.
        control: The button in it that was pressed.
    """
    root = box.getRootNode()
    if js.document.visibilityState != "visible":
        return False
    for x, y in _points(control.getBoundingClientRect(), (0.0, 0.5, 1.0)):
        if not control.contains(root.elementFromPoint(x, y)):
            return False
    for x, y in _points(box.getBoundingClientRect(), _GRID):
        hit = root.elementFromPoint(x, y)
        if hit and not box.contains(hit):
            return False
    return not _foreign_layers(box)


def _points(rect: Any, steps: tuple[float, ...]) -> list[tuple[float, float]]:
    left, top = rect.left + _EDGE, rect.top + _EDGE
    width, height = rect.width - 2 * _EDGE, rect.height - 2 * _EDGE
    return [(left + width * x, top + height * y) for x in steps for y in steps]


def _foreign_layers(box: Any) -> bool:
    """Whether the page shows something of its own above everything, where hit tests may not see.

    A layer that lets the pointer through (`pointer-events: none`) could show other words over
    the dialog. Only layers that opened after ours lie above it; telling the order apart is not
    possible, so any that overlaps counts.
    """
    mine = box.getBoundingClientRect()
    for layer in js.document.querySelectorAll(":popover-open, dialog:modal"):
        if layer.shadowRoot or layer.querySelector("page-hand"):
            continue
        rect = layer.getBoundingClientRect()
        apart = (
            rect.right <= mine.left
            or rect.left >= mine.right
            or rect.bottom <= mine.top
            or rect.top >= mine.bottom
        )
        if not apart and js.getComputedStyle(layer).pointerEvents == "none":
            return True
    return False


def _trusted_getter() -> Any:
    probe = js.Event.new("probe")
    return js.Object.getOwnPropertyDescriptor(probe, "isTrusted").get
