"""AG-UI's events as chunks: what each becomes, and that nothing a server sends breaks it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.errors import MalformedEventError, NotAStreamError
from pagehand.wire.ag_ui import ACTIVITY, ENCRYPTED, STATE, AgUiDecoder, decoder_for
from pagehand.wire.ag_ui_calls import NO_RESULT, NOT_WANTED
from pagehand.wire.ag_ui_ending import INTERRUPTS
from pagehand.wire.ag_ui_events import KNOWN
from pagehand.wire.chunks import (
    Abort,
    Chunk,
    Data,
    Error,
    Finish,
    FinishStep,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    Start,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)
from pagehand.wire.stream import ChunkReader

Event = dict[str, Any]
DATA = Path(__file__).parents[1] / "data" / "ag-ui"
STARTED: Event = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISHED: Event = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def read(*events: Event, **options: Any) -> tuple[list[Chunk], list[str]]:
    """The chunks of a run after its start, and the warnings."""
    reader = ChunkReader(codec=AgUiDecoder(**options))
    data = "".join(f"data: {json.dumps(event)}\n\n" for event in (STARTED, *events))
    chunks = reader.feed(data.encode()) + reader.flush()
    assert chunks[0] == Start()
    return chunks[1:], reader.warnings


def chunks(*events: Event, **options: Any) -> list[Chunk]:
    found, warnings = read(*events, **options)
    assert warnings == []
    return found


def note(**keys: str) -> dict[str, Any]:
    return {"ag-ui": keys}


def text(kind: str, id: str = "a1", **more: Any) -> Event:
    return {"type": f"TEXT_MESSAGE_{kind}", "messageId": id, **more}


def thought(kind: str, id: str = "r1", **more: Any) -> Event:
    return {"type": f"REASONING_MESSAGE_{kind}", "messageId": id, **more}


def call(kind: str, id: str = "c1", **more: Any) -> Event:
    return {"type": f"TOOL_CALL_{kind}", "toolCallId": id, **more}


def whole(name: str = "open", id: str = "c1", args: str = "{}", **more: Any) -> list[Event]:
    return [
        call("START", id, toolCallName=name, **more),
        call("ARGS", id, delta=args),
        call("END", id),
    ]


def test_text_opens_with_its_first_words() -> None:
    assert (
        chunks(text("START"), text("END"), text("START", "a2"), text("CONTENT", "a2", delta=""))
        == []
    )
    assert chunks(text("START"), text("CONTENT", delta="Hi"), text("END"), FINISHED) == [
        StartStep(), TextStart("a1", note(messageId="a1")), TextDelta("a1", "Hi"), TextEnd("a1"),
        Finish("stop"),
    ]  # fmt: skip


def test_words_without_a_start_and_an_end_twice() -> None:
    assert chunks(text("CONTENT", delta="Hi"), text("END"), text("END")) == [
        StartStep(), TextStart("a1", note(messageId="a1")), TextDelta("a1", "Hi"), TextEnd("a1"),
    ]  # fmt: skip


def test_only_the_assistants_messages_are_shown() -> None:
    found, warnings = read(
        text("START", role="user"), text("CONTENT", delta="I am you"), text("END")
    )
    assert found == []
    assert warnings == ["A message of the role 'user' was passed over."]


def test_reasoning_and_its_span() -> None:
    span = {"type": "REASONING_START", "messageId": "r1"}
    signed = {"subtype": "message", "entityId": "r1", "encryptedValue": "x"}
    assert chunks(
        span, thought("START", role="reasoning"), thought("CONTENT", delta="hm"), thought("END"),
        {"type": "REASONING_ENCRYPTED_VALUE", **signed},
    ) == [
        StartStep(), ReasoningStart("r1", note(messageId="r1")), ReasoningDelta("r1", "hm"),
        ReasoningEnd("r1"), Data(ENCRYPTED, signed, "r1"),
    ]  # fmt: skip


def test_a_sub_agents_words_are_no_answer() -> None:
    assert chunks(
        text("START", subagentRunId="s"), text("CONTENT", delta="Looking"), text("END")
    ) == [
        StartStep(),
        ReasoningStart("a1", note(messageId="a1", subagentRunId="s", role="assistant")),
        ReasoningDelta("a1", "Looking"),
        ReasoningEnd("a1"),
    ]


def test_a_call_of_a_tool_that_was_offered_is_ours() -> None:
    events = [
        call("START", toolCallName="open", parentMessageId="a1"), call("ARGS", delta='{"n"'),
        call("ARGS", delta=": 1}"), call("END"), call("END"), FINISHED,
    ]  # fmt: skip
    assert chunks(*events, tools=["open"]) == [
        StartStep(), ToolInputStart("c1", "open", provider_metadata=note(parentMessageId="a1")),
        ToolInputDelta("c1", '{"n"'), ToolInputDelta("c1", ": 1}"),
        ToolInputAvailable("c1", "open", {"n": 1}), Finish("tool-calls"),
    ]  # fmt: skip


@pytest.mark.parametrize(("args", "value"), [("", {}), (" ", {}), ('{"n":', '{"n":'), ("[1]", [1])])
def test_arguments(args: str, value: Any) -> None:
    assert ToolInputAvailable("c1", "open", value) in chunks(*whole(args=args), tools=["open"])


@pytest.mark.parametrize("options", [{}, {"tools": ["open"], "who": "s"}])
def test_any_other_call_is_the_servers(options: dict[str, Any]) -> None:
    more = {"subagentRunId": options.pop("who")} if "who" in options else {}
    found = chunks(*whole(**more), FINISHED, **options)
    assert found[1].provider_executed is True  # type: ignore[attr-defined]
    assert ToolInputAvailable("c1", "open", {}, True) in found
    assert found[-2:] == [ToolOutputError("c1", NO_RESULT), Finish("stop")]


def test_a_call_that_is_opened_again_stays_as_it_is() -> None:
    found, warnings = read(
        *whole(), call("START", toolCallName="other"), call("ARGS", delta="x"), tools=["open"]
    )
    assert len(found) == 4
    assert warnings == ["Arguments of a call that is not open were passed over."]


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("done", "done"),
        ("", ""),
        ('{"n": 1}', {"n": 1}),
        ("[1, 2]", [1, 2]),
        ("{n}", "{n}"),
        ("5", "5"),
        ([{"type": "text", "text": "x"}], [{"type": "text", "text": "x"}]),
    ],
)
def test_results(content: Any, value: Any) -> None:
    found = chunks(*whole(), call("RESULT", content=content, messageId="t1"), FINISHED)
    assert found[-2:] == [
        ToolOutputAvailable("c1", value, provider_metadata=note(messageId="t1")),
        Finish("stop"),
    ]


def test_a_placeholder_is_no_result() -> None:
    said = call("RESULT", content="Forwarded to client")
    assert chunks(*whole(), said, FINISHED, tools=["open"])[-1] == Finish("tool-calls")
    assert ToolOutputAvailable("c1", "Forwarded to client") in chunks(*whole(), said)


def test_a_result_closes_its_call_and_may_stand_alone() -> None:
    opened = chunks(call("START", toolCallName="f"), call("RESULT", content="x"))
    assert opened[2:] == [ToolInputAvailable("c1", "f", {}, True), ToolOutputAvailable("c1", "x")]
    assert chunks(call("RESULT", content="x")) == [ToolOutputAvailable("c1", "x")]


@pytest.mark.parametrize(
    ("state", "content", "wanted"),
    [
        ("output-error", "No.", ToolOutputError("c1", "No.")),
        ("output-error", [], ToolOutputError("c1", NO_RESULT)),
        ("output-denied", "No.", ToolOutputDenied("c1")),
        ("else", "Yes", ToolOutputAvailable("c1", "Yes")),
    ],
)
def test_our_own_backend_tells_what_is_no_success(state: str, content: Any, wanted: Chunk) -> None:
    told = {"pagehand": {"state": state}}
    assert chunks(call("RESULT", content=content, metadata=told)) == [wanted]
    assert chunks(call("RESULT", content="x", metadata={"pagehand": 1})) == [
        ToolOutputAvailable("c1", "x")
    ]


def test_a_step_begins_where_content_follows_results() -> None:
    first = [*whole("a", parentMessageId="p"), call("RESULT", content="1")]
    same = [*whole("b", "c2", parentMessageId="p"), call("RESULT", "c2", content="2")]
    found = chunks(*first, *same, text("CONTENT", delta="Now"), *whole("d", "c3"))
    borders = [index for index, chunk in enumerate(found) if isinstance(chunk, StartStep)]
    assert borders == [0, 10]
    assert found[9] == FinishStep()


def test_only_what_the_server_waits_for_is_run() -> None:
    outcome = {"type": "success", "pendingToolCallIds": ["c2", "c3", "gone"]}
    found = chunks(
        *whole(), *whole("mark", "c2"), *whole("theirs", "c3"), *whole("theirs", "c4"),
        {**FINISHED, "outcome": outcome}, tools=["open", "mark"],
    )  # fmt: skip
    assert found[-4:] == [
        ToolOutputError("c1", NOT_WANTED),
        ToolInputAvailable("c3", "theirs", {}, False),
        ToolOutputError("c4", NO_RESULT),
        Finish("tool-calls"),
    ]


OLD = {"c1": ("open", {"n": 1})}


@pytest.mark.parametrize(
    "events",
    [
        [{**FINISHED, "outcome": {"type": "success", "pendingToolCallIds": ["c1"]}}],
        [call("START", toolCallName="open"), call("END"), FINISHED],
        [*whole(args='{"n": 1}'), FINISHED],
    ],
)
def test_a_call_of_before_may_be_ours_to_run_now(events: list[Event]) -> None:
    found = chunks(*events, tools=["open"], calls=OLD, sent=["c1"])
    assert found == [ToolInputAvailable("c1", "open", {"n": 1}), Finish("tool-calls")]


def test_a_call_of_before_that_is_told_anew_counts_as_told() -> None:
    found = chunks(*whole(args='{"n": 2}'), FINISHED, tools=["open"], calls=OLD, sent=["c1"])
    assert found == [ToolInputAvailable("c1", "open", {"n": 2}), Finish("tool-calls")]


def test_a_call_of_before_may_get_its_result_now() -> None:
    found = chunks(*whole(), call("RESULT", content="x"), FINISHED, calls=OLD, resuming=True)
    assert found == [
        ToolOutputAvailable("c1", "x"),
        Data(INTERRUPTS, [], "interrupts"),
        Finish("stop"),
    ]


def test_a_call_that_was_answered_long_ago_is_not_told_again() -> None:
    assert chunks(*whole(), FINISHED, tools=["open"], sent=["c1"]) == [Finish("stop")]


def interrupt(**keys: Any) -> Event:
    told = {"id": "i1", "reason": "tool_call", **keys}
    return {**FINISHED, "outcome": {"type": "interrupt", "interrupts": [told]}}


def test_an_approval_of_the_servers_call() -> None:
    found = chunks(*whole(), interrupt(toolCallId="c1"))
    assert found[-4:] == [
        ToolInputAvailable("c1", "open", {}, False),
        ToolApprovalRequest("i1", "c1"),
        Data(INTERRUPTS, [{"id": "i1", "reason": "tool_call", "toolCallId": "c1"}], "interrupts"),
        Finish("tool-calls"),
    ]


def test_an_approval_of_our_call_and_one_of_before() -> None:
    found = chunks(*whole(), interrupt(toolCallId="c1"), tools=["open"])
    assert found[-3] == ToolApprovalRequest("i1", "c1")
    found = chunks(interrupt(toolCallId="c1"), calls=OLD)
    assert found[0] == ToolApprovalRequest("i1", "c1")


def test_an_approval_of_a_call_that_was_held_back() -> None:
    told = {"toolName": "sell", "args": {"n": 1}}
    found = chunks(interrupt(toolCallId="c9", metadata={"mastra": told}))
    assert found[:3] == [
        StartStep(), ToolInputAvailable("c9", "sell", {"n": 1}), ToolApprovalRequest("i1", "c9"),
    ]  # fmt: skip


def test_endings() -> None:
    assert chunks({**FINISHED, "outcome": {"type": "cancelled"}}) == [
        Abort("The run was cancelled."), Finish("other"),
    ]  # fmt: skip
    ended = {
        **FINISHED,
        "result": 1,
        "usage": [],
        "metadata": {"mastra": {"finishReason": "length"}},
    }
    assert chunks(ended) == [Finish("length", {"ag-ui": {"result": 1, "usage": []}})]
    assert chunks({**FINISHED, "outcome": {"type": "new"}, "metadata": {"mastra": {}}}) == [
        Finish("stop")
    ]


def test_errors_end_the_run_and_a_new_run_may_follow() -> None:
    error = {"type": "RUN_ERROR", "message": "Busy."}
    assert chunks(error, text("CONTENT", delta="x"), FINISHED) == [Error("Busy.")]
    assert chunks({"type": "RUN_ERROR"}) == [Error("The server reported an error without a text.")]
    assert len(chunks(error, STARTED, FINISHED)) == 3


@pytest.mark.parametrize(
    "event",
    [
        call("ARGS", delta=5),
        call("START"),
        call("RESULT", content=None),
        {"type": "TOOL_CALL_CHUNK", "delta": "{"},
    ],
)
def test_a_call_that_cannot_be_trusted_ends_the_run(event: Event) -> None:
    found = chunks(*whole()[:2], event, call("END"), FINISHED, tools=["open"])
    assert isinstance(found[-1], Error)


def test_what_else_cannot_be_read_is_passed_over() -> None:
    found, warnings = read(
        {"type": "STATE_DELTA", "delta": 5}, text("CONTENT"), {"type": 5}, FINISHED
    )
    assert found == [Finish("stop")]
    assert len(warnings) == 3


def test_unknown_events_are_passed_over_with_one_warning() -> None:
    found, warnings = read({"type": "META"}, {"type": "META"}, {"type": "RAW"}, FINISHED)
    assert found == [Finish("stop")]
    assert warnings == ["Events of the unknown type 'META' were passed over."]


def test_state() -> None:
    delta = {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/n", "value": 2}]}
    bad = {"type": "STATE_DELTA", "delta": [{"op": "remove", "path": "/q"}]}
    found, warnings = read(delta, bad, delta, state={"a": 1})
    assert found == [Data(STATE, {"a": 1, "n": 2}, "state")] * 2
    assert len(warnings) == 1
    assert chunks({"type": "STATE_SNAPSHOT", "snapshot": None}, state=1) == [
        Data(STATE, None, "state")
    ]
    assert chunks(delta) == [Data(STATE, {"n": 2}, "state")]


def test_activities() -> None:
    shown = {"type": "ACTIVITY_SNAPSHOT", "messageId": "m", "activityType": "PLAN"}
    patch = [{"op": "add", "path": "/b", "value": 2}]
    change = {"type": "ACTIVITY_DELTA", "messageId": "m", "activityType": "PLAN", "patch": patch}
    found, warnings = read(
        change, {**shown, "content": {"a": 1}}, change, {**shown, "content": 0, "replace": False},
        {**shown, "content": 0},
    )  # fmt: skip
    contents = [chunk.data["content"] for chunk in found if isinstance(chunk, Data)]
    assert contents == [{"a": 1}, {"a": 1, "b": 2}, 0]
    assert {(chunk.name, chunk.id) for chunk in found} == {(ACTIVITY, "m")}  # type: ignore[attr-defined]
    assert len(warnings) == 1


def test_custom_events_are_for_the_moment() -> None:
    assert chunks({"type": "CUSTOM", "name": "tick", "value": 1}) == [
        Data("tick", 1, transient=True)
    ]


def test_a_snapshot_adds_what_is_missing() -> None:
    messages = [
        {"id": "a1", "role": "assistant", "content": "Hi"},
        {"id": "a2", "role": "assistant", "content": "More"},
        {"id": "t1", "role": "tool", "toolCallId": "c1", "content": "x"},
        {"id": "a3", "role": "assistant", "content": "sent"},
    ]
    found = chunks(
        text("CONTENT", delta="Hi"), *whole(), {"type": "MESSAGES_SNAPSHOT", "messages": messages},
        sent=["a3"],
    )  # fmt: skip
    assert [c.delta for c in found if isinstance(c, TextDelta)] == ["Hi", "More"]
    assert ToolOutputAvailable("c1", "x", provider_metadata=note(messageId="t1")) in found


@pytest.mark.parametrize(
    ("version", "newer"),
    [("1.0", False), ("0.9", False), ("1.1", True), ("2.0", True), ("x", True), (None, False)],
)
def test_a_newer_version_is_told(version: Any, newer: bool) -> None:
    _, warnings = read({**STARTED, "protocolVersion": version})
    assert bool(warnings) is newer


@pytest.mark.parametrize("event", [{"type": "start"}, {"type": "x", "runId": "r", "from": "A"}])
def test_another_protocol_is_told_apart(event: Event) -> None:
    with pytest.raises(NotAStreamError, match="not the AG-UI protocol"):
        AgUiDecoder()(event, print)
    with pytest.raises(MalformedEventError):
        AgUiDecoder()({"type": None}, print)


def test_the_decoder_knows_what_was_sent() -> None:
    function = {"name": "open", "arguments": '{"n": 1}'}
    asked = {"id": "c1", "type": "function", "function": function}
    body = {
        "tools": [{"name": "open"}],
        "state": {"s": 1},
        "resume": [{"interruptId": "i"}],
        "messages": [
            {"id": "u1", "role": "user", "content": "x"},
            {"id": "a1", "role": "assistant", "toolCalls": [asked, {**asked, "id": "c2"}]},
            {"id": "t1", "role": "tool", "toolCallId": "c2", "content": "x"},
        ],
    }
    reader = ChunkReader(codec=decoder_for(body))
    end = {**FINISHED, "outcome": {"type": "success", "pendingToolCallIds": ["c1", "c2"]}}
    data = "".join(f"data: {json.dumps(e)}\n\n" for e in (STARTED, end)).encode()
    assert reader.feed(data) == [
        Start(), ToolInputAvailable("c1", "open", {"n": 1}), Data(INTERRUPTS, [], "interrupts"),
        Finish("tool-calls"),
    ]  # fmt: skip
    assert decoder_for({}) is not None


@pytest.mark.parametrize("case", json.loads((DATA / "violations-synth.json").read_text("utf-8")))
def test_sequences_that_the_reference_refuses_break_nothing(case: dict[str, Any]) -> None:
    read(*case["events"], tools=["open"])


VALUE = (
    st.none() | st.sampled_from(["a1", "c1", "open", "{}", "s", "user", 5, True]) | st.builds(dict)
)
KEYS = (
    "messageId", "toolCallId", "toolCallName", "delta", "content", "role", "parentMessageId",
    "subagentRunId", "snapshot", "patch", "messages", "outcome", "entityId", "encryptedValue",
    "activityType", "name", "value", "message", "metadata", "protocolVersion",
)  # fmt: skip
CHUNKED = ["TEXT_MESSAGE_CHUNK", "TOOL_CALL_CHUNK", "REASONING_MESSAGE_CHUNK", "META"]
OUTCOME = st.fixed_dictionaries(
    {"type": st.sampled_from(["success", "interrupt", "cancelled", "x"])},
    optional={
        "pendingToolCallIds": st.lists(VALUE, max_size=2),
        "interrupts": st.lists(
            st.fixed_dictionaries({"id": VALUE}, optional={"toolCallId": VALUE, "metadata": VALUE}),
            max_size=2,
        ),
    },
)
ANY = st.fixed_dictionaries(
    {"type": st.sampled_from([*KNOWN, *CHUNKED])},
    optional={key: (OUTCOME | VALUE) if key == "outcome" else VALUE for key in KEYS},
)
LIKELY = st.sampled_from(
    [
        text("START"), text("CONTENT", delta="Hi"), text("END"), *whole(), *whole("x", "c2"),
        call("RESULT", content="r"), thought("CONTENT", delta="hm"), FINISHED, STARTED,
        {"type": "RUN_ERROR", "message": "e"}, interrupt(toolCallId="c1"),
    ]
)  # fmt: skip


@given(st.lists(ANY | LIKELY, max_size=12), st.integers(1, 50))
def test_any_events_in_any_order_and_cut_anywhere_are_read(events: list[Event], size: int) -> None:
    data = "".join(f"data: {json.dumps(event)}\n\n" for event in (STARTED, *events)).encode()
    options: dict[str, Any] = {"tools": ["open"], "calls": {"c2": ("x", {})}, "sent": ["c2"]}
    reader = ChunkReader(codec=AgUiDecoder(**options))
    found: list[Chunk] = []
    for start in range(0, len(data), size):
        found += reader.feed(data[start : start + size])
    found += reader.flush()
    again = ChunkReader(codec=AgUiDecoder(**options))
    assert again.feed(data) + again.flush() == found
    assert len(set(reader.warnings)) == len(reader.warnings)
    for chunk in found:
        repr(chunk)
