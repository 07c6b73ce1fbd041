"""The page in AG-UI: against our own `/ag-ui`, and against somebody else's server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from browser.support.element import Assistant
from browser.support.fake_server import ROOT, FakeServer
from peers.pydantic_ai_server import PydanticAi
from peers.ui_clients import Served

pytestmark = pytest.mark.browser

PATIENCE = 30_000


def speaks_ag_ui(address: str) -> str:
    """The repository's own page, with its assistant at this address."""
    page = (ROOT / "index.html").read_text(encoding="utf-8")
    assert 'endpoint="/chat"' in page
    return page.replace('endpoint="/chat"', f'endpoint="{address}" protocol="ag-ui"')


class Talk:
    """The page, and what it posted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.assistant = Assistant(page)
        self.bodies: list[dict[str, Any]] = []
        page.on(
            "request",
            lambda request: request.method == "POST" and self.bodies.append(request.post_data_json),
        )

    def say(self, text: str) -> None:
        self.assistant.say(text)

    def shows(self, text: str) -> None:
        """Waits until the last answer holds these words and all is quiet."""
        expect(self.assistant.answers.last).to_contain_text(text, timeout=PATIENCE)
        self.assistant.wait_status("ready", timeout=PATIENCE)

    def call_is(self, name: str, state: str) -> None:
        call = self.assistant.call(name).last
        expect(call).to_have_attribute("data-state", state, timeout=PATIENCE)

    def reload(self) -> None:
        self.page.reload()
        self.assistant.wait_ready()


def results(body: dict[str, Any]) -> list[Any]:
    """The results that a request carries."""
    return [json.loads(m["content"]) for m in body["messages"] if m["role"] == "tool"]


@pytest.fixture
def talk(page: Page, site_url: str, open_page: Callable[..., Page]) -> Talk:
    """Against our own backend and its demo model."""

    def answer(route: Route) -> None:
        route.fulfill(body=speaks_ag_ui("/ag-ui"), content_type="text/html")

    page.route(f"{site_url}/?ag-ui", answer)
    talk = Talk(page)
    open_page(f"{site_url}/?ag-ui")
    return talk


def test_text_a_card_and_a_reload(
    talk: Talk, context: BrowserContext, allow_outside: Callable[[str], None]
) -> None:
    allow_outside("https://example.com/")
    talk.say("hello")
    talk.shows("jump-url-tool")
    (body,) = talk.bodies
    assert body.keys() == {
        "threadId", "runId", "protocolVersion", "state", "messages", "tools", "context",
        "forwardedProps",
    }  # fmt: skip
    assert body["messages"][0]["content"] == "hello"
    tools = {tool["name"]: tool for tool in body["tools"]}
    assert tools["jump-url-tool"].keys() == {"name", "description", "parameters"}
    assert tools["jump-url-tool"]["parameters"]["required"] == ["url"]
    assert "execute" not in json.dumps(body)

    talk.say("open https://example.com")
    talk.call_is("jump-url-tool", "input-available")
    talk.assistant.wait_status("ready")
    talk.reload()
    card = talk.assistant.call("jump-url-tool")
    with context.expect_page() as opened:
        card.locator('[data-action="confirm"]').click()
    expect(opened.value).to_have_url("https://example.com/")
    talk.shows("I opened https://example.com")
    expect(talk.assistant.answers).to_have_count(2)

    last = talk.bodies[-1]
    assert [m["role"] for m in last["messages"]] == [
        "user", "assistant", "user", "assistant", "tool",
    ]  # fmt: skip
    assert results(last)[0]["success"] is True
    assert len({body["threadId"] for body in talk.bodies}) == 1
    assert len({body["runId"] for body in talk.bodies}) == len(talk.bodies) == 3


def test_a_call_and_two_at_once_go_on_by_themselves(talk: Talk) -> None:
    talk.say("who am i")
    talk.call_is("get-user-info-tool", "output-available")
    talk.shows(str(talk.page.locator("#account").get_attribute("data-name")))
    assert len(talk.bodies) == 2
    talk.say("who am i and then read the page")
    talk.call_is("read_page", "output-available")
    talk.assistant.wait_status("ready", timeout=PATIENCE)
    last = talk.bodies[-1]
    assert len(talk.bodies) == 4
    asking = [m for m in last["messages"] if m.get("toolCalls")][-1]
    assert [call["function"]["name"] for call in asking["toolCalls"]] == [
        "get-user-info-tool", "read_page",
    ]  # fmt: skip
    assert all(result["success"] for result in results(last))
    expect(talk.assistant.answers).to_have_count(2)


@pytest.fixture
def server() -> Iterator[Served]:
    served = Served()
    yield served
    served.close()


def test_pydantic_ais_own_server(
    page: Page,
    server: Served,
    fake_server: FakeServer,
    open_page: Callable[..., Page],
) -> None:
    there = PydanticAi()
    server.app = there.app
    html = speaks_ag_ui(f"{server.url}/ag-ui").encode()
    fake_server.pages["/agui.html"] = ("text/html", html)
    talk = Talk(page)
    open_page(f"{fake_server.url}/agui.html")

    talk.say('call get-user-info-tool {} && call get_weather {"city": "Oslo"} ;; say all done')
    talk.shows("all done")
    talk.call_is("get-user-info-tool", "output-available")
    talk.call_is("get_weather", "output-available")
    name = talk.page.locator("#account").get_attribute("data-name")
    assert str(name) in str(there.seen[1])

    talk.say('call delete_record {"id": "r1"} ;; say it is gone')
    talk.call_is("delete_record", "approval-requested")
    gate = talk.assistant.part("approval")
    expect(gate).to_contain_text("delete_record")
    talk.reload()
    gate.locator('[data-action="approve"]').click(timeout=PATIENCE)
    talk.shows("it is gone")
    talk.call_is("delete_record", "output-available")
    assert talk.bodies[-1]["resume"][0]["payload"] == {"approved": True}


def test_an_unknown_protocol_is_told(
    page: Page, fake_server: FakeServer, open_page: Callable[..., Page]
) -> None:
    open_page(fake_server.page('<page-hand protocol="agui"></page-hand>'))
    notice = page.locator('[data-part="notice"][data-code="protocol"]')
    expect(notice).to_contain_text("“agui” is not known; write ui-message-stream or ag-ui")
    page.locator("page-hand").evaluate("element => element.setAttribute('protocol', 'ag-ui')")
    expect(notice).to_have_count(0)
