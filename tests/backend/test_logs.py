from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
from backend_fakes import FakeModel, make_backend, text

from backend.logs import LOGGER, JsonLines, masked
from pagehand.wire.chunks import Chunk, Finish, TextDelta


class Lines(logging.Handler):
    """Keeps the lines as they would be written."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonLines())
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler = Lines()
    LOGGER.addHandler(handler)
    LOGGER.setLevel("INFO")
    yield handler
    LOGGER.removeHandler(handler)
    LOGGER.setLevel("NOTSET")


async def test_an_answer_is_one_line_without_what_was_said(lines: Lines) -> None:
    counted: list[Chunk] = [
        TextDelta("t", "the answer"),
        Finish("stop", {"usage": {"input": 7, "output": 3}}),
    ]
    part = {
        "type": "tool-open",
        "toolCallId": "c1",
        "state": "input-available",
        "input": {"secret": 1},
    }
    messages = [{"role": "user", "content": "the question"}, {"role": "assistant", "parts": [part]}]
    tools = {"b": {"description": "d"}, "a": {"description": "d"}}
    backend = make_backend(FakeModel(counted), auth_token="the token")
    await backend.post(
        {"messages": messages, "clientTools": tools}, headers={"authorization": "Bearer the token"}
    )
    (text_,) = lines.texts
    line = json.loads(text_)
    assert line["event"] == "answer"
    assert line["end"] == "done"
    assert line["offered"] == ["a", "b"]
    assert line["usage"] == {"input": 7, "output": 3}
    assert line["interrupted"] == ["c1"]
    assert len(line["principal"]) == 12
    assert 0 <= line["first_ms"] <= line["ms"]
    for words in ("question", 'answer"', "secret", "the token"):
        assert words not in text_.replace('"event":"answer"', "")


async def test_a_fault_is_logged_whole_under_its_reference(lines: Lines) -> None:
    answer = await make_backend(FakeModel(RuntimeError("the cause"))).say("hi")
    shown = answer.of("error")[0]["errorText"]
    fault, line = (json.loads(text_) for text_ in lines.texts)
    assert fault["reference"] in shown
    assert "the cause" in fault["trace"]
    assert fault["request"] == line["request"]
    assert line["end"] == "error"


def test_a_line_cannot_be_broken_or_faked(lines: Lines) -> None:
    masked(RuntimeError('x\n{"event":"answer"}\r\u2028'))
    (text_,) = lines.texts
    assert len(text_.splitlines()) == 1
    assert json.loads(text_)["event"] == "fault"


async def test_names_of_called_tools_are_in_the_line(lines: Lines) -> None:
    await make_backend(FakeModel(text("x"))).say("hi")
    assert json.loads(lines.texts[0])["called"] == []
