"""Our reader on live answers of the AI SDK's own server, its message validation switched on."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from pagehand.wire.chunks import (
    Chunk,
    Error,
    Finish,
    ReasoningDelta,
    Start,
    ToolApprovalRequest,
    ToolInputError,
    ToolOutputAvailable,
    ToolOutputDenied,
)
from pagehand.wire.stream import ChunkReader
from peers.peer import Peer
from peers.reading import calls_of, output_of, read, text_of, user

pytestmark = pytest.mark.peer

TOOLS = {
    "jump-url-tool": {
        "description": "Opens an address",
        "inputSchema": {
            "type": "object",
            "properties": {"url": {"type": "string"}},
            "required": ["url"],
        },
    },
    "get-user-info-tool": {"description": "", "inputSchema": {"type": "object", "properties": {}}},
}


def assistant(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"id": "msg-1", "role": "assistant", "parts": [{"type": "step-start"}, *parts]}


def ask(peer: Peer, *messages: dict[str, Any]) -> list[Chunk]:
    body = {"id": "chat-1", "messages": messages, "clientTools": TOOLS}
    with peer.chat(body) as response:
        return read(response, ChunkReader())


def test_text_and_reasoning(aisdk: Peer) -> None:
    chunks = ask(aisdk, user("think let me see && say hello 世界"))
    assert "".join(c.delta for c in chunks if isinstance(c, ReasoningDelta)) == "let me see"
    assert text_of(chunks) == "hello 世界"
    assert chunks[-1] == Finish("stop")


def test_one_tool_and_its_continuation(aisdk: Peer) -> None:
    question = user("帮我打开 https://example.com")
    chunks = ask(aisdk, question)
    assert chunks[0] == Start("msg-1")
    (call,) = calls_of(chunks)
    assert call.input == {"url": "https://example.com"}
    assert chunks[-1] == Finish("tool-calls")
    more = ask(aisdk, question, assistant(output_of(call, {"success": True})))
    assert more[0] == Start("msg-1")
    assert text_of(more) == 'Tool results: jump-url-tool -> {"success":true}'


def test_two_parallel_tools_beside_a_server_tool(aisdk: Peer) -> None:
    question = user(
        'call jump-url-tool {"url":"https://a.example"} && call get-user-info-tool {}'
        ' && call get-weather {"city":"Oslo"}'
    )
    chunks = ask(aisdk, question)
    jump, info, weather = calls_of(chunks)
    assert ToolOutputAvailable(weather.tool_call_id, {"city": "Oslo", "tempC": 21}) in chunks
    parts = [output_of(jump, 1), output_of(info, None), output_of(weather, {"tempC": 21})]
    more = ask(aisdk, question, assistant(*parts))
    assert text_of(more).startswith("Tool results: jump-url-tool -> 1; get-user-info-tool -> null")


def test_preliminary_outputs(aisdk: Peer) -> None:
    chunks = ask(aisdk, user('call count-up {"to":2} ;; say done'))
    outputs = [(c.output, c.preliminary) for c in chunks if isinstance(c, ToolOutputAvailable)]
    assert outputs == [({"count": 1}, True), ({"count": 2}, True), ({"count": 2}, None)]


@pytest.mark.parametrize("approved", [True, False])
def test_an_approval(aisdk: Peer, approved: bool) -> None:
    question = user('call delete-record {"id":"r1"} ;; say done')
    chunks = ask(aisdk, question)
    (call,) = calls_of(chunks)
    (gate,) = (chunk for chunk in chunks if isinstance(chunk, ToolApprovalRequest))
    assert gate.tool_call_id == call.tool_call_id
    part = {
        "type": "tool-delete-record",
        "toolCallId": call.tool_call_id,
        "state": "approval-responded",
        "input": call.input,
        "approval": {"id": gate.approval_id, "approved": approved},
    }
    more = ask(aisdk, question, assistant(part))
    outcome = (
        ToolOutputAvailable(call.tool_call_id, {"deleted": "r1"})
        if approved
        else ToolOutputDenied(call.tool_call_id)
    )
    assert outcome in more
    assert text_of(more) == "done"


def test_errors(aisdk: Peer) -> None:
    chunks = ask(aisdk, user("say partial && error boom"))
    assert Error("boom") in chunks
    chunks = ask(aisdk, user("throw no model today"))
    assert Error("no model today") in chunks
    chunks = ask(aisdk, user('raw-args jump-url-tool {"url": ;; say sorry'))
    assert any(isinstance(chunk, ToolInputError) for chunk in chunks)


def test_what_does_not_validate_is_refused(aisdk: Peer) -> None:
    dangling = {"type": "tool-jump-url-tool", "toolCallId": "c", "state": "output-available"}
    body = {"id": "chat-1", "messages": [user("say hi"), assistant(dangling)], "clientTools": TOOLS}
    with aisdk.chat(body) as response:
        response.read()
    assert response.status_code == 400
    assert response.json()["message"]


def test_a_running_answer_can_be_read_again(aisdk: Peer) -> None:
    body = {"id": "chat 7", "messages": [user("slow 3 150")]}
    resume = f"{aisdk.url}/resumable/chat%207/stream"
    url = f"{aisdk.url}/resumable"
    with httpx.Client() as client:
        with client.stream("POST", url, json=body) as response:
            reader = ChunkReader()
            pieces = response.iter_bytes()
            while "w0" not in text_of(reader.feed(next(pieces))):
                pass
            with client.stream("GET", resume) as again:
                chunks = read(again, ChunkReader())
        assert text_of(chunks) == "w0 w1 w2 "
        assert chunks[-1] == Finish("stop")
        assert client.get(resume).status_code == 204
