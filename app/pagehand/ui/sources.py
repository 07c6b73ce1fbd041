"""What an answer stands on: web pages and documents, as a row of numbered chips."""

from __future__ import annotations

from typing import Any

from pagehand.html import a, div, safe_address, span
from pagehand.ui.format import host_of, one_line
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon
from pagehand.ui.view import ViewContext


class SourceList:
    """Gathers the sources that follow one another."""

    def __init__(self, context: ViewContext) -> None:
        self._row = div(class_="ph-sources-row", role="list")
        self._views: list[Any] = []
        self.element = div(
            span(say("sources.title"), class_="ph-sources-title"),
            self._row,
            class_="ph-sources",
            data_part="sources",
        )

    def add(self, view: Any) -> None:
        """Adds one source at the end."""
        self._views.append(view)
        self._row.append(view.element)

    def remove(self, view: Any) -> None:
        """Takes one out; an empty list goes."""
        self._views.remove(view)
        if not self._views:
            self.element.remove()


class SourceView:
    """One source."""

    def __init__(self, part: Any) -> None:
        self.element = div(class_="ph-source", role="listitem")
        self.update(part)

    def update(self, part: Any) -> None:
        """Draws the chip."""
        self.element.replaceChildren(_chip(part))

    def close(self) -> None:
        """Nothing is held."""


def _chip(part: Any) -> Any:
    url = getattr(part, "url", None)
    name = one_line(part.title or getattr(part, "filename", None) or url or "", 60)
    address = safe_address(url) if url else None
    if address is None:
        return span(icon("file", 14), span(name), class_="ph-chip")
    return a(
        icon("link", 14),
        span(name),
        span(host_of(address), class_="ph-chip-more"),
        class_="ph-chip",
        href=address,
        target="_blank",
        title=address,
    )
