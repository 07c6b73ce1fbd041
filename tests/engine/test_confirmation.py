import asyncio

import pytest
from pydantic import BaseModel

from engine.helpers import Bench, turns
from pagehand.engine.confirmation import Confirmation
from pagehand.engine.outcome import Output
from pagehand.toolkit.context import ToolContext


@pytest.fixture
def bench():
    """An engine somebody watches."""
    made = Bench()
    made.told = []
    made.engine.subscribe(made.told.append)
    return made


def tool(bench, name="drop", **options):
    ran = []

    @bench.toolkit.tool(name, **{"risk": "dangerous", "category": "data", **options})
    def drop(order: str) -> str:
        """Deletes an order for good."""
        ran.append(order)
        return f"dropped {order}"

    return ran


async def ask(bench, arguments=None):
    tool_call_id = bench.start("drop", arguments or {"order": "A1"})
    await turns()
    return tool_call_id, bench.engine.confirmations


async def test_the_question_has_all_the_facts(bench):
    tool(bench)
    tool_call_id, (question,) = await ask(bench)
    assert (question.tool_call_id, question.tool_name) == (tool_call_id, "drop")
    assert (question.title, question.text) == ("drop", "Deletes an order for good.")
    assert question.args == {"order": "A1"}
    assert (question.risk, question.category) == ("dangerous", "data")
    assert question.expires_at == bench.clock.now() + 30
    assert bench.engine.handle(tool_call_id).status == "requires-action"
    assert tool_call_id in bench.told
    question.answer(False)
    await turns()


async def test_a_tool_may_word_its_question(bench):
    tool(bench, confirm_text=lambda order: f"Delete order {order}?")
    _, (question,) = await ask(bench)
    assert (question.title, question.text) == ("Delete order A1?", "")
    question.answer(False)
    await turns()


async def test_yes_runs_it(bench):
    ran = tool(bench)
    tool_call_id, (question,) = await ask(bench)
    assert ran == []
    assert question.is_open
    assert question.answer(True)
    assert not question.is_open
    assert not question.answer(False)
    await turns()
    assert bench.sink.outcomes[tool_call_id] == Output("dropped A1")
    assert bench.engine.confirmations == []
    assert (bench.record()["confirmation"], bench.record()["confirmed_by"]) == ("granted", "person")


@pytest.mark.parametrize("answer", [False, None, 1, "yes", {"confirmed": True}])
async def test_only_exactly_true_is_a_yes(bench, answer):
    ran = tool(bench)
    tool_call_id, (question,) = await ask(bench)
    question.answer(answer)
    await turns()
    assert ran == []
    assert "The person declined" in bench.sink.outcomes[tool_call_id].error_text
    assert bench.record()["confirmation"] == "denied"


async def test_the_persons_words_reach_the_model(bench):
    tool(bench)
    tool_call_id, (question,) = await ask(bench)
    question.answer(False, reason="Only B2, please.")
    await turns()
    assert bench.sink.outcomes[tool_call_id].error_text.endswith("Their words: Only B2, please.")


async def test_no_answer_declines_after_its_time(bench):
    ran = tool(bench)
    tool_call_id, (question,) = await ask(bench)
    bench.clock.advance(29.9)
    assert question.is_open
    bench.clock.advance(0.2)
    await turns()
    assert ran == []
    assert "did not answer the confirmation in time" in bench.sink.outcomes[tool_call_id].error_text
    assert bench.record()["confirmation"] == "expired"
    assert not question.answer(True)


async def test_the_time_is_a_setting():
    bench = Bench(confirm=lambda question: None, confirm_seconds=5)
    tool(bench)
    tool_call_id, _ = await ask(bench)
    bench.clock.advance(5.1)
    await turns()
    assert "in time" in bench.sink.outcomes[tool_call_id].error_text


