"""The answers that are being streamed: each kept alive, bounded, and ended properly.

One task looks after all open streams (a task for each would cost more than the stream).
It has a comment sent into silence so that proxies keep the connection, ends an answer whose
model went silent or took too long, and on shutdown lets answers run for the grace time
and then ends them with an error that the client can show and retry.

`AnswerStream` is an answer and its connection: who closes the connection stops the model.
`backend.recordings` has the other way, where an answer goes on without its connection.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from time import monotonic
from typing import Protocol

from starlette.types import Receive, Scope, Send

from backend.answer import Answer, Writer
from backend.connection import Connection, GoneError
from backend.models.port import Agent, CutError, Turn
from backend.refusals import RefusalError
from backend.settings import Settings
from backend.shared import Seats


class Open(Protocol):
    """What `OpenStreams` looks after."""

    client: str
    counts: bool
    """Whether it counts against the limits; not when it belongs to another that does."""

    def tick(self, now: float) -> None:
        """Do what is due."""
        ...

    def stop(self, why: str) -> None:
        """End soon."""
        ...


class OpenStreams:
    """All open streams of this process, with their limits.

    Args:
        settings: For the limits.
        seats: Counts the open answers of a client over all replicas.
    """

    def __init__(self, settings: Settings, seats: Seats | None = None) -> None:
        self.draining = False
        self._seats = seats
        self.settings = settings
        self._open: set[Open] = set()
        self._clients: Counter[str] = Counter()
        self._count = 0
        self._none_left: asyncio.Event | None = None
        self._keeper: asyncio.Task[None] | None = None
        self.patience = settings.idle_timeout or settings.run_timeout
        """How long a client may take nothing of what is sent to it; 0: for ever."""
        limits = (settings.keep_alive, settings.idle_timeout, settings.run_timeout)
        self._tick = max(0.01, min((1.0, *(limit / 4 for limit in limits if limit))))

    def __len__(self) -> int:
        return self._count

    def check(self, client: str) -> None:
        """Refuse a stream that would be one too many, before it begins."""
        if self.draining:
            raise RefusalError(503, "The server is restarting. Try again.", {"retry-after": "2"})
        if len(self) >= self.settings.max_streams:
            raise RefusalError(429, "Too many answers are open at once.", {"retry-after": "5"})
        if self._clients[client] >= self.settings.max_streams_per_client:
            raise RefusalError(
                429, "Too many of your answers are open at once.", {"retry-after": "5"}
            )

    async def admit(self, client: str) -> None:
        """Refuse a stream that would be one too many, here or over all replicas.

        Raises:
            RefusalError: 429, or 503 while it shuts down.
        """
        self.check(client)
        if self._seats is not None:
            await self._seats.take(client)

    def add(self, stream: Open) -> None:
        """Look after a stream from now on."""
        self._open.add(stream)
        self._clients[stream.client] += stream.counts
        self._count += stream.counts
        if self._seats is not None and stream.counts:
            self._seats.seated(stream.client)
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.get_running_loop().create_task(self._keep())

    def count(self, stream: Open) -> None:
        """Count one that did not count so far, as it belonged to another that is over now."""
        if not stream.counts:
            stream.counts = True
            if stream in self._open:
                self._clients[stream.client] += 1
                self._count += 1

    def remove(self, stream: Open) -> None:
        """Forget a stream that has ended."""
        self._open.discard(stream)
        if self._none_left is not None and not self._open:
            self._none_left.set()
        self._clients[stream.client] -= stream.counts
        self._count -= stream.counts
        if self._seats is not None:
            self._seats.give_back(stream.client, self._clients[stream.client])
        if self._clients[stream.client] <= 0:
            del self._clients[stream.client]

    async def drain(self, grace: float) -> None:
        """Take no new streams; give the open ones `grace` seconds, then end them."""
        self.draining = True
        await self._wait_for_none(grace)
        for stream in list(self._open):
            stream.stop("shutdown")
        await self._wait_for_none(2.0)

    async def _wait_for_none(self, seconds: float) -> None:
        if self._open:
            if self._none_left is None or self._none_left.is_set():
                self._none_left = asyncio.Event()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._none_left.wait(), seconds)

    async def _keep(self) -> None:
        """Run while streams are open."""
        while self._open:
            await asyncio.sleep(self._tick)
            now = monotonic()
            for stream in list(self._open):
                stream.tick(now)


class AnswerStream:
    """The HTTP response that carries one answer, and without which it is not made."""

    counts = True
    _task: asyncio.Task[object] | None = None

    def __init__(self, agent: Agent, turn: Turn, writer: Writer, streams: OpenStreams) -> None:
        self.client = turn.client
        self._headers = writer.headers
        self._answer = Answer(agent, turn, writer, streams.settings)
        self._streams = streams
        self._connection: Connection | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream the answer; return when it is over, however that came."""
        connection = Connection(receive, send, lambda: self.stop("client-closed"))
        self._connection = connection
        self._answer.put, self._answer.breakable = connection.write, False
        self._task = asyncio.current_task()
        self._streams.add(self)
        try:
            await connection.open(self._headers)
            await connection.complete(await self._answer.make())
        except (GoneError, CutError):
            pass  # not completing the response makes the server close the connection
        except asyncio.CancelledError:
            if not self._answer.end or self._task is None:
                raise
            self._task.uncancel()
        finally:
            self._task = None
            connection.close()
            self._streams.remove(self)
            self._answer.finish()

    def stop(self, why: str) -> None:
        """End the stream."""
        self._answer.stop(why)

    def tick(self, now: float) -> None:
        """Keep the connection alive, and the limits."""
        connection = self._connection
        if connection is not None and connection.stalled(now, self._streams.patience):
            self._give_up()
            return
        self._answer.tick(now)
        if connection is None or self._answer.end or connection.beating:
            return
        if self._answer.holds:
            connection.beat(self._answer.take_held)
        elif 0 < self._streams.settings.keep_alive <= now - connection.sent:
            connection.beat()

    def _give_up(self) -> None:
        """Nobody reads any more: end it, even if its end is being sent."""
        self._answer.end = "client-closed"
        if self._task is not None:
            self._task.cancel()
