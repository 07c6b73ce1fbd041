"""The clients of the backend's benchmark: plain HTTP over sockets, as little work as can be."""

from __future__ import annotations

import asyncio
import json
from time import perf_counter
from typing import Any

SCHEMA = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "description": "Full address to open"},
        "new_window": {"type": "boolean", "default": True},
    },
    "required": ["url"],
    "additionalProperties": False,
}
NAMES = ("open_url", "scroll_to", "fill_form_field", "read_page")
LAST = b"0\r\n\r\n"


def request(words: str) -> bytes:
    """A page's first question, with a few tools."""
    tools = {
        name: {
            "description": "Does something in the page the user looks at.",
            "inputSchema": SCHEMA,
        }
        for name in NAMES
    }
    message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": words}]}
    body: dict[str, Any] = {"id": "c1", "messages": [message], "trigger": "submit-message"}
    data = json.dumps({**body, "clientTools": tools}).encode()
    head = "POST /chat HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(data)}\r\n\r\n".encode() + data


class Asker(asyncio.Protocol):
    """One connection that asks again as soon as it has its answer."""

    def __init__(self, question: bytes) -> None:
        self.answers = 0
        self.first = asyncio.get_running_loop().create_future()
        self._question = question
        self._tail = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the first time."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._question)

    def data_received(self, data: bytes) -> None:
        """Count what is complete."""
        self._tail = (self._tail + data)[-len(LAST) :]
        if self._tail == LAST:
            self._tail = b""
            self.answers += 1
            if not self.first.done():
                self.first.set_result(None)
            self._transport.write(self._question)

    def close(self) -> None:
        """Ask no more."""
        self._transport.abort()


class Listener(asyncio.Protocol):
    """One connection that waits for the first token of a long answer."""

    def __init__(self, question: bytes) -> None:
        self.began = perf_counter()
        self.first = asyncio.get_running_loop().create_future()
        self._question = question
        self._seen = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._question)

    def data_received(self, data: bytes) -> None:
        """Note when the first token came."""
        if self.first.done():
            return
        self._seen += data
        if b"text-delta" in self._seen:
            self.first.set_result((perf_counter() - self.began) * 1000)

    def close(self) -> None:
        """Go away."""
        self._transport.abort()


async def rate(port: int, connections: int, seconds: float) -> float:
    """Microseconds a request, asked over so many connections for so long."""
    loop, question = asyncio.get_running_loop(), request("hello")
    askers = [
        (await loop.create_connection(lambda: Asker(question), "127.0.0.1", port))[1]
        for _ in range(connections)
    ]
    await asyncio.gather(*(asker.first for asker in askers))  # now all code is loaded
    before, began = sum(a.answers for a in askers), perf_counter()
    await asyncio.sleep(seconds)
    took = perf_counter() - began
    answers = sum(a.answers for a in askers) - before
    for asker in askers:
        asker.close()
    return took / answers * 1_000_000


class Crowd:
    """Many open streams."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    async def open(self, port: int, streams: int, a_second: float) -> list[float]:
        """Open streams at a steady rate; returns the milliseconds to each one's first token."""
        loop, question = asyncio.get_running_loop(), request("slow")
        began = loop.time()
        connecting = []
        for number in range(streams):
            await asyncio.sleep(max(0.0, began + number / a_second - loop.time()))
            listener = Listener(question)
            self._listeners.append(listener)
            connect = loop.create_connection(lambda kept=listener: kept, "127.0.0.1", port)
            connecting.append(loop.create_task(connect))
        async with asyncio.timeout(60):
            await asyncio.gather(*connecting)
            return list(await asyncio.gather(*(each.first for each in self._listeners)))

    def close(self) -> None:
        """Close all."""
        for listener in self._listeners:
            listener.close()
