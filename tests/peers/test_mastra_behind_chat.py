"""Our chat, our backend, and a real Mastra server behind it: approvals of one step, whole."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from backend.app import create_app
from backend.settings import Settings
from chat.support import FakeEngine
from pagehand.chat.chat import Chat
from pagehand.chat.tool_part import ToolPart
from peers.chat_over_http import HttpTransport
from peers.peer import Peer

pytestmark = pytest.mark.peer

TWO = 'call delete-record {"id":"a"} && call delete-record {"id":"b"}'


class Talk:
    """A conversation of our chat."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.engine = FakeEngine(open=lambda value: {"opened": value})
        self.transport = HttpTransport("http://backend.test/chat", client)
        self.chat = Chat(self.transport, self.engine)

    async def say(self, words: str) -> None:
        await self.chat.send(words)
        await self.chat.idle()

    async def answer(self, *approved: bool) -> None:
        asked = [part for part in self.parts if part.state == "approval-requested"]
        for part, said in zip(asked, approved, strict=True):
            self.chat.respond_to_approval(part.tool_call_id, {"approved": said})
        await self.chat.idle()

    @property
    def parts(self) -> list[ToolPart]:
        return self.chat.messages[-1].tool_parts()

    @property
    def states(self) -> list[tuple[str, str]]:
        return [(part.tool_name, part.state) for part in self.parts]


@pytest.fixture
async def talk(mastra: Peer) -> AsyncIterator[Talk]:
    app = create_app(Settings(model="mastra:plain", mastra_url=mastra.url, rate=0))
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://backend.test") as client,
    ):
        yield Talk(client)


@pytest.mark.parametrize("second", [True, False])
@pytest.mark.parametrize("first", [True, False])
async def test_two_approvals_of_one_step(talk: Talk, first: bool, second: bool) -> None:
    await talk.say(TWO)
    assert talk.states == [("delete-record", "approval-requested")] * 2
    await talk.answer(first, second)
    states = ["output-available" if said else "output-denied" for said in (first, second)]
    assert [part.state for part in talk.parts] == states
    assert (talk.chat.error, talk.chat.status) == (None, "ready")
    assert len(talk.transport.bodies) == 2
    await talk.say("say go on")
    assert talk.chat.messages[-1].text == "go on"


async def test_a_tool_of_the_server_waits_behind_an_approval(talk: Talk) -> None:
    await talk.say('call delete-record {"id":"a"} && call get-weather {"city":"B"}')
    assert talk.states == [
        ("delete-record", "approval-requested"),
        ("get-weather", "input-available"),
    ]
    await talk.answer(True)
    assert [part.output for part in talk.parts] == [{"deleted": "a"}, {"city": "B", "tempC": 21}]
    assert talk.engine.started == []
    assert talk.chat.error is None


async def test_two_approvals_beside_a_call_of_the_page(talk: Talk) -> None:
    await talk.say(f'{TWO} && call open {{"url":"x"}} ;; say well')
    assert talk.engine.started == []  # Mastra would lose what it gave
    await talk.answer(True, False)
    assert [part.state for part in talk.parts[:2]] == ["output-available", "output-denied"]
    assert talk.parts[2].state == "output-error"
    assert (talk.chat.error, talk.chat.status) == (None, "ready")
    assert talk.chat.messages[-1].text.strip() == "well"
