"""The routes inside somebody else's application."""

from __future__ import annotations

import httpx
import pytest
from backend_fakes import Answer, FakeModel, text
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Mount

from backend.agent import ModelAgent
from backend.app import create_app, routes
from backend.settings import Settings

HELLO = {"messages": [{"role": "user", "content": "hello"}]}
QUIET = Settings(rate=0, site="", demo_delay=0.0)


def client(app: Starlette) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://host.test")


async def test_mounts_in_fastapi_beside_its_own_routes() -> None:
    app = FastAPI(routes=routes(QUIET, path="/assistant/chat"))

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
