"""Between the JSON object of one event and its `Chunk`.

Reading is lenient, as a client must be that meets servers of several versions: unknown
keys are skipped, null for an optional key means absent, an optional key that holds the
wrong kind of value is dropped with a warning, an unknown type gives an `UnknownChunk`.
A missing key that may hold any JSON value reads as null: servers written in JavaScript
drop `undefined`. Only a required key of another kind makes an event unreadable when it is
missing or wrong.
Source of the fields: AI SDK 7, `uiMessageChunkSchema`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from pagehand.errors import MalformedEventError
from pagehand.wire.chunks import (
    CHUNK_TYPES,
    Chunk,
    Data,
    Error,
    JsonObject,
    ToolApprovalRequest,
    UnknownChunk,
)

Warn: TypeAlias = Callable[[str], None]
"""Takes a sentence about something that was passed over."""

_DATA = "data-"
_NO_TEXT = "The server reported an error without a text."


def _ignore(warning: str) -> None:
    """Take a warning that nobody asked for."""


def decode_chunk(event: JsonObject, warn: Warn = _ignore) -> Chunk:
    """Read the JSON object of one event.

    Args:
        event: As parsed, with its `type`.
        warn: Takes a sentence about each key that had to be dropped.

    Raises:
        MalformedEventError: No type, or a required key is missing or holds the wrong kind.
    """
    wire_type = event.get("type")
    if not isinstance(wire_type, str) or not wire_type:
        raise MalformedEventError("An event without a type", json.dumps(event)[:80])
    cls = CHUNK_TYPES.get(wire_type)
    if cls is None and wire_type.startswith(_DATA):
        event = {**event, "name": wire_type[len(_DATA) :]}
        cls = Data
    elif cls is None or cls is Data:
        return UnknownChunk(wire_type, event)
    elif cls is Error:
        return Error(_error_text(event))
    elif cls is ToolApprovalRequest:
        event = {**event, "rest": _rest(event)}
    chunk = cls.__new__(cls)
    values = chunk.__dict__
    for field in cls.fields:
        value = event.get(field.key)
        kind = field.kind
        if kind is None or isinstance(value, kind):
            values[field.name] = value
        elif value is None and not field.required:
            continue
        elif field.required:
            raise MalformedEventError(
                f"A {wire_type} event whose {field.key} is missing or no {kind.__name__}"
            )
        else:
            warn(f"{wire_type}: {field.key} was ignored, it is no {kind.__name__}")
    return chunk


def encode_chunk(chunk: Chunk) -> JsonObject:
    """The JSON object of a chunk: absent keys are left out, never null."""
    if isinstance(chunk, UnknownChunk):
        return chunk.raw
    event: JsonObject = {"type": chunk.type}
    for field in chunk.fields:
        value = getattr(chunk, field.name)
        if value is not None or field.required:
            event[field.key] = value
    if isinstance(chunk, Data):
        event["type"] = _DATA + event.pop("name")
    elif isinstance(chunk, ToolApprovalRequest):
        event |= event.pop("rest", {})
    return event


def _rest(event: JsonObject) -> JsonObject | None:
    """What a server wrote into an approval request beyond the protocol: options, an expiry."""
    known = {"type", *(field.key for field in ToolApprovalRequest.fields)}
    rest = {key: value for key, value in event.items() if key not in known and value is not None}
    return rest or None


def _error_text(event: JsonObject) -> str:
    """The text of an `error` event: an error must reach people, however it is written."""
    for key in ("errorText", "message", "error"):
        value = event.get(key)
        if isinstance(value, str) and value:
            return value
        if value:
            return json.dumps(value, ensure_ascii=False)
    return _NO_TEXT
