"""Keeps the end of the conversation in sight while it grows, until the person scrolls up.

Following ends only when the position moves up while the size of the content stands still, so
that growth is never taken for a wish. It resumes at the end, by scrolling there, by the
button, or when the person sends something.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import js

from pagehand.browser.dom import Listeners
from pagehand.html import Scope

_NEAR = 24  # pixels from the end that count as the end


class FollowBottom:
    """Scrolls one viewport.

    Args:
        viewport: The element that scrolls.
        content: What grows inside it.
        on_change: Called with True while the end is in sight.
    """

    def __init__(self, viewport: Any, content: Any, on_change: Callable[[bool], None]) -> None:
        self._viewport = viewport
        self._on_change = on_change
        self._following = True
        self._at_end = True
        self._top = 0.0
        self._height = 0.0
        self._listeners = Listeners()
        self._listeners.on(viewport, "scroll", self._scrolled, passive=True)
        self._scope = Scope()
        self._observer = js.ResizeObserver.new(self._scope.own(self._resized))
        self._observer.observe(viewport)
        self._observer.observe(content)

    @property
    def following(self) -> bool:
        """Whether growth scrolls on."""
        return self._following

    def to_end(self) -> None:
        """Goes to the end at once and follows from there."""
        self._following = True
        viewport = self._viewport
        viewport.scrollTop = viewport.scrollHeight
        self._measure()

    def close(self) -> None:
        """Stops watching."""
        self._observer.disconnect()
        self._listeners.close()
        self._scope.close()

    def _scrolled(self, event: Any) -> None:
        top, height = self._top, self._height
        self._measure()
        if self._at_end:
            self._following = True
        elif self._top < top - 1 and self._height == height:
            self._following = False

    def _resized(self, *_: Any) -> None:
        if self._following:
            self.to_end()
        else:
            self._measure()

    def _measure(self) -> None:
        viewport = self._viewport
        self._top = viewport.scrollTop
        self._height = viewport.scrollHeight
        at_end = self._height - self._top - viewport.clientHeight <= _NEAR
        if at_end != self._at_end:
            self._at_end = at_end
            self._on_change(at_end)
