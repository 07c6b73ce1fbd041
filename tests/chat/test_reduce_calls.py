"""Behaviours 16 to 36, 48, 50, 51, 53, 54: tool calls in the reducer."""

from __future__ import annotations

from typing import Any

import pytest

from chat.support import STEP, assistant, call, parts, reduce, said, tool
from pagehand.chat.reducer import apply
from pagehand.wire import chunks as c


def start(id: str = "c1", name: str = "open", **more: Any) -> c.ToolInputStart:
    return c.ToolInputStart(id, name, **more)


def available(id: str = "c1", name: str = "open", input: Any = None, **more: Any) -> c.Chunk:
    return c.ToolInputAvailable(id, name, {} if input is None else input, **more)


def responded(**more: Any) -> dict[str, Any]:
    return call("approval-responded", approval={"id": "p", "approved": True, **more})


# From start to result


def test_b016_a_call_run_by_the_server() -> None:
    state = reduce(c.StartStep(), available(input={"a": 1}))
    assert parts(state) == [STEP, call("input-available", input={"a": 1})]
    apply(state, c.ToolOutputAvailable("c1", {"ok": True}))
    assert parts(state)[1] == call("output-available", input={"a": 1}, output={"ok": True})


def test_b017_a_continued_message_grows() -> None:
    message = assistant(STEP, call("output-available", output=1))
    state = reduce(c.Start("a1"), c.StartStep(), *said("Done"), into=message, id_fixed=True)
    kinds = [part["type"] for part in parts(state)]
    assert kinds == ["step-start", "tool-open", "step-start", "text"]
    assert state.message.id == "a1"


def test_b018_a_failed_call() -> None:
    state = reduce(available(), c.ToolOutputError("c1", "No such city"))
    assert parts(state) == [call("output-error", errorText="No such city")]


def test_b019_b107_arguments_stream_in() -> None:
    state = reduce(start())
    part = tool(state)
    assert (part.input, part.args_text, part.state) == (None, "", "input-streaming")
    seen = []
    for delta in ('{"city":"Os', 'lo","n":1', "2}"):
        apply(state, c.ToolInputDelta("c1", delta))
        seen.append(part.input)
    assert seen == [{"city": "Os"}, {"city": "Oslo", "n": 1}, {"city": "Oslo", "n": 12}]
    assert parts(state)[0]["rawInput"] == '{"city":"Oslo","n":12}'
    apply(state, available(input={"city": "Oslo", "n": 12}))
    assert parts(state) == [call("input-available", input={"city": "Oslo", "n": 12})]
    assert part.args_text == '{"city":"Oslo","n":12}'


def test_unreadable_arguments_give_no_input() -> None:
    state = reduce(start(), c.ToolInputDelta("c1", "nope"))
    assert parts(state) == [
        {
            "type": "tool-open",
            "toolCallId": "c1",
            "state": "input-streaming",
            "rawInput": "nope",
        }
    ]


def test_b022_dynamic_tools_keep_their_kind() -> None:
    state = reduce(start(dynamic=True))
    kinds = [parts(state)[0]["type"]]
    for chunk in (
        c.ToolInputDelta("c1", "{}"),
        available(dynamic=True),
        c.ToolOutputAvailable("c1", 1),
    ):
        apply(state, chunk)
        kinds.append(parts(state)[0]["type"])
    assert kinds == ["dynamic-tool"] * 4
    assert parts(state)[0]["toolName"] == "open"


@pytest.mark.parametrize("dynamic", [None, True])
def test_b023_provider_executed_stays_and_metadata_is_kept_apart(dynamic: bool | None) -> None:
    state = reduce(
        available(provider_executed=True, provider_metadata={"p": {"call": 1}}, dynamic=dynamic),
        c.ToolOutputAvailable("c1", 1, provider_metadata={"p": {"result": 1}}),
    )
    part = parts(state)[0]
    assert part["providerExecuted"] is True
    assert part["callProviderMetadata"] == {"p": {"call": 1}}
    assert part["resultProviderMetadata"] == {"p": {"result": 1}}
    assert state.take_ready() == []


def test_b024_metadata_while_streaming_stays() -> None:
    state = reduce(start(provider_metadata={"p": {}}), c.ToolInputDelta("c1", "{}"), available())
    assert parts(state)[0]["callProviderMetadata"] == {"p": {}}


