"""The routes inside somebody else's application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import httpx
import pytest
from backend_fakes import Answer, FakeModel, text
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Mount

from backend.agent import ModelAgent
from backend.app import create_app, routes
from backend.history import Message
from backend.models.port import Declaration
from backend.settings import Settings
from pagehand.wire.chunks import Chunk, TextDelta

HELLO = {"messages": [{"role": "user", "content": "hello"}]}
QUIET = Settings(rate=0, site="", demo_delay=0.0)


def client(app: Starlette) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://host.test")


async def test_mounts_in_fastapi_beside_its_own_routes() -> None:
    api = routes(QUIET, path="/assistant/chat")
    app = FastAPI(routes=api, lifespan=api.lifespan)

    @app.get("/own")
    def own() -> dict[str, int]:
        return {"own": 1}

    asked = client(app)
    assert (await asked.get("/own")).json() == {"own": 1}
    answer = Answer(await asked.post("/assistant/chat", json=HELLO))
    assert "Hello!" in answer.text
    refused = await asked.post("/assistant/chat", json={"messages": []})
    assert refused.status_code == 400
    assert list(refused.json()) == ["message"]


class Halting(FakeModel):
    """Says one word, and no more."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()

    async def step(
        self, messages: list[Message], tools: dict[str, Declaration]
    ) -> AsyncGenerator[Chunk]:
        self.asked.set()
        yield TextDelta("t", "begun")
        await asyncio.Event().wait()


async def test_a_host_that_stops_ends_open_answers_properly() -> None:
    settings = replace(QUIET, grace=0.05)
    model = Halting()
    api = routes(settings, agent=ModelAgent(model, settings))
    app = FastAPI(routes=api, lifespan=api.lifespan)
    asked = client(app)
    async with api.lifespan(app):
        assert (await asked.get("/readyz")).json() == {"status": "ok", "streams": 0}
        going = asyncio.create_task(asked.post("/chat", json=HELLO))
        await model.asked.wait()
    answer = Answer(await asyncio.wait_for(going, 10))
    assert answer.text == "begun"
    assert answer.chunks[-1]["type"] == "finish"
    assert (await asked.get("/readyz")).json()["status"] == "draining"


async def test_mounts_under_a_prefix() -> None:
    app = Starlette(routes=[Mount("/ai", routes=routes(QUIET))])
    assert (await client(app).post("/ai/chat", json=HELLO)).status_code == 200
    assert (await client(app).get("/ai/healthz")).json() == {"status": "ok"}


@pytest.mark.parametrize("how", ["function", "coroutine"])
async def test_the_hosts_own_authentication(how: str) -> None:
    seen: list[str] = []

    def who(request: Request) -> str | None:
        return request.headers.get("x-user")

    async def later(request: Request) -> str | None:
        return who(request)

    class Spy(ModelAgent):
        def run(self, turn):  # type: ignore[no-untyped-def]
            seen.append(turn.principal)
            return super().run(turn)

    agent = Spy(FakeModel(text("Hi")), QUIET)
    app = create_app(QUIET, agent=agent, authenticate=who if how == "function" else later)
    assert (await client(app).post("/chat", json=HELLO)).status_code == 401
    good = await client(app).post("/chat", json=HELLO, headers={"x-user": "ann"})
    assert good.status_code == 200
    assert seen == ["ann"]


async def test_readiness_while_draining() -> None:
    app = create_app(QUIET)
    assert (await client(app).get("/readyz")).status_code == 200
    await app.state.door.streams.drain(0.01)
    assert (await client(app).get("/readyz")).status_code == 503
    refused = await client(app).post("/chat", json=HELLO)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
    assert (await client(app).get("/healthz")).status_code == 200


async def test_what_is_held_is_given_back_at_the_end() -> None:
    class Holding(FakeModel):
        closed_for_good = False

        async def aclose(self) -> None:
            self.closed_for_good = True

    model = Holding(text("Hi"))
    app = create_app(QUIET, agent=ModelAgent(model, QUIET))
    async with app.router.lifespan_context(app):
        assert not model.closed_for_good
    assert model.closed_for_good
