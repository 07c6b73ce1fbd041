"""A transport that answers from a script: for tests, and for trying things without a server.

    transport = ScriptedTransport(
        answer(chunks.TextStart("t"), chunks.TextDelta("t", "Hello"), chunks.TextEnd("t")),
    )
    chat = Chat(transport, engine)

Each request takes the next answer; what was asked is in `requests`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from pagehand.chat.transport import ChatRequest, Response
from pagehand.engine.abort import Abort
from pagehand.errors import NetworkError
from pagehand.wire.chunks import Chunk, Finish, FinishStep, Start, StartStep
from pagehand.wire.codec import encode_chunk
from pagehand.wire.jsontext import dumps, loads
from pagehand.wire.sse import encode_event

Piece = Chunk | bytes | Exception | asyncio.Event | dict[str, Any]
"""A chunk (or its JSON), bytes as they are, an error to raise, or an event to wait for."""


class Answer:
    """One scripted answer."""

    def __init__(
        self, *pieces: Piece, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        self.pieces = pieces
        self.status = status
        self.headers = {"content-type": "text/event-stream", **(headers or {})}


def answer(
    *pieces: Piece,
    message_id: str | None = None,
    finish: str | None = "stop",
    done: bool = True,
) -> Answer:
    """A well-formed answer of one step around the given pieces.

    Args:
        pieces: What stands inside the step.
        message_id: What `start` says.
        finish: The finish reason; None leaves `finish-step` and `finish` away.
        done: Whether `[DONE]` follows.
    """
    tail: list[Piece] = []
    if finish is not None:
        tail += [FinishStep(), Finish(finish)]
    if done:
        tail.append(b"data: [DONE]\n\n")
    return Answer(Start(message_id), StartStep(), *pieces, *tail)


class ScriptedTransport:
    """Answers requests in order; without an answer left it fails like a network.

    Attributes:
        requests: What was asked, with bodies as they would be read from the wire.
        aborts: The abort of each request.
    """

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[ChatRequest] = []
        self.aborts: list[Abort] = []

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of the posted requests."""
        return [request.body for request in self.requests if request.body is not None]

    async def open(self, request: ChatRequest, abort: Abort) -> Response:
        """Give the next answer."""
        if request.body is not None:
            request.body = loads(dumps(request.body))
        self.requests.append(request)
        self.aborts.append(abort)
        if not self.answers:
            raise NetworkError("The server cannot be reached.")
        script = self.answers.pop(0)
        if script.pieces and isinstance(script.pieces[0], NetworkError):
            raise script.pieces[0]
        return Response(script.status, script.headers, _play(script, abort))


async def _play(script: Answer, abort: Abort) -> AsyncIterator[bytes]:
    aborted = asyncio.Event()
    undo = abort.on_abort(aborted.set)
    try:
        for piece in script.pieces:
            await asyncio.sleep(0)
            if abort.aborted:
                raise NetworkError("The request was aborted.")
            if isinstance(piece, asyncio.Event):
                await _either(piece, aborted)
            elif isinstance(piece, Exception):
                raise piece
            else:
                yield _bytes(piece)
    finally:
        undo()


async def _either(event: asyncio.Event, aborted: asyncio.Event) -> None:
    waits = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(aborted.wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


def _bytes(piece: Chunk | bytes | dict[str, Any]) -> bytes:
    if isinstance(piece, bytes):
        return piece
    event = encode_chunk(piece) if isinstance(piece, Chunk) else piece
    return encode_event(dumps(event))
