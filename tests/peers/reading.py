"""What the tests of both servers say and look for."""

from __future__ import annotations

from typing import Any

import httpx

from pagehand.wire.chunks import Chunk, TextDelta, ToolInputAvailable
from pagehand.wire.stream import ChunkReader


def user(text: str) -> dict[str, Any]:
    """A user's message as a page posts it."""
    return {"id": "user-1", "role": "user", "parts": [{"type": "text", "text": text}]}


def read(response: httpx.Response, reader: ChunkReader) -> list[Chunk]:
    """All chunks of an answer, read as the network brings it, without any warning."""
    assert response.status_code == 200, response.read()
    chunks = [chunk for data in response.iter_bytes() for chunk in reader.feed(data)]
    chunks += reader.flush()
    assert reader.warnings == []
    assert reader.done
    return chunks


def text_of(chunks: list[Chunk]) -> str:
    """The text of an answer."""
    return "".join(chunk.delta for chunk in chunks if isinstance(chunk, TextDelta))


def calls_of(chunks: list[Chunk]) -> list[ToolInputAvailable]:
    """The tool calls of an answer."""
    return [chunk for chunk in chunks if isinstance(chunk, ToolInputAvailable)]


def output_of(call: ToolInputAvailable, output: object) -> dict[str, Any]:
    """The call's part with this output, as a page posts it."""
    return {
        "type": f"tool-{call.tool_name}",
        "toolCallId": call.tool_call_id,
        "state": "output-available",
        "input": call.input,
        "output": output,
    }
