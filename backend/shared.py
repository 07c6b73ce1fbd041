"""What replicas share, in a Redis or Valkey server: who asked how often, open answers, tapes.

    store = SharedStore("redis://host:6379/0")
    count = await store.tried(lambda: store.client.get("key"), otherwise=None)

Nothing here is needed to answer: while the server does not reply, each replica goes on alone
for a few seconds at a time, and the log says so once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from backend.logs import LOGGER
from backend.refusals import RefusalError
from backend.settings import SettingsError

if TYPE_CHECKING:
    from redis.asyncio import Redis

_T = TypeVar("_T")
_WAIT = 2.0
"""Seconds for an answer of the server."""
_PAUSE = 5.0
"""Seconds in which it is not asked again after it did not answer."""
_BEAT = 1.0
_AT_ONCE = 32
"""So many say at once that they go on: not one after the other, nor each on a connection."""
_LEASE = 30
"""Seconds after which what a dead replica held is free."""


class Beating(Protocol):
    """Something that is to be said to the server again and again."""

    async def beat(self) -> bool:
        """Say it; False when nothing is left to say."""
        ...


class SharedStore:
    """The connection to the server.

    Args:
        url: `redis://`, `rediss://`, `valkey://`, `valkeys://` or `unix://`.

    Raises:
        SettingsError: The packages are missing, or the address cannot be read.
    """

    def __init__(self, url: str) -> None:
        try:
            import limits  # noqa: F401
            from redis.asyncio import Redis
            from redis.asyncio.retry import Retry
            from redis.backoff import NoBackoff
            from redis.exceptions import RedisError
        except ImportError as error:
            raise SettingsError(
                "PAGEHAND_REDIS_URL needs more packages: pip install -e '.[redis]'."
            ) from error
        address = "redis" + url.removeprefix("valkey") if url.startswith("valkey") else url
        try:
            self.client: Redis = Redis.from_url(
                address,
                socket_timeout=_WAIT,
                socket_connect_timeout=_WAIT,
                retry=Retry(NoBackoff(), 1),
            )
            self.patient: Redis = Redis.from_url(
                address, socket_timeout=_WAIT * 5, socket_connect_timeout=_WAIT
            )
            """For commands that wait: they must not keep a connection from the others."""
        except ValueError as error:
            raise SettingsError(f"PAGEHAND_REDIS_URL cannot be read: {error}.") from error
        self.failures: tuple[type[Exception], ...] = (RedisError, OSError)
        self._silent_until = 0.0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._beating: set[Beating] = set()
        self._heart: asyncio.Task[None] | None = None

    @property
    def answers(self) -> bool:
        """Whether the server answered when it was asked last."""
        return time.monotonic() >= self._silent_until

    async def tried(self, ask: Callable[[], Awaitable[_T]], otherwise: _T) -> _T:
        """What the server says, or `otherwise` when it does not answer."""
        if not self.answers:
            return otherwise
        try:
            return await ask()
        except self.failures as error:
            self._silent_until = time.monotonic() + _PAUSE
            LOGGER.warning("shared-store", extra={"fields": {"fault": type(error).__name__}})
            return otherwise

    async def first(self, name: str, seconds: float) -> bool:
        """Whether this is the first time that any replica asks for this name, in so many seconds.

        True as well when the server does not answer.
        """
        key, lasts = f"pagehand:once:{hidden(name)}", max(1, int(seconds))
        return await self.tried(lambda: self._first(key, lasts), otherwise=True)

    async def reached(self) -> bool:
        """Whether the server answers now."""
        return await self.tried(self._ping, otherwise=False)

    def beside(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do something while the caller goes on."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def beat(self, what: Beating) -> None:
        """Have it said again and again, from now on."""
        self._beating.add(what)
        if self._heart is None or self._heart.done():
            self._heart = asyncio.get_running_loop().create_task(self._beat())

    async def aclose(self) -> None:
        """Finish what is being done and close the connections."""
        if self._heart is not None:
            self._heart.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_WAIT)
        await self.client.aclose()
        await self.patient.aclose()

    async def _first(self, key: str, lasts: int) -> bool:
        who = token_hex(8).encode()
        if await self.client.set(key, who, nx=True, ex=lasts):
            return True
        # Refused by our own claim, when the reply to it was lost and it was sent again.
        return bool(await self.client.get(key) == who)

    async def _ping(self) -> bool:
        return bool(await self.client.ping())  # type: ignore[misc]

    async def _beat(self) -> None:
        while self._beating:
            await asyncio.sleep(_BEAT)
            beating = list(self._beating)
            for first in range(0, len(beating), _AT_ONCE):
                group = beating[first : first + _AT_ONCE]
                going_on = await asyncio.gather(
                    *(self.tried(what.beat, otherwise=True) for what in group)
                )
                self._beating.difference_update(
                    what for what, more in zip(group, going_on, strict=True) if not more
                )


class Seats:
    """Open answers of each client, counted over all replicas.

    A seat is a member of a sorted set, with the time at which it is free again; who holds it
    puts that time off, so a replica that dies holds nobody's seats for long.
    """

    def __init__(self, store: SharedStore, limit: int) -> None:
        self._store = store
        self._limit = limit
        self._held: dict[str, list[str]] = {}
        self._coming: dict[str, list[float]] = {}
        """When those took a seat whose answer is not open yet."""
        self._said = 0.0

    async def take(self, client: str) -> None:
        """Take a seat.

        Raises:
            RefusalError: 429, all are taken.
        """
        seat = token_hex(8)
        if not await self._store.tried(lambda: self._take(client, seat), otherwise=True):
            raise RefusalError(
                429, "Too many of your answers are open at once.", {"retry-after": "5"}
            )
        self._held.setdefault(client, []).append(seat)
        self._coming.setdefault(client, []).append(time.monotonic())
        self._store.beat(self)

    def seated(self, client: str) -> None:
        """The answer that a seat was taken for is open."""
        coming = self._coming.get(client)
        if coming:
            coming.pop(0)
        if not coming:
            self._coming.pop(client, None)

    def give_back(self, client: str, open_now: int) -> None:
        """Give back the seats of a client that has `open_now` answers open here.

        Seats of answers that are about to open stay taken; after a while they never will.
        """
        held = self._held.get(client, [])
        recent = time.monotonic() - _LEASE
        coming = sum(taken > recent for taken in self._coming.get(client, ()))
        for seat in held[: max(0, len(held) - open_now - coming)]:
            held.remove(seat)
            self._store.beside(self._store.tried(lambda s=seat: self._free(client, s), None))  # type: ignore[misc]
        if not held:
            self._held.pop(client, None)
            self._coming.pop(client, None)

    async def beat(self) -> bool:
        """Put off the time at which our seats are free."""
        now = time.time()
        if now - self._said >= _LEASE / 3:
            self._said = now
            async with self._store.client.pipeline(transaction=False) as pipe:
                for client, seats in self._held.items():
                    pipe.zadd(_seats(client), dict.fromkeys(seats, now + _LEASE), xx=True)
                    pipe.expire(_seats(client), _LEASE)
                await pipe.execute()
        return bool(self._held)

    async def _take(self, client: str, seat: str) -> bool:
        key, now = _seats(client), time.time()
        async with self._store.client.pipeline(transaction=True) as pipe:
            pipe.zremrangebyscore(key, "-inf", now)
            pipe.zadd(key, {seat: now + _LEASE})
            pipe.zcard(key)
            pipe.expire(key, _LEASE)
            taken = (await pipe.execute())[2]
        if taken > self._limit:
            await self._free(client, seat)
        return bool(taken <= self._limit)

    async def _free(self, client: str, seat: str) -> None:
        await self._store.client.zrem(_seats(client), seat)


def hidden(client: str) -> str:
    """A name for a client that tells nobody who reads the store who it is."""
    return sha256(client.encode("utf-8", "replace")).hexdigest()[:24]


def _seats(client: str) -> str:
    return f"pagehand:seats:{hidden(client)}"
