"""Mastra behind our backend: recorded streams for the odd cases, a real server for the loop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from backend_fakes import JUMP, Answer, Backend

from backend.app import create_app
from backend.approvals import Approvals
from backend.models.mastra import MastraAgent
from backend.models.registry import make_agent
from backend.settings import Settings, SettingsError

DATA = Path(__file__).parents[1] / "data" / "mastra-native"
SECRET = "a secret for both replicas"
USER = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "do it"}]}
TOOLS = {"jump-url-tool": JUMP}


class Upstream:
    """Answers with recorded streams, one after the other, and keeps what was posted."""

    def __init__(self, *answers: str | httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.posted: list[tuple[str, dict[str, Any], httpx.Headers]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        posted = json.loads(request.content or b"{}")
        self.posted.append((request.url.path, posted, request.headers))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return answer
        content = (DATA / f"{answer}.sse").read_bytes() if "\n" not in answer else answer.encode()
        return httpx.Response(200, content=content, headers={"content-type": "text/event-stream"})


def backend(upstream: Any, **options: Any) -> Backend:
    settings = Settings(
        mastra_url="http://mastra.test", mastra_authorization="Bearer inner", rate=0, **options
    )
    agent = MastraAgent("plain", settings, Approvals(SECRET), httpx.MockTransport(upstream))
    return Backend(create_app(settings, agent=agent))


def body(*parts: Any, **more: Any) -> dict[str, Any]:
    messages = [USER, {"id": "a1", "role": "assistant", "parts": list(parts)}] if parts else [USER]
    return {"id": "c", "messages": messages, "clientTools": TOOLS, **more}


def line(kind: str, **payload: Any) -> str:
    return (
        f"data: {json.dumps({'type': kind, 'runId': 'r', 'from': 'AGENT', 'payload': payload})}\n\n"
    )


async def test_text_comes_with_our_own_id_and_nothing_of_the_history() -> None:
    answer = await backend(Upstream("a_text")).post(body())
    assert answer.types[:3] == ["start", "start-step", "text-start"]
    assert answer.chunks[0]["messageId"].startswith("msg_")
    assert answer.chunks[-1] == {"type": "finish", "finishReason": "stop"}
    assert "stepResult" not in answer.response.text
    assert len(answer.response.content) < 1_500


async def test_what_mastra_is_asked() -> None:
    upstream = Upstream("b_client_tool")
    seed = [
        {"role": "user", "content": "open it"},
        {
            "role": "assistant",
            "parts": [
                {
                    "type": "tool-call",
                    "toolCallId": "c",
                    "toolName": "jump-url-tool",
                    "args": {"url": "x"},
                }
            ],
        },
        {
            "role": "tool",
            "parts": [
                {
                    "type": "tool-result",
                    "toolCallId": "c",
                    "toolName": "jump-url-tool",
                    "result": {"ok": 1},
                }
            ],
        },
    ]
    request = {
        "messages": seed,
        "tools": {"jump-url-tool": {"description": "d", "parameters": JUMP["inputSchema"]}},
    }
    await backend(upstream).post(request, headers={"authorization": "Bearer browser"})
    path, posted, headers = upstream.posted[0]
    assert path == "/api/agents/plain/stream"
    assert headers["authorization"] == "Bearer inner"
    assert posted["clientTools"] == {
        "jump-url-tool": {"description": "d", "inputSchema": JUMP["inputSchema"]}
    }
    assert [m["role"] for m in posted["messages"]] == ["user", "assistant"]
    assert all(m["id"] for m in posted["messages"])
    part = posted["messages"][1]["parts"][0]
    assert (part["type"], part["state"], part["output"]) == (
        "tool-jump-url-tool",
        "output-available",
        {"ok": 1},
    )


async def test_a_call_of_the_page() -> None:
    answer = await backend(Upstream("b_client_tool")).post(body())
    (call,) = answer.of("tool-input-available")
    assert call["input"] == {"url": "https://example.com/"}
    assert answer.chunks[-1]["finishReason"] == "tool-calls"


@pytest.mark.parametrize(
    ("text", "word"),
    [('{"url": "ht', "JSON object"), ("{}", "url is missing"), ('{"url": 7}', "type string")],
)
async def test_arguments_that_cannot_be_used(text: str, word: str) -> None:
    stream = (
        line("start", messageId="m")
        + line("step-start")
        + line("tool-call-input-streaming-start", toolCallId="c", toolName="jump-url-tool")
        + line("tool-call-delta", toolCallId="c", argsTextDelta=text)
        + line("tool-call", toolCallId="c", toolName="jump-url-tool", args={})
        + line("finish", stepResult={"reason": "tool-calls"})
    )
    answer = await backend(Upstream(stream)).post(body())
    assert answer.of("tool-input-available") == []
    assert word in answer.of("tool-input-error")[0]["errorText"]


async def test_a_call_repeated_too_often_is_not_announced() -> None:
    done = [
        {
            "type": "tool-jump-url-tool",
            "toolCallId": f"c{n}",
            "state": "output-available",
            "input": {"url": "https://example.com/"},
            "output": 1,
        }
        for n in range(3)
    ]
    answer = await backend(Upstream("b_client_tool")).post(body(*done))
    assert "too often" in answer.of("tool-input-error")[0]["errorText"]


async def test_errors_are_masked_and_say_nothing_of_the_server() -> None:
    answer = await backend(Upstream("i1_error_mid_stream")).post(body())
    assert answer.of("error")[0]["errorText"] == "The agent failed."
    assert answer.types[-1] == "finish"
    assert answer.chunks[-1]["finishReason"] == "error"
    failed = await backend(Upstream("i2_unknown_tool")).post(body())
    assert "reference" in failed.of("tool-output-error")[0]["errorText"]
    for text in (answer.response.text, failed.response.text):
        assert "node_modules" not in text
        assert "stack" not in text


@pytest.mark.parametrize(
    ("upstream", "word"),
    [
        (httpx.Response(404, json={"error": "secret"}), "refused"),
        (httpx.Response(401, json={"error": "secret"}), "did not let"),
        (httpx.Response(500, text="secret stack"), "refused"),
        (
            httpx.Response(200, text="<html>secret</html>", headers={"content-type": "text/html"}),
            "cannot be read",
        ),
        (httpx.ConnectError("secret"), "cannot be reached"),
        (httpx.ReadTimeout("secret"), "in time"),
    ],
)
async def test_a_server_that_fails_is_told_in_a_sentence(upstream: Any, word: str) -> None:
    answer = await backend(Upstream(upstream)).post(body())
    assert answer.status == 200
    assert word in answer.of("error")[0]["errorText"]
    assert "secret" not in answer.response.text


def answered(asked: Answer, *, approved: bool, **changes: Any) -> dict[str, Any]:
    call, request = asked.of("tool-input-available")[0], asked.of("tool-approval-request")[0]
    return {
        "type": f"tool-{call['toolName']}",
        "toolCallId": call["toolCallId"],
        "state": "approval-responded",
        "input": call["input"],
        "approval": {"id": request["approvalId"], "approved": approved, "reason": "because"},
        **changes,
    }


async def test_an_approval_goes_through_signed() -> None:
    upstream = Upstream("f1_approval_request", "f2_approve")
    server = backend(upstream)
    asked = await server.post(body())
    assert asked.types[-4:] == [
        "tool-input-available",
        "tool-approval-request",
        "finish-step",
        "finish",
    ]
    assert asked.chunks[-1]["finishReason"] == "tool-calls"
    assert asked.of("data-tool-call-approval") == []
    answer = await server.post(body(answered(asked, approved=True)))
    path, posted, _ = upstream.posted[1]
    assert path == "/api/agents/plain/resume-stream"
    assert (posted["runId"], posted["toolCallId"]) == ("run-f1", "call_0001")
    assert posted["resumeData"] == {"approved": True, "reason": "because"}
    assert posted["clientTools"].keys() == TOOLS.keys()
    assert answer.types[:2] == ["start", "tool-output-available"]
    assert answer.chunks[0]["messageId"] == "a1"


@pytest.mark.parametrize(
    "changes",
    [
        {"input": {"id": "r2"}},
        {"toolCallId": "other"},
        {"approval": {"id": "run-f1::call_0001", "approved": True}},
    ],
)
async def test_a_forged_approval_never_reaches_mastra(changes: dict[str, Any]) -> None:
    upstream = Upstream("f1_approval_request", "f2_approve")
    server = backend(upstream)
    part = answered(await server.post(body()), approved=True, **changes)
    answer = await server.post(body(part))
    assert answer.of("tool-output-error")
    assert len(upstream.posted) == 1


async def test_a_denial_is_passed_on() -> None:
    upstream = Upstream("f1_approval_request", "f3_decline")
    server = backend(upstream)
    part = answered(await server.post(body()), approved=False)
    answer = await server.post(body(part))
    assert upstream.posted[1][1]["resumeData"] == {"approved": False, "reason": "because"}
    assert answer.types.count("tool-output-denied") == 1


async def test_a_suspended_run_is_resumed_by_its_signed_reference() -> None:
    upstream = Upstream("g1_suspend", "a_text", "a_text")
    server = backend(upstream)
    asked = await server.post(body())
    (question,) = asked.of("data-tool-call-suspended")
    assert "suspendPayload" in question["data"]
    assert asked.chunks[-1]["finishReason"] == "tool-calls"
    reference = question["data"]["runId"]
    assert reference != "run-g1"
    await server.post(body(runId=reference, resumeData={"city": "Paris"}))
    path, posted, _ = upstream.posted[1]
    assert path.endswith("/resume-stream")
    assert posted["resumeData"] == {"city": "Paris"}
    assert posted["runId"] in reference
    forged = await server.post(body(runId="run-g1", resumeData={"city": "x"}))
    assert len(upstream.posted) == 2
    assert forged.chunks[-1]["type"] == "finish"


async def test_too_many_rounds_do_not_ask_mastra() -> None:
    parts: list[Any] = []
    for n in range(3):
        parts += [
            {"type": "step-start"},
            {
                "type": "tool-x",
                "toolCallId": f"c{n}",
                "state": "output-available",
                "input": {"n": n},
                "output": 1,
            },
        ]
    upstream = Upstream()
    answer = await backend(upstream, max_continuations=2).post(body(*parts))
    assert "2 rounds" in answer.text
    assert upstream.posted == []


@pytest.mark.parametrize(
    ("model", "url"),
    [("mastra:", "http://x"), ("mastra:a", ""), ("mastra:a", "x:1"), ("mastra:a/../b", "http://x")],
)
def test_a_missing_address_is_said_at_start(model: str, url: str) -> None:
    with pytest.raises(SettingsError, match="PAGEHAND_MASTRA_URL"):
        make_agent(Settings(model=model, mastra_url=url), {})


def paused(*names: str) -> str:
    """A step of calls without arguments, of which Mastra asks for the first."""
    called = (
        line("tool-call", toolCallId=f"c{n}", toolName=name, args={})
        for n, name in enumerate(names)
    )
    asked = line("tool-call-approval", toolCallId="c0", toolName=names[0], args={})
    return line("start", messageId="m") + line("step-start") + "".join(called) + asked


LISTED = {"wipe": {"requireApproval": True}, "look": {"requireApproval": False}, "odd": None}


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (httpx.Response(200, json={"tools": LISTED}), ["c0", "c1"]),
        (httpx.Response(200, json={"tools": {"look": LISTED["look"]}}), ["c0"]),
        (httpx.Response(200, json=[]), ["c0"]),
        (httpx.Response(404, text="no such route"), ["c0"]),
        (httpx.ConnectError("gone"), ["c0"]),
    ],
    ids=["listed", "not-listed", "no-list", "not-found", "gone"],
)
async def test_who_else_is_asked_for_is_what_the_server_says(told: Any, asked: list[str]) -> None:
    upstream = Upstream(paused("wipe", "wipe", "look", "jump-url-tool"), told)
    answer = await backend(upstream).post(body())
    assert upstream.posted[1][0] == "/api/agents/plain"
    assert [chunk["toolCallId"] for chunk in answer.of("tool-approval-request")] == asked
    elsewhere = [
        c["toolCallId"] for c in answer.of("tool-input-available") if c.get("providerExecuted")
    ]
    assert [*asked, *elsewhere] == ["c0", "c1", "c2"]
    assert answer.chunks[-1] == {"type": "finish", "finishReason": "tool-calls"}


async def test_one_call_that_asks_needs_no_list() -> None:
    upstream = Upstream(paused("wipe"))
    answer = await backend(upstream).post(body())
    assert len(answer.of("tool-approval-request")) == len(upstream.posted) == 1
