"""Our reader on live answers of a real Mastra server."""

from __future__ import annotations

from typing import Any

import pytest

from pagehand.wire.chunks import (
    Chunk,
    Error,
    Finish,
    Start,
    ToolApprovalRequest,
    ToolOutputAvailable,
    ToolOutputError,
)
from pagehand.wire.declarations import read_declarations, to_wire
from pagehand.wire.mastra import mastra_codec
from pagehand.wire.stream import ChunkReader, Codec, ui_codec
from peers.peer import Peer
from peers.reading import calls_of, output_of, read, text_of, user

pytestmark = pytest.mark.peer

URL = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
TOOLS = read_declarations(
    {
        "clientTools": {
            "jump-url-tool": {"description": "Opens an address", "inputSchema": URL},
            "get-user-info-tool": {"description": "Tells who is signed in"},
        }
    }
)


def ask(
    peer: Peer, *messages: dict[str, Any], path: str = "/chat", codec: Codec = ui_codec
) -> list[Chunk]:
    """Posts messages with our tools and reads the answer as the network brings it."""
    body = {"id": "chat-1", "messages": messages, "trigger": "submit-message", **to_wire(TOOLS)}
    with peer.chat(body, path) as response:
        content_type = response.headers["content-type"]
        return read(response, ChunkReader(content_type=content_type, codec=codec))


def answered(chunks: list[Chunk], outputs: dict[str, Any]) -> dict[str, Any]:
    """The assistant's message with these outputs, as a page posts it."""
    start = next(chunk for chunk in chunks if isinstance(chunk, Start))
    parts = [output_of(call, outputs[call.tool_name]) for call in calls_of(chunks)]
    step: list[dict[str, Any]] = [{"type": "step-start"}]
    return {"id": start.message_id, "role": "assistant", "parts": step + parts}


def test_text(mastra: Peer) -> None:
    chunks = ask(mastra, user("say héllo 世界 😀 && think hm"))
    assert text_of(chunks) == "héllo 世界 😀"
    assert chunks[-1] == Finish("stop")


def test_one_tool_and_its_continuation(mastra: Peer) -> None:
    question = user("帮我打开 https://example.com")
    chunks = ask(mastra, question)
    (call,) = calls_of(chunks)
    assert (call.tool_name, call.input) == ("jump-url-tool", {"url": "https://example.com"})
    assert chunks[-1] == Finish("tool-calls")
    assert not any(isinstance(chunk, ToolOutputAvailable) for chunk in chunks)

    message = answered(chunks, {"jump-url-tool": {"success": True}})
    more = ask(mastra, question, message)
    assert more[0] == Start(message["id"])
    assert text_of(more) == 'Tool results: jump-url-tool -> {"success":true}'

    first, second = mastra.model()["seen"]
    for seen in (first, second):
        offered = {tool["name"]: tool for tool in seen["tools"]}
        assert offered["jump-url-tool"]["inputSchema"]["required"] == ["url"]
        assert "get-user-info-tool" in offered


def test_two_parallel_tools(mastra: Peer) -> None:
    question = user('call jump-url-tool {"url":"https://a.example"} && call get-user-info-tool {}')
    chunks = ask(mastra, question)
    assert [call.tool_name for call in calls_of(chunks)] == ["jump-url-tool", "get-user-info-tool"]
    outputs = {"jump-url-tool": {"ok": 1}, "get-user-info-tool": {"name": "Ada"}}
    more = ask(mastra, question, answered(chunks, outputs))
    assert (
        text_of(more)
        == 'Tool results: jump-url-tool -> {"ok":1}; get-user-info-tool -> {"name":"Ada"}'
    )


def test_a_server_tool_beside_ours(mastra: Peer) -> None:
    chunks = ask(mastra, user('call get-weather {"city":"Oslo"} && call get-user-info-tool {}'))
    weather, ours = calls_of(chunks)
    assert ToolOutputAvailable(weather.tool_call_id, {"city": "Oslo", "tempC": 21}) in chunks
    assert ours.tool_name == "get-user-info-tool"
    assert chunks[-1] == Finish("tool-calls")


def test_an_approval_pauses_without_finish(mastra: Peer) -> None:
    chunks = ask(mastra, user('call delete-record {"id":"r1"}'), path="/handle/plain")
    (gate,) = (chunk for chunk in chunks if isinstance(chunk, ToolApprovalRequest))
    assert gate.approval_id.endswith(f"::{gate.tool_call_id}")
    assert not any(isinstance(chunk, Finish) for chunk in chunks)


def test_errors(mastra: Peer) -> None:
    chunks = ask(mastra, user("say partial && error boom"))
    assert text_of(chunks) == "partial"
    (error,) = (chunk for chunk in chunks if isinstance(chunk, Error))
    assert "boom" in error.error_text
    assert chunks[-1] == Finish("error")
    chunks = ask(mastra, user("call fail-tool {}"))
    assert any(isinstance(chunk, ToolOutputError) for chunk in chunks)


def test_the_librarys_own_route_with_heartbeats(mastra: Peer) -> None:
    body = {"messages": [user("slow 3 250")]}
    with mastra.chat(body, "/chat-library/plain") as response:
        reader = ChunkReader()
        chunks = read(response, reader)
    assert text_of(chunks) == "w0 w1 w2 "
    assert reader.comments > 0


def test_the_native_stream(mastra: Peer) -> None:
    question = user("帮我打开 https://example.com")
    native = ask(mastra, question, path="/api/agents/plain/stream", codec=mastra_codec)
    (call,) = calls_of(native)
    assert call.input == {"url": "https://example.com"}
    assert native[-1] == Finish("tool-calls")
    message = answered(native, {"jump-url-tool": {"success": True}})
    path = "/api/agents/plain/stream"
    more = ask(mastra, question, message, path=path, codec=mastra_codec)
    assert text_of(more) == 'Tool results: jump-url-tool -> {"success":true}'


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        ({"tools": {"t": {}}}, "clientTools and tools cannot be provided at the same time"),
        ({"clientTools": {"../evil": {}}}, "is not allowed"),
        ({"clientTools": {"t": {"execute": "x"}}}, "must not hold execute"),
    ],
)
def test_an_integrators_refusals(mastra: Peer, extra: dict[str, Any], text: str) -> None:
    body = {"messages": [user("say hi")], **to_wire(TOOLS), **extra}
    with mastra.chat(body) as response:
        response.read()
    assert response.status_code == 400
    assert text in response.json()["message"]
