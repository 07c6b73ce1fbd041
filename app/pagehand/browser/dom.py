"""Listening, painting and timing in the page, with every proxy owned and given back.

A Python function that the page may call lives until it is destroyed, together with all it
holds. So nothing here makes a proxy without an owner that has a `close()`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import js
from pyodide.ffi import create_proxy

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
        proxy = create_proxy(fn)
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


class Frame:
    """Paints at most once per animation frame, however often it is asked to.

    paint = frame(draw)
    paint()          # soon, once
    paint.close()    # never again
    """

    __slots__ = ("_fn", "_frame", "_proxy", "_timer")

    def __init__(self, fn: Callable[[], object]) -> None:
        self._fn = fn
        self._frame: int | None = None
        self._timer: int | None = None
        self._proxy = create_proxy(self._run)

    def __call__(self) -> None:
        """Asks for a paint."""
        if self._frame is not None or self._timer is not None or self._proxy is None:
            return
        if document.hidden:
            self._timer = js.setTimeout(self._proxy, _HIDDEN_DELAY_MS)
            return
        self._frame = js.requestAnimationFrame(self._proxy)
        # The tab may be hidden before the frame comes.
        self._timer = js.setTimeout(self._proxy, 2 * _HIDDEN_DELAY_MS)

    def _run(self, _time: Any = None) -> None:
        self._forget()
        self._fn()

    def _forget(self) -> None:
        if self._frame is not None:
            js.cancelAnimationFrame(self._frame)
        if self._timer is not None:
            js.clearTimeout(self._timer)
        self._frame = self._timer = None

    def flush(self) -> None:
        """Paints now, if a paint was asked for."""
        if self._frame is not None or self._timer is not None:
            self._run()

    def close(self) -> None:
        """Drops a paint that was asked for, and frees the proxy."""
        self._forget()
        if self._proxy is not None:
            self._proxy.destroy()
            self._proxy = None


def frame(fn: Callable[[], object]) -> Frame:
    """A paint request for `fn`; see `Frame`."""
    return Frame(fn)
