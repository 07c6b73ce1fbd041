"""Approvals that are good once over all replicas, around one real Valkey or Redis server."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import httpx
import pytest
from backend_fakes import Backend, FakeModel, make_backend, text
from shared_server import SharedServer

from backend.app import create_app
from backend.approvals import SUSPENDED, Approvals
from backend.chat import read_turn
from backend.models.mastra import MastraAgent
from backend.server_tools import ServerTool
from backend.settings import Settings
from pagehand.wire.chunks import Finish, ToolInputAvailable, ToolInputStart

SECRET = "the same on every replica"
USER = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "do it"}]}
SCHEMA = {"type": "object", "properties": {"sku": {"type": "string"}}}


class Shop:
    """Replicas whose tool needs approval, and what ran."""

    def __init__(self, url: str, count: int = 2) -> None:
        self.ran: list[str] = []
        self.tool = ServerTool("buy", "Buys.", SCHEMA, self._buy, needs_approval=True)
        self.replicas = [self._replica(url) for _ in range(count)]

    def _buy(self, sku: str) -> str:
        self.ran.append(sku)
        return "bought"

    def _replica(self, url: str) -> Backend:
        call = [ToolInputStart("c1", "buy"), ToolInputAvailable("c1", "buy", {"sku": "A"})]
        model = FakeModel([*call, Finish("tool-calls")], text("ok"))
        return make_backend(
            model, server_tools=[self.tool], redis_url=url, approval_secret=SECRET, site=""
        )

    async def aclose(self) -> None:
        for replica in self.replicas:
            await replica.app.state.door.aclose()


def body(*parts: Any, **more: Any) -> dict[str, Any]:
    messages = [USER, {"id": "a1", "role": "assistant", "parts": list(parts)}] if parts else [USER]
    return {"id": "c", "messages": messages, **more}


async def asked(backend: Backend, *, approved: bool = True, **changes: Any) -> dict[str, Any]:
    answer = await backend.post(body())
    (request,) = answer.of("tool-approval-request")
    return {
        "type": "tool-buy",
        "toolCallId": "c1",
        "state": "approval-responded",
        "input": {"sku": "A"},
        "approval": {"id": request["approvalId"], "approved": approved},
        **changes,
    }


@pytest.mark.parametrize("second", [0, 1], ids=["the same replica", "the other replica"])
async def test_the_same_approval_twice_at_once_runs_once(shared: SharedServer, second: int) -> None:
    shop = Shop(shared.url)
    part = await asked(shop.replicas[0])
    both = (shop.replicas[0], shop.replicas[second])
    answers = await asyncio.gather(*(replica.post(body(part)) for replica in both))
    refused = [error for answer in answers for error in answer.of("tool-output-error")]
    assert shop.ran == ["A"]
    assert ["used before" in error["errorText"] for error in refused] == [True]
    await shop.aclose()


async def test_what_comes_later_does_not_spoil_what_came_first(shared: SharedServer) -> None:
    """The other request hears that it is not the first, before the first one is answered."""
    shop = Shop(shared.url, 1)
    (replica,) = shop.replicas
    part, door = await asked(replica), replica.app.state.door
    first, later = (read_turn(body(part), door, "", "") for _ in range(2))
    await door.use_up_approvals(first)
    await door.use_up_approvals(later)
    assert [len(turn.used) for turn in (first, later)] == [0, 1]
    for turn in (later, first):
        async with aclosing(replica.app.state.door.agent.run(turn)) as chunks:
            assert [chunk async for chunk in chunks]
    assert shop.ran == ["A"]
    await shop.aclose()


@pytest.mark.parametrize(
    "changes",
    [
        {"approval": {"id": "forged", "approved": True}},
        {"approval": {"id": "c1.9999999999.AAAA", "approved": True}},
        {"input": {"sku": "B"}},
    ],
)
async def test_what_is_not_ours_leaves_nothing_in_the_store(
    shared: SharedServer, changes: dict[str, Any]
) -> None:
    shop = Shop(shared.url, 1)
    (replica,) = shop.replicas
    part = await asked(replica)
    await replica.post(body({**part, **changes}))
    assert not [name for name in shared.names() if "once" in name]
    await replica.post(body(part))
    assert shop.ran == ["A"]
    await shop.aclose()


async def test_what_was_denied_cannot_be_approved_elsewhere(shared: SharedServer) -> None:
    shop = Shop(shared.url)
    part = await asked(shop.replicas[0], approved=False)
    await shop.replicas[0].post(body(part))
    part["approval"]["approved"] = True
    for replica in shop.replicas:
        again = await replica.post(body(part))
        assert "used before" in again.of("tool-output-error")[0]["errorText"]
    assert shop.ran == []
    await shop.aclose()


async def test_a_suspended_run_is_resumed_once_over_all(shared: SharedServer) -> None:
    posted: list[str] = []

    def upstream(request: httpx.Request) -> httpx.Response:
        posted.append(request.url.path)
        return httpx.Response(
            200, content=b"data: [DONE]\n\n", headers={"content-type": "text/event-stream"}
        )

    settings = Settings(mastra_url="http://mastra.test", rate=0, redis_url=shared.url, site="")
    agents = [
        MastraAgent("plain", settings, Approvals(SECRET), httpx.MockTransport(upstream))
        for _ in range(2)
    ]
    replicas = [Backend(create_app(settings, agent=agent)) for agent in agents]
    reference = agents[0].sign("run::call", SUSPENDED, None, "")
    for replica in replicas:
        await replica.post(body(runId=reference, resumeData={"city": "Paris"}))
    assert len(posted) == 1
    for replica in replicas:
        await replica.app.state.door.aclose()