@pytest.mark.parametrize("dynamic", [None, True])
def test_b025_title_and_tool_metadata_stay(dynamic: bool | None) -> None:
    state = reduce(
        start(title="Open it", tool_metadata={"m": 1}, dynamic=dynamic),
        available(dynamic=dynamic),
        c.ToolOutputError("c1", "no"),
    )
    part = parts(state)[0]
    assert (part["title"], part["toolMetadata"]) == ("Open it", {"m": 1})


@pytest.mark.parametrize(("first", "second"), [(None, True), (True, None), (None, None)])
def test_b026_an_input_error_fills_the_part_that_is_there(
    first: bool | None, second: bool | None
) -> None:
    state = reduce(
        start(dynamic=first), c.ToolInputError("c1", "open", "raw", "bad", dynamic=second)
    )
    expected = call("output-error", input="raw", errorText="bad", dynamic=first is True)
    assert parts(state) == [expected]


@pytest.mark.parametrize(("first", "second"), [(None, True), (True, None)])
def test_s08_one_part_for_one_call_whatever_dynamic_says(
    first: bool | None, second: bool | None
) -> None:
    """The AI SDK shows two."""
    state = reduce(start(dynamic=first), available(dynamic=second))
    assert len(parts(state)) == 1


def test_b027_preliminary_results_replace_each_other() -> None:
    state = reduce(available(), c.ToolOutputAvailable("c1", 1, preliminary=True))
    assert parts(state)[0]["preliminary"] is True
    apply(state, c.ToolOutputAvailable("c1", 2, preliminary=True))
    assert parts(state)[0]["output"] == 2
    apply(state, c.ToolOutputAvailable("c1", 3))
    assert parts(state) == [call("output-available", output=3)]


def test_b028_an_id_used_again_in_a_later_step_is_another_call() -> None:
    state = reduce(
        c.StartStep(),
        available(input={"x": 1}),
        c.ToolOutputAvailable("c1", 1),
        c.FinishStep(),
        c.StartStep(),
        available(input={"x": 2}),
        c.ToolOutputAvailable("c1", 2),
    )
    assert [(p.input, p.output) for p in state.message.tool_parts()] == [
        ({"x": 1}, 1),
        ({"x": 2}, 2),
    ]


def test_s06_an_outcome_goes_to_the_newest_unfinished_call() -> None:
    message = assistant(
        STEP, call("output-available", output="old"), STEP, call("input-available"), STEP
    )
    state = reduce(c.ToolOutputAvailable("c1", "new"), into=message)
    assert [part.output for part in state.message.tool_parts()] == ["old", "new"]


# Nothing moves backwards


def test_s07_a_late_delta_does_not_open_a_finished_call() -> None:
    state = reduce(start(), available(), c.ToolInputDelta("c1", "{"))
    assert tool(state).state == "input-available"
    assert state.warnings


def test_a_second_start_of_a_complete_call_does_nothing() -> None:
    state = reduce(available(input={"a": 1}), start(), c.ToolInputDelta("c1", "{}"))
    assert parts(state) == [call("input-available", input={"a": 1})]


def test_a_second_start_while_streaming_begins_again() -> None:
    state = reduce(start(), c.ToolInputDelta("c1", '{"a'), start(), c.ToolInputDelta("c1", "{}"))
    assert tool(state).args_text == "{}"


def test_s07_a_second_outcome_is_skipped() -> None:
    state = reduce(
        available(),
        c.ToolOutputAvailable("c1", 1),
        c.ToolOutputAvailable("c1", 2),
        c.ToolOutputError("c1", "late"),
        c.ToolOutputDenied("c1"),
        c.ToolInputError("c1", "open", 1, "late"),
        available(input={"new": 1}),
    )
    assert parts(state) == [call("output-available", output=1)]


def test_s07_a_late_approval_request_is_skipped() -> None:
    state = reduce(available(), c.ToolOutputAvailable("c1", 1), c.ToolApprovalRequest("p", "c1"))
    assert parts(state) == [call("output-available", output=1)]


def test_the_same_question_is_not_asked_twice() -> None:
    message = assistant(responded())
    state = reduce(c.ToolApprovalRequest("p", "c1"), into=message)
    assert tool(state).state == "approval-responded"


def test_another_question_about_the_same_call_is_asked() -> None:
    message = assistant(responded())
    state = reduce(c.ToolApprovalRequest("p2", "c1"), into=message)
    assert tool(state).state == "approval-requested"
    assert tool(state).approval == {"id": "p2"}


