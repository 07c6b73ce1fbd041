"""Several conversations in one element: new, the list, search, rename, delete and undo."""

from __future__ import annotations

import re
import threading
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, said, stream

pytestmark = pytest.mark.browser


# What a browser says where the disk is full.
FULL = """() => {
  IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
}"""


class Talk(Assistant):
    """An element with several conversations."""

    def __init__(self, page: Page, server: FakeServer, body: str = "<page-hand></page-hand>"):
        super().__init__(page)
        self.server = server
        page.goto(server.page(body))
        self.wait_ready()

    @property
    def list(self) -> Locator:
        return self.part("thread-list")

    @property
    def rows(self) -> Locator:
        return self.list.locator(".ph-thread-row")

    @property
    def titles(self) -> Locator:
        return self.list.locator(".ph-thread-title")

    def ask(self, text: str, answer: str) -> None:
        """One question and its answer."""
        self.server.answer(stream(said(answer, message_id=f"a-{answer}")))
        self.say(text)
        expect(self.answers.last).to_have_text(answer)
        self.wait_status("ready")

    def new(self) -> None:
        """Another conversation."""
        self.part("new-chat").click()
        expect(self.questions).to_have_count(0)

    def open(self) -> None:
        """The list."""
        self.part("threads").click()
        expect(self.list).to_be_visible()

    def tool(self, row: int, name: str) -> None:
        """Presses a row's button."""
        self.rows.nth(row).hover()
        self.rows.nth(row).locator(f'[data-action="{name}"]').click()


@pytest.fixture
def talk(page: Page, fake_server: FakeServer) -> Talk:
    return Talk(page, fake_server)


def test_conversations_are_listed_opened_and_kept_over_a_reload(talk: Talk) -> None:
    talk.ask("First question", "One")
    talk.new()
    talk.ask("Second question", "Two")
    talk.open()
    expect(talk.titles).to_have_text(["Second question", "First question"])
    expect(talk.rows.first).to_have_attribute("data-current", "true")
    talk.titles.nth(1).click()
    expect(talk.list).to_have_count(0)
    expect(talk.answers).to_have_text("One")
    expect(talk.textarea).to_be_focused()
    talk.page.reload()
    talk.wait_ready()
    expect(talk.answers).to_have_text("One")
    talk.open()
    expect(talk.titles).to_have_text(["Second question", "First question"])
    expect(talk.rows.nth(1)).to_have_attribute("data-current", "true")
    talk.titles.first.click()
    expect(talk.answers).to_have_text("Two")
    talk.ask("Third question", "Three")
    ids = [body["id"] for body in talk.server.requests]
    assert ids[0] != ids[1] == ids[2]
    assert [m["role"] for m in talk.server.requests[2]["messages"]] == ["user", "assistant", "user"]


def test_a_conversation_is_deleted_and_brought_back(talk: Talk) -> None:
    talk.ask("Keep me", "One")
    talk.new()
    talk.ask("Delete me", "Two")
    talk.open()
    talk.tool(1, "delete")
    expect(talk.titles).to_have_text(["Delete me"])
    talk.list.locator('[data-action="undo"]').click()
    expect(talk.titles).to_have_text(["Delete me", "Keep me"])
    talk.tool(0, "delete")
    expect(talk.titles).to_have_text(["Keep me"])
    expect(talk.questions).to_have_count(0)
    expect(talk.list.get_by_role("status").last).to_contain_text("Deleted: Delete me")
    talk.page.keyboard.press("Escape")
    expect(talk.part("threads")).to_be_focused()
    talk.page.reload()
    talk.wait_ready()
    assert talk.get("messages") == []
    talk.open()
    expect(talk.titles).to_have_text(["Keep me"])


def test_titles_are_changed_and_words_are_found(talk: Talk) -> None:
    talk.ask("About water", "The sea is blue")
    talk.new()
    talk.ask("About meadows", "Grass is green")
    talk.open()
    talk.tool(1, "rename")
    field = talk.list.locator(".ph-thread-field")
    expect(field).to_be_focused()
    field.fill("  My   sea ")
    field.press("Enter")
    expect(talk.titles).to_have_text(["About meadows", "My sea"])
    talk.tool(0, "rename")
    talk.list.locator(".ph-thread-field").fill("My meadow")
    talk.list.locator(".ph-thread-field").press("Enter")
    expect(talk.titles).to_have_text(["My meadow", "My sea"])
    talk.tool(0, "rename")
    talk.list.locator(".ph-thread-field").fill("Other")
    talk.list.locator(".ph-thread-field").press("Escape")
    expect(talk.titles).to_have_text(["My meadow", "My sea"])
    search = talk.list.get_by_role("searchbox")
    search.fill("BLUE")
    expect(talk.titles).to_have_text(["My sea"])
    search.fill("nothing of that")
    expect(talk.list).to_contain_text("No conversation holds these words")
    search.fill("")
    expect(talk.titles).to_have_count(2)
    talk.page.reload()
    talk.wait_ready()
    talk.open()
    expect(talk.titles).to_have_text(["My meadow", "My sea"])


