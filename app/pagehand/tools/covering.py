"""Says whether something lies over the whole view: what is behind it is out of use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js

from pagehand.tools.page import is_nothing
from pagehand.tools.target import brief

if TYPE_CHECKING:
    from pagehand.tools.page import Page

_AT = (0.1, 0.5, 0.9)


def cover_of(page: Page) -> dict[str, Any] | None:
    """What covers the view at nine points, or None: a dialog, a banner, a veil."""
    found = None
    for across in _AT:
        for down in _AT:
            over = _layer(
                js.document.elementFromPoint(js.innerWidth * across, js.innerHeight * down)
            )
            if over is None or (found is not None and over != found):
                return None
            found = over
    if found is None or not page.allows(found) or found.contains(page.root):
        return None
    return brief(page, found)


def _layer(element: Any) -> Any:
    """The outermost thing around it that stands over the page, or None."""
    layer = None
    while not is_nothing(element) and str(element.localName) not in ("body", "html"):
        fixed = str(js.getComputedStyle(element).position) == "fixed"
        if fixed or element.matches("dialog:modal"):
            layer = element
        element = element.parentElement
    return layer
