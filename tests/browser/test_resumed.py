"""The page and our own backend: an answer survives a reload, and Stop still stops the model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Request, expect

from browser.support.element import Assistant

pytestmark = pytest.mark.browser

SCRIPT: list[dict[str, Any]] = [
    {"when": "reload", "do": [{"text": "before "}, {"delay": 8}, {"text": "and after"}]},
    {"when": "stop", "do": [{"text": "begun"}, {"delay": 100}]},
]


@pytest.fixture
def asked(page: Page) -> list[Request]:
    """Requests for answers, in order."""
    seen: list[Request] = []
    page.on("request", lambda request: seen.append(request) if "/chat" in request.url else None)
    return seen


def methods(asked: list[Request]) -> list[str]:
    return [request.method for request in asked]


def test_an_answer_goes_on_after_a_reload(
    page: Page, asked: list[Request], script_backend: Callable[[str], str]
) -> None:
    page.goto(script_backend(json.dumps(SCRIPT)))
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("please reload")
    expect(assistant.answers).to_contain_text("before")
    page.reload()
    expect(assistant.answers).to_contain_text("before and after")
    assistant.wait_status("ready")
    expect(assistant.answers).to_have_count(1)
    expect(assistant.part("error")).to_have_count(0)
    assert methods(asked) == ["POST", "GET"]


def test_stop_stops_the_model_at_the_server(
    page: Page, asked: list[Request], script_backend: Callable[[str], str]
) -> None:
    url = script_backend(json.dumps(SCRIPT))
    page.goto(url)
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("please stop")
    expect(assistant.answers).to_contain_text("begun")
    assert open_answers(url) == 1
    assistant.part("stop").click()
    assistant.wait_status("ready")
    deadline = time.monotonic() + 20  # without the DELETE it would go on for 30 seconds
    while open_answers(url):
        assert time.monotonic() < deadline
    assert methods(asked) == ["POST", "DELETE"]


def open_answers(url: str) -> int:
    return int(httpx.get(f"{url}/readyz").json()["streams"])
