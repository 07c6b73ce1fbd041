"""Ids, hooks, the queue, clearing and loading."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from chat.support import FakeEngine, World, accepted, asked, call, said, texts, turns, wants
from pagehand.chat.conversation import Change
from pagehand.chat.scripted import Answer, answer
from pagehand.errors import NetworkError
from pagehand.wire import chunks as c

# Identity


async def test_an_id_that_is_taken_is_not_taken_twice() -> None:
    world = World(answer(*said("One"), message_id="m"), answer(*said("Two"), message_id="m"))
    await world.say("A")
    await world.say("B")
    ids = [message.id for message in world.chat.messages]
    assert len(set(ids)) == 4


async def test_b040_a_changed_id_in_the_middle_leaves_no_second_copy() -> None:
    world = World(answer(*said("a"), c.Start("other"), *said("b", "t2"), message_id="m"))
    await world.say()
    assert [message.id for message in world.chat.messages] == ["id1", "m"]


# Hooks


async def test_b080_a_failing_on_finish_is_raised_and_breaks_nothing() -> None:
    reported: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))

    def broken(end: Any) -> None:
        raise KeyError("mine")

    world = World(answer(*said("Hi")), answer(*said("Again")), on_finish=broken)
    with pytest.raises(KeyError, match="mine"):
        await world.chat.send("Hello")
    assert world.chat.status == "ready"
    assert reported[0]["exception"].args == ("mine",)
    with pytest.raises(KeyError):
        await world.chat.send("Hello")
    assert texts(world) == ["Hello", "Hi", "Hello", "Again"]


async def test_on_finish_sees_the_final_status() -> None:
    seen: list[str] = []
    world = World(answer(*said("Hi")), on_finish=lambda end: seen.append(world.chat.status))
    await world.say()
    assert seen == ["ready"]


async def test_b044_data_reaches_the_hook() -> None:
    seen: list[Any] = []
    world = World(
        answer(c.Data("a", 1, None, True), c.Data("b", 2)),
        on_data=lambda chunk: seen.append((chunk.name, chunk.data)),
    )
    await world.say()
    assert seen == [("a", 1), ("b", 2)]


async def test_hooks_may_speak() -> None:
    world = World(answer(*said("Hi")), answer(*said("Bye")))
    spoken: list[asyncio.Task[None]] = []

    def again(end: Any) -> None:
        if not spoken:
            spoken.append(asyncio.ensure_future(world.chat.send("And?")))

    world.chat._turns._hooks._on_finish = again
    await world.say()
    await spoken[0]
    assert texts(world) == ["Hello", "Hi", "And?", "Bye"]


# Queue, clear, load


async def test_b131_messages_typed_while_busy_wait_their_turn() -> None:
    gate = asyncio.Event()
    world = World(answer(*said("One"), gate), answer(*said("Two")), answer(*said("Three")))
    first = asyncio.ensure_future(world.chat.send("A"))
    await turns()
    await world.chat.send("B")
    await world.chat.send("C")
    assert [message.text for message in world.chat.queued] == ["B", "C"]
    assert texts(world) == ["A", "One"]
    gate.set()
    await first
    await world.chat.idle()
    assert texts(world) == ["A", "One", "B", "Two", "C", "Three"]
    assert len(world.bodies) == 3


async def test_a_waiting_message_can_be_taken_back() -> None:
    gate = asyncio.Event()
    world = World(answer(*said("One"), gate))
    first = asyncio.ensure_future(world.chat.send("A"))
    await turns()
    await world.chat.send("B")
    waiting = world.chat.queued[0]
    assert world.chat.unqueue(waiting.id)
    assert not world.chat.unqueue(waiting.id)
    gate.set()
    await first
    await world.chat.idle()
    assert len(world.bodies) == 1


async def test_an_error_holds_the_queue_and_loses_nothing() -> None:
    gate = asyncio.Event()
    world = World(Answer(gate, NetworkError("gone")), answer(*said("One")), answer(*said("Two")))
    first = asyncio.ensure_future(world.chat.send("A"))
    await turns()
    await world.chat.send("B")
    gate.set()
    await first
    assert world.chat.status == "error"
    assert [message.text for message in world.chat.queued] == ["B"]
    await world.chat.retry()
    await world.chat.idle()
    assert texts(world) == ["A", "One", "B", "Two"]


async def test_clear_forgets_everything() -> None:
    world = World(answer(*said("One"), message_id="m1"), answer(*said("Two")))
    await world.say()
    old = world.chat.id
    world.chat.clear()
    assert world.chat.messages == []
    assert world.chat.id != old
    assert world.chat.status == "ready"
    assert world.engine.forgotten == 1
    await world.say("New")
    assert [message["parts"][0]["text"] for message in world.bodies[1]["messages"]] == ["New"]


async def test_clear_in_the_middle_of_an_answer() -> None:
    """In the AI SDK the next chunk brings the message back."""
    gate = asyncio.Event()
    world = World(answer(c.TextStart("t"), c.TextDelta("t", "a"), gate, c.TextDelta("t", "b")))
    task = asyncio.ensure_future(world.chat.send("A"))
    await turns()
    world.chat.clear()
    gate.set()
    await task
    await turns()
    assert world.chat.messages == []
    assert world.chat.status == "ready"


async def test_b098_a_conversation_survives_dump_and_load() -> None:
    engine = FakeEngine(open={"ok": True})
    world = World(
        answer(asked("open", url="x"), message_id="m1", finish="tool-calls"),
        answer(*said("Done"), message_id="m1"),
        engine=engine,
    )
    await world.say()
    kept = world.chat.dump()
    other = World(answer(*said("More")), messages=kept)
    assert other.chat.dump() == kept
    await other.say("And?")
    assert other.bodies[0]["messages"][:2] == kept


async def test_loading_makes_ids_unique() -> None:
    part = {"type": "text", "text": "x"}
    wire = [{"role": "user", "parts": [part]}, {"id": "a", "role": "user", "content": "y"}] * 2
    world = World(messages=wire)
    assert len({message.id for message in world.chat.messages}) == 4
    assert texts(world) == ["x", "y", "x", "y"]


async def test_b119_b120_a_closed_chat_is_silent() -> None:
    gate = asyncio.Event()
    world = World(answer(c.TextStart("t"), gate, c.TextDelta("t", "late")))
    task = asyncio.ensure_future(world.chat.send("A"))
    await turns()
    world.chat.close()
    world.statuses.clear()
    gate.set()
    await task
    world.engine.tell("c1")
    assert world.statuses == []
    assert world.last.text == ""


async def test_what_was_left_open_long_ago_is_settled_when_it_is_loaded() -> None:
    """An approval in an older message: the person moved on."""
    wire = [
        {"id": "u1", "role": "user", "content": "A"},
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                call("approval-requested", approval={"id": "p"}),
                call("input-available", id="c2"),
            ],
        },
        {"id": "u2", "role": "user", "content": "B"},
    ]
    world = World(answer(*said("Fine")), messages=wire)
    assert [part.state for part in world.chat.messages[1].tool_parts()] == ["output-error"] * 2
    await world.chat.retry()
    assert accepted(world)


# Views


async def test_b117_b118_who_is_told_of_the_end_sees_all_of_it() -> None:
    seen: list[str] = []
    world = World(answer(*said("All of it")))

    def look(change: Change) -> None:
        if change.kind == "status" and world.chat.status == "ready":
            seen.append(world.last.text)

    world.chat.subscribe(look)
    await world.say()
    assert seen == ["All of it"]


async def test_b121_results_are_never_copied() -> None:
    big = {"rows": list(range(1000))}
    engine = FakeEngine(read=big)
    world = World(wants(asked("read")), answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert world.last.tool_parts()[0].output is big


async def test_b103_an_id_on_the_screen_never_changes() -> None:
    world = World(answer(*said("a"), message_id="m1"), answer(*said("b")))
    shown: list[str | None] = []
    world.chat.subscribe(lambda change: shown.append(change.message_id))
    await world.say()
    await world.say()
    assert {id for id in shown if id} == {message.id for message in world.chat.messages}


async def test_a_failing_view_breaks_neither_the_others_nor_the_chat() -> None:
    reported: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))
    world = World(answer(*said("Hi")))
    told: list[Change] = []

    def broken(change: Change) -> None:
        raise ValueError("view")

    undo = world.chat.subscribe(broken)
    world.chat.subscribe(told.append)
    await world.say()
    assert world.last.text == "Hi"
    assert told
    assert reported[0]["message"] == "A view of the chat failed"
    undo()
    undo()


def test_without_an_event_loop_a_failing_view_is_heard() -> None:
    world = World()

    def broken(change: Change) -> None:
        raise ValueError("view")

    world.chat.subscribe(broken)
    with pytest.raises(ValueError, match="view"):
        world.chat.load([])
