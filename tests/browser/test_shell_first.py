"""The first field: pagehand.js alone makes it, and the shell is built around it."""

from __future__ import annotations

import threading

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant, events, record_events
from browser.support.fake_server import FakeServer, said, stream

pytestmark = pytest.mark.browser

ROOM = "getComputedStyle(document.documentElement).getPropertyValue('--pagehand-side-space')"


@pytest.fixture
def shell(fake_server: FakeServer) -> threading.Event:
    """The shell's module does not come before this is set."""
    return fake_server.hold("/shell.js")


def open_page(page: Page, server: FakeServer, body: str = "<page-hand></page-hand>") -> Assistant:
    record_events(page)
    page.goto(server.page(body))
    return Assistant(page)


def test_the_shell_comes_around_what_is_being_typed(
    page: Page, fake_server: FakeServer, shell: threading.Event
) -> None:
    assistant = open_page(page, fake_server)
    expect(assistant.textarea).to_be_visible()
    assistant.textarea.click()
    page.keyboard.type("Half a thou")
    page.evaluate("window.field = document.querySelector('page-hand').shadowRoot.activeElement")
    assert assistant.part("send").count() == 0
    shell.set()
    expect(assistant.part("send")).to_be_visible()
    page.keyboard.type("ght")
    expect(assistant.textarea).to_have_value("Half a thought")
    same = "field === document.querySelector('page-hand').shadowRoot.activeElement"
    assert page.evaluate(same), "the field moved, or lost the focus"


def test_what_is_said_to_the_first_field_is_sent_in_order(
    page: Page, fake_server: FakeServer, shell: threading.Event
) -> None:
    fake_server.answer(stream(said("One", message_id="a1")), stream(said("Two", message_id="a2")))
    assistant = open_page(page, fake_server)
    assistant.say("first")
    assistant.element.evaluate("(element) => element.send('second')")
    assistant.textarea.type("a draft")
    assert assistant.get("status") == "booting"
    assert assistant.get("messages") == []
    shell.set()
    assistant.wait_ready()
    expect(assistant.answers).to_have_text(["One", "Two"])
    expect(assistant.questions).to_have_count(2)
    asked = [request["messages"][-1]["parts"][0]["text"] for request in fake_server.requests]
    assert asked == ["first", "second"]
    expect(assistant.textarea).to_have_value("a draft")


def test_an_input_method_and_shift_send_nothing(
    page: Page, fake_server: FakeServer, shell: threading.Event
) -> None:
    assistant = open_page(page, fake_server)
    assistant.textarea.fill("ni")
    assistant.textarea.evaluate(
        """field => field.dispatchEvent(new KeyboardEvent(
          "keydown", {key: "Enter", isComposing: true, bubbles: true, cancelable: true}))"""
    )
    assistant.textarea.press("Shift+Enter")
    expect(assistant.textarea).to_have_value("ni\n")
    shell.set()
    assistant.wait_ready()
    expect(assistant.textarea).to_have_value("ni\n")
    assert fake_server.requests == []


@pytest.mark.parametrize(
    ("language", "words"), [("en", "could not be loaded"), ("zh-CN", "没能加载")]
)
def test_a_part_that_does_not_come_is_said_and_nothing_is_lost(
    page: Page, fake_server: FakeServer, language: str, words: str
) -> None:
    fake_server.missing.add("/panel.js")
    assistant = open_page(page, fake_server, f'<page-hand lang="{language}"></page-hand>')
    assistant.say("Keep me")
    alert = assistant.part("boot-error")
    expect(alert).to_contain_text(words)
    assert assistant.get("status") == "error"
    assert assistant.get("error")["code"] == "blocked"
    assert events(page, "error") == [assistant.get("error")]
    rejected = "element => element.whenReady().then(() => 'ready', error => error.message)"
    assert words in assistant.element.evaluate(rejected)
    expect(assistant.textarea).to_have_value("Keep me")
    assistant.textarea.press("Enter")
    assistant.element.evaluate("(element) => element.send('this too')")
    expect(assistant.textarea).to_have_value("this too\nKeep me")
    fake_server.missing.clear()
    page.reload()
    assistant.wait_ready()
    expect(assistant.textarea).to_have_value("this too\nKeep me")
    assert fake_server.requests == []


def test_a_part_that_does_not_come_is_said_in_a_closed_panel_too(
    page: Page, fake_server: FakeServer
) -> None:
    fake_server.missing.add("/panel.js")
    assistant = open_page(page, fake_server, '<page-hand mode="modal"></page-hand>')
    expect(assistant.part("boot-error")).to_be_visible()


@pytest.mark.parametrize(
    ("width", "kept", "shown"),
    [(1280, None, True), (1280, "closed", False), (1280, "open", True), (700, None, False)],
)
def test_a_docked_panel_shows_its_first_field_where_it_will_stand(
    page: Page,
    fake_server: FakeServer,
    shell: threading.Event,
    width: int,
    kept: str | None,
    shown: bool,
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    if kept:
        page.add_init_script(f"sessionStorage.setItem('pagehand:panel:default', '{kept}')")
    assistant = open_page(page, fake_server, '<page-hand mode="side"></page-hand>')
    expect(assistant.textarea).to_be_visible(visible=shown)
    before = assistant.part("panel").bounding_box() if shown else None
    assert page.evaluate(ROOM) == ("420px" if shown else "")
    shell.set()
    expect(assistant.part("launcher")).to_be_visible(visible=not shown)
    expect(assistant.part("header")).to_be_visible(visible=shown)
    if shown:
        assert assistant.part("panel").bounding_box() == before
    page.wait_for_function(f"{ROOM} === '{420 if shown else 0}px'")


def test_a_panel_that_goes_before_its_shell_comes_gives_its_room_back(
    page: Page, fake_server: FakeServer, shell: threading.Event
) -> None:
    assistant = open_page(page, fake_server, '<page-hand mode="side"></page-hand>')
    expect(assistant.textarea).to_be_visible()
    assert page.evaluate(ROOM) == "420px"
    page.evaluate("window.gone = document.querySelector('page-hand'); gone.remove()")
    assert page.evaluate(ROOM) == "0px"
    page.evaluate("document.body.append(gone)")
    assert page.evaluate(ROOM) == "420px"
    page.evaluate("gone.remove()")
    shell.set()
    page.wait_for_function("customElements.get('page-hand') && import('/static/shell.js')")
    assert page.evaluate(ROOM) == "0px"
    page.evaluate("document.body.append(gone)")
    expect(assistant.part("header")).to_be_visible()
    page.wait_for_function(f"{ROOM} === '420px'")


def test_a_panel_that_is_docked_no_more_when_its_shell_comes_gives_its_room_back(
    page: Page, fake_server: FakeServer, shell: threading.Event
) -> None:
    assistant = open_page(page, fake_server, '<page-hand mode="side"></page-hand>')
    expect(assistant.textarea).to_be_visible()
    assistant.element.evaluate("element => element.removeAttribute('mode')")
    shell.set()
    expect(assistant.part("header")).to_be_visible()
    expect(assistant.part("panel")).to_have_css("position", "relative")
    page.wait_for_function(f"{ROOM} === '0px'")
