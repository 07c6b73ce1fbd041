"""How often one client may ask: a bucket of tokens for each, filled at a steady rate."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from time import monotonic

from backend.refusals import RefusalError

_CLIENTS = 10_000


class RateLimit:
    """Buckets by client; the longest unused are forgotten when there are too many.

    Args:
        per_minute: Requests a minute in the long run; 0 sets no limit.
        burst: Requests that may come at once.
        clock: Seconds that only go forward.
    """

    def __init__(self, per_minute: int, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._rate = per_minute / 60
        self._burst = max(1, burst)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def check(self, client: str) -> None:
        """Take one token.

        Raises:
            RefusalError: 429 with Retry-After, when none is left.
        """
        if not self._rate:
            return
        now = self._clock()
        tokens, since = self._buckets.pop(client, (float(self._burst), now))
        tokens = min(float(self._burst), tokens + (now - since) * self._rate)
        good = tokens >= 1
        self._buckets[client] = (tokens - 1 if good else tokens, now)
        if len(self._buckets) > _CLIENTS:
            self._buckets.popitem(last=False)
        if not good:
            wait = max(1, ceil((1 - tokens) / self._rate))
            raise RefusalError(
                429, f"Too many requests. Try again in {wait} s.", {"retry-after": str(wait)}
            )
