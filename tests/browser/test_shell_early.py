"""Before Python is there: the composer takes typing, keeps it, and says how far the start is."""

from __future__ import annotations

import re
import threading

import pytest
from playwright.sync_api import Page, Route, expect

from browser.support.element import Assistant, events, record_events
from browser.support.fake_server import FakeServer, said, stream

pytestmark = pytest.mark.browser


@pytest.fixture
def python(fake_server: FakeServer) -> threading.Event:
    """Python does not come before this is set."""
    return fake_server.hold(".wasm")


def test_typing_works_before_python_and_is_sent_when_ready(
    page: Page, fake_server: FakeServer, python: threading.Event
) -> None:
    fake_server.answer(stream(said("Hello yourself")))
    record_events(page)
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)

    assistant.say("Hello")
    assistant.textarea.type("and a draft")
    pending = assistant.part("pending")
    expect(pending).to_have_text("Hello")
    expect(assistant.textarea).to_have_value("and a draft")
    assert assistant.get("status") == "booting"
    assert fake_server.requests == []

    python.set()
    assistant.wait_ready()
    expect(assistant.answers).to_have_text("Hello yourself")
    expect(pending).to_be_empty()
    expect(assistant.questions).to_contain_text("Hello")
    expect(assistant.textarea).to_have_value("and a draft")
    assert fake_server.requests[0]["messages"][0]["parts"] == [{"type": "text", "text": "Hello"}]
    assert [kind for kind, _ in events(page)][:3] == ["status", "status", "ready"]


def test_what_was_said_early_survives_a_reload(
    page: Page, fake_server: FakeServer, python: threading.Event
) -> None:
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.say("said early")
    assistant.textarea.type("half a thought")
    page.reload()
    python.set()
    assistant.wait_ready()
    expect(assistant.textarea).to_have_value("said early\nhalf a thought")
    assert fake_server.requests == []


def test_a_database_that_never_answers_does_not_hold_up_the_start(
    page: Page, fake_server: FakeServer
) -> None:
    fake_server.answer(stream(said("Here")))
    page.add_init_script("IDBFactory.prototype.open = () => ({})")
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("Hello")
    expect(assistant.answers).to_have_text("Here")


def test_several_messages_sent_early_go_out_in_order(
    page: Page, fake_server: FakeServer, python: threading.Event
) -> None:
    fake_server.answer(stream(said("First", message_id="a1")))
    fake_server.answer(stream(said("Second", message_id="a2")))
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.say("one")
    assistant.say("two")
    python.set()
    assistant.wait_ready()
    expect(assistant.answers).to_have_text(["First", "Second"])
    texts = [request["messages"][-1]["parts"][0]["text"] for request in fake_server.requests]
    assert texts == ["one", "two"]


def test_shell_is_there_long_before_python(
    page: Page, fake_server: FakeServer, python: threading.Event
) -> None:
    page.goto(fake_server.page("<page-hand></page-hand>"), wait_until="commit")
    assistant = Assistant(page)
    expect(assistant.textarea).to_be_visible()
    expect(assistant.textarea).to_be_editable()
    bar = assistant.part("boot")
    expect(bar).to_have_role("progressbar")
    expect(bar).to_have_accessible_name("Starting")
    expect(bar).to_have_attribute("aria-valuetext", re.compile("Loading Python"))


def test_progress_moves_and_goes_when_ready(page: Page, fake_server: FakeServer) -> None:
    page.add_init_script(
        """window.__values = new Set();
        customElements.whenDefined("page-hand").then(() => {
          const element = document.querySelector("page-hand");
          new MutationObserver(() => {
            const bar = element.shadowRoot.querySelector("[data-part=boot]");
            __values.add(Number(bar.getAttribute("aria-valuenow")));
          }).observe(element.shadowRoot, { subtree: true, attributes: true });
        });"""
    )
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.wait_ready()
    values = page.evaluate("[...__values]")
    assert values == sorted(values), "progress never goes back"
    assert len(values) > 3
    expect(assistant.part("boot")).to_be_hidden()


def test_missing_runtime_file_is_named_and_retry_works(page: Page, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("Here I am")))
    fake_server.missing.add(".wasm")
    record_events(page)
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.say("Are you there?")
    error = assistant.part("boot-error")
    expect(error).to_contain_text("pyodide.asm.wasm is missing on the server", timeout=30_000)
    expect(error).to_contain_text("What you wrote is kept")
    expect(error).to_have_attribute("role", "alert")
    assert assistant.get("status") == "error"
    assert assistant.get("error")["code"] == "missing-file"
    assert events(page, "error")[0]["code"] == "missing-file"

    fake_server.missing.clear()
    error.get_by_role("button").click()
    expect(assistant.answers).to_have_text("Here I am", timeout=60_000)
    expect(error).to_be_hidden()
    assert assistant.get("error") is None


def test_a_module_that_failed_once_is_had_by_trying_again(
    page: Page, fake_server: FakeServer
) -> None:
    failed: list[str] = []

    def once(route: Route) -> None:
        if failed:
            route.continue_()
        else:
            failed.append(route.request.url)
            route.abort()

    page.route(lambda url: url.split("?")[0].endswith("/static/runtime.js"), once)
    fake_server.answer(stream(said("Here I am")))
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    error = assistant.part("boot-error")
    expect(error).to_contain_text("runtime.js")
    assert len(failed) == 1
    error.get_by_role("button").click()
    assistant.wait_ready()
    assistant.say("Are you there?")
    expect(assistant.answers).to_have_text("Here I am")
