"""An element's life: reloads, moves, leaving and coming back, and nothing left behind."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, said, stream

pytestmark = pytest.mark.browser


def test_conversation_and_draft_survive_a_reload(page: Page, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("I remember")))
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("Remember me")
    expect(assistant.answers).to_have_text("I remember")
    assistant.textarea.type("half a thought")
    page.reload()
    assistant.wait_ready()
    expect(assistant.questions).to_contain_text("Remember me")
    expect(assistant.answers).to_contain_text("I remember")
    expect(assistant.textarea).to_have_value("half a thought")

    fake_server.answer(stream(said("Still here", message_id="a2")))
    assistant.textarea.press("Enter")
    expect(assistant.answers).to_have_count(2)
    assert [m["role"] for m in fake_server.requests[1]["messages"]] == ["user", "assistant", "user"]
    page.reload()
    assistant.wait_ready()
    expect(assistant.answers).to_have_count(2)
    expect(assistant.textarea).to_have_value("")


def test_empty_thread_name_keeps_nothing(page: Page, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("Gone soon")))
    page.goto(fake_server.page('<page-hand thread=""></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("Forget me")
    expect(assistant.answers).to_have_text("Gone soon")
    page.reload()
    assistant.wait_ready()
    assert assistant.get("messages") == []


def test_threads_of_different_names_are_apart(page: Page, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("To A")))
    body = '<page-hand id="a" thread="a"></page-hand><page-hand id="b" thread="b"></page-hand>'
    page.goto(fake_server.page(body))
    a, b = Assistant(page, "#a"), Assistant(page, "#b")
    a.wait_ready()
    b.wait_ready()
    a.say("Only to A")
    expect(a.answers).to_have_text("To A")
    assert b.get("messages") == []
    page.reload()
    a.wait_ready()
    b.wait_ready()
    expect(a.answers).to_have_text("To A")
    assert b.get("messages") == []


def test_two_elements_share_one_runtime(page: Page, fake_server: FakeServer) -> None:
    wasm: list[str] = []
    page.on("request", lambda r: wasm.append(r.url) if r.url.endswith(".asm.wasm") else None)
    page.goto(fake_server.page('<page-hand id="a"></page-hand><page-hand id="b"></page-hand>'))
    for name in ("#a", "#b"):
        Assistant(page, name).wait_ready()
    assert len(wasm) == 1


def test_moving_an_element_keeps_it_running(page: Page, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("Before")), stream(said("After", message_id="a2")))
    page.goto(fake_server.page('<div id="from"><page-hand></page-hand></div><div id="to"></div>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("one")
    expect(assistant.answers).to_have_text("Before")
    assistant.textarea.fill("draft")
    page.evaluate("document.getElementById('to').append(document.querySelector('page-hand'))")
    expect(assistant.textarea).to_have_value("draft")
    assert assistant.get("status") == "ready"
    assistant.textarea.press("Enter")
    expect(assistant.answers).to_have_text(["Before", "After"])


def test_leaving_stops_the_answer_and_coming_back_shows_it(
    page: Page, fake_server: FakeServer
) -> None:
    fake_server.answer(stream(said("Whole answer")))
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("one")
    expect(assistant.answers).to_have_text("Whole answer")
    page.evaluate("window.__away = document.querySelector('page-hand'); __away.remove()")
    page.evaluate("new Promise(done => setTimeout(done))")
    assert page.evaluate("__away.status") == "booting"
    page.evaluate("document.body.append(__away)")
    assistant.wait_ready()
    expect(assistant.answers).to_have_text("Whole answer")


ROUNDS = """async (rounds) => {
  for (let round = 0; round < rounds; round++) {
    const element = document.createElement("page-hand");
    element.setAttribute("thread", "");
    document.body.append(element);
    await element.whenReady();
    element.remove();
    await new Promise((done) => setTimeout(done, 20));
  }
}"""

COUNTS = """async () => {
  const { startRuntime } = await import("/static/runtime.js");
  const pyodide = await startRuntime({});
  const inner = pyodide._module;
  if (!inner.pyproxy_alloc_map) inner.enable_pyproxy_allocation_tracing();
  await pyodide.runPythonAsync("import gc, asyncio; await asyncio.sleep(0.8); gc.collect()");
  return { proxies: inner.pyproxy_alloc_map.size, references: inner._hiwire_num_refs() };
}"""


def test_mounting_leaves_nothing_behind(page: Page, fake_server: FakeServer) -> None:
    page.goto(fake_server.page('<page-hand id="first" thread=""></page-hand>'))
    Assistant(page, "#first").wait_ready()
    page.evaluate(COUNTS)
    page.evaluate(ROUNDS, 3)
    counts = []
    for _ in range(2):
        page.evaluate(ROUNDS, 50)
        counts.append(page.evaluate(COUNTS))
    assert counts[0] == counts[1]
