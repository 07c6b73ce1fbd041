"""The page against a real AI SDK 7 server: errors, stops, broken streams, reloads."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer
from browser.support.peer_page import PATIENCE, PeerPage, calls_in, states_in
from peers.peer import Peer

pytestmark = [pytest.mark.browser, pytest.mark.peer]


@pytest.fixture
def chat(aisdk: Peer, fake_server: FakeServer, open_page: Callable[..., Page]) -> PeerPage:
    return PeerPage(open_page, fake_server, aisdk)


@pytest.fixture
def resumable(aisdk: Peer, fake_server: FakeServer, open_page: Callable[..., Page]) -> PeerPage:
    """A server whose answers go on when the page has gone."""
    return PeerPage(open_page, fake_server, aisdk, path="/resumable")


def test_an_error_in_the_stream_and_the_next_word(chat: PeerPage) -> None:
    chat.say("say half && error the model broke")
    chat.error("the model broke")
    expect(chat.assistant.answers).to_contain_text("half")
    assert len(chat.bodies()) == 1
    chat.say("say well again", shows="well again")
    expect(chat.assistant.part("error")).to_have_count(0)


def test_an_error_beside_a_call_of_ours_sends_nothing(chat: PeerPage) -> None:
    chat.say("call get-user-info-tool {} && error the model broke")
    chat.error("the model broke")
    chat.say("say well again", shows="well again")
    _, second = chat.bodies()
    assert len(chat.bodies()) == 2
    assert states_in(second["messages"][1]) == {"get-user-info-tool": "output-error"}


def test_a_refusal_and_retry(chat: PeerPage, aisdk: Peer) -> None:
    aisdk.refuse(500, "The model is being moved.")
    chat.say("say there you are")
    chat.error("The model is being moved")
    chat.retry()
    chat.shows("there you are")
    first, second = chat.bodies()
    assert first["messages"] == second["messages"]
    expect(chat.assistant.questions).to_have_count(1)


def test_a_server_that_asks_for_patience_is_asked_again(chat: PeerPage, aisdk: Peer) -> None:
    aisdk.refuse(503, "Busy.", **{"retry-after": "0"})
    chat.say("say at last", shows="at last")
    assert len(chat.bodies()) == 2


def test_stop_in_the_middle_and_go_on(chat: PeerPage, aisdk: Peer) -> None:
    chat.say("slow 100 100")
    expect(chat.assistant.answers).to_contain_text("w1 ", timeout=PATIENCE)
    chat.assistant.part("stop").click()
    chat.assistant.wait_status("ready")
    seen = chat.assistant.answers.inner_text()
    chat.say("say on we go", shows="on we go")
    assert aisdk.model()["aborts"] == 1
    chat.answers(2)
    assert chat.assistant.answers.first.inner_text() == seen
    _, second = chat.bodies()
    (text,) = (part for part in second["messages"][1]["parts"] if part["type"] == "text")
    assert text["state"] == "done"
    assert text["text"].startswith("w0 w1 ")
    assert "w99" not in text["text"]


def test_a_cut_stream_and_retry(chat: PeerPage, aisdk: Peer) -> None:
    aisdk.hold_after("w1 ")
    chat.say("slow 4 60")
    expect(chat.assistant.answers).to_contain_text("w1", timeout=PATIENCE)
    aisdk.cut()
    chat.error(".")
    expect(chat.assistant.answers).to_contain_text("w1")
    assert len(chat.bodies()) == 1
    chat.retry()
    chat.shows("w0 w1 w2 w3")
    chat.answers(1)
    first, second = chat.bodies()
    assert first["messages"] == second["messages"]
    expect(chat.assistant.part("error")).to_have_count(0)


def test_a_stream_cut_in_a_continuation_keeps_our_result(chat: PeerPage, aisdk: Peer) -> None:
    chat.say('call jump-url-tool {"url":"https://example.com"} ;; slow 4 60')
    chat.call_is("jump-url-tool", "input-available")
    aisdk.hold_after("w1 ")
    chat.assistant.call("jump-url-tool").locator('[data-action="cancel"]').click()
    expect(chat.assistant.answers).to_contain_text("w1", timeout=PATIENCE)
    aisdk.cut()
    chat.error(".")
    chat.retry()
    chat.shows("w0 w1 w2 w3")
    _, second, third = chat.bodies()
    assert calls_in(second["messages"][1]) == calls_in(third["messages"][1])
    assert [part["type"] for part in third["messages"][1]["parts"]] == [
        "step-start",
        "tool-jump-url-tool",
    ]


def test_reload_in_the_middle_and_go_on(chat: PeerPage) -> None:
    chat.say("slow 100 100")
    expect(chat.assistant.answers).to_contain_text("w9 ", timeout=PATIENCE)
    chat.reload()
    expect(chat.assistant.answers).to_contain_text("w1 ")
    chat.say("say still here", shows="still here")
    chat.answers(2)
    _, second = chat.bodies()
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]


def test_reload_in_the_middle_and_ask_anew(chat: PeerPage, aisdk: Peer) -> None:
    aisdk.hold_after("w1 ")
    chat.say("slow 4 60")
    expect(chat.assistant.answers).to_contain_text("w1", timeout=PATIENCE)
    chat.reload()
    chat.error("cut off before it was complete")
    chat.retry()
    chat.shows("w0 w1 w2 w3")
    chat.answers(1)
    first, second = chat.bodies()
    assert first["messages"] == second["messages"]
    expect(chat.assistant.part("error")).to_have_count(0)


def test_a_card_is_answered_in_the_tab_that_took_over(chat: PeerPage) -> None:
    chat.say('call jump-url-tool {"url":"https://example.com"} ;; say that was it')
    chat.call_is("jump-url-tool", "input-available")
    other = chat.page.context.new_page()
    other.goto(chat.page.url)
    second = Assistant(other)
    second.wait_ready()
    card = second.call("jump-url-tool").locator('[data-action="cancel"]')
    expect(card).to_have_count(0)
    second.element.locator('[data-code="elsewhere"] [data-action="here"]').click()
    card.click(timeout=PATIENCE)
    for tab in (second, chat.assistant):
        expect(tab.answers.last).to_contain_text("that was it", timeout=PATIENCE)
    first, continued = chat.bodies()
    assert first["id"] == continued["id"]
    assert states_in(continued["messages"][1]) == {"jump-url-tool": "output-available"}


def test_reload_with_an_open_card(chat: PeerPage) -> None:
    chat.say("open https://example.com please")
    chat.call_is("jump-url-tool", "input-available")
    chat.assistant.wait_status("ready", timeout=PATIENCE)
    chat.reload()
    chat.call_is("jump-url-tool", "input-available")
    assert len(chat.bodies()) == 1
    chat.say("say never mind", shows="never mind")
    _, second = chat.bodies()
    assert states_in(second["messages"][1]) == {"jump-url-tool": "output-error"}


def test_reload_with_an_open_approval_and_answer_it(chat: PeerPage) -> None:
    chat.say('call delete-record {"id":"r1"} ;; say that was it')
    chat.call_is("delete-record", "approval-requested")
    chat.assistant.wait_status("ready", timeout=PATIENCE)
    chat.reload()
    chat.approval("approve")
    chat.shows("that was it")
    chat.call_is("delete-record", "output-available")


def test_a_running_answer_is_taken_up_after_a_reload(resumable: PeerPage, aisdk: Peer) -> None:
    resumable.say("say before the reload && wait && say and after it")
    expect(resumable.assistant.answers).to_contain_text("before the reload", timeout=PATIENCE)
    resumable.reload()
    resumable.assistant.wait_status("streaming", timeout=PATIENCE)
    aisdk.go_on()
    resumable.shows("and after it")
    resumable.answers(1)
    assert len(resumable.bodies()) == 1
    assert resumable.assistant.answers.inner_text().count("before the reload") == 1


def test_a_cut_answer_is_taken_up_when_the_network_is_back(
    resumable: PeerPage, aisdk: Peer
) -> None:
    aisdk.hold_after('"delta":"cut"')
    resumable.say("say before the cut && wait && say and after it")
    expect(resumable.assistant.answers).to_contain_text("before the cut", timeout=PATIENCE)
    aisdk.cut()
    resumable.error(".")
    resumable.page.evaluate("dispatchEvent(new Event('online'))")
    resumable.assistant.wait_status("streaming", timeout=PATIENCE)
    aisdk.go_on()
    resumable.shows("and after it")
    resumable.answers(1)
    assert len(resumable.bodies()) == 1
    assert resumable.assistant.answers.inner_text().count("before the cut") == 1
