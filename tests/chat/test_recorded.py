"""Streams recorded from real servers give the message that the AI SDK's own reader makes of them.

Where we are better on purpose, `BETTER` says how and why.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pagehand.chat.closing import close_open_parts
from pagehand.chat.messages import Message, message_from_wire
from pagehand.chat.reducer import apply_all
from pagehand.chat.state import ResponseState
from pagehand.wire.stream import ChunkReader

DATA = Path(__file__).parents[1] / "data"
CASES = sorted(p.name[: -len(".expected.json")] for p in (DATA / "mastra").glob("*.expected.json"))


def read(pieces: Iterable[bytes], message: Message, *, continues: bool) -> ResponseState:
    state = ResponseState(message, id_fixed=continues)
    reader = ChunkReader(content_type="text/event-stream")
    for piece in pieces:
        apply_all(state, reader.feed(piece))
    apply_all(state, reader.flush())
    return state


def seed(name: str) -> tuple[Message, bool]:
    """The message the response goes into: the request's last one, if the assistant's."""
    body = json.loads((DATA / "mastra" / f"{name}.request.json").read_text()).get("body") or {}
    messages = body.get("messages") or [{}]
    last = messages[-1] if isinstance(messages, list) else {}
    if isinstance(last, dict) and last.get("role") == "assistant" and "parts" in last:
        return message_from_wire(last), True
    return Message("new", "assistant"), False


def recorded(name: str) -> bytes:
    return (DATA / "mastra" / f"{name}.sse").read_bytes()


def expected(name: str) -> dict[str, Any]:
    message = json.loads((DATA / "mastra" / f"{name}.expected.json").read_text())["message"]
    if name in BETTER:
        message = BETTER[name][1](message)
    return message


def _step_shown(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "parts": [{"type": "step-start"}]}


def _without_content(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "content"}


BETTER = {
    "c9_continue_v4_tool_invocation": (
        "a stray `content` beside `parts` belongs to an older form and is not carried on",
        _without_content,
    ),
    "i2_error_before_first_chunk": (
        "the AI SDK's reader had not published its own step border when the error came",
        _step_shown,
    ),
}


def halves(data: bytes, name: str) -> Iterator[list[bytes]]:
    """The stream cut in two, at a sample of places that is the same on every run."""
    places = range(1, len(data))
    rng = random.Random(name)
    for at in sorted(rng.sample(places, min(25, len(places)))):
        yield [data[:at], data[at:]]


@pytest.mark.parametrize("name", CASES)
def test_whole(name: str) -> None:
    message, continues = seed(name)
    state = read([recorded(name)], message, continues=continues)
    assert state.message.to_wire() == expected(name)


@pytest.mark.parametrize("name", CASES)
def test_byte_by_byte(name: str) -> None:
    message, continues = seed(name)
    data = recorded(name)
    state = read((data[i : i + 1] for i in range(len(data))), message, continues=continues)
    assert state.message.to_wire() == expected(name)


@pytest.mark.parametrize("name", CASES)
def test_cut_anywhere(name: str) -> None:
    for pieces in halves(recorded(name), name):
        message, continues = seed(name)
        state = read(pieces, message, continues=continues)
        assert state.message.to_wire() == expected(name), f"cut after {len(pieces[0])} bytes"


@pytest.mark.parametrize("name", CASES)
def test_errors_reach_the_state(name: str) -> None:
    message, continues = seed(name)
    state = read([recorded(name)], message, continues=continues)
    errors = json.loads((DATA / "mastra" / f"{name}.expected.json").read_text())["errors"]
    assert state.error_text == (errors[0] if errors else None)


@pytest.mark.parametrize("name", ["j1_abort_client_disconnect", "j2_abort_server_side"])
def test_what_was_cut_off_is_closed(name: str) -> None:
    """Better than the expected message, where the text stays `streaming` for ever."""
    message, continues = seed(name)
    state = read([recorded(name)], message, continues=continues)
    close_open_parts(state.message, state.base, interrupted=True)
    text = state.message.to_wire()["parts"][1]
    assert text["state"] == "done"
    assert text["text"] == expected(name)["parts"][1]["text"]


def test_every_recorded_stream_is_tested() -> None:
    streams = {path.stem for path in (DATA / "mastra").glob("*.sse")}
    assert len(CASES) >= 60
    assert streams <= set(CASES)


PYDANTIC_AI = {
    "01-text": ["step-start", "text"],
    "02-client-tool-call": ["step-start", "tool-jump-url-tool"],
    "04-two-parallel-calls": [
        "step-start",
        "text",
        "tool-jump-url-tool",
        "tool-get-user-info-tool",
    ],
    "05-approval-request": ["step-start", "tool-delete_record"],
    "06-error-mid-stream": ["step-start", "text"],
}


@pytest.mark.parametrize("name", PYDANTIC_AI)
def test_pydantic_ai_answers(name: str) -> None:
    data = (DATA / "pydantic-ai" / f"{name}.sse").read_bytes()
    state = read([data], Message("new", "assistant"), continues=False)
    assert state.warnings == []
    assert [part.type for part in state.message.parts] == PYDANTIC_AI[name]


def test_pydantic_ai_runs_an_approved_call_that_it_announces_again() -> None:
    body = json.loads((DATA / "pydantic-ai" / "05b-approval-granted.request.json").read_text())
    message = message_from_wire(body["body"]["messages"][-1])
    data = (DATA / "pydantic-ai" / "05b-approval-granted.sse").read_bytes()
    state = read([data], message, continues=True)
    call = state.message.tool_parts()[0].to_wire()
    assert (call["state"], call["output"]) == ("output-available", "deleted r-1")
    assert state.take_ready() == []
