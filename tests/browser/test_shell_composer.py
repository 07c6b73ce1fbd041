"""The composer: keys, input methods, growing, sending and stopping."""

from __future__ import annotations

import re
import threading

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, Reply, event, said, stream

pytestmark = pytest.mark.browser


@pytest.fixture
def assistant(page: Page, fake_server: FakeServer) -> Assistant:
    page.goto(fake_server.page('<page-hand thread=""></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    return assistant


def slow(text: str) -> tuple[Reply, threading.Event]:
    """An answer whose end is held back until the event is set."""
    chunks = said(text)
    gate = threading.Event()
    head = b"".join(event(chunk) for chunk in chunks[:4])
    tail = b"".join(event(chunk) for chunk in chunks[4:]) + event("[DONE]")
    return Reply(body=head, gate=gate, held=tail), gate


def test_enter_sends_and_shift_enter_breaks(assistant: Assistant, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("ok")))
    assistant.textarea.type("one")
    assistant.textarea.press("Shift+Enter")
    assistant.textarea.type("two")
    expect(assistant.textarea).to_have_value("one\ntwo")
    assert fake_server.requests == []
    assistant.textarea.press("Enter")
    expect(assistant.answers).to_have_text("ok")
    expect(assistant.textarea).to_have_value("")
    assert fake_server.requests[0]["messages"][0]["parts"][0]["text"] == "one\ntwo"


@pytest.mark.parametrize("how", [{"isComposing": True}, {"keyCode": 229}], ids=str)
def test_nothing_is_sent_while_an_input_method_composes(
    assistant: Assistant, fake_server: FakeServer, how: dict[str, object]
) -> None:
    fake_server.answer(stream(said("好")))
    assistant.textarea.fill("ni hao")
    assistant.textarea.evaluate(
        "(field, how) => field.dispatchEvent(new KeyboardEvent('keydown', "
        "{key: 'Enter', bubbles: true, cancelable: true, ...how}))",
        how,
    )
    expect(assistant.textarea).to_have_value("ni hao")
    assert assistant.get("messages") == []
    # The next Enter is no longer the input method's.
    assistant.textarea.press("Enter")
    expect(assistant.answers).to_have_text("好")


def test_real_composition_through_the_browser(
    page: Page, assistant: Assistant, fake_server: FakeServer
) -> None:
    fake_server.answer(stream(said("好")))
    session = page.context.new_cdp_session(page)
    assistant.textarea.focus()
    session.send("Input.imeSetComposition", {"text": "ni", "selectionStart": 2, "selectionEnd": 2})
    page.keyboard.press("Enter")
    assert assistant.get("messages") == []
    session.send("Input.insertText", {"text": "你好"})
    # A real input method would have eaten that Enter; here it left a line break.
    expect(assistant.textarea).to_have_value(re.compile("你好"))
    page.keyboard.press("Enter")
    expect(assistant.questions).to_contain_text("你好")


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_empty_text_is_not_sent(assistant: Assistant, text: str) -> None:
    assistant.textarea.fill(text)
    expect(assistant.part("send")).to_be_disabled()
    assistant.textarea.press("Enter")
    assert assistant.get("messages") == []


def test_button_sends(assistant: Assistant, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("ok")))
    assistant.textarea.fill("by button")
    assistant.part("send").click()
    expect(assistant.answers).to_have_text("ok")


def test_field_grows_to_a_limit_and_shrinks_again(assistant: Assistant) -> None:
    def height() -> float:
        box = assistant.textarea.bounding_box()
        assert box
        return box["height"]

    small = height()
    assistant.textarea.fill("line\n" * 4)
    grown = height()
    assistant.textarea.fill("line\n" * 60)
    full = height()
    assistant.textarea.fill("")
    assert small < grown < full <= 240
    assert height() == small


def test_stop_shows_while_answering_and_stops(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    reply, gate = slow("The beginning")
    fake_server.answer(reply)
    assistant.say("go")
    expect(assistant.answers).to_contain_text("The beginning")
    expect(assistant.part("stop")).to_be_visible()
    expect(assistant.part("send")).to_be_hidden()
    assistant.part("stop").click()
    assistant.wait_status("ready")
    gate.set()
    expect(assistant.part("stop")).to_be_hidden()
    expect(assistant.answers).to_contain_text("The beginning")
    assert len(fake_server.requests) == 1


def test_message_written_while_busy_waits_its_turn(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    reply, gate = slow("First answer")
    fake_server.answer(reply, stream(said("Second answer", message_id="a2")))
    assistant.say("first")
    expect(assistant.answers).to_contain_text("First answer")
    assistant.textarea.fill("second")
    expect(assistant.part("send")).to_be_visible()
    assistant.textarea.press("Enter")
    assert len(fake_server.requests) == 1
    gate.set()
    expect(assistant.answers).to_have_text(["First answer", "Second answer"])
    roles = [message["role"] for message in fake_server.requests[1]["messages"]]
    assert roles == ["user", "assistant", "user"]


def test_keys_typed_here_do_not_reach_shortcuts_of_the_page(
    page: Page, assistant: Assistant
) -> None:
    page.evaluate(
        "() => { window.__keys = []; addEventListener('keydown', e => __keys.push(e.key)); }"
    )
    assistant.textarea.type("abc")
    assert page.evaluate("__keys") == []
