"""A request that failed: what happened in plain words, and a way to go on."""

from __future__ import annotations

from typing import Any

from pagehand.browser.dom import Listeners
from pagehand.html import button, div, p
from pagehand.ui.format import duration, one_line
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon
from pagehand.ui.view import ViewContext
from pagehand.ui.words import WORDS

_SAID_ALREADY = ("interrupted", "stalled")
"""Codes whose headline says all there is to say; others carry somebody's own words."""


class ErrorView:
    """One error of the conversation."""

    def __init__(self, error: Any, context: ViewContext) -> None:
        self.error = error
        self._context = context
        self._task: Any = None
        code = str(getattr(error, "code", "chat"))
        self._retry = button(
            icon("again"),
            say("action.retry"),
            class_="ph-button",
            data_action="retry",
        )
        self.element = div(
            icon("alert", 18),
            div(
                p(headline(code, getattr(error, "status", None)), class_="ph-error-title"),
                _detail(error, code),
                _wait(error),
                div(self._retry, class_="ph-buttons", hidden=context.chat.following),
                class_="ph-error-body",
            ),
            class_="ph-error",
            data_part="error",
            data_code=code,
            role="alert",
        )
        self._listeners = Listeners()
        self._listeners.on(self._retry, "click", self._clicked)

    def close(self) -> None:
        """Frees the button and takes the element out."""
        self._listeners.close()
        self.element.remove()

    def _clicked(self, event: Any) -> None:
        if self._task is None or self._task.done():
            self._retry.setAttribute("aria-disabled", "true")
            self._task = self._context.spawn(self._context.chat.retry())


def headline(code: str, status: int | None = None) -> str:
    """The sentence for an error code; a general one for codes without their own.

    Args:
        code: `ChatError.code`.
        status: The HTTP status, for the code `http`.
    """
    kind = "5xx" if status is not None and status >= 500 else status
    for key in (f"error.{code}-{kind}", f"error.{code}"):
        if key in WORDS:
            return say(key)
    return say("error.chat")


def _wait(error: Any) -> Any:
    seconds = getattr(error, "retry_after", None)
    return (
        p(say("error.wait", time=duration(seconds)), class_="ph-error-detail") if seconds else None
    )


def _detail(error: Any, code: str) -> Any:
    text = "" if code in _SAID_ALREADY else one_line(str(error), 400)
    return p(text, class_="ph-error-detail", dir="auto") if text else None
