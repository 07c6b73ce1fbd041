"""The page against a real Mastra server: errors, stops, broken streams, reloads."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser.support.fake_server import FakeServer
from browser.support.peer_page import PATIENCE, PeerPage, states_in
from peers.peer import Peer

pytestmark = [pytest.mark.browser, pytest.mark.peer]


@pytest.fixture
def chat(mastra: Peer, fake_server: FakeServer, open_page: Callable[..., Page]) -> PeerPage:
    return PeerPage(open_page, fake_server, mastra)


def test_an_error_of_the_server_and_the_next_word(chat: PeerPage) -> None:
    chat.say("say half && error the model broke")
    chat.error("the model broke")
    expect(chat.assistant.answers).to_contain_text("half")
    assert len(chat.bodies()) == 1
    chat.say("say well again", shows="well again")
    expect(chat.assistant.part("error")).to_have_count(0)


def test_stop_in_the_middle_and_go_on(chat: PeerPage, mastra: Peer) -> None:
    chat.say("slow 100 100")
    expect(chat.assistant.answers).to_contain_text("w1 ", timeout=PATIENCE)
    chat.assistant.part("stop").click()
    chat.assistant.wait_status("ready")
    chat.say("say on we go", shows="on we go")
    assert mastra.model()["aborts"]
    chat.answers(2)
    _, second = chat.bodies()
    (text,) = (part for part in second["messages"][1]["parts"] if part["type"] == "text")
    assert text["state"] == "done"
    assert "w99" not in text["text"]


def test_a_cut_stream_and_retry(chat: PeerPage, mastra: Peer) -> None:
    mastra.hold_after("w1 ")
    chat.say("slow 4 60")
    expect(chat.assistant.answers).to_contain_text("w1", timeout=PATIENCE)
    mastra.cut()
    chat.error(".")
    expect(chat.assistant.answers).to_contain_text("w1")
    chat.retry()
    chat.shows("w0 w1 w2 w3")
    chat.answers(1)
    first, second = chat.bodies()
    assert first["messages"] == second["messages"]


def test_reload_in_the_middle_and_go_on(chat: PeerPage) -> None:
    """Mastra's route cannot be asked for a running answer: the page says that it was cut off."""
    chat.say("slow 100 100")
    expect(chat.assistant.answers).to_contain_text("w9 ", timeout=PATIENCE)
    chat.reload()
    expect(chat.assistant.answers).to_contain_text("w1 ")
    chat.error("cut off before it was complete")
    chat.say("say still here", shows="still here")
    expect(chat.assistant.part("error")).to_have_count(0)
    chat.answers(2)
    _, second = chat.bodies()
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]


def test_reload_in_the_middle_and_ask_anew(chat: PeerPage, mastra: Peer) -> None:
    mastra.hold_after("w1 ")
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


def test_a_refused_continuation_keeps_our_result(chat: PeerPage, mastra: Peer) -> None:
    chat.say('call jump-url-tool {"url":"https://example.com"} ;; say that was it')
    chat.call_is("jump-url-tool", "input-available")
    mastra.refuse(500, "The model is being moved.")
    chat.assistant.call("jump-url-tool").locator('[data-action="cancel"]').click()
    chat.error("The model is being moved")
    chat.retry()
    chat.shows("that was it")
    _, second, third = chat.bodies()
    assert second["messages"] == third["messages"]


def test_typing_on_past_an_open_card(chat: PeerPage) -> None:
    chat.say("open https://example.com please")
    chat.call_is("jump-url-tool", "input-available")
    chat.assistant.wait_status("ready", timeout=PATIENCE)
    chat.say("say never mind", shows="never mind")
    _, second = chat.bodies()
    assert states_in(second["messages"][1]) == {"jump-url-tool": "output-error"}
