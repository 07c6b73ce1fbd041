"""The page and the reference backend: an answer outlives its connection, until it is stopped."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant

pytestmark = pytest.mark.browser

SCRIPT = json.dumps(
    [
        {"when": "slow", "do": [{"text": "one "}, {"delay": 3}, {"text": "two"}]},
        {"when": "endless", "do": [{"text": "on and on"}, {"delay": 60}, {"text": "never"}]},
        {"do": [{"text": "Hello."}]},
    ]
)


@pytest.fixture
def assistant(script_backend: Callable[[str], str], open_page: Callable[..., Page]) -> Assistant:
    return Assistant(open_page(script_backend(SCRIPT)))


def test_an_answer_goes_on_over_a_reload(assistant: Assistant) -> None:
    posts: list[str] = []
    assistant.page.on("request", lambda r: posts.append(r.url) if r.method == "POST" else None)
    assistant.say("slow please")
    expect(assistant.answers).to_contain_text("one")
    assistant.page.reload()
    assistant.wait_ready()
    expect(assistant.answers).to_contain_text("two")
    expect(assistant.answers).to_have_count(1)
    assistant.wait_status("ready")
    assert assistant.answers.inner_text().count("one") == 1
    expect(assistant.part("error")).to_have_count(0)
    assert len(posts) == 1


def test_an_answer_whose_connection_breaks_is_taken_up_by_itself(assistant: Assistant) -> None:
    page = assistant.page
    page.evaluate(
        """() => {
          const real = window.fetch;
          window.fetch = async (address, options) => {
            const answer = await real(address, options);
            if (options?.method !== "POST") return answer;
            // The network goes after the first bytes.
            const reader = answer.body.getReader();
            let read = false;
            const body = new ReadableStream({
              async pull(controller) {
                if (read) return controller.error(new TypeError("network error"));
                const piece = await reader.read();
                if (new TextDecoder().decode(piece.value).includes("one")) read = true;
                controller.enqueue(piece.value);
              },
            });
            return new Response(body, { status: answer.status, headers: answer.headers });
          };
        }"""
    )
    assistant.say("slow please")
    expect(assistant.answers).to_contain_text("two")
    expect(assistant.part("error")).to_have_count(0)
    expect(assistant.answers).to_have_count(1)
    assert assistant.answers.inner_text().count("one") == 1


def test_stop_ends_the_answer_on_the_server(assistant: Assistant) -> None:
    page = assistant.page
    assistant.say("endless please")
    expect(assistant.answers).to_contain_text("on and on")
    with page.expect_response(lambda r: r.request.method == "DELETE") as farewell:
        assistant.part("stop").click()
    assert farewell.value.status == 204
    assert farewell.value.url.endswith("/stream")
    assistant.wait_status("ready")
    page.reload()
    assistant.wait_ready()
    expect(assistant.answers).to_contain_text("on and on")
    assistant.say("Still there?")
    expect(assistant.answers.last).to_contain_text("Hello.")
    assert "never" not in assistant.answers.first.inner_text()


def test_a_new_conversation_ends_the_answer_of_the_old_one(assistant: Assistant) -> None:
    page = assistant.page
    assistant.say("endless please")
    expect(assistant.answers).to_contain_text("on and on")
    with page.expect_response(lambda r: r.request.method == "DELETE") as farewell:
        assistant.part("new-chat").click()
    assert farewell.value.status == 204
    expect(assistant.questions).to_have_count(0)
    assistant.say("And now?")
    expect(assistant.answers).to_contain_text("Hello.")
