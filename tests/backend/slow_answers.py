"""Answers whose words a test lets go one by one, and responses seen while they come in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

from backend.app import create_app
from backend.models.port import Turn
from backend.settings import Settings
from pagehand.wire.chunks import Chunk, Finish, TextDelta

ASK = {"accept": "text/event-stream, text/event-stream;resumable=1"}
CHAT = "chat-with-16-chars"
STREAM = f"/chat/{CHAT}/stream"


class Held:
    """An agent whose words a test lets go one by one."""

    name = "held"

    def __init__(self) -> None:
        self.words: asyncio.Queue[str | None] = asyncio.Queue()
        self.runs = 0
        self.running = 0

    def say(self, *words: str | None) -> None:
        for word in words:
            self.words.put_nowait(word)

    async def run(self, turn: Turn) -> AsyncGenerator[Chunk]:
        self.runs += 1
        self.running += 1
        try:
            while (word := await self.words.get()) is not None:
                yield TextDelta("t", word)
            yield Finish("stop")
        finally:
            self.running -= 1


class Reply:
    """A response that is still coming in."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.complete = False
        self.left = asyncio.Event()
        self.reading = asyncio.Event()
        """Cleared for a client that stops reading: what is sent waits, as in a full buffer."""
        self.reading.set()
        self._news = asyncio.Event()
        self.task: asyncio.Task[None]

    async def has(self, text: str) -> None:
        """Wait until it holds the text."""
        await self._until(lambda: text.encode() in self.body)

    async def over(self) -> None:
        """Wait until it is over; one that never is must not end by being waited for."""
        await asyncio.wait_for(asyncio.shield(self.task), 10)

    async def begun(self) -> None:
        await self._until(lambda: bool(self.status))

    async def _until(self, state: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not state():
                self._news.clear()
                await self._news.wait()

    async def send(self, message: Any) -> None:
        await self.reading.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {n.decode(): v.decode() for n, v in message["headers"]}
        else:
            self.body += message.get("body", b"")
            self.complete = not message.get("more_body", False)
        self._news.set()

    async def leave(self) -> None:
        """Close the connection."""
        self.left.set()
        await self.over()


class Server:
    """The application, asked so that a test sees bytes as they come."""

    def __init__(self, agent: Held, authenticate: Any = None, **settings: Any) -> None:
        self.agent = agent
        chosen = Settings(**{"rate": 0, "site": "", "keep_alive": 0.0, **settings})
        self.app = create_app(chosen, agent=agent, authenticate=authenticate)
        self.streams = self.app.state.door.streams

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        reply = Reply()
        data = json.dumps(body).encode() if body is not None else b""
        given = {"host": "backend.test", "content-type": "application/json", **headers}
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "http",
            "client": ("127.0.0.1", 1),
            "server": ("backend.test", 80),
            "headers": [(n.encode(), v.encode()) for n, v in given.items()],
            "app": self.app,
        }
        first = [{"type": "http.request", "body": data, "more_body": False}]

        async def receive() -> Any:
            if first:
                return first.pop()
            await reply.left.wait()
            return {"type": "http.disconnect"}

        reply.task = asyncio.ensure_future(self.app(scope, receive, reply.send))
        return reply

    def post(self, chat: str = CHAT, **headers: str) -> Reply:
        body = {"id": chat, "messages": [{"role": "user", "content": "hello"}]}
        return self.ask("POST", "/chat", body, **(headers or ASK))

    async def get(self, path: str = STREAM, **headers: str) -> Reply:
        reply = self.ask("GET", path, **headers)
        await reply.begun()
        return reply

    async def delete(self, path: str = STREAM, **headers: str) -> int:
        reply = self.ask("DELETE", path, **headers)
        await reply.over()
        return reply.status

    async def quiet(self) -> None:
        """Wait until no answer is made any more."""
        await until(lambda: not self.agent.running and not len(self.streams))


async def until(state: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not state():
            await others_turn()


async def others_turn() -> None:
    await asyncio.sleep(0)


def words(reply: Reply) -> list[str]:
    events = reply.body.decode().split("\n\n")
    chunks = [json.loads(e[6:]) for e in events if e.startswith("data: {")]
    return [c["delta"] for c in chunks if c["type"] == "text-delta"]
