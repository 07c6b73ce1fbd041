from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from chat.support import STEP, call
from pagehand.chat.messages import (
    FilePart,
    OtherPart,
    TextPart,
    ToolPart,
    message_from_wire,
    messages_from_wire,
    part_from_wire,
    user_message,
)

WIRE: list[dict[str, Any]] = [
    {"type": "text", "text": "Hi"},
    {"type": "text", "text": "Hi", "state": "done", "providerMetadata": {}, "citations": [1]},
    {"type": "text", "text": "", "future": {"a": 1}},
    {"type": "reasoning", "text": "Hm", "id": "r", "state": "done", "providerMetadata": {"p": {}}},
    STEP,
    {"type": "file", "mediaType": "m", "url": "u", "filename": "f", "providerReference": {"p": 1}},
    {"type": "source-url", "sourceId": "s", "url": "u", "title": "t"},
    {"type": "source-document", "sourceId": "s", "mediaType": "m", "title": "t", "filename": "f"},
    {"type": "data-x", "data": None},
    {"type": "data-x-y", "id": "1", "data": [1]},
    {"type": "custom", "kind": "a.b"},
    {"type": "from-the-future", "x": None},
    {"type": "text"},
    {"type": "tool-invocation", "toolInvocation": {"state": "call"}},
    {"type": "dynamic-tool", "toolCallId": "c", "state": "input-available", "input": {}},
    {"no": "type"},
    call("input-streaming", rawInput='{"a', input={}, inputEncoding="json"),
    call("input-streaming", rawInput="pri", input="pri", inputEncoding="text"),
    call("input-streaming"),
    call("input-available", name="a-b-c", title="T", providerExecuted=True, toolMetadata={"m": 1}),
    call("input-available", dynamic=True, callProviderMetadata={"p": {}}),
    {**call("input-available", dynamic=True), "dynamic": False},
    call("approval-requested", approval={"id": "p", "signature": "s", "descriptor": None}),
    call("approval-responded", approval={"id": "p", "approved": False, "reason": "r"}),
    call("output-available", output=None, resultProviderMetadata={"p": {}}),
    call("output-available", output=0, preliminary=True),
    call("output-error", rawInput="raw"),
    {k: v for k, v in call("output-error").items() if k != "input"},
    call("output-denied", approval={"id": "p", "approved": False}),
]


@pytest.mark.parametrize("wire", WIRE, ids=lambda w: f"{w.get('type')}-{w.get('state', '')}")
def test_a_part_comes_back_as_it_went(wire: dict[str, Any]) -> None:
    assert part_from_wire(wire).to_wire() == wire


def test_a_message_comes_back_as_it_went() -> None:
    wire = {"id": "m", "role": "assistant", "metadata": {"k": [1]}, "parts": WIRE}
    assert message_from_wire(wire).to_wire() == wire


def test_nulls_read_as_absent() -> None:
    part = part_from_wire({"type": "text", "text": "x", "state": None, "future": None})
    assert part.to_wire() == {"type": "text", "text": "x"}
    tool = part_from_wire(call("output-available", title=None, approval=None))
    assert tool.to_wire() == call("output-available")


def test_older_forms_and_rubbish() -> None:
    assert message_from_wire({"role": "user", "content": "Hi"}).text == "Hi"
    message = message_from_wire({"id": 5, "role": "tool", "parts": [1, None, {"type": 3}]})
    assert (message.id, message.role) == ("5", "user")
    assert [type(part) for part in message.parts] == [OtherPart]
    numbers = count()
    read = messages_from_wire([None, {"id": "a"}, {"id": "a"}, {}], lambda: f"n{next(numbers)}")
    assert [message.id for message in read] == ["a", "n0", "n1"]


def test_steps_are_counted() -> None:
    message = message_from_wire(
        {"id": "m", "role": "assistant", "parts": [STEP, call("input-available"), STEP]}
    )
    assert message.last_step() == 3
    assert message.step_number(1) == 1
    assert message.step_number(3) == 2
    assert message_from_wire({"id": "m", "role": "assistant", "parts": []}).last_step() == 0


def test_what_a_person_says() -> None:
    message = user_message("u", "", [FilePart(media_type="m", url="u"), {"url": "v"}], {"k": 1})
    assert message.to_wire() == {
        "id": "u",
        "role": "user",
        "metadata": {"k": 1},
        "parts": [
            {"type": "file", "mediaType": "m", "url": "u"},
            {"type": "file", "url": "v"},
        ],
    }


def test_a_part_without_such_a_value() -> None:
    with pytest.raises(TypeError, match="size"):
        FilePart(media_type="m", url="u", size=1)


def test_text_parts_close_once() -> None:
    part = TextPart("a\ud83d", "streaming")
    part.close(interrupted=True)
    before = part.revision
    part.close()
    assert (part.text, part.state, part.interrupted) == ("a\ufffd", "done", True)
    assert part.revision == before


class TestToolPart:
    def test_arguments_are_read_only_when_somebody_looks(self) -> None:
        part = ToolPart("open", "c1", dynamic=False)
        for character in '{"a":[1,2':
            part.append_args(character)
        assert part._partial is None
        assert part.input == {"a": [1, 2]}
        part.append_args("3]}")
        assert part.input == {"a": [1, 23]}
        assert part.args_text == '{"a":[1,23]}'

    def test_text_of_arguments_that_never_streamed(self) -> None:
        part = ToolPart("open", "c1", "input-available", dynamic=False)
        part.set_input({"a": 1.0})
        assert part.args_text == '{"a":1}'

    def test_half_a_character_in_the_arguments(self) -> None:
        part = ToolPart("open", "c1", dynamic=False)
        part.append_args('{"a":"\ud83d')
        assert part.input == {"a": ""}
        part.append_args('\ude00"}')
        assert part.input == {"a": "😀"}

    def test_who_owes_what(self) -> None:
        part = ToolPart("open", "c1", "input-available", dynamic=False)
        assert (part.pending, part.runnable, part.finished) == (True, True, False)
        part.finish_output(1, preliminary=True)
        assert (part.pending, part.runnable, part.finished) == (True, False, False)
        part.finish_output(2)
        assert (part.pending, part.finished) == (False, True)
