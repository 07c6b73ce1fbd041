"""Behaviours 1 to 15 and 37 to 58: messages, prose, data. The calls are in test_reduce_calls."""

from __future__ import annotations

from typing import Any

import pytest

from chat.support import STEP, assistant, call, parts, reduce, said
from pagehand.chat.messages import DataPart, TextPart
from pagehand.chat.reducer import apply
from pagehand.chat.state import merge_metadata
from pagehand.wire import chunks as c
from pagehand.wire.codec import decode_chunk


def text(words: str, state: str = "done", **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, "state": state, **more}


# Text and reasoning


def test_b001_a_text_is_put_together() -> None:
    state = reduce(
        c.Start("m1"),
        c.StartStep(),
        c.TextStart("t"),
        c.TextDelta("t", "Hel"),
        c.TextDelta("t", "lo"),
    )
    assert parts(state) == [STEP, text("Hello", "streaming")]
    apply(state, c.TextEnd("t"))
    apply(state, c.FinishStep())
    apply(state, c.Finish("stop"))
    assert parts(state) == [STEP, text("Hello")]
    assert state.message.id == "m1"
    assert state.finish_reason == "stop"


def test_b002_only_content_counts_as_a_change_to_show() -> None:
    state = reduce(c.Start(), c.StartStep())
    assert not state.started
    apply(state, c.TextStart("t"))
    assert state.started


def test_every_text_delta_raises_the_revisions() -> None:
    state = reduce(c.TextStart("t"))
    part = state.message.parts[0]
    for _ in range(3):
        before = part.revision, state.message.revision
        apply(state, c.TextDelta("t", "x"))
        assert part.revision > before[0]
        assert state.message.revision > before[1]


def test_b003_metadata_of_the_provider_is_replaced_when_given() -> None:
    state = reduce(c.TextStart("t", {"p": {"a": 1}}), c.TextDelta("t", "x"))
    assert parts(state)[0]["providerMetadata"] == {"p": {"a": 1}}
    apply(state, c.TextDelta("t", "y", {"p": {"b": 2}}))
    assert parts(state)[0]["providerMetadata"] == {"p": {"b": 2}}
    apply(state, c.TextEnd("t", None, {"p": {"c": 3}}))
    assert parts(state)[0]["providerMetadata"] == {"p": {"c": 3}}


def test_b004_interleaved_reasoning_keeps_its_ids() -> None:
    state = reduce(
        c.ReasoningStart("r1", {"p": {"n": 1}}),
        c.ReasoningStart("r2"),
        c.ReasoningDelta("r2", "two"),
        c.ReasoningDelta("r1", "one"),
        c.ReasoningEnd("r1", {"p": {"n": 2}}),
        c.ReasoningEnd("r2"),
    )
    first, second = parts(state)
    assert (first["id"], first["text"], first["state"]) == ("r1", "one", "done")
    assert first["providerMetadata"] == {"p": {"n": 2}}
    assert (second["id"], second["text"]) == ("r2", "two")


def test_b005_text_after_tool_results_stays_in_its_step() -> None:
    state = reduce(
        c.StartStep(),
        *said("before"),
        c.ToolInputAvailable("c1", "open", {}),
        c.ToolOutputAvailable("c1", 1),
        c.FinishStep(),
        c.StartStep(),
        *said("after"),
    )
    kinds = [part["type"] for part in parts(state)]
    assert kinds == ["step-start", "text", "tool-open", "step-start", "text"]


def test_b006_an_error_chunk_leaves_the_message_alone() -> None:
    state = reduce(c.TextStart("t"), c.TextDelta("t", "x"))
    before = parts(state)
    apply(state, c.Error("boom"))
    apply(state, c.Error("and again"))
    assert parts(state) == before
    assert state.error_text == "boom"


def test_b007_a_text_delta_without_a_start_opens_its_text() -> None:
    """The AI SDK ends the stream here; a resumed stream may begin in the middle."""
    state = reduce(c.TextDelta("t", "Hel"), c.TextDelta("t", "lo"), c.TextEnd("t"))
    assert parts(state) == [text("Hello")]


def test_b008_a_reasoning_delta_without_a_start_opens_its_part() -> None:
    state = reduce(c.ReasoningDelta("r", "Hm"), c.ReasoningEnd("r"))
    assert parts(state) == [{"type": "reasoning", "id": "r", "text": "Hm", "state": "done"}]


