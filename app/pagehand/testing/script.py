"""A model that says what a test wants: the answers of a scripted `/chat`, as UI message streams.

    model.calls(("find-orders", {"status": "pending"}))   # the next answer asks for this call
    model.says("There are two.")                          # the one after it

With nothing left to say it answers "Done.", so a test names only what matters to it.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from pagehand.wire.jsontext import dumps
from pagehand.wire.sse import encode_event

Chunk = dict[str, Any]
"""One chunk of the stream, as it is on the wire."""

DONE = "Done."


class ScriptedModel:
    """Answers in the order they were said. Safe to use from the test and the server's threads.

    Attributes:
        requests: What the page posted, oldest first.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self._answers: deque[list[Chunk]] = deque()
        self._lock = threading.Lock()
        self._calls = 0
        self._messages = 0

    def says(self, text: str) -> None:
        """The next answer is this text."""
        self.sends(text_chunks(text), finish="stop")

    def calls(self, *calls: tuple[str, Any]) -> list[str]:
        """The next answer asks for these calls, each a name and its arguments.

        Returns:
            The calls' ids.
        """
        ids = [self._call_id() for _ in calls]
        chunks: list[Chunk] = []
        for tool_call_id, (name, arguments) in zip(ids, calls, strict=True):
            chunks += call_chunks(tool_call_id, name, arguments)
        self.sends(chunks, finish="tool-calls")
        return ids

    def asks_approval(self, name: str, arguments: Any, *, reason: str = "") -> str:
        """The next answer is a call of the server's own tool that waits for the person's approval.

        Returns:
            The call's id.
        """
        tool_call_id = self._call_id()
        gate: Chunk = {
            "type": "tool-approval-request",
            "approvalId": f"approval_{tool_call_id}",
            "toolCallId": tool_call_id,
        }
        if reason:
            gate["reason"] = reason
        self.sends([*call_chunks(tool_call_id, name, arguments), gate], finish="tool-calls")
        return tool_call_id

    def sends(self, chunks: list[Chunk], *, finish: str = "stop") -> None:
        """The next answer is one step of these chunks, whatever they are."""
        end = {"type": "finish", "finishReason": finish}
        with self._lock:
            self._answers.append([{"type": "start-step"}, *chunks, {"type": "finish-step"}, end])

    def answer(self, body: dict[str, Any]) -> bytes:
        """The next answer to a posted body, as the bytes of a stream."""
        messages = body.get("messages") or []
        with self._lock:
            self.requests.append(body)
            chunks = self._answers.popleft() if self._answers else None
            self._messages += 1
            number = self._messages
        if chunks is None:
            chunks = [{"type": "start-step"}, *text_chunks(DONE), {"type": "finish-step"}]
            chunks.append({"type": "finish", "finishReason": "stop"})
        last = messages[-1] if messages else {}
        goes_on = last.get("role") == "assistant"
        message_id = last["id"] if goes_on else f"answer-{number}"
        start = {"type": "start", "messageId": message_id}
        events = [dumps(chunk) for chunk in [start, *chunks]]
        return b"".join(encode_event(event) for event in [*events, "[DONE]"])

    def _call_id(self) -> str:
        with self._lock:
            self._calls += 1
            return f"call_{self._calls}"


def text_chunks(text: str) -> list[Chunk]:
    """A text."""
    return [
        {"type": "text-start", "id": "text"},
        {"type": "text-delta", "id": "text", "delta": text},
        {"type": "text-end", "id": "text"},
    ]


def call_chunks(tool_call_id: str, name: str, arguments: Any) -> list[Chunk]:
    """A call whose arguments arrive in one piece. A text is sent as it is, JSON or not."""
    call = {"toolCallId": tool_call_id, "toolName": name}
    text = arguments if isinstance(arguments, str) else dumps(arguments)
    return [
        {"type": "tool-input-start", **call},
        {"type": "tool-input-delta", "toolCallId": tool_call_id, "inputTextDelta": text},
        {"type": "tool-input-available", **call, "input": arguments},
    ]
