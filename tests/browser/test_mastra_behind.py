"""The page's whole path with our backend in front of a real Mastra server (MODEL=mastra:AGENT)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from backend.app import create_app
from backend.settings import Settings
from browser.support.fake_server import FakeServer
from browser.support.peer_page import PATIENCE, PeerPage, calls_in
from peers.peer import Peer
from peers.ui_clients import Served

pytestmark = [pytest.mark.browser, pytest.mark.peer]


@pytest.fixture(scope="module")
def backend(mastra_server: Peer) -> Iterator[Any]:
    server: Any = Served()
    settings = Settings(
        model="mastra:plain", mastra_url=mastra_server.url, allowed_origins=("*",), rate=0, site=""
    )
    server.app = create_app(settings)
    server.at_end = server.app.state.door.aclose
    yield server
    server.close()


@pytest.fixture
def chat(
    mastra: Peer, backend: Any, fake_server: FakeServer, open_page: Callable[..., Page]
) -> PeerPage:
    return PeerPage(open_page, fake_server, backend)


def kept(chat: PeerPage) -> list[dict[str, Any]]:
    """The calls of the one answer that the page holds."""
    (message,) = (m for m in chat.assistant.get("messages") if m["role"] == "assistant")
    return calls_in(message)


def test_calls_of_the_page_beside_the_servers(chat: PeerPage, mastra: Peer) -> None:
    chat.say(
        'call get-weather {"city":"Paris"} && call get-user-info-tool {} ;; say both are done',
        shows="both are done",
    )
    chat.answers(1)
    weather, user = kept(chat)
    assert weather["output"] == {"city": "Paris", "tempC": 21}
    assert user["output"]["success"] is True
    results = str(mastra.model()["seen"][-1]["prompt"])
    assert user["output"]["user"]["name"] in results
    assert "tempC" in results
    chat.say("say and on", shows="and on")
    chat.answers(2)


@pytest.mark.parametrize(
    ("action", "state"), [("approve", "output-available"), ("deny", "output-denied")]
)
def test_an_approval(chat: PeerPage, action: str, state: str) -> None:
    chat.say('call delete-record {"id":"r1"} ;; say that was it')
    chat.approval(action)
    chat.shows("that was it")
    chat.call_is("delete-record", state)
    chat.answers(1)


def test_a_suspended_tool_gets_its_answer(chat: PeerPage, mastra: Peer) -> None:
    chat.say('call ask-city {"topic":"food"} ;; say enjoy')
    box = chat.assistant.part("suspension")
    expect(box).to_contain_text("Which city for food?", timeout=PATIENCE)
    chat.assistant.wait_status("ready", timeout=PATIENCE)
    box.get_by_label("City").fill("Oslo")
    box.locator('[data-action="answer"]').click()
    chat.shows("enjoy")
    (call,) = kept(chat)
    assert call["output"] == {"topic": "food", "city": "Oslo"}
    assert "Oslo" in str(mastra.model()["seen"][-1]["prompt"])


def test_a_declined_question_reaches_the_model(chat: PeerPage, mastra: Peer) -> None:
    chat.say('call ask-city {"topic":"news"} ;; say then not')
    chat.assistant.part("suspension").locator('[data-action="decline"]').click(timeout=PATIENCE)
    chat.shows("then not")
    assert "chose not to answer" in str(mastra.model()["seen"][-1]["prompt"])
