"""The page against a real Mastra server: its calls run in the page, the conversation goes on.

The server plays a script that stands in the user's words (tests/peers/shared/model.mjs).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import ROOT, FakeServer
from pagehand.wire.declarations import read_declarations
from peers.peer import Peer

pytestmark = [pytest.mark.browser, pytest.mark.peer]


@pytest.fixture(scope="module")
def mastra_server() -> Iterator[Peer]:
    with Peer("mastra") as peer:
        yield peer


@pytest.fixture
def mastra(mastra_server: Peer) -> Peer:
    mastra_server.reset()
    return mastra_server


@pytest.fixture
def assistant(mastra: Peer, fake_server: FakeServer, open_page: Callable[..., Page]) -> Assistant:
    """The repository's own page, its endpoint a Mastra server of another origin."""
    page = (ROOT / "index.html").read_text(encoding="utf-8")
    assert 'endpoint="/chat"' in page
    page = page.replace('endpoint="/chat"', f'endpoint="{mastra.url}/chat"')
    fake_server.pages["/mastra.html"] = ("text/html", page.encode())
    return Assistant(open_page(f"{fake_server.url}/mastra.html"))


def calls_in(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in message["parts"] if part["type"].startswith("tool-")]


def check_bodies(first: dict[str, Any], second: dict[str, Any]) -> None:
    """What must hold for a question and its continuation."""
    for body in (first, second):
        assert "tools" not in body
        assert read_declarations(body).keys() >= {"jump-url-tool", "get-user-info-tool"}
        for tool in body["clientTools"].values():
            assert tool.keys() == {"description", "inputSchema"}
    assert first["clientTools"] == second["clientTools"]
    assert first["id"] == second["id"]
    assert [message["role"] for message in first["messages"]] == ["user"]
    assert [message["role"] for message in second["messages"]] == ["user", "assistant"]
    assert first["messages"][0] == second["messages"][0]
    assert all(call["state"] == "output-available" for call in calls_in(second["messages"][1]))


def test_one_tool(assistant: Assistant, mastra: Peer) -> None:
    assistant.say("use get-user-info-tool")
    expect(assistant.answers).to_contain_text("Tool results: get-user-info-tool")
    assistant.wait_status("ready")
    expect(assistant.answers).to_have_count(1)
    expect(assistant.call("get-user-info-tool")).to_have_attribute("data-state", "output-available")

    first, second = mastra.bodies()
    check_bodies(first, second)
    message = second["messages"][1]
    (call,) = calls_in(message)
    assert call["output"]["success"] is True
    name = assistant.page.locator("#account").get_attribute("data-name")
    assert call["output"]["user"]["name"] == name
    assert name in json.dumps(mastra.model()["seen"][1]["prompt"], ensure_ascii=False)
    (kept,) = (m for m in assistant.get("messages") if m["role"] == "assistant")
    assert kept["id"] == message["id"]


def test_two_parallel_tools_and_one_continuation(assistant: Assistant, mastra: Peer) -> None:
    assistant.say("call get-user-info-tool {} && call read_page {} ;; say both are done")
    expect(assistant.answers).to_contain_text("both are done")
    assistant.wait_status("ready")
    first, second = mastra.bodies()
    check_bodies(first, second)
    calls = calls_in(second["messages"][1])
    assert [call["type"] for call in calls] == ["tool-get-user-info-tool", "tool-read_page"]
    results = [
        part
        for message in mastra.model()["seen"][1]["prompt"]
        if message["role"] == "tool"
        for part in message["content"]
    ]
    assert [result["toolName"] for result in results] == ["get-user-info-tool", "read_page"]


def test_the_card_waits_for_the_click(
    assistant: Assistant, mastra: Peer, allow_outside: Callable[[str], None]
) -> None:
    allow_outside("https://example.com")
    assistant.say("帮我打开 https://example.com")
    card = assistant.call("jump-url-tool")
    expect(card).to_have_attribute("data-state", "input-available")
    expect(card).to_contain_text("example.com")
    assistant.wait_status("ready")
    assert len(mastra.bodies()) == 1

    with assistant.page.context.expect_page() as opened:
        card.locator('[data-action="confirm"]').click()
    expect(opened.value).to_have_url("https://example.com/")
    assert opened.value.evaluate("window.opener") is None
    expect(assistant.answers).to_contain_text("Tool results: jump-url-tool")
    expect(card).to_have_attribute("data-state", "output-available")
    assistant.wait_status("ready")

    first, second = mastra.bodies()
    check_bodies(first, second)
    (call,) = calls_in(second["messages"][1])
    assert call["input"] == {"url": "https://example.com"}
    assert call["output"]["success"] is True


def test_the_conversation_goes_on(assistant: Assistant, mastra: Peer) -> None:
    assistant.say("call get-user-info-tool {} ;; call read_page {} ;; say chained")
    expect(assistant.answers).to_contain_text("chained")
    assistant.wait_status("ready")
    assistant.say("say and now something else")
    expect(assistant.answers).to_have_count(2)
    expect(assistant.answers.last).to_contain_text("and now something else")
    assistant.wait_status("ready")
    bodies = mastra.bodies()
    assert [[m["role"] for m in body["messages"]] for body in bodies] == [
        ["user"],
        ["user", "assistant"],
        ["user", "assistant"],
        ["user", "assistant", "user"],
    ]
    assert len({body["messages"][1]["id"] for body in bodies[1:]}) == 1
    assert all(body["clientTools"] for body in bodies)


def test_the_model_sees_what_was_declared(assistant: Assistant, mastra: Peer) -> None:
    """Mastra rewrites names and loses parts of schemas: ours must come through whole."""
    assistant.say("say hi")
    expect(assistant.answers).to_contain_text("hi")
    (body,) = mastra.bodies()
    offered = {tool["name"]: tool for tool in mastra.model()["seen"][0]["tools"]}
    for name, tool in body["clientTools"].items():
        assert offered[name]["description"] == tool["description"]
        seen, sent = offered[name]["inputSchema"], tool["inputSchema"]
        assert seen.get("properties", {}).keys() == sent["properties"].keys(), name
        assert set(seen.get("required", [])) == set(sent.get("required", [])), name


def test_an_error_of_the_server(assistant: Assistant, mastra: Peer) -> None:
    assistant.say("say half && error the model broke")
    expect(assistant.part("error")).to_contain_text("the model broke")
    expect(assistant.answers).to_contain_text("half")
    assert len(mastra.bodies()) == 1
