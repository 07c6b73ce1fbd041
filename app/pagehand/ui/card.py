"""A place that somebody else's function draws: a human tool's card, a tool's own view of a call.

Each drawing has a scope of its own for its callbacks; the one before is freed when the new one
stands. An error in the function is shown in its place and goes no further. Only what a person
really did reaches the function's listeners: a page's script cannot press its buttons.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import js
import pagehand_shell

from pagehand.browser.dom import Listeners
from pagehand.html import Scope, button, div, p, pre, replace_children, scope
from pagehand.ui.i18n import text as say
from pagehand.ui.trust import is_real_click

LATER_PACKAGES = ("pydantic", "pydantic_core", "jsonschema")
_SETTLING = 'button[data-action="confirm"], button[data-action="cancel"]'
_ANSWERS = ("click", "dblclick", "submit", "keydown", "keyup", "keypress")
_ANSWERS_OF_POINTERS = (
    "pointerdown",
    "pointerup",
    "mousedown",
    "mouseup",
    "touchstart",
    "touchend",
)


class Card:
    """Draws into `element` what `function` returns.

    Args:
        element: The place.
        function: Returns an element, text, a list of these, or None for nothing.
        on_skip: Called when the card cannot be drawn and the person gives up on it.
    """

    def __init__(
        self,
        element: Any,
        function: Callable[[], Any],
        on_skip: Callable[[], None] | None = None,
    ) -> None:
        self._element = element
        self._function = function
        self._on_skip = on_skip
        self._scope = Scope()
        self._closed = False
        self._waiting: asyncio.Future[None] | None = None
        self._listeners = Listeners()
        for kind in (*_ANSWERS, *_ANSWERS_OF_POINTERS):
            self._listeners.on(element, kind, self._only_real, capture=True)
        self._sending: Any = None  # the form that the person's last click or key sends

    def draw(self) -> None:
        """Calls the function and shows what it returns."""
        old, self._scope = self._scope, Scope()
        with scope(self._scope):
            try:
                drawn = self._function()
                if asyncio.iscoroutine(drawn):
                    drawn.close()
                    raise TypeError("the function that draws a card must not be async")
                self._put(drawn)
            except ModuleNotFoundError as error:
                if error.name not in LATER_PACKAGES:
                    self._put(self._failure(error))
                elif self._waiting is None:
                    self._waiting = asyncio.ensure_future(self._draw_later())
            except Exception as error:  # noqa: BLE001 - an integrator's error must not end the thread
                self._put(self._failure(error))
        old.close()

    def end(self) -> None:
        """The call is settled: buttons that answer it can do nothing any more."""
        for control in self._element.querySelectorAll(_SETTLING):
            control.disabled = True

    async def _draw_later(self) -> None:
        """A stored conversation may be drawn before the packages are there that check arguments."""
        await pagehand_shell.optionalPackages()
        if not self._closed:
            self.draw()

    def close(self) -> None:
        """Frees the callbacks."""
        self._closed = True
        self._listeners.close()
        self._scope.close()

    def _put(self, drawn: Any) -> None:
        focused = _focused_action(self._element)
        replace_children(self._element, drawn)
        self._element.hidden = not self._element.hasChildNodes()
        if focused:
            target = self._element.querySelector(f'[data-action="{js.CSS.escape(focused)}"]')
            if target:
                target.focus()

    def _skip(self, event: Any) -> None:
        if self._on_skip is not None:
            self._on_skip()

    def _only_real(self, event: Any) -> None:
        """Stops what a script made up.

        The submit event of `form.requestSubmit()` is trusted whoever calls it: it passes only
        right after the person's own click on the form's button or Enter key in its field.
        """
        kind = str(event.type)
        real = is_real_click(event, self._element) if kind == "click" else bool(event.isTrusted)
        if real and kind == "submit":
            real, self._sending = self._sending == event.target, None
        elif real and kind in ("click", "keydown"):
            self._sending = _sent_by(event)
        if not real:
            event.stopImmediatePropagation()
            event.preventDefault()

    def _failure(self, error: Exception) -> Any:
        js.console.error(f"pagehand: a card could not be drawn: {type(error).__name__}: {error}")
        return div(
            p(say("tool.card_failed")),
            pre(f"{type(error).__name__}: {error}"),
            None
            if self._on_skip is None
            else button(
                say("tool.skip"), class_="ph-button", data_action="skip", on_click=self._skip
            ),
            class_="ph-card-failed",
            role="alert",
        )


def _sent_by(event: Any) -> Any:
    """The form that the browser sends because of this click or key, or None."""
    if event.type == "click":
        control = event.target.closest("button, input")
        sends = control and control.type in ("submit", "image")
    else:
        control = event.target
        sends = event.key == "Enter" and not event.isComposing and control.localName == "input"
    return control.form if sends else None


def _focused_action(element: Any) -> str | None:
    active = getattr(element.getRootNode(), "activeElement", None)
    if not active or not element.contains(active):
        return None
    return active.getAttribute("data-action") or None
