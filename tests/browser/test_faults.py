"""When the server misbehaves: a clear message in the page, nothing lost, and retry works."""

from __future__ import annotations

import socket

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, Reply, called, event, said, stream

pytestmark = pytest.mark.browser

TOOLKIT = '''
from pagehand import Toolkit

toolkit = Toolkit()
ran = []

@toolkit.tool("count", risk="safe")
def count() -> int:
    """Counts how often it ran."""
    ran.append(1)
    return len(ran)
'''


@pytest.fixture
def assistant(page: Page, fake_server: FakeServer) -> Assistant:
    fake_server.file("t.py", TOOLKIT)
    page.goto(fake_server.page('<page-hand toolkit="/made/t.py"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    return assistant


def error_of(assistant: Assistant) -> Locator:
    error = assistant.part("error")
    expect(error).to_be_visible()
    expect(error).to_have_attribute("role", "alert")
    return error


def retry(assistant: Assistant) -> None:
    assistant.element.locator('[data-part="error"] [data-action="retry"]').click()


def question_is_kept(assistant: Assistant, text: str) -> None:
    expect(assistant.questions).to_have_count(1)
    expect(assistant.questions).to_contain_text(text)


FAULTS = {
    "html": (
        Reply(body=b"<!doctype html><html><body>Login</body></html>", content_type="text/html"),
        "not-a-stream",
    ),
    "html-as-stream": (Reply(body=b"<!doctype html><html><body>Hi</body></html>"), "not-a-stream"),
    "json": (Reply(body=b'{"ok": true}', content_type="application/json"), "not-a-stream"),
    "empty": (Reply(body=b""), "not-a-stream"),
    "204": (Reply(204, b""), "not-a-stream"),
    "400": (
        Reply(400, b'{"message": "clientTools.add: write a description."}', "application/json"),
        "http",
    ),
    "500": (Reply(500, b"<h1>Internal Server Error</h1>", "text/html"), "http"),
    "cut": (Reply(body=b"".join(map(event, said("Half of the")[:4]))).cut(), "network"),
    "no-finish": (stream(said("Half of the")[:4], done=False), "interrupted"),
    "error-chunk": (
        stream(
            [{"type": "start", "messageId": "a1"}, {"type": "error", "errorText": "No credit."}]
        ),
        "server",
    ),
}
WORDS = {
    "400": "clientTools.add: write a description.",
    "error-chunk": "No credit.",
    "no-finish": "The answer was cut off",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_told_nothing_is_lost_and_retry_works(
    assistant: Assistant, fake_server: FakeServer, fault: str
) -> None:
    reply, code = FAULTS[fault]
    fake_server.answer(reply, stream(said("Now it works", message_id="a2")))
    assistant.say("Please answer")
    error = error_of(assistant)
    assert assistant.get("status") == "error"
    told = assistant.get("error")
    assert told["code"] == code
    assert told["message"].strip()
    expect(error).to_contain_text(WORDS.get(fault, told["message"][:20]))
    question_is_kept(assistant, "Please answer")

    retry(assistant)
    expect(assistant.answers.last).to_contain_text("Now it works")
    expect(assistant.part("error")).to_have_count(0)
    question_is_kept(assistant, "Please answer")
    assistant.wait_status("ready")
    assert assistant.get("error") is None
    posted = fake_server.requests[-1]["messages"]
    assert [m["parts"][0]["text"] for m in posted if m["role"] == "user"] == ["Please answer"]


def test_server_that_is_down_and_comes_back(page: Page, fake_server: FakeServer) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/chat"
    page.goto(fake_server.page(f'<page-hand endpoint="{nobody}"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("Anybody there?")
    error_of(assistant)
    assert assistant.get("error")["code"] == "network"
    question_is_kept(assistant, "Anybody there?")

    fake_server.answer(stream(said("Yes")))
    assistant.element.evaluate(
        "(e, url) => e.setAttribute('endpoint', url)", fake_server.url + "/chat"
    )
    retry(assistant)
    expect(assistant.answers).to_have_text("Yes")
    question_is_kept(assistant, "Anybody there?")


def test_question_of_a_failed_request_survives_a_reload(
    page: Page, assistant: Assistant, fake_server: FakeServer
) -> None:
    fake_server.answer(Reply(500, b"down", "text/plain"))
    assistant.say("Keep me")
    error_of(assistant)
    page.reload()
    assistant.wait_ready()
    question_is_kept(assistant, "Keep me")


def test_stream_cut_after_a_call_runs_nothing_twice(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    """The call had no end of its step, so it never ran; the retry's own call runs once."""
    head = b"".join(map(event, called(("c1", "count", {}))[:-2]))
    fake_server.answer(
        Reply(body=head).cut(),
        stream(called(("c2", "count", {}), message_id="a2")),
        stream(said("Once", message_id="a2")),
    )
    assistant.say("Count")
    error_of(assistant)
    retry(assistant)
    expect(assistant.answers.last).to_contain_text("Once")
    assistant.wait_status("ready")
    outputs = [
        part["output"]
        for part in fake_server.requests[2]["messages"][-1]["parts"]
        if part["type"] == "tool-count" and part["state"] == "output-available"
    ]
    assert outputs == [1]


def test_continuation_that_fails_keeps_the_result_and_retries_only_the_request(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    fake_server.answer(
        stream(called(("c1", "count", {}))),
        Reply(500, b"down", "text/plain"),
        stream(said("It ran once.")),
    )
    assistant.say("Count")
    error_of(assistant)
    retry(assistant)
    expect(assistant.answers.last).to_contain_text("It ran once.")
    assistant.wait_status("ready")
    part = next(p for p in fake_server.requests[2]["messages"][-1]["parts"] if "output" in p)
    assert part["output"] == 1
    assert len(assistant.get("log")) == 1


def test_busy_server_is_asked_again_when_it_said(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    busy = Reply(
        429, b'{"message": "Too many requests."}', "application/json", {"retry-after": "0"}
    )
    fake_server.answer(busy, stream(said("Now I have time")))
    assistant.say("Please answer")
    expect(assistant.answers).to_have_text("Now I have time")
    question_is_kept(assistant, "Please answer")
    assert len(fake_server.requests) == 2


def test_static_host_without_fallback_says_what_is_missing(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    fake_server.answer(Reply(405, b"", "text/html"))
    assistant.say("Hello")
    error_of(assistant)
    assert assistant.get("error")["code"] == "http"


@pytest.mark.parametrize("status", [404, 405, 501])
def test_static_host_with_fallback_answers_with_the_demo_model(
    page: Page, fake_server: FakeServer, status: int
) -> None:
    fake_server.always = Reply(status, b"<h1>no</h1>", "text/html")
    page.goto(fake_server.page('<page-hand fallback="demo"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("Hello")
    expect(assistant.answers.first).to_be_visible()
    assistant.wait_status("ready", timeout=30_000)
    expect(assistant.part("notice")).to_contain_text("built-in demo model")
    assert len(fake_server.requests) == 1
