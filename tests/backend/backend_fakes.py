from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

import httpx

from backend.app import create_app
from backend.history import Message
from backend.models.port import Declaration
from backend.settings import Settings
from pagehand.wire.chunks import Chunk, Finish, TextDelta, TextEnd, TextStart

Step = Callable[[list[Message], dict[str, Declaration]], list[Chunk]]

JUMP = {
    "description": "Opens an address in a new window.",
    "inputSchema": {
        "type": "object",
        "properties": {"url": {"type": "string"}},
        "required": ["url"],
    },
}


def text(words: str, reason: str = "stop") -> list[Chunk]:
    return [TextStart("t"), TextDelta("t", words), TextEnd("t"), Finish(reason)]


class FakeModel:
    """Plays one list of chunks a step, and remembers what it was shown."""

    name = "fake"

    def __init__(self, *steps: list[Chunk] | Exception) -> None:
        self.steps = list(steps)
        self.seen: list[list[Message]] = []
        self.offered: list[dict[str, Declaration]] = []
        self.closed = 0

    async def step(
        self, messages: list[Message], tools: dict[str, Declaration]
    ) -> AsyncGenerator[Chunk]:
        self.seen.append(json.loads(json.dumps(messages)))
        self.offered.append(tools)
        step = self.steps[min(len(self.seen), len(self.steps)) - 1]
        if isinstance(step, Exception):
            raise step
        try:
            for chunk in step:
                yield chunk
        finally:
            self.closed += 1


class Answer:
    """An HTTP answer with its chunks parsed."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.status = response.status_code
        self.headers = response.headers
        self.events = [
            line.removeprefix("data: ")
            for line in response.text.split("\n\n")
            if line.startswith("data: ")
        ]
        self.chunks: list[dict[str, Any]] = [
            json.loads(event) for event in self.events if event != "[DONE]"
        ]

    @property
    def types(self) -> list[str]:
        return [chunk["type"] for chunk in self.chunks]

    @property
    def text(self) -> str:
        return "".join(c["delta"] for c in self.chunks if c["type"] == "text-delta")

    @property
    def message(self) -> str:
        return str(self.response.json()["message"])

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [chunk for chunk in self.chunks if chunk["type"] == kind]


class Backend:
    """The application in this process, asked over ASGI."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app), base_url="http://backend.test"
        )

    async def post(self, body: Any, **options: Any) -> Answer:
        if isinstance(body, bytes | str):
            headers = {"content-type": "application/json", **options.pop("headers", {})}
            response = await self.client.post("/chat", content=body, headers=headers, **options)
        else:
            response = await self.client.post("/chat", json=body, **options)
        return Answer(response)

    async def say(self, words: str, tools: dict[str, Any] | None = None) -> Answer:
        message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": words}]}
        return await self.post({"id": "c", "messages": [message], "clientTools": tools or {}})


def make_backend(model: Any = None, *, server_tools: Any = (), **settings: Any) -> Backend:
    """A backend around a model; the demo model without one."""
    from backend.agent import ModelAgent
    from backend.approvals import Approvals
    from backend.server_tools import by_name

    chosen = Settings(**{"demo_delay": 0.0, "rate": 0, **settings})
    agent = None
    if model is not None:
        agent = ModelAgent(
            model,
            chosen,
            server_tools=by_name(server_tools),
            approvals=Approvals(chosen.approval_secret, chosen.approval_secret_previous),
        )
    return Backend(create_app(chosen, agent=agent, server_tools=server_tools))
