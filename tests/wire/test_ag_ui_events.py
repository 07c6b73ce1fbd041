"""AG-UI's short forms and old names written out, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from pagehand.errors import MalformedEventError
from pagehand.wire.ag_ui_events import Expander

Event = dict[str, Any]


def expand(*events: Event) -> tuple[list[str], list[str]]:
    """The plain events, each as a short text, and the warnings."""
    expander, warnings = Expander(), []
    plain = [each for event in events for each in expander.expand(event, warnings.append)]
    return [_short(event) for event in plain], warnings


def _short(event: Event) -> str:
    kind = event["type"].replace("TEXT_MESSAGE", "T").replace("REASONING_MESSAGE", "R")
    name = event.get("messageId", event.get("toolCallId", ""))
    words = [kind.replace("TOOL_CALL", "C"), name, event.get("delta", "")]
    return " ".join(str(word) for word in [*words, event.get("subagentRunId", "")] if word)


def text(delta: str | None, id: str | None = None, **more: Any) -> Event:
    event: Event = {"type": "TEXT_MESSAGE_CHUNK", "messageId": id, "delta": delta, **more}
    return {key: value for key, value in event.items() if value is not None}


def tool(delta: str | None, id: str | None = None, name: str | None = None, **more: Any) -> Event:
    event = {"type": "TOOL_CALL_CHUNK", "toolCallId": id, "toolCallName": name, "delta": delta}
    return {key: value for key, value in {**event, **more}.items() if value is not None}


THOUGHT: Event = {"type": "REASONING_MESSAGE_CHUNK", "messageId": "r1", "delta": "hm"}
END: Event = {"type": "RUN_FINISHED"}


def test_chunks_become_a_start_contents_and_an_end() -> None:
    assert expand(text("a", "m1"), text("b"), text("c", "m1"), END)[0] == [
        "T_START m1", "T_CONTENT m1 a", "T_CONTENT m1 b", "T_CONTENT m1 c", "T_END m1",
        "RUN_FINISHED",
    ]  # fmt: skip


def test_another_id_or_kind_closes_what_was_open() -> None:
    events = [text("a", "m1"), text("b", "m2"), tool("{", "c1", "f"), tool("}"), THOUGHT]
    assert expand(*events)[0] == [
        "T_START m1", "T_CONTENT m1 a", "T_END m1", "T_START m2", "T_CONTENT m2 b", "T_END m2",
        "C_START c1", "C_ARGS c1 {", "C_ARGS c1 }", "C_END c1", "R_START r1", "R_CONTENT r1 hm",
    ]  # fmt: skip


def test_a_chunk_may_open_without_words_and_explicit_events_close_it() -> None:
    start = {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f"}
    raw = {"type": "RAW", "event": {}}
    assert expand(text(None, "m1"), raw, text("a"), start)[0] == [
        "T_START m1", "RAW", "T_CONTENT m1 a", "T_END m1", "C_START c1",
    ]  # fmt: skip


def test_each_sub_agent_has_its_own_open_chunk() -> None:
    events = [
        text("a", "m1"), text("b", "m2", subagentRunId="s"), text("c", subagentRunId="s"),
        text("d"), {"type": "SUBAGENT_FINISHED", "subagentRunId": "s"}, text("e"),
        {"type": "MESSAGES_SNAPSHOT", "messages": []},
    ]  # fmt: skip
    assert expand(*events)[0] == [
        "T_START m1", "T_CONTENT m1 a", "T_START m2 s", "T_CONTENT m2 b s", "T_CONTENT m2 c s",
        "T_CONTENT m1 d", "T_END m2 s", "SUBAGENT_FINISHED s", "T_CONTENT m1 e", "T_END m1",
        "MESSAGES_SNAPSHOT",
    ]  # fmt: skip


def test_a_chunk_without_owner_goes_on_with_the_only_open_one() -> None:
    tagged = tool("{", "c1", "f", subagentRunId="s")
    assert expand(tagged, tool("}"))[0][-1] == "C_ARGS c1 } s"
    with pytest.raises(MalformedEventError, match="goes on with nothing"):
        expand(tagged, tool("{", "c2", "f", subagentRunId="q"), tool("}"))


@pytest.mark.parametrize(
    "events",
    [
        [text("a")],
        [text("a", subagentRunId="s")],
        [text("a", 5)],  # type: ignore[arg-type]
        [text(5, "m1")],  # type: ignore[arg-type]
        [tool("{", "c1")],
        [tool("{", "c1", 5)],  # type: ignore[arg-type]
        [text("a", "m1"), THOUGHT, text("b")],
        [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1"}],
        [{"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": None}],
        [{"type": "REASONING_ENCRYPTED_VALUE", "entityId": "m1", "encryptedValue": {}}],
        [{"type": "CUSTOM", "value": 1}],
    ],
)
def test_what_cannot_be_read_is_refused(events: list[Event]) -> None:
    with pytest.raises(MalformedEventError):
        expand(*events)


def test_an_unknown_type_is_passed_over_with_a_warning() -> None:
    plain, warnings = expand({"type": "META"}, {"type": "META"}, END)
    assert plain == ["RUN_FINISHED"]
    assert warnings == ["Events of the unknown type 'META' were passed over."] * 2


def test_the_old_names_of_reasoning() -> None:
    old = [
        {"type": "THINKING_START", "title": "t"},
        {"type": "THINKING_TEXT_MESSAGE_START"},
        {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "hm"},
        {"type": "THINKING_TEXT_MESSAGE_END"},
        {"type": "THINKING_TEXT_MESSAGE_START"},
        {"type": "THINKING_END"},
    ]
    assert expand(*old)[0] == [
        "REASONING_START thinking-0", "R_START thinking-1", "R_CONTENT thinking-1 hm",
        "R_END thinking-1", "R_START thinking-2", "REASONING_END thinking-2",
    ]  # fmt: skip
