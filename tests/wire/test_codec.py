from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.errors import MalformedEventError
from pagehand.wire.chunks import (
    CHUNK_TYPES,
    Chunk,
    Data,
    Error,
    Field,
    Finish,
    Start,
    TextDelta,
    TextEnd,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolOutputAvailable,
    UnknownChunk,
)
from pagehand.wire.codec import decode_chunk, encode_chunk

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)
OF_KIND: dict[type | None, st.SearchStrategy[Any]] = {
    str: st.text(max_size=5),
    bool: st.booleans(),
    dict: st.dictionaries(st.text(max_size=4), json_values, max_size=2),
    list: st.lists(st.dictionaries(st.text(max_size=4), json_values, max_size=2), max_size=2),
    None: json_values,
}


@st.composite
def chunks(draw: st.DrawFn) -> Chunk:
    cls = draw(st.sampled_from([cls for wire_type, cls in CHUNK_TYPES.items() if wire_type]))
    values = {}
    for field in cls.fields:
        value = OF_KIND[field.kind] if field.required else st.none() | OF_KIND[field.kind]
        values[field.name] = draw(value.filter(bool) if cls is Error else value)
    if cls is ToolApprovalRequest:
        values["rest"] = draw(st.none() | st.just({"prompt": "Deploy?", "options": [1]}))
    return cls(**values)


@given(chunk=chunks(), extra=json_values)
def test_every_chunk_survives_the_wire(chunk: Chunk, extra: object) -> None:
    event = encode_chunk(chunk)
    assert decode_chunk(event) == chunk
    optional = {field.key: None for field in chunk.fields if not field.required}
    if not isinstance(chunk, ToolApprovalRequest):  # it keeps what it does not know
        event["someKeyOfTomorrow"] = extra
    assert decode_chunk({**optional, **event}) == chunk


@given(chunk=chunks())
def test_absent_keys_never_travel_as_null(chunk: Chunk) -> None:
    event = encode_chunk(chunk)
    may_be_null = {field.key for field in chunk.fields if field.required and field.kind is None}
    assert all(value is not None for key, value in event.items() if key not in may_be_null)


@pytest.mark.parametrize(
    ("event", "chunk"),
    [
        ({"type": "start", "messageId": None}, Start()),
        ({"type": "finish", "finishReason": "of-tomorrow"}, Finish("of-tomorrow")),
        ({"type": "text-end", "id": "1", "citations": [{"a": 1}]}, TextEnd("1", [{"a": 1}])),
        ({"type": "data-my-thing", "data": None}, Data("my-thing", None)),
        ({"type": "data-", "data": 1, "name": "x"}, Data("", 1)),
        (
            {"type": "tool-input-available", "toolCallId": "c", "toolName": "t"},
            ToolInputAvailable("c", "t", None),
        ),
        ({"type": "tool-output-available", "toolCallId": "c"}, ToolOutputAvailable("c", None)),
        (
            {
                "type": "tool-approval-request",
                "approvalId": "a",
                "toolCallId": "c",
                "isAutomatic": True,
                "signature": "s",
            },
            ToolApprovalRequest("a", "c", is_automatic=True, signature="s"),
        ),
    ],
)
def test_reading(event: dict[str, Any], chunk: Chunk) -> None:
    assert decode_chunk(event) == chunk


@pytest.mark.parametrize("wire_type", ["of-tomorrow", "data", "Start"])
def test_an_unknown_type_is_kept_whole(wire_type: str) -> None:
    event = {"type": wire_type, "name": "n", "x": [1]}
    chunk = decode_chunk(event)
    assert chunk == UnknownChunk(wire_type, event)
    assert encode_chunk(chunk) == event


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({}, "An event without a type"),
        ({"type": 1}, "An event without a type"),
        ({"type": ""}, "An event without a type"),
        ({"type": "text-start"}, "A text-start event whose id is missing or no str"),
        ({"type": "text-start", "id": None}, "whose id is missing"),
        ({"type": "text-delta", "id": 1, "delta": ""}, "whose id is missing or no str"),
        (
            {"type": "tool-approval-response", "approvalId": "a", "approved": "yes"},
            "whose approved is missing or no bool",
        ),
    ],
)
def test_an_event_that_cannot_be_read(event: dict[str, Any], text: str) -> None:
    with pytest.raises(MalformedEventError, match=text):
        decode_chunk(event)


def test_an_optional_key_of_the_wrong_kind_is_dropped_with_a_warning() -> None:
    warnings: list[str] = []
    event = {"type": "text-delta", "id": "1", "delta": "a", "providerMetadata": "x"}
    assert decode_chunk(event, warnings.append) == TextDelta("1", "a")
    assert warnings == ["text-delta: providerMetadata was ignored, it is no dict"]
    assert decode_chunk(event) == TextDelta("1", "a")


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"errorText": "no"}, "no"),
        ({"errorText": None, "message": "why"}, "why"),
        ({"errorText": {"code": 1}}, '{"code": 1}'),
        ({"error": "e"}, "e"),
        ({}, "The server reported an error without a text."),
    ],
)
def test_an_error_always_reaches_people(event: dict[str, Any], text: str) -> None:
    assert decode_chunk({"type": "error", **event}) == Error(text)


def test_fields_know_what_they_hold() -> None:
    field = Field("tool_metadata", "JsonObject | None", required=False)
    assert (field.key, field.kind, field.required) == ("toolMetadata", dict, False)
