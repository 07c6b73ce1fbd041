"""Mastra's own agent stream gives what its UI stream gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pagehand.errors import MalformedEventError
from pagehand.wire.chunks import (
    Chunk,
    Data,
    Error,
    Finish,
    Start,
    TextDelta,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
    UnknownChunk,
)
from pagehand.wire.mastra import mastra_codec
from pagehand.wire.stream import ChunkReader, Codec, ui_codec

DATA = Path(__file__).parents[1] / "data"


def read(path: str, codec: Codec) -> list[Chunk]:
    reader = ChunkReader(codec=codec)
    chunks = reader.feed((DATA / path).read_bytes()) + reader.flush()
    assert reader.warnings == []
    return chunks


def ignore(_warning: str) -> None:
    pass


def comparable(chunks: list[Chunk]) -> list[Chunk]:
    """Without what differs by design: ids of the run, and the mark of a static tool."""
    for chunk in chunks:
        if isinstance(chunk, Start):
            chunk.message_id = None
        elif isinstance(chunk, ToolInputStart):
            chunk.dynamic = None
        elif isinstance(chunk, ToolApprovalRequest):
            chunk.approval_id = chunk.approval_id.partition("::")[2]
        elif isinstance(chunk, Data) and "runId" in chunk.data:
            chunk.data["runId"] = ""
            chunk.data.pop("args", None)  # the UI stream leaves them out of a suspension
    return chunks


@pytest.mark.parametrize(
    ("native", "ui"),
    [
        ("b_client_tool", "v7_client_tool"),
        ("c1_continue_ui_parts", "v7_continue"),
        ("d_parallel_client_tools", "d_parallel_client_tools"),
        ("f1_approval_request", "v7_approval_request"),
        ("h_reasoning", "h_reasoning"),
        ("g1_suspend", "g1_suspend"),
    ],
)
def test_the_same_chunks_as_the_ui_stream(native: str, ui: str) -> None:
    own = comparable(read(f"mastra-native/{native}.sse", mastra_codec))
    theirs = comparable(read(f"mastra/{ui}.sse", ui_codec))
    assert own == theirs


def test_a_server_tool_and_its_result() -> None:
    chunks = read("mastra-native/e2_server_tool_only.sse", mastra_codec)
    call = next(chunk for chunk in chunks if isinstance(chunk, ToolInputAvailable))
    assert call.input == {"city": "Oslo"}
    assert ToolOutputAvailable(call.tool_call_id, {"city": "Oslo", "tempC": 21}) in chunks
    assert isinstance(chunks[-1], Finish)


def test_an_error_without_the_servers_stack() -> None:
    chunks = read("mastra-native/i1_error_mid_stream.sse", mastra_codec)
    assert Error("boom") in chunks
    assert chunks[-1] == Finish("error")


def test_a_tool_that_failed() -> None:
    chunks = read("mastra-native/i2_unknown_tool.sse", mastra_codec)
    failed = next(chunk for chunk in chunks if isinstance(chunk, ToolOutputError))
    assert failed.tool_call_id == "call_0001"
    assert failed.error_text == "ToolNotFoundError"


def test_a_declined_approval() -> None:
    chunks = read("mastra-native/f3_decline.sse", mastra_codec)
    assert chunks[0] == ToolOutputDenied("call_0001")


def test_data_of_the_application() -> None:
    chunks = read("mastra-native/l_data_parts.sse", mastra_codec)
    assert [chunk.data["done"] for chunk in chunks if isinstance(chunk, Data)] == [1, 2]


def test_a_tripwire_finishes_the_answer() -> None:
    chunks = read("mastra-native/n_tripwire.sse", mastra_codec)
    assert [chunk.type for chunk in chunks] == ["data", "finish"]
    assert chunks[1] == Finish("other")


@pytest.mark.parametrize(
    ("event", "chunks"),
    [
        ({"type": "finish", "payload": {"stepResult": 7}}, [Finish()]),
        ({"type": "finish", "payload": None}, [Finish()]),
        ({"type": "error", "payload": {}}, [Error("The agent reported an error without a text.")]),
        (
            {"type": "error", "payload": {"error": {"name": "E", "cause": {"message": "deep"}}}},
            [Error("deep")],
        ),
        ({"type": "tool-output", "payload": {"output": 1}}, []),
        (
            {"type": "text-delta", "payload": {"id": "1", "text": "a", "more": 1}},
            [TextDelta("1", "a")],
        ),
        (
            {"type": "of-tomorrow", "payload": {}},
            [UnknownChunk("of-tomorrow", {"type": "of-tomorrow", "payload": {}})],
        ),
    ],
)
def test_events(event: dict[str, Any], chunks: list[Chunk]) -> None:
    assert mastra_codec(event, ignore) == chunks


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": 7},
        {"type": "text-delta", "payload": {"id": "1"}},
        {"type": "text-delta", "payload": "x"},
    ],
)
def test_an_event_that_cannot_be_read(event: dict[str, Any]) -> None:
    with pytest.raises(MalformedEventError):
        mastra_codec(event, ignore)
