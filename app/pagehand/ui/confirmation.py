"""The question before a risky call: what will be done, with what, and whether it may.

A modal dialog in the browser's top layer, so that nothing of the page lies above it and focus
stays inside. It takes no answer in its first half second after it was painted, moved or came
back into sight (a click meant for something else), none from scripts, and none while anything
covers it. Without an answer it declines when its time is up. The default is to decline:
Escape, closing and removing the dialog all do.
"""

from __future__ import annotations

import asyncio
import math
from typing import Any

import js

from pagehand.browser.dom import Listeners, frame
from pagehand.html import (
    button,
    code,
    details,
    dialog,
    div,
    h3,
    input_,
    label,
    p,
    pre,
    scope,
    span,
    summary,
)
from pagehand.ui.format import one_line, raw
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon
from pagehand.ui.tool_names import name_of
from pagehand.ui.trust import Sight, is_real_click
from pagehand.ui.values import draw_value
from pagehand.ui.view import ViewContext

GUARD = 0.5  # seconds in which no answer is taken
_LEAST_ROOM = 260  # pixels of the panel in sight that make it the place for the dialog


class ConfirmationDialog:
    """Shows the oldest open confirmation of the engine."""

    def __init__(self, context: ViewContext) -> None:
        self._context = context
        self._open: _Question | None = None

    def sync(self, confirmations: list[Any]) -> None:
        """Shows the first of them, or nothing."""
        first = confirmations[0] if confirmations else None
        if self._open is not None and self._open.confirmation is not first:
            self._open.close()
            self._open = None
        if first is not None and self._open is None:
            self._context.shell.reveal()
            self._open = _Question(first, self._context)
        if self._open is not None:
            self._open.show_queue(len(confirmations))

    def close(self) -> None:
        """Takes the dialog away; a question without an answer is declined."""
        if self._open is not None:
            self._open.decline()
            self._open.close()
            self._open = None