@pytest.mark.parametrize("end", [c.TextEnd("t"), c.ReasoningEnd("r")])
def test_b010_b011_an_end_without_a_start_is_noted_and_skipped(end: c.Chunk) -> None:
    state = reduce(end, end, *said("x"))
    assert parts(state) == [text("x")]
    assert len(state.warnings) == 1


@pytest.mark.parametrize("id", ["__proto__", "constructor", "toString"])
def test_b013_b014_b015_ids_of_javascript_prototypes_are_ordinary(id: str) -> None:
    state = reduce(c.TextDelta(id, "x"), c.ReasoningDelta(id, "y"), c.ToolInputDelta(id, "{}"))
    assert [part["type"] for part in parts(state)] == ["text", "reasoning"]


def test_s13_a_text_that_broke_off_is_taken_up_again() -> None:
    message = assistant(STEP, text("Hel", "streaming"))
    message.parts[1].close(interrupted=True)
    state = reduce(c.TextDelta("t", "lo"), c.TextEnd("t"), into=message, base=0)
    assert parts(state) == [STEP, text("Hello")]
    part = state.message.parts[1]
    assert isinstance(part, TextPart)
    assert not part.interrupted


def test_an_id_used_again_closes_the_text_before() -> None:
    """The AI SDK leaves the first one streaming for ever."""
    state = reduce(c.TextStart("1"), c.TextDelta("1", "a"), c.TextStart("1"), c.TextDelta("1", "b"))
    assert parts(state) == [text("a"), text("b", "streaming")]


def test_ids_come_again_in_every_step() -> None:
    state = reduce(c.StartStep(), *said("a"), c.FinishStep(), c.StartStep(), *said("b"))
    assert parts(state) == [STEP, text("a"), STEP, text("b")]


def test_characters_cut_between_deltas_are_joined() -> None:
    state = reduce(c.TextStart("t"), c.TextDelta("t", "\ud83d"), c.TextDelta("t", "\ude00"))
    assert parts(state) == [text("😀", "streaming")]


# Metadata and identity


def test_b037_metadata_is_deep_merged() -> None:
    state = reduce(
        c.Start("m", {"a": {"x": 1}, "list": [1]}),
        c.MessageMetadata({"a": {"y": 2}}),
        c.Finish("stop", {"list": [2], "b": None}),
    )
    assert state.message.metadata == {"a": {"x": 1, "y": 2}, "list": [2], "b": None}


def test_b038_metadata_after_finish_is_applied() -> None:
    state = reduce(c.Finish("stop"), c.MessageMetadata({"late": True}))
    assert state.message.metadata == {"late": True}


def test_b039_metadata_merges_into_what_a_continued_message_has() -> None:
    message = assistant()
    message.metadata = {"old": 1}
    state = reduce(c.Start("a1", {"new": 2}), into=message, id_fixed=True)
    assert state.message.metadata == {"old": 1, "new": 2}


def test_metadata_keys_that_poison_javascript_are_skipped() -> None:
    merged = merge_metadata({"a": 1}, {"__proto__": {"x": 1}, "constructor": 1, "b": 2})
    assert merged == {"a": 1, "b": 2}


def test_s10_metadata_that_is_no_object_replaces() -> None:
    assert merge_metadata({"a": 1}, "text") == "text"
    assert merge_metadata(None, {"a": 1}) == {"a": 1}


def test_b040_start_names_a_new_message() -> None:
    assert reduce(c.Start("server-id")).message.id == "server-id"


def test_b040_a_continued_message_keeps_its_name() -> None:
    """Renaming it would show it twice."""
    state = reduce(c.Start("other"), *said("x"), into=assistant(STEP), id_fixed=True)
    assert state.message.id == "a1"


def test_a_second_start_does_not_rename() -> None:
    assert reduce(c.Start("first"), c.Start("second")).message.id == "first"


# Parts that come whole


def test_b041_sources() -> None:
    state = reduce(
        c.SourceUrl("s1", "https://example.com", "Example", {"p": {}}),
        c.SourceDocument("s2", "application/pdf", "Paper", "paper.pdf"),
    )
    assert parts(state) == [
        {
            "type": "source-url",
            "sourceId": "s1",
            "url": "https://example.com",
            "title": "Example",
            "providerMetadata": {"p": {}},
        },
        {
            "type": "source-document",
            "sourceId": "s2",
            "mediaType": "application/pdf",
            "title": "Paper",
            "filename": "paper.pdf",
        },
    ]


