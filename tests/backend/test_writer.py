from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.writer import DONE, StreamWriter
from pagehand.wire.chunks import (
    Chunk,
    Data,
    Error,
    Finish,
    FinishStep,
    ReasoningDelta,
    ReasoningStart,
    Start,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputError,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    UnknownChunk,
)


def events(data: bytes) -> list[dict[str, Any]]:
    texts = [event.removeprefix("data: ") for event in data.decode().split("\n\n") if event]
    return [json.loads(text) for text in texts if text != "[DONE]"]


def written(*chunks: Chunk, message_id: str | None = "m1") -> list[str]:
    writer = StreamWriter(message_id)
    data = b"".join(writer.write(chunk) for chunk in chunks)
    return [event["type"] for event in events(data)]


def test_start_comes_first_with_our_id() -> None:
    data = StreamWriter("m1").write(Start("theirs", {"model": "x"}))
    assert events(data) == [{"type": "start", "messageId": "m1", "messageMetadata": {"model": "x"}}]
    assert events(StreamWriter(None).write(TextStart("t")))[0] == {"type": "start"}


def test_a_second_start_is_no_second_start() -> None:
    assert written(Start(), Start(), Finish("stop")) == ["start", "finish"]


def test_a_delta_gets_the_step_and_the_start_it_needs() -> None:
    assert written(TextDelta("t", "x"), Finish("stop")) == [
        "start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "finish",
    ]  # fmt: skip


def test_whatever_is_open_is_closed_before_the_step_ends() -> None:
    types = written(StartStep(), TextStart("a"), ReasoningStart("b"), StartStep(), Finish("stop"))
    assert types == [
        "start", "start-step", "text-start", "reasoning-start", "text-end", "reasoning-end",
        "finish-step", "start-step", "finish-step", "finish",
    ]  # fmt: skip


def test_ends_and_deltas_of_nothing_are_dropped() -> None:
    types = written(StartStep(), TextEnd("x"), ToolInputDelta("c", "{"), FinishStep(), FinishStep())
    assert types == ["start", "start-step", "finish-step"]


def test_a_delta_after_the_arguments_are_complete_is_dropped() -> None:
    types = written(
        ToolInputStart("c", "t"), ToolInputAvailable("c", "t", {}), ToolInputDelta("c", "x")
    )
    assert types == ["start", "start-step", "tool-input-start", "tool-input-available"]


def test_what_settles_an_earlier_call_stands_before_the_step() -> None:
    types = written(
        ToolOutputDenied("a"),
        ToolOutputAvailable("b", 1),
        ToolInputAvailable("c", "t", {}),
        StartStep(),
    )
    assert types == [
        "start",
        "tool-output-denied",
        "tool-output-available",
        "tool-input-available",
        "start-step",
    ]


def test_errors_and_requests_of_a_new_call_open_a_step() -> None:
    assert written(ToolInputError("c", "t", "x", "bad"))[1] == "start-step"
    assert written(ToolApprovalRequest("a", "c"))[1] == "start-step"
    assert written(Data("x", 1))[1] == "start-step"


def test_finish_has_a_reason_and_is_the_last() -> None:
    writer = StreamWriter("m")
    data = writer.write(Finish()) + writer.write(TextDelta("t", "late")) + writer.end()
    assert events(data)[-1] == {"type": "finish", "finishReason": "stop"}
    assert data.endswith(DONE)
    assert data.count(b"[DONE]") == 1


def test_after_an_error_the_reason_is_error() -> None:
    writer = StreamWriter("m")
    data = writer.write(TextDelta("t", "x")) + writer.fail("It broke.")
    assert [e["type"] for e in events(data)][-4:] == ["text-end", "error", "finish-step", "finish"]
    assert events(data)[-1]["finishReason"] == "error"
    mild = StreamWriter("m")
    assert (
        events(mild.write(Error("x")) + mild.write(Finish("stop")))[-1]["finishReason"] == "error"
    )


def test_a_forgotten_end_is_made_up() -> None:
    writer = StreamWriter("m")
    data = writer.write(TextDelta("t", "x")) + writer.end()
    assert events(data)[-1] == {"type": "finish", "finishReason": "other"}


@pytest.mark.parametrize(
    "delta",
    ["a", '"\\\n\r\t', "\u2028\u2029\x85\x0b", "中文 😀", "\ud83d", "\ude00\ud83d", "\x00\x1f\x7f"],
)
def test_the_quick_way_writes_what_the_slow_way_writes(delta: str) -> None:
    quick, slow = StreamWriter("m"), StreamWriter("m")
    quick.write(TextStart('t"1'))
    slow.write(TextStart('t"1'))
    one = quick.write(TextDelta('t"1', delta))
    two = slow.write(
        UnknownChunk("text-delta", {"type": "text-delta", "id": 't"1', "delta": delta})
    )
    assert one == two
    assert one.count(b"\n") == 2


CHUNKS = st.one_of(
    st.sampled_from([Start(), StartStep(), FinishStep(), Finish("stop"), Error("e"), Data("d", 1)]),
    st.builds(TextStart, st.sampled_from("ab")),
    st.builds(TextDelta, st.sampled_from("ab"), st.text(max_size=4)),
    st.builds(TextEnd, st.sampled_from("ab")),
    st.builds(ReasoningDelta, st.sampled_from("ab"), st.just("r")),
    st.builds(ToolInputStart, st.sampled_from("cd"), st.just("t")),
    st.builds(ToolInputDelta, st.sampled_from("cd"), st.just("{")),
    st.builds(ToolInputAvailable, st.sampled_from("cd"), st.just("t"), st.just({})),
)


@given(st.lists(CHUNKS, max_size=30))
def test_any_order_becomes_a_stream_that_clients_can_read(chunks: list[Chunk]) -> None:
    writer = StreamWriter("m")
    data = b"".join(map(writer.write, chunks)) + writer.end()
    found = events(data)
    assert data.endswith(DONE)
    assert [e["type"] for e in found].count("start") == 1
    assert found[0]["type"] == "start"
    assert found[-1]["type"] == "finish"
    assert found[-1]["finishReason"]
    open_texts: set[str] = set()
    in_step = False
    for event in found:
        kind = event["type"]
        if kind == "start-step":
            assert not in_step
            in_step = True
        elif kind in ("finish-step", "finish", "error"):
            assert not open_texts
            in_step = in_step and kind != "finish-step"
        elif kind in ("text-start", "reasoning-start"):
            assert in_step
            assert kind[:4] + event["id"] not in open_texts
            open_texts.add(kind[:4] + event["id"])
        elif kind in ("text-delta", "reasoning-delta"):
            assert kind[:4] + event["id"] in open_texts
        elif kind in ("text-end", "reasoning-end"):
            open_texts.remove(kind[:4] + event["id"])
    assert not in_step