def test_an_answer_after_the_result_is_skipped() -> None:
    state = reduce(
        available(),
        c.ToolApprovalRequest("p", "c1"),
        c.ToolOutputAvailable("c1", 1),
        c.ToolApprovalResponse("p", False),
    )
    assert tool(state).state == "output-available"


@pytest.mark.parametrize(
    "chunk",
    [
        c.ToolOutputAvailable("x", 1),
        c.ToolOutputError("x", "no"),
        c.ToolOutputDenied("x"),
        c.ToolApprovalRequest("p", "x"),
        c.ToolApprovalResponse("p", True),
    ],
)
def test_b009_b011_b012_chunks_for_unknown_calls_are_noted_and_skipped(chunk: c.Chunk) -> None:
    state = reduce(chunk, *said("x"))
    assert len(parts(state)) == 1
    assert len(state.warnings) == 1


def test_deltas_before_their_start_wait_for_the_call() -> None:
    state = reduce(c.ToolInputDelta("c1", '{"a":1}'), available(input={"a": 1}))
    assert tool(state).args_text == '{"a":1}'


# Approvals


@pytest.mark.parametrize("dynamic", [None, True])
def test_b029_an_approval_is_asked_for(dynamic: bool | None) -> None:
    state = reduce(available(dynamic=dynamic), c.ToolApprovalRequest("p", "c1"), c.FinishStep())
    assert parts(state) == [
        call("approval-requested", approval={"id": "p"}, dynamic=dynamic is True)
    ]
    assert state.take_ready() == []


def test_b030_b031_the_signature_survives_the_answer() -> None:
    state = reduce(available(), c.ToolApprovalRequest("p", "c1", signature="s"))
    assert parts(state)[0]["approval"] == {"id": "p", "signature": "s"}
    apply(state, c.ToolApprovalResponse("p", True, "ok"))
    assert parts(state)[0]["approval"] == {
        "id": "p",
        "signature": "s",
        "approved": True,
        "reason": "ok",
    }


def test_b032_an_automatic_denial() -> None:
    state = reduce(
        available(),
        c.ToolApprovalRequest("p", "c1", is_automatic=True),
        c.ToolApprovalResponse("p", False, "policy"),
        c.ToolOutputDenied("c1"),
    )
    approval = {"id": "p", "isAutomatic": True, "approved": False, "reason": "policy"}
    assert parts(state) == [call("output-denied", approval=approval)]


def test_b033_an_automatic_approval() -> None:
    state = reduce(
        available(),
        c.ToolApprovalRequest("p", "c1", is_automatic=True),
        c.ToolApprovalResponse("p", True),
        c.ToolOutputAvailable("c1", 1),
    )
    approval = {"id": "p", "isAutomatic": True, "approved": True}
    assert parts(state) == [call("output-available", output=1, approval=approval)]


@pytest.mark.parametrize("dynamic", [False, True])
def test_b034_an_approved_call_of_a_loaded_message_is_run(dynamic: bool) -> None:
    approval = {"id": "p", "approved": True}
    message = assistant(STEP, call("approval-responded", approval=approval, dynamic=dynamic))
    state = reduce(
        c.Start("a1"),
        c.ToolOutputAvailable("c1", 1),
        c.StartStep(),
        *said("Done"),
        into=message,
        id_fixed=True,
    )
    done = call("output-available", output=1, approval=approval, dynamic=dynamic)
    assert parts(state)[:3] == [STEP, done, STEP]


def test_b035_the_same_with_preliminary_results() -> None:
    message = assistant(STEP, responded())
    state = reduce(c.ToolOutputAvailable("c1", 1, preliminary=True), into=message)
    assert tool(state).preliminary
    apply(state, c.ToolOutputAvailable("c1", 2))
    assert (tool(state).output, tool(state).preliminary) == (2, False)


def test_b036_a_denied_call_of_a_loaded_message() -> None:
    message = assistant(STEP, call("approval-responded", approval={"id": "p", "approved": False}))
    state = reduce(c.ToolOutputDenied("c1"), c.StartStep(), *said("No"), into=message)
    assert tool(state).state == "output-denied"


def test_b053_what_the_server_says_about_an_approval_is_kept() -> None:
    state = reduce(
        available(),
        c.ToolApprovalRequest("p", "c1", {"kind": "x"}, {"type": "object"}, "why", None, "sig"),
    )
    assert parts(state)[0]["approval"] == {
        "id": "p",
        "descriptor": {"kind": "x"},
        "inputSchemaInput": {"type": "object"},
        "requestReason": "why",
        "signature": "sig",
    }