async def test_several_questions_queue_and_count_down_one_by_one(bench):
    tool(bench)
    first, _ = await ask(bench, {"order": "A1"})
    second, questions = await ask(bench, {"order": "B2"})
    assert [question.args["order"] for question in questions] == ["A1", "B2"]
    assert questions[1].expires_at is None
    bench.clock.advance(20)
    questions[0].answer(True)
    await turns()
    assert questions[1].expires_at == bench.clock.now() + 30
    bench.clock.advance(25)
    questions[1].answer(True)
    await turns()
    assert bench.sink.outcomes == {first: Output("dropped A1"), second: Output("dropped B2")}


async def test_the_second_in_the_queue_may_be_answered_first(bench):
    tool(bench)
    await ask(bench, {"order": "A1"})
    second, questions = await ask(bench, {"order": "B2"})
    questions[1].answer(True)
    await turns()
    assert bench.sink.outcomes == {second: Output("dropped B2")}
    bench.clock.advance(30.1)
    await turns()
    assert len(bench.sink.outcomes) == 2


async def test_a_stop_closes_the_question(bench):
    ran = tool(bench)
    tool_call_id, (question,) = await ask(bench)
    bench.engine.cancel()
    await turns()
    assert (bench.engine.confirmations, question.is_open, ran) == ([], False, [])
    assert bench.sink.outcomes[tool_call_id].cancelled
    assert not question.answer(True)


async def test_without_anybody_to_ask_it_is_refused_at_once():
    bench = Bench()
    ran = tool(bench)
    tool_call_id, _ = await ask(bench)
    assert "Nothing on this page can ask the person" in bench.sink.outcomes[tool_call_id].error_text
    assert ran == []


async def test_a_view_may_answer_while_it_is_told():
    """The question must be answerable before anything is shown (document 002 lost that answer)."""
    bench = Bench(confirm=lambda question: question.answer(True))
    tool(bench)
    assert await bench.run("drop", {"order": "A1"}) == Output("dropped A1")


async def test_allowed_for_this_conversation(bench):
    tool(bench)
    _, (question,) = await ask(bench)
    question.answer(True, remember=True)
    await turns()
    assert await bench.run("drop", {"order": "B2"}) == Output("dropped B2")
    assert bench.record()["confirmed_by"] == "policy"
    bench.engine.forget()
    _, questions = await ask(bench, {"order": "C3"})
    assert len(questions) == 1
    questions[0].answer(False, remember=True)
    await turns()
    _, questions = await ask(bench, {"order": "D4"})
    assert len(questions) == 1, "a no is never remembered as a yes"
    questions[0].answer(False)
    await turns()


async def test_allowing_a_tool_answers_its_other_open_questions(bench):
    tool(bench)
    tool(bench, "other")
    await ask(bench, {"order": "A1"})
    _, questions = await ask(bench, {"order": "B2"})
    bench.start("other", {"order": "C3"})
    await turns()
    questions[0].answer(True, remember=True)
    await turns()
    assert sorted(bench.sink.outcomes) == ["c1", "c2"]
    assert [question.tool_name for question in bench.engine.confirmations] == ["other"]
    bench.engine.cancel()
    await turns()


async def test_what_a_conversation_may_others_may_not(bench):
    """The browser's own agent is asked about by itself, and its yes frees nobody else."""
    ran = tool(bench)
    _, (question,) = await ask(bench)
    outside = asyncio.create_task(bench.engine.invoke("drop", {"order": "X9"}, "w1"))
    await turns()
    question.answer(True, remember=True)
    await turns()
    assert ran == ["A1"], "the open question of the other agent stays open"
    (other,) = bench.engine.confirmations
    assert (other.tool_call_id, other.can_remember) == ("w1", False)
    other.answer(False)
    assert "declined" in (await outside).error_text

    again = asyncio.create_task(bench.engine.invoke("drop", {"order": "X9"}))
    await turns()
    (other,) = bench.engine.confirmations
    other.answer(True, remember=True)
    assert await again == Output("dropped X9")
    assert await bench.run("drop", {"order": "B2"}) == Output("dropped B2")

    bench.engine.forget()
    outside = asyncio.create_task(bench.engine.invoke("drop", {"order": "X9"}))
    await turns()
    bench.engine.confirmations[0].answer(True, remember=True)
    await outside
    _, questions = await ask(bench, {"order": "C3"})
    assert len(questions) == 1, "its yes is no yes for the conversation"
    questions[0].answer(False)
    await turns()


