"""Moving on in the middle: nothing that waits leaves early, nothing that was said is lost."""

from __future__ import annotations

import asyncio

import pytest

from chat.support import (
    WAIT,
    FakeEngine,
    World,
    accepted,
    asked,
    outputs,
    said,
    texts,
    turns,
    wants,
)
from pagehand.chat.scripted import Answer, answer
from pagehand.wire import chunks as c


async def waiting(*answers: Answer) -> World:
    """A call is out, and a message waits for its end."""
    world = World(wants(asked("open")), *answers, engine=FakeEngine(open=WAIT))
    await world.chat.send("One")
    await world.chat.send("Two")
    assert [message.text for message in world.chat.queued] == ["Two"]
    return world


# A message that waits


async def test_it_is_sent_after_the_edited_one() -> None:
    world = await waiting(answer(*said("A")), answer(*said("B")))
    await world.chat.edit(world.chat.messages[0].id, "Other")
    await world.chat.idle()
    assert texts(world) == ["Other", "A", "Two", "B"]
    assert len(world.bodies) == 3
    assert accepted(world)


async def test_it_is_sent_after_the_answer_made_anew() -> None:
    world = await waiting(answer(*said("A")), answer(*said("B")))
    await world.chat.regenerate()
    await world.chat.idle()
    assert texts(world) == ["One", "A", "Two", "B"]
    assert len(world.bodies) == 3


async def test_it_does_not_leave_into_another_conversation() -> None:
    world = await waiting(answer(*said("A")))
    world.chat.clear()
    await turns()
    assert len(world.bodies) == 1
    assert world.chat.messages == world.chat.queued == []
    assert world.chat.status == "ready"


async def test_it_does_not_leave_when_the_chat_ends() -> None:
    world = await waiting(answer(*said("A")))
    world.chat.close()
    await turns()
    world.engine.settle("c1", "too late")
    await turns()
    assert len(world.bodies) == 1
    assert [message.text for message in world.chat.queued] == ["Two"]


async def test_it_does_not_leave_when_another_tab_leads() -> None:
    world = await waiting(answer(*said("A")))
    world.chat.follow((), status="ready")
    await turns()
    assert len(world.bodies) == 1
    assert [message.text for message in world.chat.queued] == ["Two"]


async def test_two_that_wait_keep_their_order() -> None:
    world = await waiting(answer(*said("A")), answer(*said("B")))
    world.engine.handles["c1"].status = "requires-action"
    world.engine.tell("c1")
    await world.chat.send("Three")
    await world.chat.idle()
    assert texts(world) == ["One", "", "Two", "A", "Three", "B"]
    assert len(world.bodies) == 3
    assert accepted(world)


async def test_an_answer_from_outside_goes_on_before_it() -> None:
    world = await waiting(answer(*said("Done"), message_id="m1"), answer(*said("B")))
    world.chat.add_tool_output("c1", "ok")
    await world.chat.idle()
    assert texts(world) == ["One", "Done", "Two", "B"]


async def test_stop_sends_it_once_everything_has_ended() -> None:
    world = await waiting(answer(*said("B")))
    await world.chat.stop()
    await world.chat.idle()
    assert texts(world) == ["One", "", "Two", "B"]
    assert len(world.bodies) == 2
    assert accepted(world)


# The answer that is to be made anew


async def again(*answers: Answer) -> tuple[World, asyncio.Task[None]]:
    """The answer to "Hello" is being made anew."""
    world = World(answer(*said("Old"), message_id="m1"), *answers)
    await world.say()
    task = asyncio.ensure_future(world.chat.regenerate())
    await turns()
    return world, task


async def test_a_stop_before_the_new_one_begins_keeps_the_old_one() -> None:
    world, task = await again(answer(asyncio.Event()))
    assert texts(world) == ["Hello"]
    await world.chat.stop()
    await task
    assert texts(world) == ["Hello", "Old"]
    assert world.chat.status == "ready"
    assert not world.last.interrupted


async def test_a_stop_after_it_began_keeps_what_came() -> None:
    started = c.TextStart("t"), c.TextDelta("t", "Ne")
    world, task = await again(answer(*started, asyncio.Event(), message_id="m2"))
    await world.chat.stop()
    await task
    assert texts(world) == ["Hello", "Ne"]


@pytest.mark.parametrize(
    "ended", [Answer(c.Start("m2"), c.Abort()), answer(message_id="m2"), answer(finish=None)]
)
async def test_an_answer_without_anything_in_it_keeps_the_old_one(ended: Answer) -> None:
    world, task = await again(ended)
    await task
    assert texts(world) == ["Hello", "Old"]
    assert world.chat.status == "ready"


async def test_asking_twice_and_then_stopping_keeps_it() -> None:
    world, task = await again(answer(asyncio.Event()), answer(asyncio.Event()))
    second = asyncio.ensure_future(world.chat.regenerate())
    await turns()
    assert texts(world) == ["Hello"]
    await world.chat.stop()
    await task
    await second
    assert texts(world) == ["Hello", "Old"]


async def test_editing_or_leaving_meanwhile_does_not_bring_it_back() -> None:
    world, task = await again(answer(asyncio.Event()), answer(*said("New")))
    await world.chat.edit(world.chat.messages[0].id, "Other")
    await task
    assert texts(world) == ["Other", "New"]
    assert outputs(world) == []
    world.transport.answers.append(answer(asyncio.Event()))
    task = asyncio.ensure_future(world.chat.regenerate())
    await turns()
    world.chat.clear()
    await task
    assert world.chat.messages == []
