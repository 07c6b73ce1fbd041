"""Answers that break off, servers that ask for patience: what the person sees and can do."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, Reply, called, event, said, stream

pytestmark = pytest.mark.browser

TOOLS = """
from pagehand import Toolkit

toolkit = Toolkit()

@toolkit.tool("count-up")
def count_up() -> int:
    "Counts."
    import js
    js.window.counted = int(getattr(js.window, "counted", 0) or 0) + 1
    js.sessionStorage.setItem("counted", str(int(js.sessionStorage.getItem("counted") or 0) + 1))
    return js.window.counted
"""


def held(message_id: str = "answer-1") -> Reply:
    """Half an answer; the rest comes when its gate opens."""
    half = [
        *said("", message_id=message_id)[:3],
        {"type": "text-delta", "id": "t1", "delta": "Half"},
    ]
    rest = b"".join(event(chunk) for chunk in said(" and half")[3:]) + event("[DONE]")
    return replace(stream(half, done=False), gate=threading.Event(), held=rest)


def opened(page: Page, server: FakeServer, body: str = "<page-hand></page-hand>") -> Assistant:
    assistant = Assistant(page)
    page.goto(server.page(body))
    assistant.wait_ready()
    return assistant


def test_an_answer_cut_off_by_a_reload_says_so_and_is_asked_anew(
    page: Page, fake_server: FakeServer
) -> None:
    assistant = opened(page, fake_server)
    fake_server.answer(held())
    assistant.say("Tell me")
    expect(assistant.answers).to_have_text("Half")
    page.reload()
    assistant.wait_ready()
    expect(assistant.part("error")).to_contain_text("cut off before it was complete")
    expect(assistant.answers).to_contain_text("Half")
    fake_server.answer(stream(said("All of it", message_id="a2")))
    assistant.part("error").locator('[data-action="retry"]').click()
    expect(assistant.answers).to_have_text("All of it")
    expect(assistant.part("error")).to_have_count(0)
    assert [m["role"] for m in fake_server.requests[1]["messages"]] == ["user"]
    page.reload()
    assistant.wait_ready()
    expect(assistant.answers).to_have_text("All of it")
    expect(assistant.part("error")).to_have_count(0)


def test_a_continuation_cut_off_by_a_reload_keeps_the_result(
    page: Page, fake_server: FakeServer
) -> None:
    tools = fake_server.file("tools.py", TOOLS)
    assistant = opened(page, fake_server, f'<page-hand toolkit="{tools}"></page-hand>')
    fake_server.answer(stream(called(("c1", "count-up", {}))), held())
    assistant.say("Count")
    expect(assistant.answers).to_contain_text("Half")
    page.reload()
    assistant.wait_ready()
    expect(assistant.part("error")).to_contain_text("cut off")
    fake_server.answer(stream(said("Counted")))
    assistant.part("error").locator('[data-action="retry"]').click()
    expect(assistant.answers).to_contain_text("Counted")
    assert page.evaluate("sessionStorage.getItem('counted')") == "1"
    part = fake_server.requests[2]["messages"][1]["parts"][1]
    assert (part["state"], part["output"]) == ("output-available", 1)


def test_a_waiting_message_survives_a_reload(page: Page, fake_server: FakeServer) -> None:
    assistant = opened(page, fake_server)
    fake_server.answer(held())
    assistant.say("First")
    expect(assistant.answers).to_have_text("Half")
    assistant.say("Second")
    expect(assistant.element.locator(".ph-queued")).to_contain_text("Second")
    fake_server.answer(stream(said("To the second", message_id="a2")))
    page.reload()
    assistant.wait_ready()
    expect(assistant.questions).to_have_text(["First", "Second"])
    expect(assistant.answers.last).to_have_text("To the second")
    assert [m["role"] for m in fake_server.requests[1]["messages"]] == ["user", "assistant", "user"]


def test_last_words_are_kept_when_the_database_does_not_get_to_them(
    page: Page, fake_server: FakeServer
) -> None:
    assistant = opened(page, fake_server)
    page.evaluate(
        """() => {
          // The page goes at the moment the answer is complete, and takes the transaction along.
          IDBObjectStore.prototype.put = () => null;
          addEventListener("pagehand:status", (event) => {
            if (event.detail.status === "ready") dispatchEvent(new Event("pagehide"));
          });
        }"""
    )
    fake_server.answer(stream(said("Remembered")))
    assistant.say("Remember me")
    expect(assistant.answers).to_have_text("Remembered")
    assistant.wait_status("ready")
    page.reload()
    assistant.wait_ready()
    expect(assistant.questions).to_have_text("Remember me")
    expect(assistant.answers).to_have_text("Remembered")
    expect(assistant.part("error")).to_have_count(0)
    assistant.element.evaluate("element => element.clear()")
    page.wait_for_function("localStorage.getItem('pagehand:last:default') === null")
    page.reload()
    assistant.wait_ready()
    assert assistant.get("messages") == []


def test_a_long_wait_is_told_counted_down_and_cut_short(
    page: Page, fake_server: FakeServer
) -> None:
    assistant = opened(page, fake_server)
    busy = Reply(429, b'{"message": "Slow down."}', "application/json", {"retry-after": "600"})
    fake_server.answer(busy)
    assistant.say("Hello")
    error = assistant.part("error")
    expect(error).to_contain_text("Slow down.")
    expect(error).to_contain_text("a wait of 10 min 0 s")
    error.locator('[data-action="retry"]').click()
    notice = assistant.element.locator('[data-part=notice][data-code="waiting"]')
    expect(notice.locator("p").first).to_contain_text("sent again in 9 min")
    assert len(fake_server.requests) == 1
    notice.locator('[data-action="stop"]').click()
    assistant.wait_status("ready")
    expect(notice).to_have_count(0)
    fake_server.answer(busy, stream(said("At last")))
    assistant.say("Again")
    error.locator('[data-action="retry"]').click()
    notice.locator('[data-action="now"]').click()
    expect(assistant.answers).to_have_text("At last")
    expect(notice).to_have_count(0)


def test_a_wait_in_chinese(page: Page, fake_server: FakeServer) -> None:
    assistant = opened(page, fake_server, '<page-hand lang="zh-CN"></page-hand>')
    fake_server.answer(Reply(429, b"", "text/plain", {"retry-after": "90"}))
    assistant.say("你好")
    expect(assistant.part("error")).to_contain_text("服务器要求等待 1 分 30 秒后再试。")
    assistant.part("error").locator('[data-action="retry"]').click()
    notice = assistant.element.locator('[data-part=notice][data-code="waiting"]')
    expect(notice.locator('[data-action="now"]')).to_have_text("立即发送")
    expect(notice).to_contain_text("服务器繁忙")
    notice.locator('[data-action="stop"]').click()
    assistant.wait_status("ready")