async def test_a_question_about_the_arguments_is_asked_of_the_tool_once(bench):
    asked = []

    def needs(order):
        asked.append(order)
        return False

    tool(bench, risk="safe", requires_confirmation=needs)
    assert await bench.run("drop", {"order": "A1"}) == Output("dropped A1")
    assert asked == ["A1"]


async def test_a_tool_may_ask_by_itself(bench):
    @bench.toolkit.tool("send", risk="safe", timeout=10)
    async def send(ctx: ToolContext) -> bool:
        return await ctx.confirm("Send it to 40 people?")

    tool_call_id = bench.start("send")
    await turns()
    (question,) = bench.engine.confirmations
    assert (question.title, question.can_remember) == ("Send it to 40 people?", False)
    bench.clock.advance(20)
    assert bench.sink.outcomes == {}, "the tool's deadline stands still"
    question.answer(True, remember=True)
    await turns()
    assert bench.sink.outcomes[tool_call_id] == Output(True)
    assert not question.remember

    tool_call_id = bench.start("send")
    await turns()
    bench.clock.advance(31)
    await turns()
    assert bench.sink.outcomes[tool_call_id] == Output(False)


def test_a_question_nobody_opened_takes_no_answer():
    question = Confirmation("c", "t", title="x")
    assert not question.is_open
    assert not question.answer(True)


async def test_arguments_that_the_model_left_out_are_shown_too(bench):
    class Options(BaseModel):
        force: bool = True
        copies: int = 1

    @bench.toolkit.tool("drop", risk="dangerous")
    def drop(order: str, scope: str = "everything", options: Options | None = None) -> None:
        """Deletes."""

    _, (question,) = await ask(bench, {"order": "A1", "options": {"copies": 3}})
    assert question.args == {
        "order": "A1",
        "options": {"copies": 3, "force": True},
        "scope": "everything",
    }
    assert question.defaults == ["scope"]
    question.answer(False)
    await turns()


async def test_defaults_of_a_json_schema_are_shown_too(bench):
    schema = {
        "type": "object",
        "properties": {"order": {"type": "string"}, "all": {"type": "boolean", "default": True}},
    }
    bench.toolkit.tool("drop", risk="dangerous", description="D", parameters=schema)(
        lambda order="", all=True: None
    )
    _, (question,) = await ask(bench, {"order": "A1"})
    assert (question.args, question.defaults) == ({"order": "A1", "all": True}, ["all"])
    question.answer(False)
    await turns()


async def test_what_was_allowed_for_the_conversation_is_not_more_than_was_seen(bench):
    @bench.toolkit.tool(
        "drop",
        requires_confirmation=True,
        risk=lambda order: "dangerous" if order == "all" else "moderate",
    )
    def drop(order: str) -> str:
        """Deletes."""
        return order

    _, (question,) = await ask(bench, {"order": "A1"})
    question.answer(True, remember=True)
    await turns()
    _, questions = await ask(bench, {"order": "A2"})
    assert questions == []
    _, (question,) = await ask(bench, {"order": "all"})
    assert question.risk == "dangerous"
    question.answer(False)
    await turns()


async def test_a_question_in_the_middle_shows_the_defaults_too(bench):
    @bench.toolkit.tool("drop")
    async def drop(ctx: ToolContext, order: str, force: bool = True) -> bool:
        """Deletes."""
        return await ctx.confirm("Sure?")

    _, (question,) = await ask(bench, {"order": "A1"})
    assert (question.args, question.defaults) == ({"order": "A1", "force": True}, ["force"])
    question.answer(False)
    await turns()
