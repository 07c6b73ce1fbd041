"""The answers that are being streamed: each kept alive, bounded, and ended properly.

One task looks after all open streams (a task for each would cost more than the stream).
It sends a comment into silence so that proxies keep the connection, ends a stream whose
model went silent or took too long, and on shutdown lets streams run for the grace time
and then ends them with an error that the client can show and retry.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import aclosing, suppress
from time import monotonic

from starlette.types import Receive, Scope, Send

from backend.logs import AnswerLog, masked
from backend.models.port import Agent, CutError, ModelError, Raw, Turn
from backend.refusals import RefusalError
from backend.settings import Settings
from backend.writer import HEADERS, StreamWriter
from pagehand.wire.chunks import Finish, FinishStep, Start, StartStep, TextEnd, TextStart
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


class OpenStreams:
    """All open streams of this process, with their limits."""

    def __init__(self, settings: Settings) -> None:
        self.draining = False
        self._settings = settings
        self._open: set[AnswerStream] = set()
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
        if len(self._open) >= self._settings.max_streams:
            raise RefusalError(429, "Too many answers are open at once.", {"retry-after": "5"})
        if self._clients[client] >= self._settings.max_streams_per_client:
            raise RefusalError(
                429, "Too many of your answers are open at once.", {"retry-after": "5"}
            )

    def add(self, stream: AnswerStream) -> None:
        """Look after a stream from now on."""
        self._open.add(stream)
        self._clients[stream.client] += 1
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.get_running_loop().create_task(self._keep())

    def remove(self, stream: AnswerStream) -> None:
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
        settings = self._settings
        while self._open:
            await asyncio.sleep(self._tick)
            now = monotonic()
            for stream in list(self._open):
                if settings.run_timeout and now - stream.started >= settings.run_timeout:
                    stream.stop("limit")
                elif settings.idle_timeout and now - stream.heard >= settings.idle_timeout:
                    stream.stop("idle")
                elif stream.holds or 0 < settings.keep_alive <= now - stream.sent:
                    stream.beat()


class _GoneError(Exception):
    """The client can no longer be written to."""


class AnswerStream:
    """The HTTP response that carries one answer."""

    def __init__(
        self, agent: Agent, turn: Turn, writer: StreamWriter, streams: OpenStreams
    ) -> None:
        self.client = turn.client
        self.started = self.heard = self.sent = monotonic()
        self._agent = agent
        self._turn = turn
        self._writer = writer
        self._streams = streams
        self._log = AnswerLog(agent.name, turn)
        self._end = ""
        self._task: asyncio.Task[object] | None = None
        self._beating: asyncio.Future[None] | None = None
        self._held = b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream the answer; return when it is over, however that came."""
        self._task = asyncio.current_task()
        self._send = send
        self._streams.add(self)
        watcher = asyncio.ensure_future(self._watch(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await self._write(await self._run(), more=False)
        except (_GoneError, CutError):
            # Not completing the response makes the server close the connection.
            self._end = self._end or "client-closed"
        finally:
            watcher.cancel()
            if self._beating is not None:
                self._beating.cancel()
            self._streams.remove(self)
            self._log.write(
                self._end or ("error" if self._writer.failed else "done"), self._writer.calls
            )

    def stop(self, why: str) -> None:
        """End the stream: `client-closed`, `idle`, `limit` or `shutdown`."""
        if not self._end and self._task is not None:
            self._end = why
            self._task.cancel()

    def beat(self) -> None:
        """Send what waits, or a comment, unless the last beat is still on its way."""
        if self._beating is None or self._beating.done():
            self._beating = asyncio.ensure_future(self._comment())

    @property
    def holds(self) -> bool:
        """Whether bytes wait for something to travel with."""
        return bool(self._held)

    async def _comment(self) -> None:
        with suppress(_GoneError):
            await self._write(b"" if self._held else _KEEP_ALIVE)

    async def _watch(self, receive: Receive) -> None:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.stop("client-closed")
                return

    async def _run(self) -> bytes:
        """Pump the agent's chunks; return the bytes that end the stream.

        Raises:
            _GoneError: Nobody reads any more.
            CutError: A script wants the connection to break.
        """
        try:
            await self._pump()
            return self._writer.end()
        except asyncio.CancelledError:
            if not self._end or self._task is None:
                raise
            self._task.uncancel()
            if self._end not in _ENDINGS:
                raise _GoneError from None
            return self._writer.fail(_ENDINGS[self._end])
        except (_GoneError, CutError):
            raise
        except ModelError as error:
            masked(error, request=self._log.request)
            return self._writer.fail(str(error))
        except Exception as error:  # noqa: BLE001  # whatever it is, it must not leave
            return self._writer.fail(masked(error, request=self._log.request))

    async def _pump(self) -> None:
        writer = self._writer
        async with aclosing(self._agent.run(self._turn)) as chunks:
            async for chunk in chunks:
                self.heard = monotonic()
                if isinstance(chunk, Raw):
                    await self._write(chunk.data)
                elif type(chunk) in _SILENT:
                    # Nobody sees these: they travel with what follows, or with the next beat.
                    self._held += writer.write(chunk)
                else:
                    await self._write(writer.write(chunk))

    async def _write(self, data: bytes, *, more: bool = True) -> None:
        if self._held:
            data, self._held = self._held + data, b""
        if not data and more:
            return
        self.sent = monotonic()
        self._log.token()
        try:
            await self._send({"type": "http.response.body", "body": data, "more_body": more})
        except OSError:
            raise _GoneError from None
