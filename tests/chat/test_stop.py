"""Stopping (73, 74, 122), and conversations that were loaded."""

from __future__ import annotations

import asyncio
from typing import Any

from chat.support import (
    PERSON,
    WAIT,
    FakeEngine,
    World,
    accepted,
    asked,
    call,
    outputs,
    said,
    turns,
    wants,
)
from pagehand.chat.scripted import answer
from pagehand.wire import chunks as c

# Stopping


async def test_b073_b115_stop_keeps_and_closes_what_came() -> None:
    ends: list[Any] = []
    gate = asyncio.Event()
    world = World(
        answer(c.TextStart("t"), c.TextDelta("t", "Hel"), gate, message_id="m1"),
        on_finish=ends.append,
    )
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    await world.chat.stop()
    await task
    assert world.transport.aborts[0].aborted
    assert world.chat.status == "ready"
    assert (ends[0].is_abort, ends[0].is_error, len(ends)) == (True, False, 1)
    assert world.last.to_wire()["parts"][1] == {"type": "text", "text": "Hel", "state": "done"}
    assert world.last.interrupted


async def test_b074_stop_while_the_request_is_prepared() -> None:
    gate = asyncio.Event()

    async def slow() -> dict[str, str]:
        await gate.wait()
        return {}

    world = World(answer(*said("Hi")), headers=slow)
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    await world.chat.stop()
    gate.set()
    await task
    await turns()
    assert world.bodies == []
    assert world.chat.status == "ready"
    assert [message.text for message in world.chat.messages] == ["Hello"]


async def test_s02_stop_cancels_calls_and_sends_nothing() -> None:
    """In assistant-ui the cancelled call's error makes the model go on talking."""
    engine = FakeEngine(open=WAIT)
    world = World(wants(asked("open")), answer(*said("No")), engine=engine)
    await world.chat.send("Hello")
    await world.chat.stop()
    await turns()
    assert engine.cancelled[0][0] == ["c1"]
    assert len(world.bodies) == 1
    assert world.last.tool_parts()[0].state == "output-error"
    assert world.chat.status == "ready"


async def test_s02_a_late_result_is_recorded_and_not_sent() -> None:
    engine = FakeEngine(open=WAIT)
    world = World(wants(asked("open")), answer(*said("Fine")), engine=engine)
    await world.chat.send("Hello")
    await world.chat.stop()
    engine.settle("c1", "it did open")
    await turns()
    assert len(world.bodies) == 1
    assert outputs(world) == ["it did open"]
    await world.say("And?")
    assert world.bodies[1]["messages"][1]["parts"][1]["output"] == "it did open"


async def test_stop_while_a_person_is_asked() -> None:
    engine = FakeEngine(card=PERSON)
    world = World(wants(asked("card")), engine=engine)
    await world.say()
    await world.chat.stop()
    assert world.last.tool_parts()[0].finished
    await turns()
    assert len(world.bodies) == 1


async def test_b122_s02_stop_always_comes_back() -> None:
    """Even when the transport ignores the abort and swallows the cancellation."""
    world = World()

    async def deaf(request: Any, abort: Any) -> Any:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if released.is_set():
                    raise

    released = asyncio.Event()
    world.transport.open = deaf  # type: ignore[method-assign]
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    stop = asyncio.ensure_future(world.chat.stop())
    await turns()
    assert world.chat.status == "ready"
    assert not stop.done()
    world.clock.advance(2)
    await stop
    await task
    released.set()
    for left in asyncio.all_tasks() - {asyncio.current_task()}:
        left.cancel()
    await turns()


async def test_stop_sends_what_waits() -> None:
    gate = asyncio.Event()
    world = World(answer(*said("One"), gate), answer(*said("Two")))
    task = asyncio.ensure_future(world.chat.send("A"))
    await turns()
    await world.chat.send("B")
    await world.chat.stop()
    await task
    await world.chat.idle()
    assert [message.text for message in world.chat.messages] == ["A", "One", "B", "Two"]


async def test_stop_when_nothing_goes_on() -> None:
    world = World(answer(*said("Hi")))
    await world.chat.stop()
    await world.say()
    await world.chat.stop()
    assert not world.last.interrupted
    assert world.statuses == ["submitted", "streaming", "ready"]


async def test_a_call_in_the_middle_of_its_arguments_is_closed() -> None:
    gate = asyncio.Event()
    world = World(
        answer(c.ToolInputStart("c1", "open"), c.ToolInputDelta("c1", '{"url":"ht'), gate),
        answer(*said("Fine")),
    )
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    await world.chat.stop()
    await task
    part = world.last.tool_parts()[0].to_wire()
    assert part["state"] == "output-error"
    assert part["rawInput"] == '{"url":"ht'
    await world.say("And?")
    assert accepted(world)


# Loaded conversations


def loaded(*parts: dict[str, Any], engine: FakeEngine, **options: Any) -> World:
    wire = [
        {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "Hello"}]},
        {"id": "m1", "role": "assistant", "parts": [{"type": "step-start"}, *parts]},
    ]
    return World(answer(*said("Done"), message_id="m1"), engine=engine, messages=wire, **options)


async def test_s15_pending_calls_of_a_loaded_conversation_are_a_choice() -> None:
    engine = FakeEngine(open="ok", card=PERSON)
    pending = call("input-available"), call("input-available", "card", "c2")
    world = loaded(*pending, engine=engine)
    await turns()
    assert engine.started == []
    assert [part.tool_call_id for part in world.chat.pending_choices] == ["c1", "c2"]
    await world.chat.run_pending(["c1"])
    await world.chat.run_pending(["c1"])
    await turns()
    assert [each.tool_call_id for each in engine.started] == ["c1"]
    assert [part.tool_call_id for part in world.chat.pending_choices] == ["c2"]
    world.chat.skip_pending()
    await world.chat.idle()
    assert world.chat.pending_choices == []
    assert len(world.bodies) == 1
    assert world.last.text == "Done"
    assert accepted(world)


async def test_calls_of_others_are_no_choice() -> None:
    world = loaded(call("input-available", "weather"), engine=FakeEngine(open="ok"))
    assert world.chat.pending_choices == []


async def test_typing_on_settles_the_choices() -> None:
    engine = FakeEngine(open="ok")
    world = loaded(call("input-available"), engine=engine)
    await world.say("Never mind")
    assert world.chat.pending_choices == []
    assert engine.started == []
    assert accepted(world)


async def test_a_loaded_approval_can_be_answered() -> None:
    world = loaded(call("approval-requested", approval={"id": "p"}), engine=FakeEngine())
    world.chat.add_tool_approval_response("p", True)
    await world.chat.idle()
    assert len(world.bodies) == 1
    assert world.last.text == "Done"


async def test_a_loaded_complete_step_is_not_sent_again() -> None:
    world = loaded(call("output-available"), engine=FakeEngine(open="ok"))
    await turns()
    assert world.bodies == []
