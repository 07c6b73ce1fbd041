"""What we post passes the AI SDK's server: behaviour 17 of the acceptance list."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat.support import STEP, assistant, call, reduce, user
from chat.validator import dangling, problems
from pagehand.chat.closing import (
    CANCELLED_BY_MESSAGE,
    break_off,
    cancel_pending,
    close_open_parts,
)
from pagehand.chat.hygiene import history_to_post
from pagehand.chat.messages import Message, message_from_wire
from pagehand.wire import chunks as c
from pagehand.wire.jsontext import dumps


def post(*messages: Message) -> list[dict[str, Any]]:
    wire: list[dict[str, Any]] = json.loads(dumps(history_to_post(messages)))
    return wire


def posted_part(part: dict[str, Any], *, last: bool = False) -> dict[str, Any] | None:
    history = [user(), assistant(STEP, {"type": "text", "text": "x"}, part)]
    wire = post(*history) if last else post(*history, user("And?", id="u2"))
    parts = wire[1]["parts"][2:]
    return parts[0] if parts else None


def test_a_plain_conversation_travels_as_it_is() -> None:
    history = [user(), assistant(STEP, {"type": "text", "text": "Hi", "state": "done"})]
    assert post(*history) == [message.to_wire() for message in history]


def test_a_call_without_outcome_becomes_an_error() -> None:
    part = posted_part(call("input-available", input={"a": 1}))
    assert part is not None
    assert (part["state"], part["input"]) == ("output-error", {"a": 1})
    assert part["errorText"]


def test_half_sent_arguments_stay_at_home() -> None:
    assert posted_part(call("input-streaming", rawInput='{"a')) is None


def test_a_broken_off_call_of_the_provider_stays_at_home() -> None:
    assert posted_part(call("input-available", providerExecuted=True)) is None


def test_an_unanswered_approval_is_removed() -> None:
    part = posted_part(call("approval-requested", approval={"id": "p"}))
    assert part is not None
    assert part["state"] == "output-error"
    assert "approval" not in part


@pytest.mark.parametrize("state", ["output-available", "output-error"])
def test_an_outcome_carries_only_a_granted_approval(state: str) -> None:
    """One that was never granted would make every later request invalid."""
    part = posted_part(call(state, approval={"id": "p"}))
    assert part is not None
    assert "approval" not in part
    part = posted_part(call(state, approval={"id": "p", "approved": True, "signature": "s"}))
    assert part is not None
    assert part["approval"] == {"id": "p", "approved": True, "signature": "s"}


def test_the_answer_to_an_approval_travels_in_the_last_message() -> None:
    answered = call("approval-responded", approval={"id": "p", "approved": True})
    assert posted_part(answered, last=True) == answered


def test_an_old_answer_to_an_approval_is_settled() -> None:
    granted = call("approval-responded", approval={"id": "p", "approved": True})
    refused = call("approval-responded", approval={"id": "p", "approved": False, "reason": "no"})
    part = posted_part(granted)
    assert part is not None
    assert part["state"] == "output-error"
    assert posted_part(refused) == {**refused, "state": "output-denied"}


def test_the_server_s_other_calls_stay_open_beside_an_answer() -> None:
    answered = call("approval-responded", approval={"id": "p", "approved": True})
    waiting = call("input-available", id="c2", name="delete")
    wire = post(user(), assistant(STEP, answered, waiting))
    assert [part["state"] for part in wire[1]["parts"][1:]] == [
        "approval-responded",
        "input-available",
    ]


def test_a_denial_without_a_question_gets_one() -> None:
    part = posted_part(call("output-denied"))
    assert part is not None
    assert part["approval"] == {"id": "c1", "approved": False}


def test_nulls_of_optional_keys_do_not_travel() -> None:
    message = message_from_wire(
        {
            "id": "a1",
            "role": "assistant",
            "metadata": None,
            "parts": [
                {"type": "text", "text": "x", "state": None, "providerMetadata": None},
                {"type": "file", "url": "data:,u", "mediaType": "m", "filename": None},
                call("output-available", output=None, title=None, providerExecuted=None),
                call("output-error", id="c2", errorText="no", rawInput=None),
            ],
        }
    )
    wire = post(user(), message)
    assert "null" not in dumps(wire).replace('"output":null', "")
    assert wire[1]["parts"][2]["output"] is None
    assert problems(wire) == []


def test_an_open_text_is_closed() -> None:
    wire = post(assistant({"type": "text", "text": "Hel", "state": "streaming"}))
    assert wire[0]["parts"] == [{"type": "text", "text": "Hel", "state": "done"}]


def test_parts_no_server_knows_stay_at_home() -> None:
    message = assistant(
        {"type": "text", "text": "x"},
        {"type": "from-the-future"},
        {"type": "tool-invocation", "toolInvocation": {}},
        {"type": "custom"},
        {"type": "file", "url": "data:,u"},
    )
    assert post(message)[0]["parts"] == [{"type": "text", "text": "x"}]


@pytest.mark.parametrize("url", ["/files/1", "files/1", "//a.example/1", "", "a b:c"])
@pytest.mark.parametrize("kind", ["file", "reasoning-file"])
def test_a_file_whose_address_only_this_page_can_resolve_stays_at_home(kind: str, url: str) -> None:
    """An AI SDK server fails on it, and would fail on every later request too."""
    text = {"type": "text", "text": "x"}
    message = assistant(text, {"type": kind, "url": url, "mediaType": "text/plain"})
    assert post(message)[0]["parts"] == [text]


def test_parts_servers_know_travel() -> None:
    kept = [
        {"type": "custom", "kind": "a.b"},
        {"type": "reasoning-file", "mediaType": "m", "url": "https://a.example/u"},
        {"type": "steering-message", "id": "s", "parts": []},
        {"type": "data-x", "data": None},
        {"type": "source-url", "sourceId": "s", "url": "u"},
    ]
    assert post(assistant(*kept))[0]["parts"] == kept


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [STEP],
        [STEP, {"type": "text", "text": "", "state": "done"}],
        [STEP, call("input-streaming")],
    ],
)
def test_messages_with_nothing_in_them_stay_at_home(parts: list[dict[str, Any]]) -> None:
    assert [message["id"] for message in post(user(), assistant(*parts))] == ["u1"]


def test_one_call_travels_once_per_step() -> None:
    message = assistant(STEP, call("output-available"), call("output-available", output=2))
    assert len(post(message)[0]["parts"]) == 2
    message = assistant(STEP, call("output-available"), STEP, call("output-available", output=2))
    assert len(post(message)[0]["parts"]) == 4


def test_whole_floats_travel_as_integers() -> None:
    assert '"output":2' in dumps(post(assistant(call("output-available", output=2.0))))


def test_the_messages_themselves_are_not_changed() -> None:
    message = assistant(STEP, call("input-available"))
    before = message.to_wire()
    history_to_post([message, user("And?", id="u2")])
    assert message.to_wire() == before


# Any history, broken off anywhere

_IDS = st.sampled_from(["c1", "c2", "c3"])
_NAMES = st.sampled_from(["open", "read-row", "x"])
_FLAG = st.sampled_from([None, True, False])
_JSON = st.sampled_from([None, 0, 1.0, "", "text", [1, None], {"a": None}, {"é": "😀"}])
_PM = st.sampled_from([None, {"p": {"k": 1}}])
_CHUNKS = st.one_of(
    st.builds(c.Start, st.sampled_from([None, "m1", "m2"]), _JSON),
    st.builds(c.StartStep),
    st.builds(c.FinishStep),
    st.builds(c.ResetStep),
    st.builds(c.Finish, st.sampled_from([None, "stop", "tool-calls"]), _JSON),
    st.builds(c.TextStart, _IDS, _PM),
    st.builds(c.TextDelta, _IDS, st.sampled_from(["", "a", "\ud83d", "\ude00", "你好"]), _PM),
    st.builds(c.TextEnd, _IDS),
    st.builds(c.ReasoningStart, _IDS),
    st.builds(c.ReasoningDelta, _IDS, st.text(max_size=3)),
    st.builds(c.ReasoningEnd, _IDS),
    st.builds(c.SourceUrl, _IDS, st.just("https://example.com"), st.sampled_from([None, "t"])),
    st.builds(c.File, st.just("data:,"), st.just("text/plain"), st.sampled_from([None, "f"])),
    st.builds(c.Custom, st.just("a.b")),
    st.builds(c.Data, st.just("w"), _JSON, st.sampled_from([None, "d1"]), _FLAG),
    st.builds(
        c.ToolInputStart, _IDS, _NAMES, st.sampled_from([None, "text"]), _FLAG, _PM, _PM, _FLAG
    ),
    st.builds(c.ToolInputDelta, _IDS, st.sampled_from(['{"a"', ":1", "}", "x"])),
    st.builds(c.ToolInputAvailable, _IDS, _NAMES, _JSON, _FLAG, _PM, _PM, _FLAG),
    st.builds(c.ToolInputError, _IDS, _NAMES, _JSON, st.just("bad"), _FLAG),
    st.builds(c.ToolOutputAvailable, _IDS, _JSON, _FLAG, _PM, _PM, _FLAG, _FLAG),
    st.builds(c.ToolOutputError, _IDS, st.just("no")),
    st.builds(c.ToolOutputDenied, _IDS),
    st.builds(c.ToolApprovalRequest, _IDS, _IDS, _JSON, _JSON, st.just("why"), _FLAG),
    st.builds(c.ToolApprovalResponse, _IDS, st.booleans(), st.sampled_from([None, "r"])),
    st.builds(c.UnknownChunk, st.just("new"), st.just({"type": "new"})),
)
_ENDS = st.sampled_from(["well", "broken", "stopped", "moved-on", "raw"])


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.lists(_CHUNKS, max_size=14), _ENDS), min_size=1, max_size=4))
def test_any_history_is_accepted(turns: list[tuple[list[c.Chunk], str]]) -> None:
    history: list[Message] = []
    for number, (batch, end) in enumerate(turns):
        history.append(user(id=f"u{number}"))
        state = reduce(*batch, into=Message(f"a{number}", "assistant"), id_fixed=True)
        message = state.message
        if end != "raw":
            close_open_parts(message, state.base, interrupted=end != "well")
        if end in ("broken", "stopped"):
            break_off(message.tool_parts(), "broken off")
        if end == "moved-on":
            cancel_pending([message], CANCELLED_BY_MESSAGE)
        history.append(message)
        assert problems(post(*history)) == []
        assert dangling(post(*history)) == []
    again = [message_from_wire(message.to_wire()) for message in history]
    assert post(*again) == post(*history)
    assert dangling(post(*history, user(id="end"))) == []
