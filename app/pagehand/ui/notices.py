"""Short notes of the conversation above the composer, with what can be done about them."""

from __future__ import annotations

import asyncio
import math
import time
from typing import Any

from pagehand.html import Scope, button, div, p, replace_children, scope
from pagehand.ui.format import duration, one_line
from pagehand.ui.i18n import language
from pagehand.ui.i18n import text as say
from pagehand.ui.view import ViewContext
from pagehand.ui.words import WORDS


class NoticeList:
    """The notices that stand."""

    def __init__(self, context: ViewContext) -> None:
        self._context = context
        self._scope = Scope()
        self._ends: dict[Any, float] = {}
        self._shown: tuple[str, list[Any]] = ("", [])
        self.element = div(class_="ph-notices")
        context.shell.notices.append(self.element)

    def sync(self, notices: list[Any]) -> None:
        """Draws them if they are others than before: a press on a button must find it there."""
        wanted = (language(), list(notices))
        if wanted == self._shown:
            return
        self._shown = wanted
        self._ends = {notice: self._end_of(notice) for notice in notices}
        self._scope.close()
        with scope() as self._scope:
            replace_children(self.element, [self._draw(notice) for notice in notices])

    def close(self) -> None:
        """Frees the buttons and takes the element out."""
        self._shown = ("", [])
        self._scope.close()
        self.element.remove()

    def _draw(self, notice: Any) -> Any:
        return div(
            self._counting(notice) if "seconds" in notice.values else p(_words(notice)),
            div([self._button(action) for action in notice.actions or ()], class_="ph-buttons"),
            class_="ph-notice",
            data_part="notice",
            data_code=notice.code,
            role="status",
        )

    def _end_of(self, notice: Any) -> float:
        """When the wait that a notice tells of is over, by the page's clock."""
        return self._ends.get(notice) or time.monotonic() + notice.values.get("seconds", 0)

    def _counting(self, notice: Any) -> list[Any]:
        """Words that count the seconds down; a screen reader hears them once."""
        seen = p(aria_hidden=True)
        self._context.spawn(self._count_down(notice, seen))
        return [seen, p(_words(notice, notice.values["seconds"]), class_="ph-visually-hidden")]

    async def _count_down(self, notice: Any, seen: Any) -> None:
        language_then = language()
        while notice in self._shown[1] and language() == language_then:
            left = self._ends[notice] - time.monotonic()
            seen.textContent = _words(notice, left)
            await asyncio.sleep(1)

    def _button(self, action: Any) -> Any:
        name = action if isinstance(action, str) else action.name
        key = f"action.{name}"
        return button(
            say(key) if key in WORDS else name,
            class_="ph-button",
            data_action=name,
            on_click=lambda event: self._act(name),
        )

    def _act(self, name: str) -> None:
        method = {"continue": "continue_anyway", "now": "send_now"}.get(name, name)
        result = getattr(self._context.chat, method)()
        if asyncio.iscoroutine(result):
            self._context.spawn(result)


def _words(notice: Any, seconds: float | None = None) -> str:
    key = f"notice.{notice.code}"
    if key not in WORDS:
        return one_line(notice.text, 400)
    if seconds is None:
        return say(key, **notice.values)
    return say(key, time=duration(max(10, math.ceil(seconds))) if seconds > 9 else _few(seconds))


def _few(seconds: float) -> str:
    return say("time.seconds", value=max(0, math.ceil(seconds)))
