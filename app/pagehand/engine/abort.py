"""A switch that tells of a stop, where the page's own AbortSignal is not to be had.

abort = Abort()
undo = abort.on_abort(close)
abort.abort("stopped")          # calls close()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Abort:
    """A switch that turns once, and those who want to know of it.

    Attributes:
        aborted: Whether it has turned.
        reason: Why, or "".
    """

    __slots__ = ("_listeners", "aborted", "reason")

    def __init__(self) -> None:
        self.aborted = False
        self.reason = ""
        self._listeners: list[Callable[[], object]] = []

    def on_abort(self, fn: Callable[[], object]) -> Callable[[], None]:
        """Call `fn` at the abort, at once if it has happened; gives a function that undoes this."""
        if self.aborted:
            fn()
            return lambda: None
        self._listeners.append(fn)
        return lambda: self._listeners.remove(fn) if fn in self._listeners else None

    def abort(self, reason: str = "") -> None:
        """Turn the switch. Turning it again does nothing."""
        if self.aborted:
            return
        self.aborted = True
        self.reason = reason
        listeners, self._listeners = self._listeners, []
        for fn in listeners:
            fn()
