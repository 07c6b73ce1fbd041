"""The question before a risky call: what will be done, with what, and whether it may.

A modal dialog in the browser's top layer, so that nothing of the page lies above it and focus
stays inside; its looks are sealed (static/seal.js), so that nothing of the page can disguise it.
It takes no answer in its first half second after it was painted, moved, changed or came back
into sight (a click meant for something else), none from scripts, and none while anything covers
it. Without an answer it declines when its time is up. The default is to decline: Escape, closing
and removing the dialog all do.
"""

from __future__ import annotations

import asyncio
import math
from random import uniform
from typing import Any

import js
from pagehand_shell import seal

from pagehand.browser.dom import Listeners, frame
from pagehand.html import button, dialog, div, h3, input_, label, p, pre, scope, span
from pagehand.ui.confirmation_rows import rows_of
from pagehand.ui.format import one_line, raw
from pagehand.ui.i18n import text as say
from pagehand.ui.tool_names import name_of
from pagehand.ui.trust import Sight, is_real_click, typed_at
from pagehand.ui.view import ViewContext

GUARD = 0.5  # seconds in which no answer is taken
_LEAST_ROOM = 260  # pixels of the panel in sight that make it the place for the dialog
_LOOKS = (0.06, 0.16)  # seconds between two looks whether it can be seen; no script can tell when
_TRIES = 3  # how often a dialog that a script changed is drawn anew


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
            self._open = _Question(first, self._context, self._again)
        if self._open is not None:
            self._open.show_queue(len(confirmations))

    def close(self) -> None:
        """Takes the dialog away; a question without an answer is declined."""
        if self._open is not None:
            self._open.decline()
            self._open.close()
            self._open = None

    def _again(self) -> None:
        """A script changed the dialog: it is drawn anew with its own words, or gives up."""
        old = self._open
        if old is None:
            return
        if old.tries >= _TRIES:
            old.decline()
            return
        old.close()
        self._open = _Question(old.confirmation, self._context, self._again, old.tries + 1)
        self._open.show_queue(len(self._context.engine.confirmations))


