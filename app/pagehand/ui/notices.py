"""Short notes of the conversation above the composer, with what can be done about them."""

from __future__ import annotations

import asyncio
from typing import Any

from pagehand.html import Scope, button, div, p, replace_children, scope
from pagehand.ui.format import one_line
from pagehand.ui.i18n import language
from pagehand.ui.i18n import text as say
from pagehand.ui.view import ViewContext
from pagehand.ui.words import WORDS


class NoticeList:
    """The notices that stand."""

    def __init__(self, context: ViewContext) -> None:
        self._context = context
        self._scope = Scope()
        self._shown: tuple[str, list[Any]] = ("", [])
        self.element = div(class_="ph-notices")
        context.shell.notices.append(self.element)

    def sync(self, notices: list[Any]) -> None:
        """Draws them if they are others than before: a press on a button must find it there."""
        wanted = (language(), list(notices))
        if wanted == self._shown:
            return
        self._shown = wanted
        self._scope.close()
        with scope() as self._scope:
            replace_children(self.element, [self._draw(notice) for notice in notices])

    def close(self) -> None:
        """Frees the buttons and takes the element out."""
        self._scope.close()
        self.element.remove()

    def _draw(self, notice: Any) -> Any:
        key = f"notice.{notice.code}"
        text = say(key, **notice.values) if key in WORDS else one_line(notice.text, 400)
        return div(
            p(text),
            div([self._button(action) for action in notice.actions or ()], class_="ph-buttons"),
            class_="ph-notice",
            data_part="notice",
            data_code=notice.code,
            role="status",
        )

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
        method = {"continue": "continue_anyway", "retry": "retry"}.get(name, name)
        result = getattr(self._context.chat, method)()
        if asyncio.iscoroutine(result):
            self._context.spawn(result)
