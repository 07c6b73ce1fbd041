"""Files in a message: pictures are shown, the rest can be saved.

A picture from another server is not fetched by itself: its address could carry the
conversation away. It is a link instead.
"""

from __future__ import annotations

import re
from typing import Any

from pagehand.html import a, div, element, safe_address, span
from pagehand.ui.format import one_line
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon

_INLINE_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif);base64,|blob:", re.IGNORECASE)


class FileView:
    """One file part."""

    def __init__(self, part: Any) -> None:
        self.element = div(class_="ph-file", data_part="file")
        self.update(part)

    def update(self, part: Any) -> None:
        """Draws the file."""
        name = one_line(part.filename or say("file.untitled"), 60)
        self.element.replaceChildren(_draw(str(part.url or ""), str(part.media_type or ""), name))

    def close(self) -> None:
        """Nothing is held."""


def _draw(url: str, media_type: str, name: str) -> Any:
    if media_type.startswith("image/") and _INLINE_PICTURE.match(url):
        return element("img", class_="ph-picture", src=url, alt=name)
    kind = span(media_type, class_="ph-chip-more")
    if url.startswith("data:"):
        chip = a(icon("file", 14), span(name), kind, class_="ph-chip", download=name)
        chip.href = url  # saved, never opened: `download` keeps browsers from showing it
        return chip
    address = safe_address(url)
    if address is None:
        return span(icon("file", 14), span(name), kind, class_="ph-chip")
    return a(icon("file", 14), span(name), kind, class_="ph-chip", href=address, target="_blank")
