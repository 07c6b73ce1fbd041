"""One conversation in two tabs: one leads, the other follows live and takes over."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, Reply, called, event, said, stream

pytestmark = pytest.mark.browser

TOOLS = """
from pagehand import Toolkit
from pagehand.html import button, div, p

toolkit = Toolkit()

@toolkit.tool("wait-long")
async def wait_long() -> str:
    "Waits."
    import asyncio
    await asyncio.sleep(600)

@toolkit.tool("where")
def where() -> str:
    "Tells the page."
    import js
    return str(js.document.title)

@toolkit.human("ask-me", description="Asks.")
def ask_me(call, text: str = ""):
    return div(p("Well?"), button("Yes", data_action="confirm",
        on_click=lambda event: call.add_result({"said": "yes"})))
"""


def held(text: str) -> tuple[Reply, threading.Event]:
    """An answer whose second half is held back."""
    chunks = said(text)
    gate = threading.Event()
    first, rest = chunks[:3], chunks[3:]
    half = [{"type": "text-delta", "id": "t1", "delta": "Half, then "}]
    whole = b"".join(event(chunk) for chunk in rest) + event("[DONE]")
    return replace(stream([*first, *half], done=False), gate=gate, held=whole), gate


class Tabs:
    """Two tabs of one page."""

    def __init__(self, context: BrowserContext, server: FakeServer) -> None:
        self.context = context
        self.server = server
        tools = server.file("tools.py", TOOLS)
        self.address = server.page(f'<page-hand toolkit="{tools}"></page-hand>')
        self.first = self.tab()
        expect(self.remark(self.first)).to_have_count(0)

    def tab(self) -> Assistant:
        """One more."""
        page = self.context.new_page()
        page.goto(self.address)
        assistant = Assistant(page)
        assistant.wait_ready()
        return assistant

    def follower(self) -> Assistant:
        """One more, which follows."""
        tab = self.tab()
        self.follows(tab)
        return tab

    def remark(self, tab: Assistant) -> Any:
        return tab.element.locator('[data-part=notice][data-code="elsewhere"]')

    def follows(self, tab: Assistant) -> None:
        expect(self.remark(tab)).to_contain_text("open in another tab")
        expect(tab.part("new-chat")).to_be_disabled()

    def leads(self, tab: Assistant) -> None:
        expect(self.remark(tab)).to_have_count(0)
        expect(tab.part("new-chat")).to_be_enabled()


@pytest.fixture
def tabs(context: BrowserContext, watch: object, fake_server: FakeServer) -> Tabs:
    return Tabs(context, fake_server)


def test_the_second_tab_follows_live(tabs: Tabs) -> None:
    reply, gate = held("whole")
    tabs.server.answer(reply)
    second = tabs.follower()
    tabs.first.say("Ask in the first")
    expect(second.questions).to_have_text("Ask in the first")
    expect(second.answers).to_have_text("Half, then")
    second.wait_status("streaming")
    gate.set()
    expect(second.answers).to_have_text("Half, then whole")
    second.wait_status("ready")
    third = tabs.follower()
    expect(third.answers).to_have_text("Half, then whole")
    assert len(tabs.server.requests) == 1


def test_a_tool_runs_in_the_leading_tab_only(tabs: Tabs) -> None:
    second = tabs.follower()
    tabs.first.page.evaluate("document.title = 'first'")
    second.page.evaluate("document.title = 'second'")
    tabs.server.answer(stream(called(("c1", "where", {}))), stream(said("Told")))
    tabs.first.say("Where?")
    expect(second.answers).to_contain_text("Told")
    expect(second.call("where")).to_have_attribute("data-state", "output-available")
    assert len(tabs.server.requests) == 2
    (part,) = tabs.server.requests[1]["messages"][1]["parts"][1:]
    assert part["output"] == "first"


def test_sending_in_the_second_tab_moves_the_lead(tabs: Tabs) -> None:
    tabs.server.answer(stream(said("One")), stream(said("Two", message_id="a2")))
    tabs.first.say("From the first")
    expect(tabs.first.answers).to_have_text("One")
    second = tabs.follower()
    second.say("From the second")
    expect(second.answers).to_have_text(["One", "Two"])
    tabs.leads(second)
    tabs.follows(tabs.first)
    expect(tabs.first.answers).to_have_text(["One", "Two"])
    ids = [body["id"] for body in tabs.server.requests]
    assert ids[0] == ids[1]
    assert [m["role"] for m in tabs.server.requests[1]["messages"]] == ["user", "assistant", "user"]
    # And back again.
    tabs.server.answer(stream(said("Three", message_id="a3")))
    tabs.first.say("Once more from the first")
    expect(second.answers).to_have_text(["One", "Two", "Three"])
    tabs.leads(tabs.first)
    tabs.follows(second)
    assert len(tabs.server.requests[2]["messages"]) == 5


def test_words_of_the_second_tab_wait_for_the_answer_of_the_first(tabs: Tabs) -> None:
    reply, gate = held("whole")
    tabs.server.answer(reply, stream(said("Next", message_id="a2")))
    second = tabs.follower()
    tabs.first.say("One")
    expect(second.answers).to_have_text("Half, then")
    second.say("Two")
    expect(second.element.locator(".ph-queued")).to_contain_text("Two")
    assert len(tabs.server.requests) == 1
    gate.set()
    expect(second.answers).to_have_text(["Half, then whole", "Next"])
    expect(tabs.first.answers).to_have_text(["Half, then whole", "Next"])
    expect(second.element.locator(".ph-queued")).to_be_hidden()
    assert len(tabs.server.requests) == 2


def test_stop_in_the_second_tab_stops_the_first(tabs: Tabs) -> None:
    second = tabs.follower()
    tabs.server.answer(stream(called(("c1", "wait-long", {}))))
    tabs.first.say("Wait")
    expect(second.call("wait-long")).to_contain_text("In the other tab")
    expect(second.part("stop")).to_be_visible()
    second.part("stop").click()
    expect(tabs.first.call("wait-long")).to_have_attribute("data-state", "output-error")
    expect(second.call("wait-long")).to_have_attribute("data-state", "output-error")
    second.wait_status("ready")
    assert len(tabs.server.requests) == 1


def test_the_second_tab_takes_over_when_the_first_closes(tabs: Tabs) -> None:
    tabs.server.answer(stream(said("One")))
    second = tabs.follower()
    tabs.first.say("Hello")
    expect(second.answers).to_have_text("One")
    tabs.first.page.close()
    tabs.leads(second)
    tabs.server.answer(stream(said("Two", message_id="a2")))
    second.say("Still there?")
    expect(second.answers).to_have_text(["One", "Two"])
    assert len(tabs.server.requests[1]["messages"]) == 3
    assert tabs.server.requests[0]["id"] == tabs.server.requests[1]["id"]


def test_an_answer_that_dies_with_its_tab_is_asked_anew_in_the_other(tabs: Tabs) -> None:
    reply, gate = held("whole")
    tabs.server.answer(reply)
    second = tabs.follower()
    tabs.first.say("Hello")
    expect(second.answers).to_have_text("Half, then")
    tabs.first.page.close()
    tabs.leads(second)
    expect(second.part("error")).to_contain_text("cut off")
    gate.set()
    tabs.server.answer(stream(said("Anew", message_id="a2")))
    second.part("error").locator('[data-action="retry"]').click()
    expect(second.answers).to_have_text("Anew")
    assert len(tabs.server.requests) == 2


def test_a_running_call_is_a_choice_in_the_tab_that_takes_over(tabs: Tabs) -> None:
    tabs.server.answer(stream(called(("c1", "wait-long", {}))))
    second = tabs.follower()
    tabs.first.say("Wait")
    expect(second.call("wait-long")).to_contain_text("In the other tab")
    expect(second.part("choice")).to_have_count(0)
    tabs.first.page.close()
    expect(second.part("choice")).to_be_visible()
    assert len(tabs.server.requests) == 1


def test_a_card_is_answered_where_the_lead_is(tabs: Tabs) -> None:
    tabs.server.answer(stream(called(("c1", "ask-me", {"text": "?"}))))
    second = tabs.follower()
    tabs.first.say("Ask me")
    yes = '[data-action="confirm"]'
    expect(tabs.first.call("ask-me").locator(yes)).to_be_visible()
    expect(second.call("ask-me")).to_contain_text("In the other tab")
    expect(second.call("ask-me").locator(yes)).to_have_count(0)
    tabs.remark(second).locator('[data-action="here"]').click()
    expect(second.call("ask-me").locator(yes)).to_be_visible()
    expect(tabs.first.call("ask-me").locator(yes)).to_have_count(0)
    tabs.server.answer(stream(said("Thanks")))
    second.call("ask-me").locator(yes).click()
    expect(second.answers).to_contain_text("Thanks")
    expect(tabs.first.answers).to_contain_text("Thanks")
    assert len(tabs.server.requests) == 2
    part = tabs.server.requests[1]["messages"][1]["parts"][1]
    assert part["output"] == {"said": "yes"}


def test_three_tabs_and_the_one_that_asks_gets_the_lead(tabs: Tabs) -> None:
    tabs.server.answer(stream(said("One")))
    tabs.first.say("Hello")
    expect(tabs.first.answers).to_have_text("One")
    second, third = tabs.follower(), tabs.follower()
    tabs.server.answer(stream(said("Two", message_id="a2")))
    third.say("From the third")
    for tab in (tabs.first, second, third):
        expect(tab.answers).to_have_text(["One", "Two"])
    tabs.leads(third)
    tabs.follows(tabs.first)
    tabs.follows(second)
    assert len(tabs.server.requests) == 2


def test_another_conversation_is_followed_too(tabs: Tabs) -> None:
    tabs.server.answer(stream(said("One")))
    second = tabs.follower()
    tabs.first.say("Old words")
    expect(second.answers).to_have_text("One")
    tabs.first.part("new-chat").click()
    expect(second.answers).to_have_count(0)
    tabs.server.answer(stream(said("Two", message_id="a2")))
    tabs.first.say("New words")
    expect(second.questions).to_have_text("New words")
    expect(second.answers).to_have_text("Two")


def test_in_chinese(context: BrowserContext, watch: object, fake_server: FakeServer) -> None:
    address = fake_server.page('<page-hand lang="zh-CN"></page-hand>')
    for _ in range(2):
        page: Page = context.new_page()
        page.goto(address)
        Assistant(page).wait_ready()
    remark = page.locator('[data-part=notice][data-code="elsewhere"]')
    expect(remark).to_contain_text("此对话已在另一个标签页中打开")
    expect(remark.locator('[data-action="here"]')).to_have_text("在此处使用")


def test_words_that_wait_in_a_tab_that_follows_become_its_draft(tabs: Tabs) -> None:
    reply, gate = held("whole")
    tabs.server.answer(reply)
    second = tabs.follower()
    tabs.first.say("One")
    expect(second.answers).to_have_text("Half, then")
    second.say("Two")
    expect(second.element.locator(".ph-queued")).to_contain_text("Two")
    second.page.reload()
    second.wait_ready()
    tabs.follows(second)
    expect(second.textarea).to_have_value("Two")
    gate.set()
    expect(second.answers).to_have_text("Half, then whole")
    assert len(tabs.server.requests) == 1


def test_why_an_answer_failed_is_said_in_the_tabs_that_follow_too(tabs: Tabs) -> None:
    second = tabs.follower()
    tabs.server.answer(Reply(500, b'{"message": "The model is away"}', "application/json"))
    tabs.first.say("Hello")
    expect(second.part("error")).to_contain_text("The model is away")
    third = Assistant(tabs.context.new_page())  # a tab that comes later
    third.page.goto(tabs.address)
    for tab in (tabs.first, second, third):
        expect(tab.part("error")).to_contain_text("The server has a problem")
        expect(tab.part("error")).to_contain_text("The model is away")
        tab.wait_status("error")
        assert tab.get("error") == {"code": "http", "message": "The model is away"}
    again = '[data-action="retry"]'
    expect(second.part("error").locator(again)).to_be_hidden()
    shown = second.part("error").element_handle()
    tabs.server.answer(stream(said("Here")))
    tabs.first.part("error").locator(again).click()
    for tab in (tabs.first, second, third):
        expect(tab.answers).to_have_text("Here")
        expect(tab.part("error")).to_have_count(0)
        assert tab.get("error") is None
    assert not shown.evaluate("error => error.isConnected")


def test_a_failed_answer_is_asked_anew_in_the_tab_that_takes_over(tabs: Tabs) -> None:
    second = tabs.follower()
    tabs.server.answer(Reply(500, b'{"message": "The model is away"}', "application/json"))
    tabs.first.say("Hello")
    expect(second.part("error")).to_contain_text("The model is away")
    tabs.remark(second).locator('[data-action="here"]').click()
    tabs.leads(second)
    tabs.server.answer(stream(said("Here")))
    second.part("error").locator('[data-action="retry"]').click()
    expect(second.answers).to_have_text("Here")
    expect(tabs.first.answers).to_have_text("Here")
