"""A run of the server's that waits for data: what it asks, and a form for the answer.

Shown where the page has no view of its own for the question: see `ui.tool_call`.
"""

from __future__ import annotations

from typing import Any

from pagehand.html import Scope, div, p, replace_children, scope, strong
from pagehand.ui.asking import Answering
from pagehand.ui.format import one_line
from pagehand.ui.i18n import text as say
from pagehand.ui.schema_form import SchemaForm
from pagehand.ui.values import draw_value
from pagehand.ui.view import ViewContext

_WORDS = ("question", "prompt", "message", "title", "reason", "text")


class SuspensionView:
    """One suspended call, answered once."""

    def __init__(self, context: ViewContext, title: str) -> None:
        self._context = context
        self._title = title
        self._scope = Scope()
        self._shown: object = None
        self.element = div(class_="ph-approval", data_part="suspension", role="group")

    def update(self, part: Any) -> None:
        """Shows the open question, or nothing once it is answered."""
        asked = part.asks_person
        shown = (part.suspension.data.get("runId"), asked)
        self.element.setAttribute("data-gate", part.gate)
        if shown == self._shown:
            return
        self._shown = shown
        self.element.hidden = not asked
        self._scope.close()
        if not asked:
            self.element.replaceChildren()
            return
        self.element.setAttribute("aria-label", f"{say('suspension.title')}: {self._title}")
        with scope() as self._scope:
            replace_children(self.element, self._question(part))

    def close(self) -> None:
        """Frees the buttons."""
        self._scope.close()

    def _question(self, part: Any) -> list[Any]:
        answering = Answering()
        chat, call_id = self._context.chat, part.tool_call_id

        def send() -> None:
            answering.give(lambda: chat.resume_call(call_id, form.read()))

        def decline() -> None:
            # The model reads it as the call's outcome; the server's run is left where it is.
            words = say("suspension.declined")
            answering.give(lambda: chat.add_tool_error(call_id, words))

        form = SchemaForm(part.suspension.schema, send)
        headline, rest = split_payload(part.suspension.payload)
        return [
            strong(say("suspension.title"), class_="ph-asking-title"),
            headline and p(one_line(headline, 2000), dir="auto"),
            draw_value(rest) if rest else None,
            form.element,
            answering.note,
            div(
                answering.button(say("suspension.decline"), decline, data_action="decline"),
                answering.button(say("suspension.answer"), send, "primary", data_action="answer"),
                class_="ph-buttons",
            ),
        ]


def split_payload(payload: Any) -> tuple[str, Any]:
    """The sentence in what a tool wants to be shown, and the rest of it."""
    if isinstance(payload, str):
        return payload, None
    if not isinstance(payload, dict):
        return "", payload
    key = next((key for key in _WORDS if isinstance(payload.get(key), str)), None)
    rest = {name: value for name, value in payload.items() if name != key}
    return (payload[key] if key else ""), rest
