"""Mastra's own agent stream (`POST /api/agents/:id/stream`) into UI chunks.

Its events are `{type, runId, from, payload}`; `data-*` events stand without that envelope.
Only what a chat shows is taken: `step-finish` and `finish` repeat the whole history, and an
error holds the server's stack. Measured on `@mastra/core` 1.71.
"""

from __future__ import annotations

from typing import Any

from pagehand.errors import MalformedEventError
from pagehand.wire.chunks import Chunk, JsonObject
from pagehand.wire.codec import Warn, decode_chunk
from pagehand.wire.sniff import error_message

# native type: UI type, and the keys of the payload that become keys of the UI event

_EVENTS: dict[str, tuple[str, dict[str, str]]] = {
    "start": ("start", {"messageId": "messageId"}),
    "step-start": ("start-step", {}),
    "step-finish": ("finish-step", {}),
    "text-start": ("text-start", {"id": "id"}),
    "text-delta": ("text-delta", {"id": "id", "text": "delta"}),
    "text-end": ("text-end", {"id": "id"}),
    "reasoning-start": ("reasoning-start", {"id": "id"}),
    "reasoning-delta": ("reasoning-delta", {"id": "id", "text": "delta"}),
    "reasoning-end": ("reasoning-end", {"id": "id"}),
    "tool-call-input-streaming-start": (
        "tool-input-start",
        {"toolCallId": "toolCallId", "toolName": "toolName"},
    ),
    "tool-call-delta": (
        "tool-input-delta",
        {"toolCallId": "toolCallId", "argsTextDelta": "inputTextDelta"},
    ),
    "tool-call": (
        "tool-input-available",
        {
            "toolCallId": "toolCallId",
            "toolName": "toolName",
            "args": "input",
            "providerExecuted": "providerExecuted",
        },
    ),
    "tool-result": (
        "tool-output-available",
        {"toolCallId": "toolCallId", "result": "output", "providerExecuted": "providerExecuted"},
    ),
    "tool-output-denied": ("tool-output-denied", {"toolCallId": "toolCallId"}),
    "abort": ("abort", {}),
}

# what only the server's own tools or the agent loop care about
_SKIPPED = frozenset({"tool-call-input-streaming-end", "tool-output"})

_NO_TEXT = "The agent reported an error without a text."


def mastra_codec(event: Any, warn: Warn) -> list[Chunk]:
    """The codec of Mastra's agent stream, for `ChunkReader(codec=mastra_codec)`.

    Raises:
        MalformedEventError: A required key is missing or holds the wrong kind of value.
    """
    native = event.get("type")
    if not isinstance(native, str) or native.startswith("data-"):
        return [decode_chunk(event, warn)]
    if native in _SKIPPED:
        return []
    payload = event.get("payload") or {}
    if not isinstance(payload, dict):
        raise MalformedEventError(f"A {native} event whose payload is no object")
    return [decode_chunk(ui, warn) for ui in _ui_events(native, payload, event)]


def _ui_events(native: str, payload: JsonObject, event: JsonObject) -> list[JsonObject]:
    if native in _EVENTS:
        ui_type, keys = _EVENTS[native]
        found = {ui: payload[own] for own, ui in keys.items() if own in payload}
        return [{"type": ui_type, **found}]
    if native == "finish":
        result = payload.get("stepResult")
        reason = result.get("reason") if isinstance(result, dict) else None
        return [{"type": "finish", "finishReason": reason}]
    if native == "error":
        return [{"type": "error", "errorText": _error_text(payload.get("error"))}]
    if native == "tool-error":
        text = _error_text(payload.get("error"))
        return [
            {
                "type": "tool-output-error",
                "toolCallId": payload.get("toolCallId"),
                "errorText": text,
            }
        ]
    if native == "tripwire":
        return [
            {"type": "data-tripwire", "data": payload},
            {"type": "finish", "finishReason": "other"},
        ]
    if native in ("tool-call-approval", "tool-call-suspended"):
        return _pause(native, payload, event)
    return [event]


def _error_text(error: object) -> str:
    """The sentence in a serialised error, never its stack."""
    text = error_message(error)
    if not text and isinstance(error, dict):
        text = error_message(error.get("cause")) or error_message(error.get("name"))
    return text or _NO_TEXT


def _pause(native: str, payload: JsonObject, event: JsonObject) -> list[JsonObject]:
    """A question to a person: the UI stream's data part, and for approvals the gate itself."""
    call_id, run_id = payload.get("toolCallId"), event.get("runId")
    data = {"state": f"data-{native}", "runId": run_id, **payload}
    question: JsonObject = {"type": f"data-{native}", "id": call_id, "data": data}
    if native == "tool-call-suspended":
        return [question]
    gate = {"approvalId": f"{run_id}::{call_id}", "toolCallId": call_id}
    return [{"type": "tool-approval-request", **gate}, question]