def test_an_approved_call_that_is_announced_again_is_ours_to_run() -> None:
    state = reduce(available(), c.StartStep(), into=assistant(STEP, responded()))
    assert [part.tool_call_id for part in state.take_ready()] == ["c1"]
    assert len(state.message.tool_parts()) == 1


def test_a_denied_call_that_is_announced_again_is_not() -> None:
    denied = call("approval-responded", approval={"id": "p", "approved": False})
    state = reduce(available(), c.StartStep(), into=assistant(STEP, denied))
    assert state.take_ready() == []


# Names, encodings, order


def test_b048_text_arguments_show_as_they_come() -> None:
    state = reduce(start(input_encoding="text"), c.ToolInputDelta("c1", "print("))
    assert tool(state).input == "print("
    apply(state, c.ToolInputDelta("c1", "1)"))
    assert parts(state)[0] == {
        "type": "tool-open",
        "toolCallId": "c1",
        "state": "input-streaming",
        "input": "print(1)",
        "rawInput": "print(1)",
        "inputEncoding": "text",
    }


def test_b050_arguments_of_a_loaded_message_go_on() -> None:
    half = call("input-streaming", rawInput='{"a":', input={})
    state = reduce(c.ToolInputDelta("c1", "1}"), into=assistant(STEP, half))
    assert tool(state).input == {"a": 1}


def test_b054_a_repaired_name_renames_the_part() -> None:
    state = reduce(start(name="opn"), available(name="open"))
    assert [part["type"] for part in parts(state)] == ["tool-open"]


def test_calls_are_ready_when_their_step_has_ended() -> None:
    state = reduce(c.StartStep(), available("c1"), available("c2"))
    assert state.take_ready() == []
    apply(state, c.FinishStep())
    assert [part.tool_call_id for part in state.take_ready()] == ["c1", "c2"]
    assert state.take_ready() == []


def test_calls_the_server_answered_in_the_step_are_not_ready() -> None:
    state = reduce(available("c1"), c.ToolOutputAvailable("c1", 1), available("c2"), c.FinishStep())
    assert [part.tool_call_id for part in state.take_ready()] == ["c2"]


def test_an_outcome_without_complete_arguments_keeps_what_came() -> None:
    state = reduce(start(), c.ToolInputDelta("c1", '{"a":1,"b":"x'), c.ToolOutputAvailable("c1", 1))
    assert parts(state) == [call("output-available", input={"a": 1, "b": "x"}, output=1)]


# Taken up again


def test_b051_a_replay_resets_once_and_merges_by_call_id() -> None:
    message = assistant(
        STEP,
        {"type": "text", "text": "Hel", "state": "streaming"},
        call("output-available", id="c1", output="ours"),
        call("approval-responded", id="c2", approval={"id": "p", "approved": True}),
        call("input-streaming", id="c3", rawInput='{"a"'),
    )
    state = reduce(
        c.Start("a1"),
        c.StartStep(),
        *said("Hello"),
        available("c1"),
        available("c2"),
        c.ToolApprovalRequest("p", "c2"),
        start("c3"),
        c.ToolInputDelta("c3", '{"a":1}'),
        c.Start("a1"),
        into=message,
        resumed=True,
        base=0,
    )
    assert [part["type"] for part in parts(state)] == [
        "step-start",
        "text",
        "tool-open",
        "tool-open",
        "tool-open",
    ]
    ours, approved, streaming = state.message.tool_parts()
    assert ours.output == "ours"
    assert approved.approved is True
    assert streaming.input == {"a": 1}


def test_a_replay_keeps_the_steps_before_its_response() -> None:
    """The AI SDK empties the message."""
    message = assistant(STEP, call("output-available", output=1), STEP)
    state = reduce(c.Start("a1"), c.StartStep(), *said("Done"), into=message, resumed=True, base=2)
    assert [part["type"] for part in parts(state)] == [
        "step-start",
        "tool-open",
        "step-start",
        "text",
    ]


def test_a_replay_opens_a_call_that_broke_off() -> None:
    message = assistant(STEP, call("output-error"))
    broken = message.tool_parts()[0]
    broken.interrupted = True
    state = reduce(
        c.Start(), c.StartStep(), start(), available(), into=message, resumed=True, base=0
    )
    assert parts(state)[1:] == [call("input-available")]
