"""A real Mastra server behind our backend: the page's loop, approvals, suspensions, and leaving."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from backend.app import create_app
from backend.settings import Settings
from peers.peer import Peer

pytestmark = pytest.mark.peer

URL = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
TOOLS = {"jump-url-tool": {"description": "Opens an address", "inputSchema": URL}}


class Chat:
    """A client of the backend that keeps the conversation as a page does."""

    def __init__(self, app: Starlette) -> None:
        transport = httpx.ASGITransport(app=app)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://backend.test")
        self.messages: list[dict[str, Any]] = []

    async def say(self, words: str) -> list[dict[str, Any]]:
        part = {"type": "text", "text": words}
        self.messages.append({"id": "u1", "role": "user", "parts": [part]})
        return await self.post()

    async def go_on(
        self, answer: list[dict[str, Any]], *parts: dict[str, Any]
    ) -> list[dict[str, Any]]:
        message_id = answer[0]["messageId"]
        self.messages.append({"id": message_id, "role": "assistant", "parts": [*parts]})
        more = await self.post()
        assert more[0]["messageId"] == message_id
        return more

    async def post(self, **more: Any) -> list[dict[str, Any]]:
        body = {"id": "c", "messages": self.messages, "clientTools": TOOLS, **more}
        response = await self.client.post("/chat", json=body)
        assert response.status_code == 200
        events = [
            e.removeprefix("data: ") for e in response.text.split("\n\n") if e.startswith("data: ")
        ]
        assert events.pop() == "[DONE]"
        return [json.loads(event) for event in events]


@pytest.fixture
async def app(mastra: Peer) -> AsyncIterator[Starlette]:
    app = create_app(Settings(model="mastra:plain", mastra_url=mastra.url, rate=0))
    async with app.router.lifespan_context(app):
        yield app


@pytest.fixture
def chat(app: Starlette) -> Chat:
    return Chat(app)


def of(answer: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [chunk for chunk in answer if chunk["type"] == kind]


def text(answer: list[dict[str, Any]]) -> str:
    return "".join(chunk["delta"] for chunk in of(answer, "text-delta"))


def part(call: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": f"tool-{call['toolName']}",
        "toolCallId": call["toolCallId"],
        "input": call["input"],
        **more,
    }


async def test_the_pages_loop(chat: Chat) -> None:
    answer = await chat.say("帮我打开 https://example.com")
    (call,) = of(answer, "tool-input-available")
    assert (call["toolName"], call["input"]) == ("jump-url-tool", {"url": "https://example.com"})
    assert answer[-1] == {"type": "finish", "finishReason": "tool-calls"}
    more = await chat.go_on(answer, part(call, state="output-available", output={"success": True}))
    assert '{"success":true}' in text(more)
    assert more[-1] == {"type": "finish", "finishReason": "stop"}


async def test_a_server_tool_beside_a_call_of_the_page(chat: Chat) -> None:
    answer = await chat.say(
        'call get-weather {"city":"Paris"} && call jump-url-tool {"url":"https://x"}'
    )
    assert of(answer, "tool-output-available")[0]["output"] == {"city": "Paris", "tempC": 21}
    assert answer[-1]["finishReason"] == "tool-calls"


@pytest.mark.parametrize("approved", [True, False])
async def test_approvals(chat: Chat, approved: bool) -> None:
    answer = await chat.say('call delete-record {"id":"r1"}')
    (call,), (request,) = of(answer, "tool-input-available"), of(answer, "tool-approval-request")
    assert answer[-1]["finishReason"] == "tool-calls"
    reply = {"id": request["approvalId"], "approved": approved}
    more = await chat.go_on(answer, part(call, state="approval-responded", approval=reply))
    if approved:
        assert of(more, "tool-output-available")[0]["output"] == {"deleted": "r1"}
    else:
        assert of(more, "tool-output-denied")[0]["toolCallId"] == call["toolCallId"]
    assert more[-1]["type"] == "finish"


TWO = 'call delete-record {"id":"a"} && call delete-record {"id":"b"}'


def answered(answer: list[dict[str, Any]], *answers: bool) -> list[dict[str, Any]]:
    """The calls of an answer, each that was asked for with what the person said."""
    requests = {r["toolCallId"]: r["approvalId"] for r in of(answer, "tool-approval-request")}
    calls = {call["toolCallId"]: call for call in of(answer, "tool-input-available")}
    said = iter(answers)
    parts = []
    for call_id, call in calls.items():
        if call_id in requests:
            approval = {"id": requests[call_id], "approved": next(said)}
            parts.append(part(call, state="approval-responded", approval=approval))
        else:
            parts.append(part(call, state="input-available"))
    return parts


@pytest.mark.parametrize("second", [True, False])
@pytest.mark.parametrize("first", [True, False])
async def test_two_approvals_are_asked_for_and_answered_at_once(
    chat: Chat, mastra: Peer, first: bool, second: bool
) -> None:
    answer = await chat.say(TWO)
    calls = of(answer, "tool-input-available")
    requests = of(answer, "tool-approval-request")
    assert [r["toolCallId"] for r in requests] == [call["toolCallId"] for call in calls]
    more = await chat.go_on(answer, *answered(answer, first, second))
    outcomes = {
        chunk["toolCallId"]: chunk.get("output", "denied")
        for chunk in [*of(more, "tool-output-available"), *of(more, "tool-output-denied")]
    }
    wanted = [{"deleted": "a"} if first else "denied", {"deleted": "b"} if second else "denied"]
    assert outcomes == {call["toolCallId"]: o for call, o in zip(calls, wanted, strict=True)}
    assert not of(more, "tool-approval-request")
    assert more[-1] == {"type": "finish", "finishReason": "stop"}
    resumed = mastra.bodies("/api/agents/plain/resume-stream")
    assert [body["resumeData"]["approved"] for body in resumed] == [first, second]


async def test_an_answer_that_is_forged_is_asked_for_again(chat: Chat) -> None:
    answer = await chat.say(TWO)
    good, forged = answered(answer, True, True)
    forged["approval"]["id"] = f"{forged['approval']['id'][:-3]}xxx"
    more = await chat.go_on(answer, good, forged)
    (request,) = of(more, "tool-approval-request")
    assert request["toolCallId"] == forged["toolCallId"]
    assert not of(more, "tool-output-available")
    chat.messages.pop()
    forged["approval"] = {"id": request["approvalId"], "approved": True}
    last = await chat.go_on(answer, good, forged)
    outputs = [chunk["output"] for chunk in of(last, "tool-output-available")]
    assert outputs == [{"deleted": "a"}, {"deleted": "b"}]


async def test_what_mastra_asks_later_cannot_be_answered_first(chat: Chat, mastra: Peer) -> None:
    answer = await chat.say(TWO)
    _, second = answered(answer, True, True)
    more = await chat.go_on(answer, second)
    assert "did not run" in of(more, "tool-output-error")[0]["errorText"]
    assert mastra.bodies("/api/agents/plain/resume-stream") == []


async def test_an_approval_between_other_calls_of_the_server(chat: Chat) -> None:
    answer = await chat.say(
        'call get-weather {"city":"A"} && call delete-record {"id":"a"}'
        ' && call get-weather {"city":"B"} && call delete-record {"id":"b"}'
    )
    assert [chunk["output"]["city"] for chunk in of(answer, "tool-output-available")] in ([], ["A"])
    waiting = [call for call in of(answer, "tool-input-available") if call.get("providerExecuted")]
    assert {"city": "B"} in [call["input"] for call in waiting]
    assert {call["toolName"] for call in waiting} == {"get-weather"}
    assert len(of(answer, "tool-approval-request")) == 2
    more = await chat.go_on(answer, *answered(answer, True, False))
    outputs = [
        c["output"]
        for c in [*of(answer, "tool-output-available"), *of(more, "tool-output-available")]
    ]
    assert {"deleted": "a"} in outputs
    assert {"city": "B", "tempC": 21} in outputs
    assert of(more, "tool-output-denied")
    assert more[-1]["type"] == "finish"


async def test_two_approvals_beside_a_call_of_the_page(chat: Chat) -> None:
    answer = await chat.say(f'{TWO} && call jump-url-tool {{"url":"https://x"}}')
    assert len(of(answer, "tool-approval-request")) == 2
    (held,) = of(answer, "tool-output-error")  # Mastra would lose what it gave
    assert "Ask for it again" in held["errorText"]
    *approved, page = answered(answer, True, True)
    page = {**page, "state": "output-error", "errorText": held["errorText"]}
    assert (page["type"], page["toolCallId"]) == ("tool-jump-url-tool", held["toolCallId"])
    more = await chat.go_on(answer, *approved, page)
    outputs = [chunk["output"] for chunk in of(more, "tool-output-available")]
    assert outputs == [{"deleted": "a"}, {"deleted": "b"}]
    assert more[-1]["type"] == "finish"


@pytest.mark.parametrize("change", ["input", "mac", "call", "again"])
async def test_approvals_that_are_not_ours_never_reach_mastra(
    chat: Chat, mastra: Peer, change: str
) -> None:
    answer = await chat.say('call delete-record {"id":"r1"}')
    (call,), (request,) = of(answer, "tool-input-available"), of(answer, "tool-approval-request")
    reply = {"id": request["approvalId"], "approved": True}
    if change == "input":
        call["input"] = {"id": "r2"}
    elif change == "mac":
        reply["id"] = f"{reply['id'][:-3]}xxx"
    elif change == "call":
        call["toolCallId"] = "call_9"
    answered = part(call, state="approval-responded", approval=reply)
    if change == "again":
        await chat.go_on(answer, answered)
        chat.messages.pop()
    asked = len(mastra.bodies("/api/agents/plain/resume-stream"))
    more = await chat.go_on(answer, answered)
    assert "did not run" in of(more, "tool-output-error")[0]["errorText"] or change == "again"
    assert not of(more, "tool-output-available")
    assert len(mastra.bodies("/api/agents/plain/resume-stream")) == asked


async def test_a_suspended_run_is_resumed_by_who_was_asked_only(chat: Chat, mastra: Peer) -> None:
    answer = await chat.say('call ask-city {"topic":"food"}')
    (question,) = of(answer, "data-tool-call-suspended")
    run_id = question["data"]["runId"]
    chat.messages.append(
        {"id": answer[0]["messageId"], "role": "assistant", "parts": [{"type": "step-start"}]}
    )
    for forged in (run_id.split(".")[0], run_id.replace("call_0001", "call_0002"), f"x{run_id}"):
        more = await chat.post(runId=forged, resumeData={"city": "Paris"})
        assert more[-1] == {"type": "finish", "finishReason": "error"}
        assert "approval" in of(more, "error")[0]["errorText"]
        assert not of(more, "tool-output-available")
    assert mastra.bodies("/api/agents/plain/resume-stream") == []


async def test_a_suspended_tool_gets_its_answer(chat: Chat) -> None:
    answer = await chat.say('call ask-city {"topic":"food"}')
    (question,) = of(answer, "data-tool-call-suspended")
    assert question["data"]["suspendPayload"] == {"question": "Which city for food?"}
    chat.messages.append(
        {"id": answer[0]["messageId"], "role": "assistant", "parts": [{"type": "step-start"}]}
    )
    more = await chat.post(runId=question["data"]["runId"], resumeData={"city": "Paris"})
    assert of(more, "tool-output-available")[0]["output"] == {"topic": "food", "city": "Paris"}


async def test_a_failing_server_tool_is_masked(chat: Chat) -> None:
    answer = await chat.say("call fail-tool {}")
    assert "reference" in of(answer, "tool-output-error")[0]["errorText"]
    assert "exploded" not in json.dumps(of(answer, "tool-output-error"))


async def test_leaving_stops_the_model(mastra: Peer, app: Starlette) -> None:
    sent: list[bytes] = []
    started, left = asyncio.Event(), asyncio.Event()
    message = {"role": "user", "content": "slow 200 50"}
    request = json.dumps({"messages": [message]}).encode()
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "http.request", "body": request, "more_body": False}
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(event: Any) -> None:
        sent.append(event.get("body", b""))
        if b"text-delta" in sent[-1]:
            started.set()

    headers = [(b"content-type", b"application/json"), (b"host", b"x")]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/chat",
        "raw_path": b"/chat",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "query_string": b"",
        "headers": headers,
        "server": ("x", 80),
        "client": ("127.0.0.1", 1),
    }
    running = asyncio.ensure_future(app(scope, receive, send))
    async with asyncio.timeout(10):
        await started.wait()
        left.set()
        await running
        while not mastra.model()["aborts"]:  # the server counts; nobody tells us
            await asyncio.to_thread(mastra.model)
    assert b"[DONE]" not in b"".join(sent)
