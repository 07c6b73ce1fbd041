"""Coming back after the connection broke off.

The page calls `Chat.recover` when it is online or visible again; an answer that the server keeps
is taken up by itself. Nothing is posted: only a running answer is taken up, and where there is
none the error stays, with its retry.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pagehand.chat.nap import Nap
from pagehand.errors import InterruptedStreamError, NetworkError, StalledStreamError

if TYPE_CHECKING:
    from pagehand.chat.turns import Turns
    from pagehand.engine.clock import Clock

BACK_OFF = (0.0, 1.0, 2.0, 5.0, 10.0)
"""Seconds before each attempt."""

_BROKEN = (InterruptedStreamError, StalledStreamError, NetworkError)


class Recovery:
    """Takes up an answer that broke off; one attempt at a time, whoever asks.

    Args:
        turns: Those of the conversation; without a broken-off answer nothing happens.
        clock: Time.
    """

    def __init__(self, turns: Turns, clock: Clock) -> None:
        self._turns = turns
        self._nap = Nap(clock)
        self._task: asyncio.Task[bool] | None = None

    @property
    def running(self) -> bool:
        """True while attempts go on."""
        return self._task is not None and not self._task.done()

    async def run(self) -> bool:
        """Try for a while; True when the answer was taken up. Who waits already tries at once."""
        self.begin()
        self._nap.wake()
        assert self._task is not None
        return await asyncio.shield(self._task)

    def begin(self) -> None:
        """Try for a while, beside everything else."""
        if not self.running:
            self._task = asyncio.ensure_future(self._attempts())

    def close(self) -> None:
        """Try no more."""
        if self._task is not None:
            self._task.cancel()

    async def _attempts(self) -> bool:
        turns = self._turns
        for seconds in BACK_OFF:
            if seconds:
                await self._nap.sleep(seconds)
            if not isinstance(turns.error, _BROKEN):
                return False
            if await turns.resume():
                return True
            end = turns.last_end
            if end is None or not isinstance(end.error, NetworkError):
                return False
        return False
