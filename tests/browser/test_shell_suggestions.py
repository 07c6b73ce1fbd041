"""What an empty conversation offers to say."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, said, stream
from browser.test_shell_mount import RUN, TOOLKIT

pytestmark = pytest.mark.browser

BOTH = {"en": ["What is here?", "Fill in the form"], "zh-CN": ["这里有什么？", "填写表单"]}


class Offer(Assistant):
    """An element that offers something."""

    def __init__(self, page: Page, server: FakeServer, given: Any = BOTH, lang: str = "en") -> None:
        super().__init__(page)
        self.server = server
        text = json.dumps(given).replace("'", "&#39;")
        page.goto(server.page(f"<page-hand suggestions='{text}'></page-hand>", lang=lang))

    @property
    def offers(self) -> Any:
        return self.element.locator('[data-part="suggestions"] [data-action="suggest"]')

    def asked(self) -> list[str]:
        """The words that were sent, in order."""
        return [body["messages"][-1]["parts"][0]["text"] for body in self.server.requests]


def test_a_click_says_it_once_and_the_offer_goes(page: Page, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("A form")))
    offer = Offer(page, fake_server)
    expect(offer.offers).to_have_text(BOTH["en"])
    offer.wait_ready()
    offer.offers.first.dblclick()
    expect(offer.questions).to_have_text("What is here?")
    expect(offer.answers).to_have_text("A form")
    expect(offer.part("welcome")).to_be_hidden()
    offer.wait_status("ready")
    assert offer.asked() == ["What is here?"]
    expect(offer.textarea).to_have_value("")
    offer.part("new-chat").click()
    expect(offer.offers.first).to_be_visible()


def test_words_that_are_typed_are_neither_lost_nor_sent(
    page: Page, fake_server: FakeServer
) -> None:
    fake_server.answer(stream(said("Filled")))
    offer = Offer(page, fake_server)
    offer.wait_ready()
    offer.textarea.fill("My name is Mei.\n")
    offer.offers.nth(1).click()
    expect(offer.textarea).to_have_value("My name is Mei.\nFill in the form")
    expect(offer.textarea).to_be_focused()
    page.reload()
    offer.wait_ready()
    expect(offer.textarea).to_have_value("My name is Mei.\nFill in the form")
    assert fake_server.requests == []
    offer.textarea.press("Enter")
    expect(offer.answers).to_have_text("Filled")
    assert offer.asked() == ["My name is Mei.\nFill in the form"]


def test_by_keyboard_and_for_screen_readers(page: Page, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("A form")))
    offer = Offer(page, fake_server)
    offer.wait_ready()
    group = offer.part("suggestions")
    expect(group).to_have_role("group")
    expect(group).to_have_accessible_name("Suggestions")
    offer.part("thread").focus()
    page.keyboard.press("Tab")
    expect(offer.offers.first).to_be_focused()
    page.keyboard.press("Enter")
    expect(offer.textarea).to_be_focused()
    expect(offer.answers).to_have_text("A form")
    assert offer.asked() == ["What is here?"]


def test_a_click_before_python_is_said_when_it_is_there(
    page: Page, fake_server: FakeServer
) -> None:
    python: threading.Event = fake_server.hold(".wasm")
    fake_server.answer(stream(said("A form")))
    offer = Offer(page, fake_server)
    offer.offers.first.click()
    expect(offer.part("pending")).to_have_text("What is here?")
    expect(offer.part("welcome")).to_be_hidden()
    python.set()
    expect(offer.answers).to_have_text("A form", timeout=60_000)
    assert offer.asked() == ["What is here?"]


def test_the_language_and_the_property_choose_what_is_offered(
    page: Page, fake_server: FakeServer
) -> None:
    offer = Offer(page, fake_server, lang="zh")
    expect(offer.offers).to_have_text(BOTH["zh-CN"])
    expect(offer.part("suggestions")).to_have_accessible_name("可以这样说")
    page.evaluate("document.documentElement.lang = 'en'")
    expect(offer.offers).to_have_text(BOTH["en"])
    assert offer.get("suggestions") == BOTH
    offer.element.evaluate("element => (element.suggestions = ['Just this'])")
    expect(offer.offers).to_have_text(["Just this"])
    offer.element.evaluate("element => (element.suggestions = {zh: ['只有这个']})")
    expect(offer.offers).to_have_text(["只有这个"])  # better than nothing
    offer.element.evaluate("element => (element.suggestions = null)")
    expect(offer.offers).to_have_count(0)
    expect(offer.part("suggestions")).to_be_hidden()


def test_a_property_set_before_the_element_is_known(page: Page, fake_server: FakeServer) -> None:
    held = fake_server.hold("/pagehand.js")
    page.goto(fake_server.page("<page-hand></page-hand>"), wait_until="commit")
    page.wait_for_selector("page-hand", state="attached")
    page.evaluate("document.querySelector('page-hand').suggestions = ['Set early']")
    held.set()
    offers = Assistant(page).part("suggestions").locator("button")
    expect(offers).to_have_text(["Set early"])


@pytest.mark.parametrize("given", ["just words", '["", "b"]', "[1]", "7", "null", '{"en": "a"}'])
def test_what_is_no_list_of_texts_is_said_on_the_console(
    page: Page, fake_server: FakeServer, given: str
) -> None:
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    with page.expect_console_message(lambda message: "must be a JSON list" in message.text):
        page.goto(fake_server.page(f"<page-hand suggestions='{given}'></page-hand>"))
    offer = Assistant(page)
    expect(offer.part("welcome")).to_be_visible()
    expect(offer.part("suggestions").locator("button")).to_have_count(0)
    assert offer.get("suggestions") in ([], json.loads(given) if given != "just words" else [])


def test_from_python(page: Page, fake_server: FakeServer) -> None:
    page.goto(fake_server.page('<page-hand id="assistant" runtime="page"></page-hand>'))
    code = f"mount('#assistant', toolkit, suggestions={BOTH!r})"
    told = page.evaluate(RUN, TOOLKIT + code)
    assistant = Assistant(page)
    assistant.wait_ready()
    assert assistant.get("suggestions") == BOTH, told
    expect(assistant.part("suggestions").locator("button")).to_have_text(BOTH["en"])


def test_elements_without_suggestions_fetch_nothing_for_them(
    page: Page, fake_server: FakeServer
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(fake_server.page("<page-hand></page-hand>"))
    Assistant(page).wait_ready()
    assert any(url.endswith("/shell.js") for url in asked)
    assert not any("suggestions" in url for url in asked)
