"""The page against a real AI SDK 7 server that validates what is posted: calls and approvals.

The server plays a script that stands in the user's words (tests/peers/shared/model.mjs).
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser.support.fake_server import FakeServer
from browser.support.peer_page import PATIENCE, PeerPage, calls_in, check_bodies, states_in
from peers.peer import Peer

pytestmark = [pytest.mark.browser, pytest.mark.peer]


@pytest.fixture
def chat(aisdk: Peer, fake_server: FakeServer, open_page: Callable[..., Page]) -> PeerPage:
    return PeerPage(open_page, fake_server, aisdk)


def test_one_tool(chat: PeerPage, aisdk: Peer) -> None:
    chat.say("use get-user-info-tool", shows="Tool results: get-user-info-tool")
    chat.answers(1)
    chat.call_is("get-user-info-tool", "output-available")
    first, second = chat.bodies()
    check_bodies(first, second)
    message = second["messages"][1]
    assert message["id"] == "msg-1"
    (call,) = calls_in(message)
    assert call["output"]["success"] is True
    offered = {tool["name"]: tool for tool in aisdk.model()["seen"][0]["tools"]}
    for name, tool in first["clientTools"].items():
        assert offered[name]["description"] == tool["description"]
        assert offered[name]["inputSchema"] == tool["inputSchema"]


def test_two_parallel_tools_and_one_continuation(chat: PeerPage, aisdk: Peer) -> None:
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
    assert len(aisdk.model()["seen"]) == 2


def test_a_server_tool_beside_ours(chat: PeerPage) -> None:
    chat.say(
        'call get-weather {"city":"Oslo"} && call get-user-info-tool {} ;; say mixed',
        shows="mixed",
    )
    first, second = chat.bodies()
    check_bodies(first, second)
    weather, ours = calls_in(second["messages"][1])
    assert weather["output"] == {"city": "Oslo", "tempC": 21}
    assert ours["output"]["success"] is True
    chat.call_is("get-weather", "output-available")


def test_a_server_tool_first_then_ours(chat: PeerPage) -> None:
    """Two steps in one answer: only the second one is ours to answer."""
    chat.say(
        'call get-weather {"city":"Oslo"} ;; call get-user-info-tool {} ;; say in two steps',
        shows="in two steps",
    )
    chat.answers(1)
    first, second = chat.bodies()
    check_bodies(first, second)
    kinds = [part["type"] for part in second["messages"][1]["parts"]]
    assert kinds == ["step-start", "tool-get-weather", "step-start", "tool-get-user-info-tool"]


def test_preliminary_results_of_the_server_start_nothing(chat: PeerPage) -> None:
    chat.say('call count-up {"to":3} ;; say counted', shows="counted")
    chat.call_is("count-up", "output-available")
    assert len(chat.bodies()) == 1
    (message,) = (m for m in chat.assistant.get("messages") if m["role"] == "assistant")
    (call,) = calls_in(message)
    assert call["output"] == {"count": 3}
    assert "preliminary" not in call


def test_the_card_waits_for_the_click(chat: PeerPage, allow_outside: Callable[[str], None]) -> None:
    allow_outside("https://example.com")
    chat.say("帮我打开 https://example.com")
    chat.call_is("jump-url-tool", "input-available")
    chat.assistant.wait_status("ready", timeout=PATIENCE)
    assert len(chat.bodies()) == 1
    with chat.page.context.expect_page() as opened:
        chat.assistant.call("jump-url-tool").locator('[data-action="confirm"]').click()
    expect(opened.value).to_have_url("https://example.com/")
    chat.shows("Tool results: jump-url-tool")
    first, second = chat.bodies()
    check_bodies(first, second)
    (call,) = calls_in(second["messages"][1])
    assert call["input"] == {"url": "https://example.com"}
    assert call["output"]["success"] is True


@pytest.mark.parametrize(
    ("action", "state"), [("approve", "output-available"), ("deny", "output-denied")]
)
def test_an_approval(chat: PeerPage, action: str, state: str) -> None:
    chat.say('call delete-record {"id":"r1"} ;; say that was it')
    chat.call_is("delete-record", "approval-requested")
    assert len(chat.bodies()) == 1
    chat.approval(action)
    chat.shows("that was it")
    chat.call_is("delete-record", state)
    chat.answers(1)
    first, second = chat.bodies()
    check_bodies(first, second)
    (call,) = calls_in(second["messages"][1])
    assert call["state"] == "approval-responded"
    assert call["approval"]["approved"] is (action == "approve")
    chat.say("say next", shows="next")
    (call,) = calls_in(chat.bodies()[2]["messages"][1])
    assert call["state"] == state


def test_two_approvals_are_answered_together(chat: PeerPage) -> None:
    chat.say('call delete-record {"id":"r1"} && call delete-record {"id":"r2"} ;; say both decided')
    gates = chat.assistant.part("approval").locator('[data-action="approve"]')
    expect(gates).to_have_count(2, timeout=PATIENCE)
    gates.first.click()
    expect(gates).to_have_count(1)
    assert len(chat.bodies()) == 1
    chat.approval("deny")
    chat.shows("both decided")
    _, second = chat.bodies()
    calls = calls_in(second["messages"][1])
    assert [call["approval"]["approved"] for call in calls] == [True, False]
    states = [
        call["state"] for message in chat.assistant.get("messages") for call in calls_in(message)
    ]
    assert states == ["output-available", "output-denied"]


def test_an_approval_beside_a_call_of_ours(chat: PeerPage) -> None:
    chat.say('call delete-record {"id":"r1"} && call get-user-info-tool {} ;; say all settled')
    chat.call_is("get-user-info-tool", "output-available")
    chat.call_is("delete-record", "approval-requested")
    assert len(chat.bodies()) == 1
    chat.approval("approve")
    chat.shows("all settled")
    _, second = chat.bodies()
    assert states_in(second["messages"][1]) == {
        "delete-record": "approval-responded",
        "get-user-info-tool": "output-available",
    }


def test_typing_on_past_an_open_approval(chat: PeerPage) -> None:
    chat.say('call delete-record {"id":"r1"} ;; say never said')
    chat.call_is("delete-record", "approval-requested")
    chat.say("say something else", shows="something else")
    _, second = chat.bodies()
    (call,) = calls_in(second["messages"][1])
    assert call["state"] == "output-error"
    assert "approval" not in call
    expect(chat.assistant.part("approval").locator("button")).to_have_count(0)
