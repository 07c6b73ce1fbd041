"""Whether an event was really made by the person, on something the person could see.

Scripts of the host page can read this page's shadow root, send events of their own, and lay
things over a button. They cannot make an event trusted. They do share our JavaScript, so this
keeps out what is careless or goes by the DOM, not a script that replaces the browser's own
functions or drives the interpreter: see docs/embedding.md.
"""

from __future__ import annotations

from typing import Any

import js
from pagehand_shell import isRealClick, lastTyped

from pagehand.browser.dom import Listeners

_EDGE = 6  # pixels inside the border, so that round corners do not count as covered
_LAYERS = ":popover-open, :modal, :fullscreen"
_GRID = (0.08, 0.5, 0.92)
_NO_COLOR = "rgba(0, 0, 0, 0)"
_LEAST_FONT = 8  # pixels


def is_real_click(event: Any, within: Any = None) -> bool:
    """Whether this is a click or key press by the person on the element that listens for it.

    JavaScript judges (static/clicks.js), by what it noted when the pointer or the key went down:
    an object that only claims to be an event is found out, and so is a click that the person made
    on something else and the browser handed on.

    Args:
        event: The click.
        within: Takes what a label in this element handed on to its field, and the button of a
            form whose field in here was left by Enter.
    """
    return bool(isRealClick(event, within))


def typed_at() -> float:
    """When the person last typed a character or held a key: milliseconds, as an event's time."""
    return float(lastTyped())


class Sight:
    """Tells whether a modal dialog is what the person sees where it stands.

    The browser's hit test does not see everything: whatever a page opens in the top layer
    after a modal dialog lies above it and lets the pointer through. So the layers that were
    open when the dialog came are remembered as lying below, and every other one counts.

    Args:
        box: The dialog; it takes its place on top with `show`.
    """

    def __init__(self, box: Any) -> None:
        self._box = box
        self._below: list[Any] = []
        self._listeners = Listeners()
        self._listeners.on(js.document, "toggle", self._toggled, capture=True)

    def show(self) -> None:
        """Puts the dialog on top of everything that is open now."""
        if self._box.open:
            self._box.close()
        self._box.showModal()
        self._below = list(js.document.querySelectorAll(_LAYERS))

    def clear(self, control: Any, *words: Any) -> bool:
        """Whether nothing of the page hides the dialog, its `control` and its `words`."""
        box, root = self._box, self._box.getRootNode()
        if js.document.visibilityState != "visible" or not _is_plain(box, control, *words):
            return False
        if not all(_holds(box, part) for part in (control, *words)):
            return False
        for x, y in _points(control.getBoundingClientRect(), (0.0, 0.5, 1.0)):
            if not control.contains(root.elementFromPoint(x, y)):
                return False
        for x, y in _points(box.getBoundingClientRect(), _GRID):
            hit = root.elementFromPoint(x, y)
            if hit and not box.contains(hit):
                return False
        return not any(self._covers(layer) for layer in js.document.querySelectorAll(_LAYERS))

    def close(self) -> None:
        """Stops watching."""
        self._listeners.close()

    def _toggled(self, event: Any) -> None:
        """A layer that closes and opens again comes to lie on top."""
        self._below = [layer for layer in self._below if layer != event.target]

    def _covers(self, layer: Any) -> bool:
        if any(layer == known for known in self._below):
            return False
        one, other = layer.getBoundingClientRect(), self._box.getBoundingClientRect()
        apart_x = one.right <= other.left or one.left >= other.right
        return not (apart_x or one.bottom <= other.top or one.top >= other.bottom)


def _is_plain(*boxes: Any) -> bool:
    """Whether nothing makes the boxes hard to see."""
    for box in boxes:
        style = js.getComputedStyle(box)
        if style.opacity != "1" or style.visibility != "visible" or style.display == "none":
            return False
        if style.clipPath != "none" or style.filter != "none" or style.color == _NO_COLOR:
            return False
        if float(style.fontSize.removesuffix("px")) < _LEAST_FONT:
            return False
    return True


def _holds(box: Any, part: Any) -> bool:
    """Whether a part lies inside the box: one blown up over the page would catch any click."""
    outer, inner = box.getBoundingClientRect(), part.getBoundingClientRect()
    wide = outer.left - 1 <= inner.left and inner.right <= outer.right + 1
    return bool(wide and outer.top - 1 <= inner.top and inner.bottom <= outer.bottom + 1)


def _points(rect: Any, steps: tuple[float, ...]) -> list[tuple[float, float]]:
    left, top = rect.left + _EDGE, rect.top + _EDGE
    width, height = rect.width - 2 * _EDGE, rect.height - 2 * _EDGE
    return [(left + width * x, top + height * y) for x in steps for y in steps]
