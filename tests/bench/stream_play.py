"""Our side of the stream benchmark: the same code under CPython and in the page."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any

from pagehand.chat.chat import Chat
from pagehand.chat.transport import ChatRequest, Response
from pagehand.engine.abort import Abort
from pagehand.engine.engine import Engine
from pagehand.toolkit.toolkit import Toolkit

FRAME = 0.016


class Reads:
    """A transport whose answer is here already, cut into network reads."""

    def __init__(self, data: bytes, size: int) -> None:
        self._reads = [data[at : at + size] for at in range(0, len(data), size)]
        self.began = 0.0

    async def open(self, request: ChatRequest, abort: Abort) -> Response:
        """Gives the answer."""
        return Response(200, {"content-type": "text/event-stream"}, self._body())

    async def _body(self) -> AsyncIterator[bytes]:
        self.began = time.perf_counter()
        for data in self._reads:
            yield data


class Looker:
    """Reads what changed once a frame, as a view does."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._next = 0.0
        self._seen = 0
        chat.subscribe(self._changed)

    def _changed(self, change: Any) -> None:
        now = time.perf_counter()
        if change.kind != "message" or now < self._next:
            return
        self._next = now + FRAME
        part = self._chat.messages[-1].parts[-1]
        if part.type == "text":
            self._seen += len(part.since(self._seen))  # type: ignore[attr-defined]
        else:
            _ = getattr(part, "input", None)


async def play(transport: Any, messages: list[dict[str, Any]]) -> float:
    """Milliseconds from the first read to the end of the turn."""
    chat = Chat(transport, Engine(Toolkit()), messages=messages)
    Looker(chat)
    await chat.send("go")
    ended = time.perf_counter()
    assert chat.status == "ready", chat.error
    assert len(chat.messages) == len(messages) + 2
    chat.close()
    return (ended - transport.began) * 1000


async def rounds(data: bytes, size: int, messages: list[dict[str, Any]], number: int) -> float:
    """The fastest of some plays."""
    return min([await play(Reads(data, size), messages) for _ in range(number)])
