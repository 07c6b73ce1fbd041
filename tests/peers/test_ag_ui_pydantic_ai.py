"""Our chat in AG-UI against somebody else's server: Pydantic AI's own adapter."""

from __future__ import annotations

import runpy
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from chat.support import FakeEngine
from pagehand.chat.chat import Chat
from peers.chat_over_http import HttpTransport
from peers.pydantic_ai_server import PydanticAi
from peers.ui_clients import Served

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    server = Served()
    yield server
    server.close()


class Talk:
    """A conversation with the server."""

    def __init__(self, served: Served, client: httpx.AsyncClient) -> None:
        self.there = PydanticAi()
        served.app = self.there.app
        self.engine = FakeEngine(open=lambda value: {"opened": value}, mark=None)
        self.transport = HttpTransport(f"{served.url}/ag-ui", client)
        self.chat = Chat(self.transport, self.engine, protocol="ag-ui")

    async def say(self, words: str) -> None:
        await self.chat.send(words)
        await self.chat.idle()

    @property
    def text(self) -> str:
        return self.chat.messages[-1].text.strip()

    @property
    def states(self) -> dict[str, str]:
        return {part.tool_name: part.state for part in self.chat.messages[-1].tool_parts()}

    def shown(self) -> str:
        """All that the model was shown last, as text."""
        return str(self.there.seen[-1])


@pytest.fixture
async def talk(served: Served) -> AsyncIterator[Talk]:
    async with httpx.AsyncClient(timeout=30) as client:
        yield Talk(served, client)


async def test_text(talk: Talk) -> None:
    await talk.say("say héllo 世界")
    assert (talk.text, talk.chat.error) == ("héllo 世界", None)
    await talk.say("say more")
    assert (talk.text, len(talk.chat.messages)) == ("more", 4)


async def test_a_call_of_ours_and_its_continuation(talk: Talk) -> None:
    await talk.say('call open {"url": "https://x.example"} ;; say opened')
    assert talk.states == {"open": "output-available"}
    assert (talk.text, len(talk.transport.bodies)) == ("opened", 2)
    assert "{'opened': {'url': 'https://x.example'}}" in talk.shown().replace('"', "'")
    assert talk.there.offered[0] == ["delete_record", "get_weather", "mark", "open"]


async def test_parallel_calls(talk: Talk) -> None:
    await talk.say('call open {"n": 1} && call mark {} && call open {"n": 2} ;; say all done')
    assert [call.tool_name for call in talk.engine.started] == ["open", "mark", "open"]
    assert (talk.text, len(talk.transport.bodies)) == ("all done", 2)


async def test_a_server_tool_alone_and_beside_ours(talk: Talk) -> None:
    await talk.say('call get_weather {"city": "Oslo"} ;; say warm')
    assert talk.states == {"get_weather": "output-available"}
    assert (talk.text, len(talk.transport.bodies)) == ("warm", 1)
    await talk.say('call get_weather {"city": "Rome"} && call open {} ;; say both')
    assert talk.states == {"get_weather": "output-available", "open": "output-available"}
    weather = talk.chat.messages[-1].tool_parts()[0]
    assert weather.output == {"city": "Rome", "celsius": 21}
    assert (talk.text, len(talk.transport.bodies)) == ("both", 3)


async def test_several_rounds(talk: Talk) -> None:
    await talk.say("call open {} ;; say one && call mark {} ;; say two")
    assert [part.type for part in talk.chat.messages[-1].parts if part.type != "step-start"] == [
        "tool-open", "text", "tool-mark", "text",
    ]  # fmt: skip
    assert len(talk.transport.bodies) == 3
    await talk.say("say the end")
    assert talk.text == "the end"


@pytest.mark.parametrize("approved", [True, False])
async def test_an_approval(talk: Talk, *, approved: bool) -> None:
    await talk.say('call delete_record {"id": "r1"} ;; say so be it')
    assert talk.states == {"delete_record": "approval-requested"}
    part = talk.chat.messages[-1].tool_parts()[0]
    talk.chat.respond_to_approval(part.tool_call_id, {"approved": approved, "reason": "why not"})
    await talk.chat.idle()
    assert talk.chat.error is None
    assert talk.text == "so be it"
    assert ("deleted r1" in str(part.output)) is approved
    await talk.say("say go on")
    assert (talk.text, talk.chat.error) == ("go on", None)


async def test_moving_on_instead_of_answering(talk: Talk) -> None:
    await talk.say('call delete_record {"id": "r1"} ;; say so be it')
    await talk.say("say never mind")
    assert talk.chat.error is None
    assert "deleted" not in talk.shown()


async def test_an_error_is_told_and_the_conversation_goes_on(talk: Talk) -> None:
    await talk.say("fail the provider is away")
    assert "the provider is away" in str(talk.chat.error)
    await talk.say("say back again")
    assert (talk.text, talk.chat.error) == ("back again", None)


async def test_what_the_page_adds_does_no_harm(talk: Talk) -> None:
    await talk.chat.send("say hi", body={"threadId": 5})
    assert (talk.text, talk.chat.error) == ("hi", None)
    assert talk.transport.bodies[0]["forwardedProps"] == {"threadId": 5}


async def test_the_example(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    root = Path(__file__).parents[2]
    served.app = runpy.run_path(str(root / "examples" / "ag_ui" / "server.py"))["app"]
    engine = FakeEngine(read_page={"text": "Three orders are open."})
    engine.tools = {"read_page": engine.tools["read-page"]}
    async with httpx.AsyncClient(timeout=30) as client:
        page = await client.get(served.url)
        assert 'protocol="ag-ui"' in page.text
        assert (await client.get(f"{served.url}/static/pagehand.js")).status_code == 200
        chat = Chat(HttpTransport(f"{served.url}/ag-ui", client), engine, protocol="ag-ui")
        await chat.send("What does it say?")
        await chat.idle()
    assert (chat.error, len(engine.started)) == (None, 1)
    assert "Three orders are open." in chat.messages[-1].text
