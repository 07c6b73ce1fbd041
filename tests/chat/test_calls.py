"""Calls that wait for people, results from outside, approvals (95, 96, 129)."""

from __future__ import annotations

import asyncio

import pytest

from chat.support import (
    PERSON,
    WAIT,
    FakeEngine,
    World,
    accepted,
    asked,
    outputs,
    said,
    turns,
    wants,
)
from pagehand.chat.scripted import Answer, answer
from pagehand.errors import ChatError, UnsendableValueError
from pagehand.wire import chunks as c

# People


async def test_a_person_is_waited_for() -> None:
    engine = FakeEngine(card=PERSON)
    world = World(wants(asked("card")), answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert world.chat.status == "ready"
    assert len(world.bodies) == 1
    engine.settle("c1", {"success": True})
    await world.chat.idle()
    assert world.last.text == "Done"


async def test_a_person_beside_a_running_call() -> None:
    engine = FakeEngine(card=PERSON, read=WAIT)
    world = World(wants(asked("card", "c1"), asked("read", "c2")), engine=engine)
    await world.chat.send("Hello")
    assert world.chat.status == "streaming"
    engine.settle("c2", "ok")
    assert world.chat.status == "ready"


async def test_the_status_follows_the_engine() -> None:
    engine = FakeEngine(save=WAIT)
    world = World(wants(asked("save")), engine=engine)
    await world.chat.send("Hello")
    assert world.chat.status == "streaming"
    engine.handles["c1"].status = "requires-action"
    engine.tell("c1")
    assert world.chat.status == "ready"


async def test_s09_typing_on_settles_what_waits() -> None:
    engine = FakeEngine(card=PERSON)
    world = World(wants(asked("card")), answer(*said("Fine")), engine=engine)
    await world.say()
    await world.say("Never mind")
    posted = world.bodies[1]["messages"]
    assert posted[1]["parts"][1]["state"] == "output-error"
    assert posted[2]["parts"][0]["text"] == "Never mind"
    assert engine.cancelled[0][0] == ["c1"]
    assert accepted(world)
    assert len(world.bodies) == 2


async def test_a_waiting_message_lets_a_person_answer_first() -> None:
    gate = asyncio.Event()
    engine = FakeEngine(card=PERSON)
    world = World(
        wants(asked("card"), gate),
        answer(*said("Done"), message_id="m1"),
        answer(*said("Two")),
        engine=engine,
    )
    first = asyncio.ensure_future(world.chat.send("One"))
    await turns()
    await world.chat.send("Two")
    gate.set()
    await first
    await turns()
    assert world.chat.status == "ready"
    assert len(world.chat.queued) == 1
    engine.settle("c1", "yes")
    await world.chat.idle()
    assert [message.text for message in world.chat.messages] == ["One", "Done", "Two", "Two"]


async def test_intermediate_results_are_shown_and_not_sent() -> None:
    engine = FakeEngine(read=WAIT)
    world = World(wants(asked("read")), answer(*said("Done"), message_id="m1"), engine=engine)
    await world.chat.send("Hello")
    engine.sinks["c1"].progress("c1", {"percent": 50})
    part = world.last.tool_parts()[0]
    assert (part.output, part.preliminary) == ({"percent": 50}, True)
    assert len(world.bodies) == 1
    engine.settle("c1", "ok")
    await world.chat.idle()
    assert "preliminary" not in world.bodies[1]["messages"][1]["parts"][1]


# Results from outside


async def test_b108_add_tool_output() -> None:
    engine = FakeEngine(card=PERSON)
    world = World(wants(asked("card")), answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    world.chat.add_tool_output("c1", {"n": 1.0})
    world.chat.add_tool_output("c1", "again")
    await world.chat.idle()
    assert outputs(world) == [{"n": 1}]
    assert len(world.bodies) == 2


async def test_add_tool_error() -> None:
    engine = FakeEngine(card=PERSON)
    world = World(wants(asked("card")), answer(*said("Sorry"), message_id="m1"), engine=engine)
    await world.say()
    world.chat.add_tool_error("c1", "The window was blocked.")
    await world.chat.idle()
    assert world.bodies[1]["messages"][1]["parts"][1]["errorText"] == "The window was blocked."


async def test_an_output_for_nothing_is_refused() -> None:
    world = World(wants(asked("card")), engine=FakeEngine(card=PERSON))
    await world.say()
    with pytest.raises(ChatError, match="nobody"):
        world.chat.add_tool_output("nobody", 1)
    with pytest.raises(UnsendableValueError):
        world.chat.add_tool_output("c1", float("nan"))
    assert not world.last.tool_parts()[0].finished


async def test_s06_an_output_given_while_the_arguments_stream_is_kept() -> None:
    gate = asyncio.Event()
    engine = FakeEngine(card=PERSON)
    world = World(
        wants(
            c.ToolInputStart("c1", "card"), c.ToolInputDelta("c1", '{"a"'), gate, asked("card", a=1)
        ),
        answer(*said("Done"), message_id="m1"),
        engine=engine,
    )
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    world.chat.add_tool_output("c1", "early")
    gate.set()
    await task
    await world.chat.idle()
    assert outputs(world) == ["early"]
    assert world.bodies[1]["messages"][1]["parts"][1]["input"] == {"a": 1}
    assert engine.started == []


# Approvals


def gated(id: str = "c1", approval: str = "p1") -> list[c.Chunk]:
    return [asked("delete", id), c.ToolApprovalRequest(approval, id, signature=f"s-{id}")]


async def test_b094_b095_b096_b125_an_approval_continues_once() -> None:
    done = Answer(
        c.Start("m1"),
        c.ToolOutputAvailable("c1", "deleted"),
        c.StartStep(),
        *said("Gone"),
        c.Finish(),
    )
    world = World(wants(*gated()), done)
    await world.say()
    assert world.last.tool_parts()[0].state == "approval-requested"
    world.chat.add_tool_approval_response("p1", True, "go on")
    world.chat.add_tool_approval_response("p1", False)
    await world.chat.idle()
    assert len(world.bodies) == 2
    part = world.bodies[1]["messages"][1]["parts"][1]
    assert part["state"] == "approval-responded"
    assert part["approval"] == {
        "id": "p1",
        "signature": "s-c1",
        "approved": True,
        "reason": "go on",
    }
    assert outputs(world) == ["deleted"]
    assert world.last.text == "Gone"
    assert accepted(world)


async def test_b129_a_denial_continues_too() -> None:
    done = Answer(c.Start("m1"), c.ToolOutputDenied("c1"), c.StartStep(), *said("Kept"), c.Finish())
    world = World(wants(*gated()), done)
    await world.say()
    world.chat.respond_to_approval("c1", {"approved": False, "reason": "no"})
    await world.chat.idle()
    assert world.last.tool_parts()[0].state == "output-denied"
    assert world.last.text == "Kept"


async def test_two_approvals_of_one_step_are_sent_together() -> None:
    world = World(
        wants(*gated("c1", "p1"), *gated("c2", "p2")), answer(*said("Done"), message_id="m1")
    )
    await world.say()
    world.chat.add_tool_approval_response("p1", True)
    await turns()
    assert len(world.bodies) == 1
    world.chat.add_tool_approval_response("p2", False)
    await world.chat.idle()
    assert len(world.bodies) == 2


async def test_an_approval_that_was_never_asked_for() -> None:
    world = World(wants(asked("card")), engine=FakeEngine(card=PERSON))
    await world.say()
    with pytest.raises(ChatError):
        world.chat.add_tool_approval_response("p9", True)
    with pytest.raises(ChatError):
        world.chat.respond_to_approval("c1", {"approved": True})


@pytest.mark.parametrize("early", [False, True])
async def test_a_paused_server_gets_its_answer_before_our_calls_run(early: bool) -> None:
    """Mastra would lose their results: it goes on from its own snapshot."""
    engine, gate = FakeEngine(open="ok"), asyncio.Event()
    step = [*gated("c1", "p1"), asked("open", "c2"), gate]
    paused = answer(*step, finish=None, message_id="m1")
    done = Answer(
        c.Start("m1"),
        c.ToolOutputAvailable("c1", "deleted"),
        c.FinishStep(),
        c.StartStep(),
        *said("Gone"),
        c.Finish(),
    )
    world = World(paused, done, engine=engine)
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    if early:
        world.chat.add_tool_approval_response("p1", True)
    gate.set()
    await task
    assert engine.started == []
    if not early:
        assert world.codes == ["calls-held"]
        world.chat.add_tool_approval_response("p1", True)
    await world.chat.idle()
    states = [part["state"] for part in world.bodies[1]["messages"][1]["parts"][1:]]
    assert states == ["approval-responded", "output-error"]
    assert world.last.text == "Gone"
    assert len(world.bodies) == 2


async def test_an_answered_approval_waits_for_our_calls_that_run_already() -> None:
    engine = FakeEngine(open=WAIT)
    step = [*gated("c1", "p1"), asked("open", "c2"), c.FinishStep()]
    world = World(
        answer(*step, finish=None, message_id="m1"),
        answer(*said("Done"), message_id="m1"),
        engine=engine,
    )
    await world.chat.send("Hello")
    assert [call.tool_call_id for call in engine.started] == ["c2"]
    world.chat.add_tool_approval_response("p1", True)
    await turns()
    assert len(world.bodies) == 1
    engine.settle("c2", "ok")
    await world.chat.idle()
    assert len(world.bodies) == 2
    assert accepted(world)


async def test_a_server_that_asks_for_one_approval_at_a_time() -> None:
    first = answer(*gated("c1", "p1"), asked("delete", "c2"), finish=None, message_id="m1")
    second = Answer(c.Start("m1"), c.ToolApprovalRequest("p2", "c2"), b"data: [DONE]\n\n")
    third = Answer(
        c.Start("m1"),
        c.ToolOutputAvailable("c1", 1),
        c.ToolOutputAvailable("c2", 2),
        c.StartStep(),
        *said("Both gone"),
        c.Finish("stop"),
    )
    world = World(first, second, third)
    await world.say()
    world.chat.add_tool_approval_response("p1", True)
    await world.chat.idle()
    world.chat.add_tool_approval_response("p2", True)
    await world.chat.idle()
    assert outputs(world) == [1, 2]
    assert world.last.text == "Both gone"
    assert len(world.bodies) == 3


async def test_a_suspended_call_of_the_server_is_left_alone() -> None:
    suspended = answer(asked("ask-city"), c.Data("tool-call-suspended", {}), finish=None)
    world = World(suspended)
    await world.say()
    assert world.engine.started == []
    assert world.last.tool_parts()[0].state == "input-available"
    assert world.chat.status == "ready"


async def test_s09_typing_on_drops_an_open_approval() -> None:
    world = World(wants(*gated()), answer(*said("Fine")))
    await world.say()
    await world.say("Never mind")
    part = world.bodies[1]["messages"][1]["parts"][1]
    assert part["state"] == "output-error"
    assert "approval" not in part
    assert accepted(world)
    assert len(world.bodies) == 2


async def test_an_approved_call_of_ours_runs_when_it_is_announced_again() -> None:
    engine = FakeEngine(delete="deleted here")
    again = Answer(c.Start("m1"), asked("delete"), c.FinishStep(), c.Finish("tool-calls"))
    world = World(wants(*gated()), again, answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert engine.started == []
    world.chat.add_tool_approval_response("p1", True)
    await world.chat.idle()
    assert len(engine.started) == 1
    assert outputs(world) == ["deleted here"]
    assert world.last.text == "Done"
    assert accepted(world)


async def test_b124_an_output_clears_an_unanswered_approval() -> None:
    world = World(wants(*gated()), answer(*said("Done"), message_id="m1"))
    await world.say()
    world.chat.add_tool_output("c1", "done by hand")
    await world.chat.idle()
    part = world.last.tool_parts()[0].to_wire()
    assert part["state"] == "output-available"
    assert "approval" not in part
    assert accepted(world)


async def test_retry_sends_the_answer_to_an_approval_again() -> None:
    done = Answer(c.Start("m1"), c.ToolOutputAvailable("c1", "gone"), c.Finish("stop"))
    world = World(wants(*gated()), Answer(status=500), done)
    await world.say()
    world.chat.add_tool_approval_response("p1", True)
    await world.chat.idle()
    assert world.chat.status == "error"
    await world.chat.retry()
    assert world.bodies[2]["messages"] == world.bodies[1]["messages"]
    assert world.last.tool_parts()[0].output == "gone"


async def test_a_waiting_message_lets_an_approval_be_answered_first() -> None:
    gate = asyncio.Event()
    done = Answer(c.Start("m1"), c.ToolOutputAvailable("c1", "gone"), c.Finish("stop"))
    world = World(wants(*gated(), gate), done, answer(*said("Two")))
    first = asyncio.ensure_future(world.chat.send("One"))
    await turns()
    await world.chat.send("Two")
    gate.set()
    await first
    await turns()
    assert len(world.chat.queued) == 1
    world.chat.add_tool_approval_response("p1", True)
    await world.chat.idle()
    assert world.chat.queued == []
    assert world.chat.messages[1].tool_parts()[0].output == "gone"
    assert world.last.text == "Two"