def test_b042_files_and_custom_parts() -> None:
    state = reduce(
        c.File("data:text/plain,x", "text/plain", None, {"p": {}}),
        c.File("https://example.com/a.png", "image/png", "a.png"),
        c.ReasoningFile("data:,", "text/plain"),
        c.Custom("openai.box", {"p": {}}),
    )
    assert parts(state) == [
        {
            "type": "file",
            "mediaType": "text/plain",
            "url": "data:text/plain,x",
            "providerMetadata": {"p": {}},
        },
        {
            "type": "file",
            "mediaType": "image/png",
            "url": "https://example.com/a.png",
            "filename": "a.png",
        },
        {"type": "reasoning-file", "url": "data:,", "mediaType": "text/plain"},
        {"type": "custom", "kind": "openai.box", "providerMetadata": {"p": {}}},
    ]


def test_b043_data_becomes_a_part() -> None:
    assert parts(reduce(c.Data("w", {"a": 1}))) == [{"type": "data-w", "data": {"a": 1}}]


def test_b044_transient_data_makes_no_part() -> None:
    state = reduce(c.Data("w", 1, None, True))
    assert parts(state) == []
    assert not state.started
    assert [chunk.data for chunk in state.take_data()] == [1]
    assert state.take_data() == []


def test_b045_data_of_one_name_and_id_replaces() -> None:
    state = reduce(
        c.Data("w", {"a": 1}, "id1"),
        c.Data("w", {"b": 2}, "id1"),
        c.Data("v", 5, "id1"),
        c.Data("w", {"c": 1}),
        c.Data("w", {"d": 1}),
        c.Data("z", 1, None, True),
    )
    assert parts(state) == [
        {"type": "data-w", "id": "id1", "data": {"b": 2}},
        {"type": "data-v", "id": "id1", "data": 5},
        {"type": "data-w", "data": {"c": 1}},
        {"type": "data-w", "data": {"d": 1}},
    ]
    assert len(state.take_data()) == 6
    first = state.message.parts[0]
    assert isinstance(first, DataPart)
    assert first.revision == 1


def test_b046_b058_reset_step_takes_the_unfinished_step_back() -> None:
    state = reduce(
        c.StartStep(),
        *said("kept"),
        c.FinishStep(),
        c.StartStep(),
        c.TextStart("t"),
        c.TextDelta("t", "gone"),
        c.ToolInputAvailable("c1", "open", {}),
        c.ResetStep(),
        *said("again"),
        c.FinishStep(),
    )
    assert parts(state) == [STEP, text("kept"), STEP, text("again")]
    assert state.take_ready() == []


def test_b046_reset_step_leaves_earlier_responses_alone() -> None:
    message = assistant(STEP, call("output-available", output=1))
    state = reduce(*said("gone"), c.ResetStep(), into=message, id_fixed=True)
    assert parts(state) == [STEP, call("output-available", output=1)]


def test_b047_finish_step_leaves_the_texts_of_merged_streams_open() -> None:
    state = reduce(c.TextStart("t"), c.FinishStep(), c.TextDelta("t", "x"), c.TextEnd("t"))
    assert parts(state) == [text("x")]


def test_b049_citations_come_with_the_end() -> None:
    state = reduce(c.TextStart("t"), c.TextEnd("t", [{"url": "x"}]))
    assert parts(state) == [text("", citations=[{"url": "x"}])]


def test_b055_steering_messages_are_kept() -> None:
    state = reduce(c.SteeringMessage("s", [{"type": "text", "text": "Stop"}]))
    assert parts(state) == [
        {"type": "steering-message", "id": "s", "parts": [{"type": "text", "text": "Stop"}]}
    ]


def test_b056_extra_keys_do_no_harm() -> None:
    chunk = decode_chunk({"type": "text-start", "id": "t", "future": 1})
    assert parts(reduce(chunk)) == [text("", "streaming")]


def test_b057_s10_an_unknown_type_is_noted_and_skipped() -> None:
    state = reduce(c.UnknownChunk("tomorrow", {"type": "tomorrow"}), *said("x"))
    assert parts(state) == [text("x")]
    assert len(state.warnings) == 1


def test_an_abort_is_remembered() -> None:
    assert reduce(c.TextStart("t"), c.Abort("because")).aborted


def test_s19_deltas_do_not_copy_what_came_before() -> None:
    """The text is held in pieces until somebody reads it."""
    state = reduce(c.TextStart("t"), *(c.TextDelta("t", "ab") for _ in range(50)))
    part = state.message.parts[0]
    assert isinstance(part, TextPart)
    assert part.length == 100
    assert part.since(97) == "bab"
    assert part.text == "ab" * 50
