"""Two elements in one page speak two languages, also in what their tools ask and answer."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, called, said, stream

pytestmark = pytest.mark.browser

BODY = """<h1>Shop</h1><button id=del>Delete</button>
<page-hand id=en lang=en thread=one></page-hand>
<page-hand id=zh lang=zh-CN thread=two></page-hand>"""


@pytest.fixture
def both(page: Page, fake_server: FakeServer) -> tuple[Assistant, Assistant]:
    page.goto(fake_server.page(BODY))
    english, chinese = Assistant(page, "#en"), Assistant(page, "#zh")
    english.wait_ready()
    chinese.wait_ready()
    return english, chinese


def test_each_element_asks_and_answers_in_its_own_language(
    both: tuple[Assistant, Assistant], fake_server: FakeServer
) -> None:
    words = (("Click “Delete”?", "Clicked “Delete”"), ("点击“Delete”？", "已点击“Delete”"))
    for assistant, (question, answer) in zip(both, words, strict=True):
        fake_server.answer(
            stream(called(("c1", "click", {"target": "Delete"}))), stream(said("So it is."))
        )
        assistant.say("Go")
        dialog = assistant.part("confirmation")
        expect(dialog).to_contain_text(question)
        dialog.locator('[data-action="confirm"][aria-disabled="false"]').click()
        expect(assistant.answers.last).to_contain_text("So it is.")
        parts = fake_server.requests[-1]["messages"][-1]["parts"]
        summary = next(one for one in parts if one["type"] == "tool-click")["output"]["summary"]
        assert summary.startswith(answer)
    english, chinese = both
    expect(english.call("click").locator(".ph-tool-head")).to_contain_text("Done")
    expect(chinese.call("click").locator(".ph-tool-head")).to_contain_text("完成")
    # One changes its mind: the other keeps its words.
    english.page.evaluate("document.getElementById('zh').setAttribute('lang', 'en')")
    expect(chinese.call("click").locator(".ph-tool-head")).to_contain_text("Done")
    english.page.evaluate("document.getElementById('en').setAttribute('lang', 'zh')")
    expect(english.call("click").locator(".ph-tool-head")).to_contain_text("完成")
    expect(chinese.call("click").locator(".ph-tool-head")).to_contain_text("Done")
