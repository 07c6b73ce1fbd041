"""How often one client may ask: in this process, or counted over all replicas."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from time import monotonic

from backend.refusals import RefusalError
from backend.shared import SharedStore, hidden

_CLIENTS = 10_000


class RateLimit:
    """A bucket of tokens for each client, filled at a steady rate.

    The longest unused are forgotten when there are too many.

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
            raise _too_many((1 - tokens) / self._rate)


class SharedRateLimit:
    """Counts over all replicas, in a sliding window of the `limits` library.

    The window is as long as a burst takes to be earned back, so the rate and the burst are
    the same as in one process, to the second. While the store does not answer, each process
    counts alone.

    Args:
        store: What the replicas share.
        per_minute: Requests a minute in the long run, over all replicas; 0 sets no limit.
        burst: Requests that may come at once, over all replicas.
    """

    def __init__(self, store: SharedStore, per_minute: int, burst: int) -> None:
        from limits import RateLimitItemPerSecond
        from limits.aio.storage import RedisStorage
        from limits.aio.strategies import SlidingWindowCounterRateLimiter

        self._store = store
        self._alone = RateLimit(per_minute, burst)
        self._on = per_minute > 0
        seconds = max(1, ceil(max(1, burst) * 60 / max(1, per_minute)))
        self._window = RateLimitItemPerSecond(max(1, per_minute * seconds // 60), seconds)
        self._limiter = SlidingWindowCounterRateLimiter(
            RedisStorage(
                "async+redis://127.0.0.1:6379",  # not asked: the pool below has the address
                implementation="redispy",
                key_prefix="pagehand:rate",
                connection_pool=store.client.connection_pool,  # type: ignore[arg-type]
            )
        )

    async def check(self, client: str) -> None:
        """Count one request.

        Raises:
            RefusalError: 429 with Retry-After, when it is one too many.
        """
        if not self._on:
            return
        name = hidden(client)
        good = await self._store.tried(lambda: self._limiter.hit(self._window, name), None)
        if good is None:
            await self._alone.check(client)
        elif not good:
            ask = self._limiter.get_window_stats
            stats = await self._store.tried(lambda: ask(self._window, name), None)
            raise _too_many(stats.reset_time - time.time() if stats is not None else 1.0)


def _too_many(seconds: float) -> RefusalError:
    wait = max(1, ceil(seconds))
    return RefusalError(
        429, f"Too many requests. Try again in {wait} s.", {"retry-after": str(wait)}
    )