class _Question:
    def __init__(self, confirmation: Any, context: ViewContext) -> None:
        self.confirmation = confirmation
        self._context = context
        self._answered = False
        self._ready_at = math.inf  # on the page's clock, in milliseconds
        self._timers: list[Any] = []
        self._listeners = Listeners()
        with scope() as self._scope:
            self._build()
        context.shell.overlay.append(self.element)
        self._place()
        self._sight = Sight(self.element)
        self._sight.show()
        self._words = self._said()
        self.element.focus()
        frame(self._arm)
        self._listen()
        self._count_down()
        context.announcer.say(say("say.confirm", name=self._title))

    def show_queue(self, count: int) -> None:
        self._queue.textContent = say("confirmation.queue", count=count) if count > 1 else ""

    def decline(self) -> None:
        self._answer(False)

    def close(self) -> None:
        self._answered = True
        for timer in self._timers:
            timer.cancel()
        self._listeners.close()
        self._sight.close()
        if self.element.open:
            self.element.close()  # gives the focus back to where it was
        self.element.remove()
        self._scope.close()

    # Drawing

    def _build(self) -> None:
        asked = self.confirmation
        self._title = name_of(asked.tool_name, asked.title)
        risk = asked.risk if asked.risk in ("safe", "moderate", "dangerous") else "moderate"
        self._cancel = self._button("cancel", "")
        self._confirm = self._button("confirm", "danger" if risk == "dangerous" else "primary")
        self._count = span(class_="ph-confirmation-count", role="timer", aria_live="off")
        self._queue = span(class_="ph-confirmation-queue")
        self._remember = input_(type="checkbox", name="remember")
        self._note = p(class_="ph-confirmation-note", role="alert", hidden=True)
        self._heading = h3(
            self._title, class_="ph-confirmation-title", id="ph-confirmation-title", dir="auto"
        )
        self._body = div(
            span(say(f"confirmation.{risk}"), class_="ph-risk"),
            asked.text and p(one_line(asked.text, 600), dir="auto"),
            self._arguments(),
            class_="ph-confirmation-body",
            id="ph-confirmation-body",
            tabindex=0,
        )
        self.element = dialog(
            div(
                span(icon("shield", 18), class_="ph-confirmation-mark"),
                span(say("confirmation.title"), class_="ph-confirmation-kicker"),
                self._queue,
                class_="ph-confirmation-head",
            ),
            self._heading,
            self._body,
            self._note,
            self._remember_line(risk),
            div(self._count, self._cancel, self._confirm, class_="ph-confirmation-foot"),
            class_="ph-confirmation",
            data_part="confirmation",
            data_risk=risk,
            data_tool_name=asked.tool_name,
            role="alertdialog",
            aria_modal=True,
            aria_labelledby="ph-confirmation-title",
            aria_describedby="ph-confirmation-body",
            tabindex=-1,
            translate="no",  # its words are compared before a yes counts
        )

    def _remember_line(self, risk: str) -> Any:
        if not self.confirmation.can_remember or risk == "dangerous":
            return None
        return label(
            self._remember, say("confirmation.remember"), class_="ph-confirmation-remember"
        )

    def _arguments(self) -> Any:
        given = self.confirmation.args
        if not given:
            return None
        return [
            div(draw_value(given), class_="ph-confirmation-args"),
            details(
                summary(say("tool.raw")),
                p(code(self.confirmation.tool_name), class_="ph-confirmation-name"),
                pre(code(raw(given)), class_="ph-raw"),
                class_="ph-raw-fold",
            ),
        ]

    def _button(self, action: str, variant: str) -> Any:
        return button(
            say(f"confirmation.{action}"),
            class_="ph-button",
            data_variant=variant or None,
            data_action=action,
            aria_disabled=True,
            on_click=lambda event: self._clicked(event, action == "confirm"),
        )

    def _place(self) -> None:
        """Over the panel if that is in sight, else in the middle of the window."""
        rect = self._context.shell.panel.getBoundingClientRect()
        width, height = js.window.innerWidth, js.window.innerHeight
        left, right = max(rect.left, 0), min(rect.right, width)
        top, bottom = max(rect.top, 0), min(rect.bottom, height)
        if right - left < _LEAST_ROOM or bottom - top < _LEAST_ROOM:
            left, top, right, bottom = 0, 0, width, height
        style = self.element.style
        style.setProperty("inset", f"{top}px {width - right}px {height - bottom}px {left}px")
        style.setProperty("--ph-room-x", f"{right - left}px")
        style.setProperty("--ph-room-y", f"{bottom - top}px")

    # Time

    def _arm(self) -> None:
        """Starts the half second in which no answer is taken."""
        if self._answered:
            return
        self._ready_at = js.performance.now() + GUARD * 1000
        self._enable(False)
        self._later(GUARD + 0.01, self._maybe_enable)

    def _maybe_enable(self) -> None:
        left = self._ready_at - js.performance.now()
        if left > 0:
            self._later(left / 1000 + 0.01, self._maybe_enable)
        else:
            self._enable(True)

    def _enable(self, enabled: bool) -> None:
        for control in (self._cancel, self._confirm):
            control.setAttribute("aria-disabled", "false" if enabled else "true")

    def _count_down(self) -> None:
        if not self.element.isConnected:  # a script took it out; no event tells
            self._answer(False)
            return
        expires_at = self.confirmation.expires_at
        if expires_at is None:  # its turn has not come; the next look is soon enough
            self._later(1, self._count_down)
            return
        left = expires_at - self._context.engine.clock.now()
        self._count.textContent = say("confirmation.countdown", seconds=max(0, math.ceil(left)))
        if left <= -1:  # the engine declines by itself; this is for one that does not
            self._answer(False)
        else:
            self._later(left % 1 or 1, self._count_down)

    def _later(self, seconds: float, function: Any) -> None:
        if not self._answered:
            self._timers = [timer for timer in self._timers if not timer.cancelled()]
            self._timers.append(asyncio.get_event_loop().call_later(seconds, function))

    # Answering

    def _listen(self) -> None:
        on = self._listeners.on
        on(self.element, "cancel", self._escaped)
        on(self.element, "close", self._closed)
        on(js.window, "resize", self._moved)
        on(js.window, "focus", lambda event: self._arm())
        on(js.document, "visibilitychange", lambda event: self._arm())

    def _moved(self, event: Any) -> None:
        self._place()
        self._arm()

    def _escaped(self, event: Any) -> None:
        event.preventDefault()
        if event.timeStamp >= self._ready_at:
            self._answer(False)

    def _clicked(self, event: Any, confirmed: bool) -> None:
        if not is_real_click(event) or event.timeStamp < self._ready_at:
            return
        if confirmed and not self._sight.clear(self._confirm, self._heading, self._body):
            self._note.textContent = say("confirmation.covered")
            self._note.hidden = False
            self._reopen()
            return
        # A script of the page that put other words into the dialog gets no yes for them.
        self._answer(confirmed and self._said() == self._words)

    def _reopen(self) -> None:
        """Back on top, and another half second to look at it."""
        self._sight.show()
        self._arm()

    def _said(self) -> list[str]:
        return [part.textContent for part in (self._heading, self._body, self._confirm)]

    def _closed(self, event: Any) -> None:
        if self.element.open or self._answered:
            return
        if event.timeStamp < self._ready_at:
            self._sight.show()  # a browser lets a second Escape through
        else:
            self._answer(False)

    def _answer(self, confirmed: bool) -> None:
        if self._answered:
            return
        self._answered = True
        if not confirmed:
            self._context.declined.add(self.confirmation.tool_call_id)
        remember = confirmed and bool(self._remember.checked)
        self.confirmation.answer(confirmed, remember=remember)
        self._context.changed()
