"""What is written down of a conversation, and what writing it once more costs."""

from __future__ import annotations

from typing import Any

import pytest

from pagehand.chat.messages import Message, messages_from_wire
from pagehand.ui import record_text
from pagehand.ui.record_text import RecordText
from pagehand.wire.jsontext import dumps, loads

FACTS = {"id": "c", "title": "A “title”"}


def said(count: int) -> list[Message]:
    wire = [
        {"id": f"m{n}", "role": "user", "parts": [{"type": "text", "text": f"Word {n}"}]}
        for n in range(count)
    ]
    return messages_from_wire(wire, lambda: "new")


def whole(messages: list[Message]) -> dict[str, Any]:
    return {**FACTS, "messages": [message.to_wire() for message in messages]}


def test_the_text_is_that_of_the_whole_record() -> None:
    text = RecordText()
    messages = said(3)
    assert text.write(FACTS, messages) == dumps(whole(messages))
    assert loads(text.write(FACTS, [])) == {**FACTS, "messages": []}


def test_every_change_is_written() -> None:
    text = RecordText()
    messages = said(3)
    text.write(FACTS, messages)
    messages[1].parts[0].append(" and more")
    assert loads(text.write(FACTS, messages)) == whole(messages)
    messages[1].metadata = {"a": 1}
    messages[1].touch()
    assert loads(text.write(FACTS, messages)) == whole(messages)
    messages[2] = messages_from_wire(
        [{"id": "m2", "role": "user", "parts": [{"type": "text", "text": "Another"}]}], str
    )[0]  # of the same id, and as often changed
    assert loads(text.write(FACTS, messages)) == whole(messages)
    del messages[0]
    assert loads(text.write(FACTS, messages)) == whole(messages)


def test_two_messages_of_one_id_are_both_written() -> None:
    messages = [*said(1), *said(1)]
    messages[1].parts[0].append(" again")
    assert loads(RecordText().write(FACTS, messages)) == whole(messages)


def test_what_stands_is_not_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Any] = []

    def counted(value: Any) -> str:
        written.append(value)
        return dumps(value)

    monkeypatch.setattr(record_text, "dumps", counted)
    text = RecordText()
    messages = said(1000)
    text.write(FACTS, messages)
    written.clear()
    messages[-1].parts[0].append(" more")
    text.write(FACTS, messages)
    assert written == [messages[-1].to_wire(), FACTS]
