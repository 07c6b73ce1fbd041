"""`ctx.human` across a reload: what was answered is not asked again."""

from __future__ import annotations

import pytest

from engine.helpers import Bench, Sink, turns
from pagehand.engine.outcome import Call, Output
from pagehand.toolkit.context import ToolContext


class KeepingSink(Sink):
    """A sink that stores the notes, as a conversation does."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[dict] = []

    def asked(self, tool_call_id, note):
        self.notes.append(note)


@pytest.fixture
def bench():
    bench = Bench()
    bench.sink = KeepingSink()

    @bench.toolkit.tool("book")
    async def book(ctx: ToolContext, seats: int = 2):
        seat = await ctx.human({"question": "Which seat?", "of": seats})
        meal = await ctx.human({"question": "Which meal?"})
        return {"seat": seat, "meal": meal}

    return bench


async def test_questions_and_answers_are_noted(bench):
    bench.start("book", {})
    await turns()
    assert bench.sink.notes[-1] == {
        "answers": [],
        "payload": {"question": "Which seat?", "of": 2},
    }
    bench.engine.handle("c1").resume("4A")
    await turns()
    first = {"payload": {"question": "Which seat?", "of": 2}, "answer": "4A"}
    assert bench.sink.notes[-1] == {"answers": [first], "payload": {"question": "Which meal?"}}


async def test_after_a_reload_only_the_open_question_is_asked_again(bench):
    first = {"payload": {"question": "Which seat?", "of": 2}, "answer": "4A"}
    note = {"answers": [first], "payload": {"question": "Which meal?"}}
    bench.start("book", {}, asked=note)
    await turns()
    handle = bench.engine.handle("c1")
    assert handle.interrupt == {"type": "human", "payload": {"question": "Which meal?"}}
    handle.resume("soup")
    await turns()
    assert bench.sink.outcomes["c1"] == Output({"seat": "4A", "meal": "soup"})


async def test_a_run_that_asks_something_else_is_asked_anew(bench):
    first = {"payload": {"question": "Which seat?", "of": 2}, "answer": "4A"}
    note = {"answers": [first], "payload": {"question": "Which meal?"}}
    bench.start("book", {"seats": 3}, asked=note)
    await turns()
    assert bench.engine.handle("c1").interrupt["payload"]["of"] == 3


@pytest.mark.parametrize("note", [{}, {"answers": 3}, {"answers": [1, {"payload": 2}]}])
async def test_a_note_that_makes_no_sense_is_no_answer(bench, note):
    bench.start("book", {}, asked=note)
    await turns()
    assert bench.engine.handle("c1").interrupt["payload"]["question"] == "Which seat?"


async def test_an_answer_that_json_cannot_carry_still_reaches_the_tool(bench):
    seen = []

    @bench.toolkit.tool("ask")
    async def ask(ctx: ToolContext):
        seen.append(await ctx.human("?"))

    bench.engine.start([Call("c9", "ask", {})], bench.sink)
    await turns()
    thing = object()
    bench.engine.handle("c9").resume(thing)
    await turns()
    assert seen == [thing]
    assert bench.sink.notes[-1] == {"answers": []}
