"""One request and its answer: open, read, watch, and say how it ended.

    exchange = Exchange(transport, build, state, clock, on_batch=changed)
    end = await exchange.run()

It knows nothing of conversations. `stop` ends it from outside at once, whatever the network
does; what arrives later changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pagehand.chat import failures
from pagehand.chat.nap import Nap
from pagehand.chat.reducer import apply_all
from pagehand.chat.state import ResponseState
from pagehand.chat.transport import ChatRequest, Response, Transport
from pagehand.engine.abort import Abort
from pagehand.errors import (
    ChatError,
    InterruptedStreamError,
    NetworkError,
    StalledStreamError,
)
from pagehand.wire.stream import ChunkReader

if TYPE_CHECKING:
    from pagehand.engine.clock import Clock
    from pagehand.wire.stream import Codec

STALL_AFTER = 60.0
"""Seconds without a single byte, keep-alive comments included, until a stream counts as dead."""

_GRACE = 1.0
"""Seconds a stream may stay open after its `finish`."""

_GRACE_AFTER_ERROR = 3.0
"""Seconds a stream may go on after an `error` chunk."""

_PATIENCE = 30.0
"""The longest `Retry-After`, in seconds, that is waited for without asking."""

_REPEATS = 2
"""How often a refused request is sent again by itself."""

_CLEANUP = 1.0
"""Seconds that the transport gets to wind up after an abort."""

_RESUMABLE = "x-pagehand-resumable"
"""The header of an answer that goes on without us, until it is ended by a DELETE."""

_NOTHING_THERE = (204, 404, 405, 501)
"""Answers to a look for a running answer: none, or the server keeps none."""

FINISHED = "finished"
PAUSED = "paused"
ABORTED = "aborted"
STOPPED = "stopped"
FAILED = "failed"
NOTHING = "nothing"


class End:
    """How an exchange ended.

    `kind`: `finished`; `paused` ([DONE] without `finish`: the server waits for somebody);
    `aborted` (by the server); `stopped` (by us); `failed` (see `error`); `nothing` (204).
    `answered`: a stream had begun.
    `resumable`: the server goes on with it when the connection is gone.
    `warnings`: what its stream held and was passed over, in sentences for the developer.
    """

    __slots__ = ("answered", "disconnected", "error", "kind", "resumable", "warnings")

    def __init__(
        self, kind: str, error: ChatError | None = None, *, disconnected: bool = False
    ) -> None:
        self.kind = kind
        self.error = error
        self.disconnected = disconnected
        self.answered = False
        self.resumable = False
        self.warnings: list[str] = []


class Exchange:
    """One request and the reading of its answer.

    Args:
        transport: Where it goes.
        build: Makes the request, or None for nothing to ask; awaited first, so that a stop
            covers it too.
        state: What the chunks are written into.
        clock: Time.
        on_batch: Called after each network read that brought something.
        on_wait: Called with the seconds when the server asked for patience.
        stall_after: Seconds of silence until the stream counts as dead.
        codec: Reads the events; None for the UI message stream.
    """

    def __init__(
        self,
        transport: Transport,
        build: Callable[[], Awaitable[ChatRequest | None]],
        state: ResponseState,
        clock: Clock,
        *,
        on_batch: Callable[[], None],
        on_wait: Callable[[float], None] = lambda seconds: None,
        stall_after: float = STALL_AFTER,
        codec: Codec | None = None,
    ) -> None:
        self.state = state
        self.abort = Abort()
        self.answered = False
        self.resumable = False
        self.request: ChatRequest | None = None
        self.bytes_read = 0
        self._warnings: list[str] = []
        self._transport = transport
        self._build = build
        self._clock = clock
        self._on_batch = on_batch
        self._on_wait = on_wait
        self._stall_after = stall_after
        self._codec = codec
        self._end: asyncio.Future[End] | None = None
        self._early: End | None = None
        self._life = 0.0
        self._done = False
        self._nap = Nap(clock)

    @property
    def over(self) -> bool:
        """True when nothing that arrives changes anything any more."""
        return self._early is not None or (self._end is not None and self._end.done())

    def stop(self, end: End | None = None) -> None:
        """End now. The request is aborted; `run` returns without waiting for the network."""
        end = end or End(STOPPED)
        if self._end is None:
            self._early = self._early or end
        elif not self._end.done():
            self._end.set_result(end)
        self.abort.abort(end.kind)

    async def run(self) -> End:
        """Do it all; gives how it ended and never raises for what a server does."""
        if self._early is not None:
            return self._early
        self._end = asyncio.get_running_loop().create_future()
        self._life = self._clock.monotonic()
        pump = asyncio.ensure_future(self._pump())
        pump.add_done_callback(self._pumped)
        watch = _Watch(self._clock, self._check_life)
        try:
            end = await self._end
            end.answered, end.resumable = self.answered, self.resumable
            end.warnings = [*self._warnings, *self.state.warnings]
            return end
        finally:
            watch.cancel()
            await self._wind_up(pump)

    async def _wind_up(self, pump: asyncio.Future[End]) -> None:
        self.abort.abort("over")
        if pump.done():
            return
        pump.cancel()
        limit: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        timer = self._clock.call_later(_CLEANUP, lambda: _resolve(limit))
        both: list[asyncio.Future[Any]] = [pump, limit]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        timer.cancel()

    def _pumped(self, pump: asyncio.Future[End]) -> None:
        if pump.cancelled() or self._end is None:
            return
        error = pump.exception()
        end = pump.result() if error is None else self._failure(error)
        if not self._end.done():
            self._end.set_result(end)

    def _failure(self, error: BaseException) -> End:
        found = failures.chat_error(error if isinstance(error, Exception) else Exception(error))
        if isinstance(found, NetworkError):
            if self.state.finished:
                return self._verdict()
            if self.bytes_read:
                found = _interrupted(found)
            return End(FAILED, found, disconnected=True)
        return End(FAILED, found)

    async def _pump(self) -> End:
        request = self.request = await self._build()
        if request is None:
            return End(NOTHING)
        response = await self._open(request)
        try:
            return await self._receive(request, response)
        finally:
            # A body that is not read to its end must let go of its connection now.
            close = getattr(response.body, "aclose", None)
            if close is not None:
                await close()

    async def _receive(self, request: ChatRequest, response: Response) -> End:
        if request.method == "GET" and response.status in _NOTHING_THERE:
            return End(NOTHING)
        if not 200 <= response.status < 300:
            raise await failures.status_error(response)
        self.answered = True
        self.resumable = response.headers.get(_RESUMABLE) == "1"
        await self._read(response, request.codec or self._codec)
        return self._verdict()

    async def _open(self, request: ChatRequest) -> Response:
        """Send; again when the server refused for now and said when to come back."""
        for attempt in range(_REPEATS + 1):
            self._life = self._clock.monotonic()
            response = await self._transport.open(request, self.abort)
            if response.status not in (429, 503) or attempt == _REPEATS:
                break
            error = await failures.status_error(response)
            if error.retry_after is None or error.retry_after > _PATIENCE:
                raise error
            await self.wait(error.retry_after)
        return response

    async def wait(self, seconds: float) -> None:
        """Wait because the server asked for it; that silence does not count."""
        self._on_wait(seconds)
        self._life = self._clock.monotonic() + seconds
        await self._nap.sleep(seconds)
        self._life = self._clock.monotonic()

    def hurry(self) -> bool:
        """End the wait that the server asked for; False when there is none."""
        waiting = self._nap.asleep
        self._nap.wake()
        return waiting

    async def _read(self, response: Response, codec: Codec | None) -> None:
        options: dict[str, Any] = {} if codec is None else {"codec": codec}
        content_type = response.headers.get("content-type", "")
        reader = ChunkReader(content_type=content_type, status=response.status, **options)
        async for data in response.body:
            if self.over:
                return
            self._life = self._clock.monotonic()
            self.bytes_read += len(data)
            self._take(reader, reader.feed(data))
        if not self.over:
            self._take(reader, reader.flush())

    def _take(self, reader: ChunkReader, chunks: list[Any]) -> None:
        self._done = reader.done
        self._warnings = reader.warnings
        if chunks:
            apply_all(self.state, chunks)
            self._on_batch()

    def _verdict(self) -> End:
        state = self.state
        if state.error_text is not None:
            return End(FAILED, failures.stream_error(state.error_text))
        if state.aborted:
            return End(ABORTED)
        if state.finished and state.finish_reason == "error":
            return End(FAILED, failures.stream_error("The server reported that it failed."))
        if state.finished and state.finish_reason == "interrupted":
            return End(FAILED, _interrupted(None))
        if state.finished:
            return End(FINISHED)
        if self._done:
            return End(PAUSED)
        return End(FAILED, _interrupted(None), disconnected=True)

    def _check_life(self) -> float | None:
        """Seconds until the next look, or None when it is over."""
        if self.over:
            return None
        if self.state.finished or (self._done and self.answered):
            limit = _GRACE
        elif self.state.error_text is not None:
            limit = _GRACE_AFTER_ERROR
        else:
            limit = self._stall_after
        left = self._life + limit - self._clock.monotonic()
        if left > 0:
            return min(left, _GRACE)
        if limit == self._stall_after and not self._done:
            text = f"The server has been silent for {self._stall_after:.0f} s."
            self.stop(End(FAILED, StalledStreamError(text), disconnected=True))
        else:
            self.stop(self._verdict())
        return None


class _Watch:
    """Looks again and again until it is told that nothing is left to look at."""

    def __init__(self, clock: Clock, look: Callable[[], float | None]) -> None:
        self._clock = clock
        self._look = look
        self._timer = clock.call_later(_GRACE, self._tick)

    def _tick(self) -> None:
        wait = self._look()
        if wait is not None:
            self._timer = self._clock.call_later(wait, self._tick)

    def cancel(self) -> None:
        self._timer.cancel()


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _interrupted(cause: ChatError | None) -> InterruptedStreamError:
    error = InterruptedStreamError("The connection broke off before the answer was complete.")
    error.__cause__ = cause
    return error
