"""What stands after the last message: that work goes on, what waits to be sent, what failed."""

from __future__ import annotations

from typing import Any

from pagehand.html import div, p, replace_children, span
from pagehand.ui.i18n import text as say
from pagehand.ui.view import ViewContext


class Tail:
    """The end of the thread."""

    def __init__(self, context: ViewContext) -> None:
        self._context = context
        self._working = div(
            span(class_="ph-dots", aria_hidden=True),
            span(say("thread.working"), class_="ph-visually-hidden"),
            class_="ph-working",
            data_part="working",
            hidden=True,
        )
        self._working.firstChild.append(*(span() for _ in range(3)))
        self._queued = div(class_="ph-queued", hidden=True)
        self._shown_queue: list[str] = []
        self._error: Any = None
        self._notices: Any = None
        self.element = div(self._working, self._queued, class_="ph-tail")

    def paint(self, stale: set[str]) -> None:
        """Draws what changed; `stale` names what the chat reported."""
        chat = self._context.chat
        self._working.hidden = not is_quiet(chat)
        self._sync_queue([text_of(item) for item in chat.queued])
        if stale & {"status", "list"} or self._error is not None:
            self._sync_error(chat)
        if "notice" in stale:
            self._sync_notices(chat)

    def clear(self) -> None:
        """Forgets what is drawn, before everything is drawn anew."""
        if self._error is not None:
            self._error.close()
            self._error = None
        if self._notices is not None:
            self._notices.close()
            self._notices = None
        self._working.lastChild.textContent = say("thread.working")
        self._shown_queue = []

    def close(self) -> None:
        """Frees the views and takes the element out."""
        self.clear()
        self.element.remove()

    def _sync_queue(self, texts: list[str]) -> None:
        if texts == self._shown_queue:
            return
        self._shown_queue = texts
        self._queued.hidden = not texts
        replace_children(
            self._queued,
            [div(text, class_="ph-queued-text") for text in texts],
            p(say("thread.queued"), class_="ph-queued-note"),
        )

    def _sync_error(self, chat: Any) -> None:
        error = chat.error
        if self._error is not None and self._error.error is not error:
            self._error.close()
            self._error = None
        if error is not None and self._error is None:
            from pagehand.ui.error import ErrorView

            self._error = ErrorView(error, self._context)
            self.element.append(self._error.element)

    def _sync_notices(self, chat: Any) -> None:
        if self._notices is None and not chat.notices:
            return
        if self._notices is None:
            from pagehand.ui.notices import NoticeList

            self._notices = NoticeList(self._context)
        self._notices.sync(chat.notices)


def is_quiet(chat: Any) -> bool:
    """Whether work goes on that nothing on screen shows."""
    if chat.status not in ("submitted", "streaming"):
        return False
    message = chat.messages[-1] if chat.messages else None
    if message is None or message.role == "user":
        return True
    for part in reversed(message.parts):
        kind = type(part).__name__
        if kind == "StepStartPart":
            continue
        if kind in ("TextPart", "ReasoningPart"):
            return bool(part.state != "streaming" or part.length == 0)
        if kind == "ToolPart":
            return bool(part.finished)
        return True
    return True


def text_of(item: Any) -> str:
    """The words of a queued message."""
    if isinstance(item, str):
        return item
    return str(getattr(item, "message", item).text)
