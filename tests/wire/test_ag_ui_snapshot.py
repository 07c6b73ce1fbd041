"""What a snapshot of messages adds."""

from __future__ import annotations

from typing import Any

import pytest

from pagehand.wire.ag_ui_snapshot import snapshot_events

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USER = {"id": "u1", "role": "user", "content": "Hi"}


def events(*messages: Any, known: tuple[str, ...] = (), waiting: tuple[str, ...] = ()) -> list[str]:
    found = snapshot_events(list(messages), set(known), set(waiting))
    return [
        " ".join(
            str(event[key])
            for key in ("type", "messageId", "toolCallId", "subagentRunId")
            if key in event
        )
        for event in found
    ]


def test_what_is_new_since_the_person_spoke() -> None:
    assistant = {"id": "a1", "role": "assistant", "content": "Yes", "toolCalls": [CALL]}
    result = {"id": "t1", "role": "tool", "toolCallId": "c1", "content": "ok"}
    thought = {"id": "r1", "role": "reasoning", "content": "hm", "subagentRunId": "s"}
    old = {"id": "a0", "role": "assistant", "content": "Before"}
    assert events(old, USER, thought, assistant, result) == [
        "REASONING_MESSAGE_START r1 s", "REASONING_MESSAGE_CONTENT r1 s",
        "REASONING_MESSAGE_END r1 s", "TEXT_MESSAGE_START a1", "TEXT_MESSAGE_CONTENT a1",
        "TEXT_MESSAGE_END a1",
        "TOOL_CALL_START c1", "TOOL_CALL_ARGS c1", "TOOL_CALL_END c1", "TOOL_CALL_RESULT t1 c1",
    ]  # fmt: skip
    assert events(USER, assistant, result, known=("a1", "c1")) == []
    assert events(USER, assistant, result, known=("a1", "c1"), waiting=("c1",)) == [
        "TOOL_CALL_RESULT t1 c1"
    ]


def test_a_sub_agents_call_stays_its_own() -> None:
    message = {"id": "a1", "role": "assistant", "toolCalls": [CALL], "subagentRunId": "s"}
    assert events(message)[0] == "TOOL_CALL_START c1 s"


@pytest.mark.parametrize(
    "message",
    [
        None,
        "text",
        {"id": 5, "role": "assistant", "content": "x"},
        {"id": "a1", "role": "assistant", "content": ["x"]},
        {"id": "a1", "role": "assistant", "content": ""},
        {"id": "a1", "role": "assistant", "toolCalls": {}},
        {"id": "a1", "role": "assistant", "toolCalls": ["x", {"id": "c1"}]},
        {"id": "a1", "role": "assistant", "toolCalls": [{"id": 1, "function": CALL["function"]}]},
        {"id": "a1", "role": "assistant", "toolCalls": [{"id": "c", "function": {"name": "f"}}]},
        {
            "id": "a1",
            "role": "assistant",
            "toolCalls": [{"id": "c", "function": {"name": 1, "arguments": ""}}],
        },
        {"id": "t1", "role": "tool", "toolCallId": "other", "content": "x"},
        {"id": "s1", "role": "system", "content": "x"},
    ],
)
def test_what_it_cannot_use_is_left(message: Any) -> None:
    assert events(message) == []
    assert snapshot_events({"messages": [message]}, set(), set()) == []
