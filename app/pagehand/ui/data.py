"""A `data-*` part drawn by the function that the toolkit has for it: a card of the stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pagehand.html import div
from pagehand.ui.card import Card


class DataView:
    """One data part."""

    def __init__(self, part: Any, draw: Callable[[Any], Any]) -> None:
        self.element = div(class_="ph-data", data_part="data", data_name=part.name)
        self._part = part
        self._card = Card(self.element, lambda: draw(self._part.shown))
        self._card.draw()

    def update(self, part: Any) -> None:
        """Draws it anew."""
        self._part = part
        self._card.draw()

    def close(self) -> None:
        """Frees the card."""
        self._card.close()
