"""Two replicas as processes of their own, with a real Valkey or Redis server between them."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from backend_process import Running, script
from shared_server import SharedServer

Start = Callable[..., Running]
CHAT = "chat-with-16-chars"
ASK = {"accept": "text/event-stream;resumable=1"}
SECRET = "the same on every replica"
TOOL = {"description": "Opens an address.", "inputSchema": {"type": "object", "properties": {}}}


@pytest.fixture
def pair(start: Start, shared: SharedServer, tmp_path: Path) -> Callable[..., list[Running]]:
    def begin(*rules: Any, **variables: str) -> list[Running]:
        if rules:
            variables["MODEL"] = script(tmp_path, *rules)
        variables = {"REDIS_URL": shared.url, "DEMO_DELAY": "0", **variables}
        return [start(**variables), start(**variables)]

    return begin


def hello(**more: Any) -> dict[str, Any]:
    return {"id": CHAT, "messages": [{"role": "user", "content": "hello"}], **more}


@asynccontextmanager
async def posted(url: str) -> AsyncIterator[httpx.Response]:
    async with (
        httpx.AsyncClient(timeout=30) as client,
        client.stream("POST", f"{url}chat", json=hello(), headers=ASK) as response,
    ):
        yield response


async def read_until(lines: AsyncIterator[str], text: str) -> str:
    read = ""
    async for line in lines:
        read += line + "\n"
        if text in line:
            break
    return read


def taken_up(url: str) -> httpx.Response:
    return httpx.get(f"{url}chat/{CHAT}/stream", timeout=30)


async def test_an_answer_goes_on_at_the_other_process(pair: Callable[..., list[Running]]) -> None:
    one, two = pair({"do": [{"text": "begun"}, {"delay": 1.0}, {"text": "ended"}]})
    async with posted(one.url) as response:
        assert response.headers["x-pagehand-resumable"] == "1"
        first = await read_until(response.aiter_lines(), "begun")
    answer = taken_up(two.url)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.text.startswith(first)
    assert "ended" in answer.text
    assert answer.text.endswith("data: [DONE]\n\n")
    _, lines = one.end()
    assert [line["end"] for line in lines if line["event"] == "answer"] == ["done"]


async def test_stopped_at_the_other_process(pair: Callable[..., list[Running]]) -> None:
    one, two = pair({"do": [{"text": "begun"}, {"delay": 60}]})
    async with posted(one.url) as response:
        lines = response.aiter_lines()
        await read_until(lines, "begun")
        async with httpx.AsyncClient() as client:
            stopped = await client.delete(f"{two.url}chat/{CHAT}/stream")
        assert stopped.status_code == 204
        rest = await read_until(lines, "[DONE]")
    assert '"type":"abort"' in rest
    assert taken_up(two.url).status_code == 204
    _, log = one.end()
    assert [line["end"] for line in log if line["event"] == "answer"] == ["stopped"]


async def test_a_killed_maker_is_noticed(
    pair: Callable[..., list[Running]], shared: SharedServer
) -> None:
    one, two = pair({"do": [{"text": "begun"}, {"delay": 60}]})
    async with (
        posted(one.url) as response,
        httpx.AsyncClient(timeout=30) as client,
    ):
        await read_until(response.aiter_lines(), "begun")
        async with client.stream("GET", f"{two.url}chat/{CHAT}/stream") as far:
            lines = far.aiter_lines()
            await read_until(lines, "begun")
            one.process.send_signal(signal.SIGKILL)
            one.process.wait()
            shared.forget(":run")  # its maker's lease, without waiting for its end
            with pytest.raises(httpx.RemoteProtocolError):
                await read_until(lines, "[DONE]")
    assert taken_up(two.url).status_code == 204


async def test_a_restart_of_the_other_process_loses_nothing(
    pair: Callable[..., list[Running]],
) -> None:
    one, two = pair({"do": [{"text": "begun"}, {"delay": 1.5}, {"text": "ended"}]}, GRACE="0.1")
    async with posted(one.url) as response:
        await read_until(response.aiter_lines(), "begun")
    async with (
        httpx.AsyncClient(timeout=30) as client,
        client.stream("GET", f"{two.url}chat/{CHAT}/stream") as far,
    ):
        await read_until(far.aiter_lines(), "begun")
        two.process.send_signal(signal.SIGTERM)
        two.process.wait(timeout=20)
    answer = taken_up(one.url)
    assert "ended" in answer.text


def test_the_rate_is_one(pair: Callable[..., list[Running]]) -> None:
    one, two = pair(RATE="1", BURST="4")
    asked = [httpx.post(f"{r.url}chat", json=hello()) for r in (one, two, one, two, one, two)]
    assert [answer.status_code for answer in asked] == [200, 200, 200, 200, 429, 429]
    assert int(asked[-1].headers["retry-after"]) >= 1
    assert "Too many requests" in asked[-1].json()["message"]


@pytest.mark.parametrize("same", [True, False], ids=["one secret", "two secrets"])
def test_an_approval_of_one_counts_at_the_other(
    start: Start, shared: SharedServer, same: bool
) -> None:
    variables = {"REDIS_URL": shared.url, "DEMO_DELAY": "0", "APPROVE_TOOLS": "open_url"}
    one = start(**variables, APPROVAL_SECRET=SECRET)
    two = start(**variables, APPROVAL_SECRET=SECRET if same else SECRET[::-1])
    tools = {"clientTools": {"open_url": TOOL}}
    user = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "call open_url"}]}
    asked = chunks(httpx.post(f"{one.url}chat", json={"messages": [user], **tools}))
    (call,) = [c for c in asked if c["type"] == "tool-input-available"]
    (gate,) = [c for c in asked if c["type"] == "tool-approval-request"]
    part = {
        "type": "tool-open_url",
        "toolCallId": call["toolCallId"],
        "state": "approval-responded",
        "input": call["input"],
        "approval": {"id": gate["approvalId"], "approved": True},
    }
    message = {"id": "m1", "role": "assistant", "parts": [{"type": "step-start"}, part]}
    body = {"messages": [user, message], **tools}
    given = chunks(httpx.post(f"{two.url}chat", json=body))
    settled = [c["type"] for c in given if c.get("toolCallId") == call["toolCallId"]]
    assert settled == (["tool-input-available"] if same else ["tool-output-error"])
    if not same:  # what one replica cannot read is not used up where it was asked for
        given = chunks(httpx.post(f"{one.url}chat", json=body))
        assert "tool-input-available" in [c["type"] for c in given]
    again = chunks(httpx.post(f"{one.url}chat", json=body))
    (refused,) = [c for c in again if c["type"] == "tool-output-error"]
    assert "used before" in refused["errorText"]


def chunks(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200
    events = answer.text.split("\n\n")
    return [json.loads(event[6:]) for event in events if event.startswith("data: {")]