def test_the_list_by_keyboard(talk: Talk) -> None:
    talk.ask("First", "One")
    talk.new()
    talk.ask("Second", "Two")
    keyboard = talk.page.keyboard
    talk.part("threads").press("Enter")
    current = talk.list.locator("[aria-current]")
    expect(current).to_be_focused()
    expect(talk.part("threads")).to_have_attribute("aria-expanded", "true")
    keyboard.press("ArrowUp")
    expect(talk.list.get_by_role("searchbox")).to_be_focused()
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    expect(talk.list.locator(".ph-thread").nth(1)).to_be_focused()
    keyboard.press("F2")
    expect(talk.list.locator(".ph-thread-field")).to_be_focused()
    keyboard.type("New name")
    keyboard.press("Enter")
    expect(talk.titles.nth(1)).to_have_text("New name")
    expect(talk.list.locator(".ph-thread").nth(1)).to_be_focused()
    keyboard.press("Delete")
    expect(talk.titles).to_have_text(["Second"])
    expect(talk.list.locator(".ph-thread").first).to_be_focused()
    talk.list.locator('[data-action="undo"]').press("Enter")
    expect(talk.titles).to_have_count(2)
    keyboard.press("Enter")
    expect(talk.list).to_have_count(0)
    expect(talk.answers).to_have_text("One")
    talk.part("threads").press("Enter")
    expect(talk.list).to_be_visible()
    keyboard.press("Escape")
    expect(talk.list).to_have_count(0)
    expect(talk.part("threads")).to_be_focused()


def test_a_press_elsewhere_closes_the_list(talk: Talk) -> None:
    talk.open()
    expect(talk.list).to_contain_text("No conversations yet")
    talk.part("thread").click(position={"x": 20, "y": 300})
    expect(talk.list).to_have_count(0)
    talk.open()
    talk.part("threads").click()
    expect(talk.list).to_have_count(0)


def test_escape_in_the_list_leaves_a_floating_panel_open(
    page: Page, fake_server: FakeServer
) -> None:
    talk = Talk(page, fake_server, '<page-hand mode="modal"></page-hand>')
    talk.part("launcher").click()
    talk.open()
    page.keyboard.press("Escape")
    expect(talk.list).to_have_count(0)
    expect(talk.part("panel")).to_be_visible()
    page.keyboard.press("Escape")
    expect(talk.part("panel")).to_be_hidden()


def test_lists_belong_to_their_names(page: Page, fake_server: FakeServer) -> None:
    talk = Talk(page, fake_server, '<page-hand thread="a"></page-hand>')
    talk.ask("Only in A", "One")
    talk.new()
    page.evaluate("document.querySelector('page-hand').setAttribute('thread', 'b')")
    talk.open()
    expect(talk.list).to_contain_text("No conversations yet")
    page.evaluate("document.querySelector('page-hand').setAttribute('thread', 'a')")
    expect(talk.list).to_have_count(0)
    talk.open()
    expect(talk.titles).to_have_text(["Only in A"])


def test_nothing_kept_has_no_list(page: Page, fake_server: FakeServer) -> None:
    talk = Talk(page, fake_server, '<page-hand thread=""></page-hand>')
    expect(talk.part("threads")).to_be_hidden()
    talk.ask("Forget me", "One")
    talk.new()
    assert talk.get("messages") == []


def test_clear_forgets_and_new_does_not(talk: Talk) -> None:
    talk.ask("Kept", "One")
    talk.new()
    talk.ask("Cleared", "Two")
    talk.element.evaluate("element => element.clear()")
    expect(talk.questions).to_have_count(0)
    talk.open()
    expect(talk.titles).to_have_text(["Kept"])


def test_words_that_wait_go_back_to_the_field_when_the_conversation_is_left(talk: Talk) -> None:
    gate = threading.Event()
    half = replace(stream(said("Half")[:4], done=False), gate=gate)
    talk.server.answer(half)
    talk.say("First")
    expect(talk.answers).to_have_text("Half")
    talk.say("Second")
    expect(talk.element.locator(".ph-queued")).to_contain_text("Second")
    talk.open()
    expect(talk.list).to_contain_text("Opening another conversation stops the answer")
    talk.new()
    gate.set()
    expect(talk.textarea).to_have_value("Second")
    expect(talk.element.locator(".ph-queued")).to_be_hidden()
    assert len(talk.server.requests) == 1
    talk.open()
    expect(talk.titles).to_have_text(["First"])


def test_the_list_in_chinese(page: Page, fake_server: FakeServer) -> None:
    talk = Talk(page, fake_server, '<page-hand lang="zh-CN"></page-hand>')
    talk.ask("第一个问题", "一")
    expect(talk.part("threads")).to_have_attribute("aria-label", "对话列表")
    talk.open()
    expect(talk.list.locator('[data-action="delete"]')).to_have_attribute(
        "aria-label", "删除“第一个问题”"
    )
    expect(talk.list.locator("time")).to_have_text(re.compile(r"^\d\d:\d\d$"))


def test_a_real_edit_shows_the_new_words(talk: Talk) -> None:
    talk.ask("Hello", "One")
    talk.server.answer(stream(said("Two", message_id="a2")))
    question = talk.questions.first
    question.hover()
    question.locator('[data-action="edit"]').click()
    editor = question.locator("textarea")
    editor.fill("Hi to you all")
    question.locator('[data-action="save-edit"]').click()
    expect(talk.answers).to_have_text("Two")
    expect(question.locator(".ph-text")).to_have_text("Hi to you all")


@pytest.mark.parametrize(
    ("language", "words"), [("en", "no room to keep “First”"), ("zh-CN", "没有空间保存“First”")]
)
def test_a_conversation_that_cannot_be_put_away_is_told_and_stays_for_this_visit(
    page: Page, fake_server: FakeServer, language: str, words: str
) -> None:
    talk = Talk(page, fake_server, f'<page-hand lang="{language}"></page-hand>')
    talk.ask("First", "One " * 400)
    page.evaluate(FULL)
    talk.new()
    remark = talk.element.locator('[data-part=notice][data-code="no-room"]')
    expect(remark).to_contain_text(words)
    talk.open()
    talk.titles.get_by_text("First").click()
    expect(talk.answers).to_contain_text("One One")
    page.reload()  # the last words of the page are kept elsewhere
    talk.wait_ready()
    expect(talk.answers).to_contain_text("One One")