class _Question:
    def __init__(self, confirmation: Any, context: ViewContext, again: Any, tries: int = 0) -> None:
        self.confirmation = confirmation
        self.tries = tries
        self._context = context
        self._again = again
        self._answered = self._spoiled = self._remembers = False
        self._ready_at = math.inf  # on the page's clock, in milliseconds
        self._timers: list[Any] = []
        self._listeners = Listeners()
        with scope() as self._scope:
            self._build()
            self._seal = seal(self.element, self._frame, self._scope.own(self._tampered))
        context.shell.overlay.append(self._seal.element)
        self._place()
        self._sight = Sight(self.element)
        self._sight.show()
        self.element.focus()
        if tries:
            self._tell(say("confirmation.changed"))
        frame(self._arm)
        self._listen()
        self._count_down()
        self._watch()
        context.announcer.say(say("say.confirm", name=self._title))

    def show_queue(self, count: int) -> None:
        self._write(self._queue, say("confirmation.queue", count=count) if count > 1 else "")

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
        self._seal.close()
        self._scope.close()

    # Drawing

    def _build(self) -> None:
        """The frame holds one element for each text, and no other text: see static/seal.js."""
        asked = self.confirmation
        self._title = name_of(asked.tool_name, asked.title)
        risk = asked.risk if asked.risk in ("safe", "moderate", "dangerous") else "moderate"
        self._cancel = self._button("cancel", "")
        self._confirm = self._button("confirm", "danger" if risk == "dangerous" else "primary")
        self._count = span(
            slot="count", class_="ph-confirmation-count", role="timer", aria_live="off"
        )
        self._queue = span(slot="queue")
        self._remember = input_(
            type="checkbox",
            name="remember",
            id="ph-remember",
            slot="remember",
            on_click=self._remember_clicked,
        )
        self._note = p(slot="note", role="alert", class_="ph-confirmation-note")
        self._heading = h3(
            one_line(self._title, 300),
            slot="title",
            class_="ph-confirmation-title",
        )
        self._raw = pre(
            f"{asked.tool_name}\n{raw(asked.args)}", slot="raw", class_="ph-confirmation-raw"
        )
        self._frame = div(
            span(say("confirmation.title"), slot="kicker"),
            self._queue,
            self._heading,
            span(say(f"confirmation.{risk}"), slot="risk", data_risk=risk),
            asked.text and p(one_line(asked.text, 600), slot="text"),
            rows_of(asked.args, asked.defaults),
            self._raw_button() if asked.args else None,
            self._remember_line(risk),
            self._count,
            self._cancel,
            self._confirm,
            class_="ph-confirmation-frame",
            data_risk=risk,
        )
        self.element = dialog(
            self._frame,
            class_="ph-confirmation",
            data_part="confirmation",
            data_risk=risk,
            data_tool_name=asked.tool_name,
            role="alertdialog",
            aria_modal=True,
            # Not by the title's id: an element of a script may bear that id too, and come first.
            aria_label=one_line(self._title, 300),
            tabindex=-1,
            translate="no",  # a change of its words is taken for a script's
        )

    def _remember_line(self, risk: str) -> Any:
        if not self.confirmation.can_remember or risk == "dangerous":
            return None
        self._words = label(say("confirmation.remember"), for_="ph-remember", slot="remember")
        return [self._remember, self._words]

    def _raw_button(self) -> Any:
        return button(
            say("tool.raw"),
            slot="raw",
            data_variant="quiet",
            data_action="raw",
            on_click=self._toggle_raw,
        )

    def _toggle_raw(self, event: Any) -> None:
        shown = self._raw.isConnected
        self._change(lambda: self._raw.remove() if shown else self._frame.append(self._raw))

    def _change(self, change: Any) -> None:
        """Changes the dialog ourselves: not a script's doing."""
        from pyodide.ffi import create_once_callable

        self._seal.write(create_once_callable(change))

    def _write(self, element: Any, text: str) -> None:
        if str(element.textContent) != text:
            self._change(lambda: setattr(element, "textContent", text))

    def _tell(self, text: str) -> None:
        self._write(self._note, text)
        if not self._note.isConnected:
            self._change(lambda: self._frame.append(self._note))

    def _button(self, action: str, variant: str) -> Any:
        return button(
            say(f"confirmation.{action}"),
            slot="foot",
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
        self._seal.place(top, width - right, height - bottom, left)

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

    def _watch(self) -> None:
        """Looks again and again: what hides the dialog must not be gone just for the click."""
        if not self.element.isConnected or self._answered:
            return
        if js.document.visibilityState == "visible" and not self._in_sight():
            self._covered()
        self._later(uniform(*_LOOKS), self._watch)

    def _in_sight(self) -> bool:
        clear = self._seal.clear() and self._sight.clear(self._confirm, self._heading, self._frame)
        return bool(clear)

    def _covered(self) -> None:
        if self._answered or self._spoiled:
            return
        self._tell(say("confirmation.covered"))
        self._reopen()

    def _tampered(self, *_: Any) -> None:
        """A script changed the dialog: no yes for it any more."""
        if not self.element.isConnected:
            self._answer(False)
        elif not self._answered and not self._spoiled:
            self._spoiled = True
            asyncio.get_event_loop().call_soon(self._again)

    def _count_down(self) -> None:
        if not self.element.isConnected:  # a script took it out; no event tells
            self._answer(False)
            return
        expires_at = self.confirmation.expires_at
        if expires_at is None:  # its turn has not come; the next look is soon enough
            self._later(1, self._count_down)
            return
        left = expires_at - self._context.engine.clock.now()
        self._write(self._count, say("confirmation.countdown", seconds=max(0, math.ceil(left))))
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
        on(self.element, "keydown", self._key_pressed)
        on(js.window, "resize", self._moved)
        on(js.window, "focus", lambda event: self._arm())
        on(js.document, "visibilitychange", lambda event: self._arm())

    def _moved(self, event: Any) -> None:
        self._place()
        self._arm()

    def _key_pressed(self, event: Any) -> None:
        """Who types, or holds a key down, means something else; a script may move the focus."""
        if not event.isTrusted or event.ctrlKey or event.altKey or event.metaKey:
            return
        key = str(event.key)
        if (len(key) == 1 and key != " ") or (event.repeat and key in (" ", "Enter")):
            self._arm()

    def _escaped(self, event: Any) -> None:
        event.preventDefault()
        if event.timeStamp >= self._ready_at:
            self._answer(False)

    def _clicked(self, event: Any, confirmed: bool) -> None:
        # The window's own note of typing: a script may keep a key from our listener.
        ready = max(self._ready_at, typed_at() + GUARD * 1000)
        if not is_real_click(event) or event.timeStamp < ready:
            return
        if confirmed and not self._in_sight():
            self._covered()
        elif not (confirmed and self._spoiled):
            self._answer(confirmed)

    def _remember_clicked(self, event: Any) -> None:
        # Not by "change": that event is trusted even where a script made the click.
        if is_real_click(event, self._words):
            self._remembers = bool(self._remember.checked)

    def _reopen(self) -> None:
        """Back on top, and another half second to look at it."""
        self._sight.show()
        self._arm()

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
        remember = confirmed and self._remembers and bool(self._remember.checked)
        self.confirmation.answer(confirmed, remember=remember)
        self._context.changed()
