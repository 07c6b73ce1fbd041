"""The answers that are being streamed: each kept alive, bounded, and ended properly.

One task looks after all open streams (a task for each would cost more than the stream).
It has a comment sent into silence so that proxies keep the connection, ends an answer whose
model went silent or took too long, and on shutdown lets answers run for the grace time
and then ends them with an error that the client can show and retry.

    Answer        makes the bytes of one answer; knows no HTTP
    Connection    one HTTP response that they are written to
    AnswerStream  both together: who closes the connection stops the model

`backend.recordings` has the other way, where an answer goes on without its connection.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from time import monotonic
from typing import Protocol

from starlette.types import Message, Receive, Scope, Send

from backend.logs import AnswerLog, masked
from backend.models.port import Agent, CutError, ModelError, Raw, Turn
from backend.refusals import RefusalError
from backend.settings import Settings
from backend.writer import HEADERS, StreamWriter
from pagehand.wire.chunks import Abort, Finish, FinishStep, Start, StartStep, TextEnd, TextStart
from pagehand.wire.sse import encode_comment

_HEADERS = [
    (b"content-type", b"text/event-stream"),
    *((name.encode(), value.encode()) for name, value in HEADERS.items()),
]
_KEEP_ALIVE = encode_comment("keep-alive")
_SILENT = (Start, StartStep, FinishStep, TextStart, TextEnd, Finish)
_ENDINGS = {
    "idle": "The model went silent. Please try again.",
    "limit": "The answer took too long and was stopped.",
    "shutdown": "The server is restarting. Please try again.",
}


class GoneError(Exception):
    """Nobody reads any more."""


class Open(Protocol):
    """What `OpenStreams` looks after."""

    client: str

    def tick(self, now: float) -> None:
        """Do what is due."""
        ...

    def stop(self, why: str) -> None:
        """End soon."""
        ...


class OpenStreams:
    """All open streams of this process, with their limits."""

    def __init__(self, settings: Settings) -> None:
        self.draining = False
        self.settings = settings
        self._open: set[Open] = set()
        self._clients: Counter[str] = Counter()
        self._none_left: asyncio.Event | None = None
        self._keeper: asyncio.Task[None] | None = None
        limits = (settings.keep_alive, settings.idle_timeout, settings.run_timeout)
        self._tick = max(0.01, min(1.0, *(limit / 4 for limit in limits if limit)))

    def __len__(self) -> int:
        return len(self._open)

    def check(self, client: str) -> None:
        """Refuse a stream that would be one too many, before it begins."""
        if self.draining:
            raise RefusalError(503, "The server is restarting. Try again.", {"retry-after": "2"})
        if len(self._open) >= self.settings.max_streams:
            raise RefusalError(429, "Too many answers are open at once.", {"retry-after": "5"})
        if self._clients[client] >= self.settings.max_streams_per_client:
            raise RefusalError(
                429, "Too many of your answers are open at once.", {"retry-after": "5"}
            )

    def add(self, stream: Open) -> None:
        """Look after a stream from now on."""
        self._open.add(stream)
        self._clients[stream.client] += 1
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.get_running_loop().create_task(self._keep())

    def remove(self, stream: Open) -> None:
        """Forget a stream that has ended."""
        self._open.discard(stream)
        if self._none_left is not None and not self._open:
            self._none_left.set()
        self._clients[stream.client] -= 1
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


class Answer:
    """One answer in the making.

    Args:
        agent: Answers.
        turn: What was asked.
        writer: Puts the chunks in order and into bytes.
        settings: For the time limits.

    `put` takes the bytes to wherever they go; set it before `make`. `end` tells how it ended.
    """

    put: Callable[[bytes], Awaitable[None]]

    def __init__(self, agent: Agent, turn: Turn, writer: StreamWriter, settings: Settings) -> None:
        self.turn = turn
        self.end = ""
        self.log = AnswerLog(agent.name, turn)
        self._agent = agent
        self._writer = writer
        self._run_timeout, self._idle_timeout = settings.run_timeout, settings.idle_timeout
        self._started = self._heard = monotonic()
        self._task: asyncio.Task[object] | None = None
        self._held = b""

    def stop(self, why: str) -> None:
        """End it: `client-closed`, `idle`, `limit`, `shutdown`, or `stopped` by the person."""
        if not self.end:
            self.end = why
            if self._task is not None:
                self._task.cancel()

    def tick(self, now: float) -> None:
        """End it if its model went silent or it took too long."""
        if self._run_timeout and now - self._started >= self._run_timeout:
            self.stop("limit")
        elif self._idle_timeout and now - self._heard >= self._idle_timeout:
            self.stop("idle")

    def take_held(self) -> bytes:
        """Bytes that wait for something to travel with."""
        held, self._held = self._held, b""
        return held

    async def make(self) -> bytes:
        """Make it; return the bytes that end it properly, whatever became of the agent.

        Call `finish` once they are delivered or cannot be. Until then `stop` cancels the task
        that called this.

        Raises:
            GoneError: Nobody reads any more.
            CutError: A script wants the connection to break.
        """
        self._task = asyncio.current_task()
        try:
            await self._pump()
            return self.take_held() + self._writer.end()
        except asyncio.CancelledError:
            if not self.end or self._task is None:
                raise
            self._task.uncancel()
            return self.take_held() + self._ending()
        except (GoneError, CutError):
            self.end = self.end or "client-closed"
            raise
        except ModelError as error:
            masked(error, request=self.log.request)
            return self.take_held() + self._writer.fail(str(error))
        except Exception as error:  # noqa: BLE001  # whatever it is, it must not leave
            text = masked(error, request=self.log.request)
            return self.take_held() + self._writer.fail(text)

    def finish(self) -> None:
        """It is over: write its line into the log."""
        self._task = None
        self.end = self.end or ("error" if self._writer.failed else "done")
        self.log.write(self.end, self._writer.calls)

    def _ending(self) -> bytes:
        """The bytes that end it after a stop."""
        if self.end == "stopped":
            return self._writer.write(Abort("stopped")) + self._writer.end()
        if self.end not in _ENDINGS:
            raise GoneError
        return self._writer.fail(_ENDINGS[self.end])

    async def _pump(self) -> None:
        if self.end:
            raise asyncio.CancelledError  # stopped before it began
        write = self._writer.write
        async with aclosing(self._agent.run(self.turn)) as chunks:
            async for chunk in chunks:
                self._heard = monotonic()
                if isinstance(chunk, Raw):
                    data = chunk.data
                elif type(chunk) in _SILENT:
                    # Nobody sees these: they travel with what follows, or with the next beat.
                    self._held += write(chunk)
                    continue
                else:
                    data = write(chunk)
                if self._held:
                    data, self._held = self._held + data, b""
                if data:
                    self.log.token()
                    await self.put(data)


class Connection:
    """One HTTP response being streamed.

    Args:
        receive: Tells when the client leaves.
        send: Takes the bytes.
        left: Called once when the client has left.
    """

    def __init__(self, receive: Receive, send: Send, left: Callable[[], None]) -> None:
        self.sent = monotonic()
        self._send = send
        self._left = left
        self._receive = receive
        self._watcher = asyncio.ensure_future(self._watch())
        self._beating: asyncio.Future[None] | None = None

    async def open(self, headers: list[tuple[bytes, bytes]]) -> None:
        """Send the status, 200, and the headers.

        Raises:
            GoneError: The client has left.
        """
        await self._tell({"type": "http.response.start", "status": 200, "headers": headers})

    async def write(self, data: bytes) -> None:
        """Send bytes.

        Raises:
            GoneError: The client has left.
        """
        self.sent = monotonic()
        await self._tell({"type": "http.response.body", "body": data, "more_body": True})

    async def complete(self, last: bytes = b"") -> None:
        """End the response properly; without this the server breaks the connection off.

        Raises:
            GoneError: The client has left.
        """
        await self._tell({"type": "http.response.body", "body": last, "more_body": False})

    def beat(self, data: bytes = _KEEP_ALIVE) -> None:
        """Send a comment, or these bytes, unless the last beat is still on its way."""
        if self._beating is None or self._beating.done():
            self._beating = asyncio.ensure_future(self._beat(data))

    @property
    def beating(self) -> bool:
        """Whether the last beat is still on its way."""
        return self._beating is not None and not self._beating.done()

    def close(self) -> None:
        """Stop watching and beating."""
        self._watcher.cancel()
        if self._beating is not None:
            self._beating.cancel()

    async def _beat(self, data: bytes) -> None:
        with suppress(GoneError):
            await self.write(data)

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._left()

    async def _tell(self, message: Message) -> None:
        try:
            await self._send(message)
        except OSError:
            raise GoneError from None


class AnswerStream:
    """The HTTP response that carries one answer, and without which it is not made."""

    def __init__(
        self, agent: Agent, turn: Turn, writer: StreamWriter, streams: OpenStreams
    ) -> None:
        self.client = turn.client
        self._answer = Answer(agent, turn, writer, streams.settings)
        self._streams = streams
        self._connection: Connection | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream the answer; return when it is over, however that came."""
        connection = Connection(receive, send, lambda: self.stop("client-closed"))
        self._connection = connection
        self._answer.put = connection.write
        self._streams.add(self)
        try:
            await connection.open(_HEADERS)
            await connection.complete(await self._answer.make())
        except (GoneError, CutError):
            pass  # not completing the response makes the server close the connection
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._answer.end or task is None:
                raise
            task.uncancel()
        finally:
            connection.close()
            self._streams.remove(self)
            self._answer.finish()

    def stop(self, why: str) -> None:
        """End the stream."""
        self._answer.stop(why)

    def tick(self, now: float) -> None:
        """Keep the connection alive, and the limits."""
        self._answer.tick(now)
        connection = self._connection
        if connection is None or self._answer.end or connection.beating:
            return
        held = self._answer.take_held()
        if held:
            connection.beat(held)
        elif 0 < self._streams.settings.keep_alive <= now - connection.sent:
            connection.beat()
