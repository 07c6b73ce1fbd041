"""Runs that a Mastra server suspends, and its approvals of version 5: answered by `resumeData`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from chat.support import FakeEngine, World, accepted, asked, said, turns
from chat.validator import problems
from pagehand.chat.scripted import Answer, answer
from pagehand.errors import AnswerError
from pagehand.wire import chunks as c

SCHEMA = (
    '{"type":"object","properties":{"city":{"type":"string"}},'
    '"required":["city"],"additionalProperties":false}'
)


def pause(name: str = "tool-call-suspended", call: str = "c1", **more: Any) -> c.Data:
    data = {
        "state": f"data-{name}",
        "runId": "run1",
        "toolCallId": call,
        "toolName": "ask-city",
        "resumeSchema": SCHEMA,
        **more,
    }
    return c.Data(name, data, call)


def suspended(*others: c.Chunk, finish: str | None = None, **more: Any) -> Answer:
    question = pause(suspendPayload={"question": "Which city?"}, **more)
    return answer(*others, asked("ask-city"), question, message_id="m1", finish=finish)


RESUMED = Answer(
    c.ToolOutputAvailable("c1", {"city": "Oslo"}),
    c.FinishStep(),
    c.StartStep(),
    *said("It rains in Oslo"),
    c.FinishStep(),
    c.Finish("stop"),
    b"data: [DONE]\n\n",
)


@pytest.mark.parametrize("finish", [None, "tool-calls"], ids=["Mastra", "our backend before it"])
async def test_a_suspended_run_is_answered_and_goes_on_in_the_same_message(
    finish: str | None,
) -> None:
    world = World(suspended(finish=finish), RESUMED)
    await world.say()
    part = world.last.tool_parts()[0]
    assert (part.gate, part.state, world.chat.status) == ("open", "input-available", "ready")
    assert part.suspension is not None
    assert part.suspension.payload == {"question": "Which city?"}
    assert world.engine.started == []

    world.chat.resume_call("c1", {"city": "Oslo"})
    await world.chat.idle()
    body = world.bodies[1]
    assert (body["runId"], body["resumeData"], body["toolCallId"]) == (
        "run1",
        {"city": "Oslo"},
        "c1",
    )
    assert "clientTools" in body
    assert len(world.chat.messages) == 2
    assert world.last.text == "It rains in Oslo"
    assert (part.gate, part.output) == ("granted", {"city": "Oslo"})
    assert len(world.bodies) == 2
    (asking,) = [p for p in body["messages"][1]["parts"] if p["type"] == "tool-ask-city"]
    assert asking["state"] == "input-available"  # the truth: it waits for this very request
    assert problems(body["messages"]) == []


async def test_the_next_turn_does_not_resume_again() -> None:
    world = World(suspended(), RESUMED, answer(*said("Hm")))
    await world.say()
    world.chat.resume_call("c1", {"city": "Oslo"})
    await world.chat.idle()
    await world.say("And now?")
    assert "resumeData" not in world.bodies[2]
    assert "runId" not in world.bodies[2]


@pytest.mark.parametrize("wrong", [{}, {"city": 3}, {"city": "Oslo", "x": 1}, "Oslo", None])
async def test_an_answer_that_breaks_the_schema_does_not_leave(wrong: Any) -> None:
    """The server would take it as it is and use the run up."""
    world = World(suspended(), RESUMED)
    await world.say()
    with pytest.raises(AnswerError):
        world.chat.resume_call("c1", wrong)
    assert len(world.bodies) == 1
    assert world.last.tool_parts()[0].gate == "open"


async def test_it_is_answered_once() -> None:
    world = World(suspended(), RESUMED)
    await world.say()
    world.chat.resume_call("c1", {"city": "Oslo"})
    with pytest.raises(AnswerError, match="any more"):
        world.chat.resume_call("c1", {"city": "Rome"})
    await world.chat.idle()
    with pytest.raises(AnswerError):
        world.chat.resume_call("c1", {"city": "Rome"})
    assert len(world.bodies) == 2


async def test_it_waits_across_a_reload() -> None:
    world = World(suspended())
    await world.say()
    again = World(RESUMED)
    again.chat.load(world.chat.dump())
    assert again.last.tool_parts()[0].gate == "open"
    assert again.chat.pending_choices == []
    again.chat.resume_call("c1", {"city": "Oslo"})
    await again.chat.idle()
    assert again.bodies[0]["runId"] == "run1"
    assert again.last.text == "It rains in Oslo"


async def test_a_reload_after_the_answer_does_not_ask_again() -> None:
    world = World(suspended())
    await world.say()
    world.chat.resume_call("c1", {"city": "Oslo"})
    again = World()
    again.chat.load(world.chat.dump())
    assert again.last.tool_parts()[0].gate == "granted"
    await world.chat.idle()


async def test_typing_on_cancels_it() -> None:
    world = World(suspended(), answer(*said("Fine")))
    await world.say()
    await world.say("Never mind")
    part = world.chat.messages[1].tool_parts()[0]
    assert (part.gate, part.state) == ("cancelled", "output-error")
    assert accepted(world)


async def test_calls_of_this_page_beside_it_wait_and_are_not_run() -> None:
    """mastra.md section 8 rule 5: their results could never reach the model."""
    engine = FakeEngine(read="text")
    world = World(suspended(asked("read", "c2")), RESUMED, engine=engine)
    await world.say()
    assert engine.started == []
    assert world.codes == ["calls-held"]
    world.chat.resume_call("c1", {"city": "Oslo"})
    await world.chat.idle()
    assert engine.started == []
    read = next(p for p in world.last.tool_parts() if p.tool_name == "read")
    assert "waited for an approval" in (read.error_text or "")
    assert problems(world.bodies[1]["messages"]) == []


async def test_a_failed_resume_can_be_sent_again_by_the_person() -> None:
    world = World(suspended(), OSError("offline"), RESUMED)
    await world.say()
    world.chat.resume_call("c1", {"city": "Oslo"})
    await world.chat.idle()
    assert world.chat.status == "error"
    await world.chat.retry()
    await world.chat.idle()
    assert world.bodies[-1]["resumeData"] == {"city": "Oslo"}
    assert world.last.text == "It rains in Oslo"


def held_open(gate: asyncio.Event, *before: Any, after: tuple[Any, ...] = ()) -> Answer:
    """A suspended run whose stream does not end before the gate opens."""
    return answer(*before, asked("ask-city"), pause(), gate, *after, message_id="m1", finish=None)


@pytest.mark.parametrize("waiting", [False, True])
async def test_an_answer_before_the_end_of_the_stream_leaves_after_it(waiting: bool) -> None:
    gate = asyncio.Event()
    world = World(held_open(gate), RESUMED, answer(*said("And that")))
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    world.chat.resume_call("c1", {"city": "Oslo"})
    if waiting:
        await world.chat.send("More")
    assert len(world.bodies) == 1
    gate.set()
    await task
    await world.chat.idle()
    assert world.bodies[1]["resumeData"] == {"city": "Oslo"}
    assert world.chat.messages[1].text == "It rains in Oslo"
    assert len(world.bodies) == (3 if waiting else 2)
    assert "resumeData" not in world.bodies[-1] or not waiting
    assert world.chat.status == "ready"


async def test_a_call_of_this_page_beside_an_early_answer_is_not_run_either() -> None:
    gate = asyncio.Event()
    engine = FakeEngine(read="text")
    world = World(held_open(gate, asked("read", "c2")), RESUMED, engine=engine)
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    world.chat.resume_call("c1", {"city": "Oslo"})
    gate.set()
    await task
    await world.chat.idle()
    assert engine.started == []
    assert world.codes == []
    assert "resumeData" in world.bodies[1]
    assert problems(world.bodies[1]["messages"]) == []


async def test_two_suspended_calls_are_answered_one_after_the_other() -> None:
    gate = asyncio.Event()
    second = (asked("ask-city", "c2"), pause(call="c2", runId="run2"))
    first_done = answer(gate, c.ToolOutputAvailable("c1", "ok"), finish=None)
    both_done = Answer(c.ToolOutputAvailable("c2", "ok"), *said("Both"), c.Finish("stop"))
    world = World(suspended(*second), first_done, both_done)
    await world.say()
    world.chat.resume_call("c1", {"city": "Oslo"})
    await turns()
    world.chat.resume_call("c2", {"city": "Rome"})
    gate.set()
    await world.chat.idle()
    assert [body.get("runId") for body in world.bodies] == [None, "run1", "run2"]
    assert world.last.text == "Both"


async def test_one_answered_call_that_fails_does_not_lose_the_answer_of_the_other() -> None:
    second = (asked("ask-city", "c2"), pause(call="c2", runId="run2"))
    first_done = answer(c.ToolOutputAvailable("c1", "ok"), finish=None)
    both_done = Answer(c.ToolOutputAvailable("c2", "ok"), *said("Both"), c.Finish("stop"))
    world = World(suspended(*second), Answer(status=500))
    await world.say()
    world.chat.resume_call("c1", {"city": "Oslo"})
    await world.chat.idle()
    assert world.chat.status == "error"
    world.chat.resume_call("c2", {"city": "Rome"})
    world.transport.answers.extend([first_done, both_done])
    await world.chat.retry()
    await world.chat.idle()
    assert [body.get("runId") for body in world.bodies] == [None, "run1", "run1", "run2"]
    assert world.last.text == "Both"


@pytest.mark.parametrize("way", ["stop", "clear", "break"])
async def test_an_early_answer_does_not_leave_when_the_run_is_given_up(way: str) -> None:
    gate = asyncio.Event()
    world = World(held_open(gate, after=(c.Error("down"),)), answer(*said("Fine")))
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    world.chat.resume_call("c1", {"city": "Oslo"})
    if way == "stop":
        await world.chat.stop()
    elif way == "clear":
        world.chat.clear()
    gate.set()
    await task
    await world.say("Never mind")
    assert len(world.bodies) == 2
    assert "resumeData" not in world.bodies[1]
    assert world.last.text == "Fine"
    assert accepted(world)


# Approvals of version 5: nothing but the data part


def old_approval() -> Answer:
    schema = {"type": "object", "properties": {"approved": {"type": "boolean"}}}
    question = pause("tool-call-approval", args={"id": "r1"}, resumeSchema=schema)
    return answer(asked("delete-record"), question, message_id="m1", finish=None)


@pytest.mark.parametrize("yes", [True, False])
async def test_an_approval_that_comes_as_data_is_answered_by_resume_data(yes: bool) -> None:
    world = World(old_approval(), RESUMED)
    await world.say()
    part = world.last.tool_parts()[0]
    assert part.gate == "open"
    assert part.question == {"id": "run1::c1"}
    world.chat.respond_to_approval("c1", {"approved": yes})
    assert part.gate == ("granted" if yes else "denied")
    await world.chat.idle()
    assert world.bodies[1]["resumeData"] == {"approved": yes}
    assert world.bodies[1]["runId"] == "run1"


async def test_where_both_forms_come_the_answer_goes_by_the_message() -> None:
    both = answer(
        asked("delete-record"),
        c.ToolApprovalRequest("run1::c1", "c1"),
        pause("tool-call-approval"),
        message_id="m1",
        finish=None,
    )
    world = World(both, RESUMED)
    await world.say()
    world.chat.add_tool_approval_response("run1::c1", True)
    await world.chat.idle()
    assert "resumeData" not in world.bodies[1]
    part = world.bodies[1]["messages"][1]["parts"][1]
    assert part["approval"] == {"id": "run1::c1", "approved": True}
    await turns()
