"""The page against a real Mastra server: its calls run in the page, the conversation goes on.

The server plays a script that stands in the user's words (tests/peers/shared/model.mjs).
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser.support.fake_server import FakeServer
from browser.support.peer_page import PATIENCE, PeerPage, calls_in, check_bodies, states_in
from peers.peer import Peer

pytestmark = [pytest.mark.browser, pytest.mark.peer]


@pytest.fixture
def chat(mastra: Peer, fake_server: FakeServer, open_page: Callable[..., Page]) -> PeerPage:
    return PeerPage(open_page, fake_server, mastra)


@pytest.fixture
def library(mastra: Peer, fake_server: FakeServer, open_page: Callable[..., Page]) -> PeerPage:
    """The library's own handler, which knows approvals."""
    return PeerPage(open_page, fake_server, mastra, path="/handle/plain")


def test_one_tool(chat: PeerPage, mastra: Peer) -> None:
    chat.say("use get-user-info-tool", shows="Tool results: get-user-info-tool")
    chat.answers(1)
    chat.call_is("get-user-info-tool", "output-available")

    first, second = chat.bodies()
    check_bodies(first, second)
    message = second["messages"][1]
    (call,) = calls_in(message)
    assert call["output"]["success"] is True
    name = chat.page.locator("#account").get_attribute("data-name")
    assert call["output"]["user"]["name"] == name
    assert name in json.dumps(mastra.model()["seen"][1]["prompt"], ensure_ascii=False)
    (kept,) = (m for m in chat.assistant.get("messages") if m["role"] == "assistant")
    assert kept["id"] == message["id"]


def test_two_parallel_tools_and_one_continuation(chat: PeerPage, mastra: Peer) -> None:
    chat.say(
        "call get-user-info-tool {} && call read_page {} ;; say both are done",
        shows="both are done",
    )
    first, second = chat.bodies()
    check_bodies(first, second)
    assert states_in(second["messages"][1]) == {
        "get-user-info-tool": "output-available",
        "read_page": "output-available",
    }
    results = [
        part
        for message in mastra.model()["seen"][1]["prompt"]
        if message["role"] == "tool"
        for part in message["content"]
    ]
    assert [result["toolName"] for result in results] == ["get-user-info-tool", "read_page"]


def test_a_server_tool_beside_ours(chat: PeerPage) -> None:
    chat.say(
        'call get-weather {"city":"Oslo"} && call get-user-info-tool {} ;; say mixed',
        shows="mixed",
    )
    chat.answers(1)
    first, second = chat.bodies()
    check_bodies(first, second)
    weather, ours = calls_in(second["messages"][1])
    assert weather["output"] == {"city": "Oslo", "tempC": 21}
    assert ours["output"]["success"] is True


def test_the_card_waits_for_the_click(chat: PeerPage, allow_outside: Callable[[str], None]) -> None:
    allow_outside("https://example.com")
    chat.say("帮我打开 https://example.com")
    card = chat.assistant.call("jump-url-tool")
    chat.call_is("jump-url-tool", "input-available")
    expect(card).to_contain_text("example.com")
    chat.assistant.wait_status("ready", timeout=PATIENCE)
    assert len(chat.bodies()) == 1

    with chat.page.context.expect_page() as opened:
        card.locator('[data-action="confirm"]').click()
    expect(opened.value).to_have_url("https://example.com/")
    assert opened.value.evaluate("window.opener") is None
    chat.shows("Tool results: jump-url-tool")
    chat.call_is("jump-url-tool", "output-available")

    first, second = chat.bodies()
    check_bodies(first, second)
    (call,) = calls_in(second["messages"][1])
    assert call["input"] == {"url": "https://example.com"}
    assert call["output"]["success"] is True


def test_the_conversation_goes_on(chat: PeerPage) -> None:
    chat.say("call get-user-info-tool {} ;; call read_page {} ;; say chained", shows="chained")
    chat.say("say and now something else")
    chat.answers(2)
    chat.shows("and now something else")
    bodies = chat.bodies()
    assert [[m["role"] for m in body["messages"]] for body in bodies] == [
        ["user"],
        ["user", "assistant"],
        ["user", "assistant"],
        ["user", "assistant", "user"],
    ]
    assert len({body["messages"][1]["id"] for body in bodies[1:]}) == 1
    assert all(body["clientTools"] for body in bodies)


def test_the_model_sees_what_was_declared(chat: PeerPage, mastra: Peer) -> None:
    """Mastra rewrites names and loses parts of schemas: ours must come through whole."""
    chat.say("say hi", shows="hi")
    (body,) = chat.bodies()
    offered = {tool["name"]: tool for tool in mastra.model()["seen"][0]["tools"]}
    for name, tool in body["clientTools"].items():
        assert offered[name]["description"] == tool["description"]
        seen, sent = offered[name]["inputSchema"], tool["inputSchema"]
        assert seen.get("properties", {}).keys() == sent["properties"].keys(), name
        assert set(seen.get("required", [])) == set(sent.get("required", [])), name


@pytest.mark.parametrize(
    ("action", "state"), [("approve", "output-available"), ("deny", "output-denied")]
)
def test_an_approval(library: PeerPage, action: str, state: str) -> None:
    library.say('call delete-record {"id":"r1"} ;; say that was it')
    library.call_is("delete-record", "approval-requested")
    assert len(library.bodies()) == 1
    library.approval(action)
    library.shows("that was it")
    library.call_is("delete-record", state)
    library.answers(1)
    _, second = library.bodies()
    (call,) = calls_in(second["messages"][1])
    assert call["approval"]["approved"] is (action == "approve")
