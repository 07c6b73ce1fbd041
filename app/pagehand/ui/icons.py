"""Line icons of 24 units, drawn in the colour of the text around them."""

from __future__ import annotations

from typing import Any

from pagehand.html import svg, svg_element

_PATHS = {
    "alert": "M12 7.5v5m0 3.5v.01M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Z",
    "again": "M20 12a8 8 0 1 1-2.5-5.8M20 3v4h-4",
    "arrow-down": "M12 5v14m6-6-6 6-6-6",
    "bin": "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5m3-5v5",
    "check": "m5 12.5 4.5 4.5L19 7.5",
    "chevron": "m9 6 6 6-6 6",
    "copy": "M9 9h10v10H9zM5 15V5h10",
    "cross": "M6 6l12 12M18 6 6 18",
    "edit": "M4 20h4L19 9l-4-4L4 16v4ZM13.5 6.5l4 4",
    "file": "M7 3h7l4 4v14H7zM14 3v4h4",
    "hand": "M8 13V6.5a1.5 1.5 0 0 1 3 0V11m0-6a1.5 1.5 0 0 1 3 0v6m0-4.5a1.5 1.5 0 0 1 3 0V15"
    "a6 6 0 0 1-6 6c-2.6 0-4.4-1.3-5.6-3.6L4.2 14a1.5 1.5 0 0 1 2.6-1.5L8 14",
    "link": "M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7L12 6.3"
    "M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1",
    "log": "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
    "minus": "M6 12h12",
    "past": "M12 7v5l3 2M4.5 9A8 8 0 1 1 4 12.5M4 5v4h4",
    "shield": "M12 3l7 3v5c0 4.5-2.9 8.2-7 10-4.1-1.8-7-5.5-7-10V6l7-3Z",
    "thought": "M12 3a7 7 0 0 0-4 12.7V18h8v-2.3A7 7 0 0 0 12 3ZM9.5 21h5",
    "tool": "M4 7h9m4 0h3M4 12h3m4 0h9M4 17h9m4 0h3M15 5v4M9 10v4M15 15v4",
}


def icon(name: str, size: int = 16) -> Any:
    """One icon that screen readers skip; `size` in pixels."""
    return svg(
        svg_element("path", d=_PATHS[name]),
        class_="ph-icon",
        viewBox="0 0 24 24",
        width=size,
        height=size,
        aria_hidden=True,
    )
