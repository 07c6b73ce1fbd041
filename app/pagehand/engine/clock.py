"""Time, as a port: tests turn the hands themselves.

clock = Clock()
timer = clock.call_later(30, expire)
timer.cancel()
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Timer(Protocol):
        """Something that will happen, unless it is cancelled."""

        def cancel(self) -> None:
            """Makes it not happen; harmless when it already has."""
            ...


class Clock:
    """The real time."""

    def now(self) -> float:
        """Seconds since 1970, for people and logs."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never go back, for measuring."""
        return time.monotonic()

    def call_later(self, seconds: float, function: Callable[[], None]) -> Timer:
        """Calls `function` once, later, in the event loop."""
        import asyncio

        return asyncio.get_running_loop().call_later(seconds, function)


class ManualClock(Clock):
    """A clock for tests: time passes only by `advance`."""

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._now = start
        self._timers: list[_ManualTimer] = []

    def now(self) -> float:
        """The time set by hand."""
        return self._now

    def monotonic(self) -> float:
        """The same time."""
        return self._now

    def call_later(self, seconds: float, function: Callable[[], None]) -> Timer:
        """Remembers the call for `advance`."""
        timer = _ManualTimer(self._now + seconds, function)
        self._timers.append(timer)
        return timer

    def advance(self, seconds: float) -> None:
        """Lets time pass and calls what has become due, in order."""
        end = self._now + seconds
        while due := [timer for timer in self._timers if timer.at <= end and not timer.cancelled]:
            timer = min(due, key=lambda entry: entry.at)
            self._timers.remove(timer)
            self._now = max(self._now, timer.at)
            timer.function()
        self._now = end


class _ManualTimer:
    def __init__(self, at: float, function: Callable[[], None]) -> None:
        self.at = at
        self.function = function
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True
