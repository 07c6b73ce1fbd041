"""Coming back after the connection broke off.

The page calls `recover` when it is online or visible again. Nothing is posted: only a running
answer is taken up, and where there is none the error stays, with its retry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagehand.chat.exchange import sleep
from pagehand.errors import InterruptedStreamError, NetworkError, StalledStreamError

if TYPE_CHECKING:
    from pagehand.chat.turns import Turns
    from pagehand.engine.clock import Clock

BACK_OFF = (0.0, 1.0, 2.0, 5.0, 10.0)
"""Seconds before each attempt."""

_BROKEN = (InterruptedStreamError, StalledStreamError, NetworkError)


async def recover(turns: Turns, clock: Clock, back_off: tuple[float, ...] = BACK_OFF) -> bool:
    """Try to take up the answer that broke off; True when it was taken up.

    Args:
        turns: Those of the conversation; without a broken-off answer nothing happens.
        clock: Time.
        back_off: Seconds before each attempt.
    """
    for seconds in back_off:
        if seconds:
            await sleep(clock, seconds)
        if not isinstance(turns.error, _BROKEN):
            return False
        if await turns.resume():
            return True
        end = turns.last_end
        if end is None or not isinstance(end.error, NetworkError):
            return False
    return False
