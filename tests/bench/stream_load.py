"""The streams that both clients read: made once, byte for byte the same for both."""

from __future__ import annotations

import json
from typing import Any

READ = 16_384
"""Bytes of one network read. Who floods a client fills its reads."""


def event(chunk: dict[str, Any]) -> bytes:
    """One event."""
    return f"data: {json.dumps(chunk, separators=(',', ':'))}\n\n".encode()


def answer(*chunks: dict[str, Any]) -> bytes:
    """A whole answer of one step."""
    head = [{"type": "start", "messageId": "answer"}, {"type": "start-step"}]
    tail = [{"type": "finish-step"}, {"type": "finish", "finishReason": "stop"}]
    return b"".join(map(event, [*head, *chunks, *tail])) + b"data: [DONE]\n\n"


def text(deltas: int) -> bytes:
    """A text in pieces of five characters."""
    pieces = (
        {"type": "text-delta", "id": "t1", "delta": f"w{n % 1000:03} "} for n in range(deltas)
    )
    return answer({"type": "text-start", "id": "t1"}, *pieces, {"type": "text-end", "id": "t1"})


def argument(size: int, deltas: int) -> bytes:
    """A server's tool call with one long text as its argument, and its result."""
    written = "".join(f"line {n:06} of the file\n" for n in range(size // 24))
    value = {"path": "notes.txt", "content": written}
    encoded = json.dumps(value)
    step = -(-len(encoded) // deltas)
    call = {"toolCallId": "c1", "toolName": "write-file"}
    pieces = (
        {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": encoded[at : at + step]}
        for at in range(0, len(encoded), step)
    )
    return answer(
        {"type": "tool-input-start", **call},
        *pieces,
        {"type": "tool-input-available", **call, "input": value},
        {"type": "tool-output-available", "toolCallId": "c1", "output": {"ok": True}},
    )


def history(messages: int) -> list[dict[str, Any]]:
    """Messages that were said before."""
    roles = ("user", "assistant")
    return [
        {
            "id": f"old-{n}",
            "role": roles[n % 2],
            "parts": [{"type": "text", "text": f"This was said as number {n}."}],
        }
        for n in range(messages)
    ]
