"""Listening, painting and timing in the page, with every proxy owned and given back.

A Python function that the page may call lives until it is destroyed, together with all it
holds. So nothing here makes a proxy without an owner that has a `close()`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import js
from pyodide.ffi import create_proxy

from pagehand.browser.tongue import kept

document = js.document
window = js.window

# A hidden tab gets no animation frames; text that arrives meanwhile must still be drawn.
_HIDDEN_DELAY_MS = 250


class Listeners:
    """The listeners of one view.

    listeners = Listeners()
    listeners.on(button, "click", clicked)
    ...
    listeners.close()
    """

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: list[tuple[Any, str, Any, bool]] = []

    def on(
        self, target: Any, type: str, fn: Callable[[Any], object], **options: bool
    ) -> Callable[[], None]:
        """Calls `fn(event)` at each event of this type.

        Args:
            target: Any EventTarget.
            type: The event's name.
            fn: A plain function; what it returns is ignored.
            options: As for addEventListener: `capture`, `passive`, `once`.

        Returns:
            A function that stops listening.
        """
        proxy = create_proxy(kept(fn))
        capture = options.get("capture", False)
        if options:
            settings = js.Object.new()
            for name, value in options.items():
                setattr(settings, name, value)
            target.addEventListener(type, proxy, settings)
        else:
            target.addEventListener(type, proxy)
        entry = (target, type, proxy, capture)
        self._entries.append(entry)
        return lambda: self._off(entry)

    def _off(self, entry: tuple[Any, str, Any, bool]) -> None:
        if entry in self._entries:
            self._entries.remove(entry)
            _drop(entry)

    def __len__(self) -> int:
        return len(self._entries)

    def close(self) -> None:
        """Stops listening to everything and frees the proxies."""
        entries, self._entries = self._entries, []
        for entry in entries:
            _drop(entry)


def _drop(entry: tuple[Any, str, Any, bool]) -> None:
    target, type_, proxy, capture = entry
    target.removeEventListener(type_, proxy, capture)
    proxy.destroy()


class _Painter:
    """Runs what was asked for in the next animation frame, through one proxy for all."""

    __slots__ = ("_frame", "_proxy", "_timer", "_waiting")

    def __init__(self) -> None:
        self._waiting: dict[Callable[[], object], Callable[[], object]] = {}
        self._proxy: Any = None
        self._frame: int | None = None
        self._timer: int | None = None

    def ask(self, fn: Callable[[], object]) -> None:
        if fn not in self._waiting:
            self._waiting[fn] = kept(fn)
        if self._timer is not None:
            return
        if self._proxy is None:
            self._proxy = create_proxy(self._run)
        if not document.hidden:
            self._frame = js.requestAnimationFrame(self._proxy)
        # No frame comes in a hidden tab, nor when the tab gets hidden before it comes.
        self._timer = js.setTimeout(self._proxy, _HIDDEN_DELAY_MS)

    def _run(self, _time: Any = None) -> None:
        if self._frame is not None:
            js.cancelAnimationFrame(self._frame)
        if self._timer is not None:
            js.clearTimeout(self._timer)
        self._frame = self._timer = None
        waiting, self._waiting = self._waiting, {}
        for fn in waiting.values():
            try:
                fn()
            except Exception as error:  # noqa: BLE001 - one view's error must not stop the others
                report(error)


_painter = _Painter()


def frame(fn: Callable[[], object]) -> None:
    """Calls `fn` once in the next animation frame; asking again before that changes nothing."""
    _painter.ask(fn)


def report(error: BaseException) -> None:
    """Hands an error to the loop's handler, so that every error ends up in one place."""
    loop = asyncio.get_event_loop()
    loop.call_exception_handler({"message": str(error), "exception": error})
