"""The making of one answer: the agent's chunks to bytes, with a proper end, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from time import monotonic
from typing import Protocol

from backend.connection import GoneError
from backend.logs import AnswerLog, masked
from backend.models.port import Agent, CutError, ModelError, Raw, Turn
from backend.settings import Settings
from backend.telemetry import answer_span
from pagehand.wire.chunks import (
    Abort,
    Chunk,
    Finish,
    FinishStep,
    Start,
    StartStep,
    TextEnd,
    TextStart,
)

_SILENT = (Start, StartStep, FinishStep, TextStart, TextEnd, Finish)
_ENDINGS = {
    "idle": "The model went silent. Please try again.",
    "limit": "The answer took too long and was stopped.",
    "shutdown": "The server is restarting. Please try again.",
}


class Writer(Protocol):
    """Puts an agent's chunks in order and into the bytes of one protocol."""

    headers: Mapping[str, str]
    """What the response's headers say about the form of the stream."""
    failed: bool
    """Whether an error was written."""
    calls: list[str]
    """Names of the calls announced, in order."""

    def write(self, chunk: Chunk) -> bytes:
        """The bytes for a chunk, with what must stand before it."""
        ...

    def fail(self, text: str) -> bytes:
        """The bytes that end the stream with an error that a person may read."""
        ...

    def end(self) -> bytes:
        """The bytes that end it, if they are not written yet."""
        ...


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
    breakable = True
    """Whether a `put` that is broken off has put its bytes; if not, a stop waits for it."""

    def __init__(self, agent: Agent, turn: Turn, writer: Writer, settings: Settings) -> None:
        self.turn = turn
        self.end = ""
        self.log = AnswerLog(agent.name, turn)
        self._span = answer_span(settings, agent.name, turn, self.log.request)
        self._agent = agent
        self._writer = writer
        self._run_timeout, self._idle_timeout = settings.run_timeout, settings.idle_timeout
        self._started = self._heard = monotonic()
        self._task: asyncio.Task[object] | None = None
        self._held = b""
        self._putting = False

    def stop(self, why: str) -> None:
        """End it: `client-closed`, `idle`, `limit`, `shutdown`, or `stopped` by the person."""
        if not self.end:
            self.end = why
            patient = self._putting and not self.breakable and why != "client-closed"
            if self._task is not None and not patient:
                self._task.cancel()

    def tick(self, now: float) -> None:
        """End it if its model went silent or it took too long."""
        if self._putting:
            self._heard = now  # it is the reader who is slow
        if self._run_timeout and now - self._started >= self._run_timeout:
            self.stop("limit")
        elif self._idle_timeout and now - self._heard >= self._idle_timeout:
            self.stop("idle")

    @property
    def holds(self) -> bool:
        """Whether there are bytes that wait for something to travel with."""
        return bool(self._held)

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
        if self._span is not None:
            self._span.begin()
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
        calls = self._writer.calls
        if self._span is not None:
            self._span.finish(self.end, len(calls))
        self.log.write(self.end, calls, trace_id=self._span.trace_id if self._span else "")

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
        write, span = self._writer.write, self._span
        async with aclosing(self._agent.run(self.turn)) as chunks:
            async for chunk in chunks:
                self._heard = monotonic()
                if span is not None and not isinstance(chunk, Raw):
                    span.saw(chunk)
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
                    await self._put(data)

    async def _put(self, data: bytes) -> None:
        self._putting = True
        try:
            await self.put(data)
        finally:
            self._putting = False
        if self.end:
            raise asyncio.CancelledError  # stopped while it was put
