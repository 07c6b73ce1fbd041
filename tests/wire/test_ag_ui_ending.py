"""Interrupts: what is asked, and what goes back."""

from __future__ import annotations

from typing import Any

import pytest

from pagehand.wire.ag_ui_ending import INTERRUPTS, SUSPENDED, Ending, Interrupt
from pagehand.wire.ag_ui_input import run_input
from pagehand.wire.chunks import Data, ToolApprovalRequest

Part = dict[str, Any]
APPROVED: Part = {"type": "object", "properties": {"approved": {"type": "boolean"}}}
WITH_REASON: Part = {"type": "object", "properties": {"approved": {}, "reason": {}}}


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ({"reason": "tool_call"}, True),
        ({"reason": "confirmation"}, True),
        ({"reason": "mastra:tool_approval"}, True),
        ({"reason": "input_required"}, False),
        ({"reason": "tool_call", "responseSchema": {"type": "object"}}, False),
        ({"reason": "any", "responseSchema": APPROVED}, True),
        ({"reason": "any", "responseSchema": WITH_REASON}, False),
        ({}, False),
    ],
)
def test_a_plain_yes_or_no_is_an_approval(raw: Part, wanted: bool) -> None:
    question = Interrupt({"id": "i1", "toolCallId": "c1", **raw})
    assert question.is_approval is wanted
    assert isinstance(question.ask(), ToolApprovalRequest if wanted else Data)


def test_an_approval_shows_what_the_server_says() -> None:
    raw = {"id": "i1", "reason": "tool_call", "message": "Sell?", "expiresAt": "2030-01-01"}
    assert Interrupt(raw).ask() == ToolApprovalRequest(
        "i1", "interrupt-i1", {"prompt": "Sell?", "expiresAt": "2030-01-01"}, reason="Sell?"
    )


def test_a_question_for_data() -> None:
    told = {"toolName": "pick", "args": [1], "suspendPayload": 0}
    schema = {"type": "object"}
    raw = {"id": "i1", "toolCallId": "c1", "metadata": {"mastra": told}, "responseSchema": schema}
    question = Interrupt(raw)
    assert (question.tool_name, question.arguments) == ("pick", [1])
    assert question.ask() == Data(
        SUSPENDED,
        {
            "runId": "i1", "toolCallId": "c1", "toolName": "pick", "suspendPayload": 0,
            "resumeSchema": schema,
        },
        "c1",
    )  # fmt: skip
    bare = Interrupt({"id": "i1", "metadata": {"mastra": 5}, "message": "When?"})
    assert (bare.tool_name, bare.arguments) == ("question", {})
    asked = bare.ask()
    assert isinstance(asked, Data)
    assert asked.data["suspendPayload"] == {"message": "When?"}
    silent = Interrupt({"id": "i1"}).ask()
    assert isinstance(silent, Data)
    assert silent.data["suspendPayload"] is None


@pytest.mark.parametrize(
    ("outcome", "interrupts", "pending"),
    [
        (None, [], []),
        ("x", [], []),
        ({"type": "success", "pendingToolCallIds": ["c1", 5]}, [], ["c1"]),
        ({"type": "success", "pendingToolCallIds": "c1", "interrupts": [{"id": "i"}]}, [], []),
        ({"type": "interrupt", "interrupts": [{"id": "i"}, {"id": 5}, "i"]}, [{"id": "i"}], []),
        ({"type": "interrupt", "interrupts": {}}, [], []),
    ],
)
def test_outcomes(outcome: Any, interrupts: Any, pending: Any) -> None:
    ending = Ending({"outcome": outcome})
    assert (ending.interrupts, ending.pending, ending.cancelled) == (interrupts, pending, False)


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        (None, None),
        ({"mastra": {"finishReason": "length"}}, "length"),
        ({"pagehand": {"finishReason": "stop"}}, "stop"),
        ({"mastra": 5, "pagehand": {"finishReason": 5}}, None),
    ],
)
def test_finish_reasons(metadata: Any, reason: str | None) -> None:
    assert Ending({"metadata": metadata}).reason == reason


def resumed(interrupts: list[Part], *parts: Part) -> dict[str, Any]:
    kept = {"type": f"data-{INTERRUPTS}", "id": "interrupts", "data": interrupts}
    message = {"id": "m1", "role": "assistant", "parts": [*parts, kept]}
    return run_input([message], {}, thread_id="t", run_id="r")


def gate(state: str, **approval: Any) -> Part:
    approval = {"id": "i1", **approval}
    return {
        "type": "tool-sell", "toolCallId": "c1", "state": state, "input": {}, "approval": approval,
    }  # fmt: skip


def test_an_answer_goes_back_and_the_call_stays_the_servers() -> None:
    body = resumed([{"id": "i1", "toolCallId": "c1"}], gate("approval-responded", approved=True))
    assert body["resume"] == [
        {"interruptId": "i1", "status": "resolved", "payload": {"approved": True}}
    ]
    assert [message["role"] for message in body["messages"]] == ["assistant"]


@pytest.mark.parametrize(
    ("schema", "payload"),
    [
        (None, {"approved": False, "reason": "No."}),
        ({"type": "object"}, {"approved": False, "reason": "No."}),
        (WITH_REASON, {"approved": False, "reason": "No."}),
        (APPROVED, {"approved": False}),
    ],
)
def test_a_reason_goes_where_it_is_taken(schema: Any, payload: Part) -> None:
    asked = {"id": "i1", "toolCallId": "c1", "responseSchema": schema}
    body = resumed([asked], gate("approval-responded", approved=False, reason="No."))
    assert body["resume"][0]["payload"] == payload


def test_every_open_interrupt_is_covered() -> None:
    """The protocol wants an entry for each; one that nobody answered is given up."""
    settled = {**gate("output-error", resolution="cancelled"), "errorText": "Moved on."}
    data = {"runId": "i2", "toolCallId": "c2", "resumeData": None}
    body = resumed(
        [{"id": "i1", "toolCallId": "c1"}, {"id": "i2"}, {"id": "i3"}],
        settled,
        {"type": f"data-{SUSPENDED}", "id": "c2", "data": data},
        {"type": f"data-{SUSPENDED}", "id": "c3", "data": {"runId": "i3"}},
        {"type": f"data-{SUSPENDED}", "id": "c4", "data": 5},
    )
    assert body["resume"] == [
        {"interruptId": "i1", "status": "cancelled"},
        {"interruptId": "i2", "status": "resolved", "payload": None},
        {"interruptId": "i3", "status": "cancelled"},
    ]
    assert [message["role"] for message in body["messages"]] == ["assistant"]


@pytest.mark.parametrize("kept", [[], 5, [{"id": 5}], ["i1"]])
def test_nothing_open_needs_no_answer(kept: Any) -> None:
    assert "resume" not in resumed(kept, gate("approval-responded", approved=True))
