"""Recorded AG-UI exchanges, cut anywhere, give the history that AG-UI's own client makes of them.

What goes back to the server must be what the reference client would send: the same messages in
the same order under the same ids. Where we differ on purpose, `OTHER` says how.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backend.ag_ui_input import _Reader
from pagehand.chat.hygiene import history_to_post
from pagehand.chat.messages import Message, ToolPart, messages_from_wire
from pagehand.chat.reducer import apply_all
from pagehand.chat.state import ResponseState
from pagehand.wire.ag_ui import decoder_for
from pagehand.wire.ag_ui_input import run_input
from pagehand.wire.jsontext import loads
from pagehand.wire.stream import ChunkReader

DATA = Path(__file__).parents[1] / "data" / "ag-ui"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text("utf-8"))

OTHER = {
    "approval-interrupt-synth": "the call that was held back is shown, so it has a place",
    "approval-required-npm-1.1.2": "a server's call without a result gets one that says so",
    "cancelled-synth": "a server's call that was cut off does not go back",
    "frontend-placeholder-result-synth": "a placeholder is no result: the call is still to be run",
    "interrupt-multiple-synth": "a question without a call is shown as one",
    "interrupt-multiple-resume-synth": "the state it began with was in an earlier answer",
    "messages-snapshot-synth": "a snapshot adds, it does not change what people have read",
    "misc-events-synth": "a developer's message is not the assistant's",
    "server-tool-error": "a server's call without a result gets one that says so",
    "nested-error-cancelled-synth": "a server's call that was cut off does not go back",
    "suspend-interrupt": "the call that was held back is shown, so it has a place",
    "suspend-interrupt-synth": "the call that was held back is shown, so it has a place",
    "suspend-resume-resolved": "its call stands in the answer before, which is not recorded",
}
SAME = sorted(EXPECTED.keys() - OTHER.keys())


def conversation(body: dict[str, Any]) -> list[Message]:
    """The history of a request as a page has it, with the ids its server gave."""
    reader = _Reader()
    for index, message in enumerate(body["messages"]):
        reader.read(str(index), message)
    messages = messages_from_wire(reader.messages, lambda: "new")
    for part in (part for message in messages for part in message.tool_parts()):
        part.set_input(loads(part.input or "{}"))
    return messages


def play(name: str, size: int = 7) -> tuple[ResponseState, ChunkReader, dict[str, Any]]:
    """Read a recording in pieces; gives also what the next request would carry."""
    body = json.loads((DATA / f"{name}.request.json").read_text("utf-8"))
    messages = conversation(body)
    continues = messages[-1].role == "assistant"
    if not continues:
        messages.append(Message("answer", "assistant"))
    state = ResponseState(messages[-1], id_fixed=continues)
    reader = ChunkReader(content_type="text/event-stream", codec=decoder_for(body))
    data = (DATA / f"{name}.sse").read_bytes()
    for start in range(0, len(data), size):
        apply_all(state, reader.feed(data[start : start + size]))
    apply_all(state, reader.flush())
    settle(messages[-1])
    return state, reader, run_input(history_to_post(messages), {}, thread_id="t", run_id="r")


def settle(message: Message) -> None:
    """Our calls are answered before anything goes back."""
    for part in message.tool_parts():
        if part.runnable:
            part.finish_output("ours")


def comparable(message: dict[str, Any]) -> dict[str, Any]:
    """Without the ways there are to write one thing."""
    message = {key: value for key, value in message.items() if key not in ("id", "metadata")}
    if message["role"] == "tool":
        message["content"] = _value(message["content"])
    if not message.get("content"):
        message.pop("content", None)
    message["toolCalls"] = [
        (call["id"], call["function"]["name"], _value(call["function"]["arguments"] or "{}"))
        for call in message.get("toolCalls", [])
    ]
    return message


def _value(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


@pytest.mark.parametrize("name", SAME)
def test_the_history_is_what_the_reference_client_makes(name: str) -> None:
    state, _, body = play(name)
    wanted = EXPECTED[name]
    asked = json.loads((DATA / f"{name}.request.json").read_text("utf-8"))["messages"]
    theirs = [m for m in wanted["messages"][len(asked) :] if m["role"] != "activity"]
    ours = [m for m in body["messages"] if m.get("content") != "ours"][len(asked) :]
    assert [comparable(m) for m in ours] == [comparable(m) for m in theirs]
    assert [m["id"] for m in ours] == [m["id"] for m in theirs]
    if wanted["state"]:
        assert body["state"] == wanted["state"]
    assert (state.error_text is None) == (wanted["error"] is None)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_any_cut_gives_the_same(name: str) -> None:
    whole = play(name, 1_000_000)[2]
    for size in (1, 3, 64):
        assert play(name, size)[2]["messages"] == whole["messages"]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_nothing_is_left_without_an_answer(name: str) -> None:
    """What goes back never holds a call without a result, but for those that `resume` answers."""
    _, _, body = play(name)
    calls = [call["id"] for m in body["messages"] for call in m.get("toolCalls", [])]
    results = [m["toolCallId"] for m in body["messages"] if m["role"] == "tool"]
    asked = {entry["interruptId"] for entry in body.get("resume", [])}
    open_calls = {i["toolCallId"] for i in EXPECTED[name]["interrupts"] if i["id"] in asked
                  and "toolCallId" in i}  # fmt: skip
    assert set(calls) - set(results) <= open_calls | {f"interrupt-{i}" for i in asked}
    assert len(results) == len(set(results))
    assert set(results) <= set(calls)


def test_the_interrupts_that_are_left_open() -> None:
    for name, wanted in EXPECTED.items():
        _, _, body = play(name)
        ids = [entry["interruptId"] for entry in body.get("resume", [])]
        assert ids == [interrupt["id"] for interrupt in wanted["interrupts"]] or name.endswith(
            "invalid-payload-synth"
        )


@pytest.mark.parametrize(
    "path", sorted(p.name for p in (DATA.parent / "pydantic-ai").glob("agui-*.sse"))
)
def test_pydantic_ai(path: str) -> None:
    folder = DATA.parent / "pydantic-ai"
    body = json.loads((folder / path.replace(".sse", ".request.json")).read_text())["body"]
    state = ResponseState(Message("answer", "assistant"))
    reader = ChunkReader(codec=decoder_for(body))
    apply_all(state, reader.feed((folder / path).read_bytes()) + reader.flush())
    assert reader.warnings == []
    assert state.finished or state.error_text
    calls = [part for part in state.message.parts if isinstance(part, ToolPart)]
    if "02" in path:
        assert [(part.tool_name, part.runnable) for part in calls] == [("jump-url-tool", True)]
    if "05" in path:
        assert [part.state for part in calls] == ["approval-requested"]
