"""A wait that may be cut short."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagehand.engine.clock import Clock


class Nap:
    """One sleeper at a time, by this clock.

    nap = Nap(clock)
    await nap.sleep(30)
    """

    __slots__ = ("_clock", "_end")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._end: asyncio.Future[None] | None = None

    @property
    def asleep(self) -> bool:
        """True while somebody sleeps."""
        return self._end is not None

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds, or until `wake`."""
        self._end = asyncio.get_running_loop().create_future()
        timer = self._clock.call_later(seconds, self.wake)
        try:
            await self._end
        finally:
            self._end = None
            timer.cancel()

    def wake(self) -> None:
        """End the sleep now; nothing happens when nobody sleeps."""
        if self._end is not None and not self._end.done():
            self._end.set_result(None)
