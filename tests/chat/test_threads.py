from __future__ import annotations

import asyncio
from typing import Any

from chat.support import FakeEngine, World, asked, said, turns, wants
from pagehand.chat.scripted import Answer, answer
from pagehand.chat.threads import MemoryThreadStore, Threads, title_of
from pagehand.wire import chunks as c


class Kept(World):
    """A chat whose conversations are kept."""

    def __init__(self, *answers: Answer, store: MemoryThreadStore | None = None, **options: Any):
        super().__init__(*answers, **options)
        self.store = store or MemoryThreadStore()
        self.threads = Threads(self.chat, self.store, self.clock)

    async def later(self, seconds: float = 3) -> None:
        self.clock.advance(seconds)
        await turns()


async def test_what_is_said_is_kept_by_itself() -> None:
    world = Kept(answer(*said("Hi"), message_id="m1"))
    await world.threads.open("default")
    await world.say("Hello   there")
    await world.later()
    record = await world.store.load("default")
    assert record is not None
    assert record["title"] == "Hello there"
    assert record["messages"] == world.chat.dump()
    assert record["created"] <= record["updated"]


async def test_a_message_is_kept_before_its_answer_comes() -> None:
    gate = asyncio.Event()
    world = Kept(answer(gate))
    await world.threads.open("default")
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    await world.later(0.5)
    record = await world.store.load("default")
    assert record is not None
    assert [message["role"] for message in record["messages"]] == ["user"]
    await world.chat.stop()
    await task


async def test_streaming_is_not_saved_for_every_read() -> None:
    class Counting(MemoryThreadStore):
        saves = 0

        async def save(self, record: Any) -> None:
            self.saves += 1
            await super().save(record)

    store = Counting()
    deltas = [c.TextDelta("t", "x") for _ in range(50)]
    world = Kept(answer(c.TextStart("t"), *deltas, c.TextEnd("t")), store=store)
    await world.threads.open("default")
    await world.say()
    await world.later()
    assert store.saves == 1


async def test_a_conversation_is_there_again() -> None:
    store = MemoryThreadStore()
    first = Kept(answer(*said("Hi"), message_id="m1"), store=store)
    await first.threads.open("default")
    await first.say()
    await first.threads.close()
    second = Kept(answer(*said("More"), message_id="m2"), store=store)
    assert await second.threads.open("default")
    assert [message.text for message in second.chat.messages] == ["Hello", "Hi"]
    assert second.threads.current == "default"
    await second.say("And?")
    assert second.bodies[0]["id"] == "default"
    assert len(second.bodies[0]["messages"]) == 3


async def test_opening_does_not_change_what_is_kept() -> None:
    world = Kept(answer(*said("Hi")))
    await world.threads.open("a")
    await world.say()
    await world.threads.save()
    before = await world.store.load("a")
    await world.later(100)
    await world.threads.open("b")
    await world.threads.open("a")
    await world.later()
    after = await world.store.load("a")
    assert before is not None
    assert after is not None
    assert after["messages"] == before["messages"]
    assert [record["id"] for record in await world.threads.list()] == ["a"]


async def test_switching_stops_the_answer_and_keeps_it() -> None:
    gate = asyncio.Event()
    world = Kept(answer(c.TextStart("t"), c.TextDelta("t", "Hel"), gate, message_id="m1"))
    await world.threads.open("a")
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    new = await world.threads.new()
    await task
    assert world.chat.messages == []
    assert world.threads.current == new != "a"
    await world.threads.open("a")
    assert [message.text for message in world.chat.messages] == ["Hello", "Hel"]
    assert world.transport.aborts[0].aborted


async def test_titles_searching_renaming_deleting() -> None:
    world = Kept(answer(*said("The sea is blue")), answer(*said("Grass is green")))
    await world.threads.open("a")
    await world.say("About water")
    await world.later()
    await world.threads.open("b")
    await world.say("About meadows")
    await world.later()
    assert [record["title"] for record in await world.threads.list()] == [
        "About meadows",
        "About water",
    ]
    assert all("messages" not in record for record in await world.threads.list())
    assert [record["id"] for record in await world.threads.search("BLUE")] == ["a"]
    assert [record["id"] for record in await world.threads.search("about")] == ["b", "a"]
    assert len(await world.threads.search("  ")) == 2
    await world.threads.rename("a", "  The   sea ")
    await world.threads.rename("b", "Green")
    titles = {record["id"]: record["title"] for record in await world.threads.list()}
    assert titles == {"a": "The sea", "b": "Green"}
    await world.threads.delete("a")
    assert [record["id"] for record in await world.threads.list()] == ["b"]


async def test_a_given_title_stays() -> None:
    world = Kept(answer(*said("Hi")), answer(*said("Ho")))
    await world.threads.open("a")
    await world.say("First words")
    await world.threads.rename("a", "Mine")
    await world.say("More words")
    await world.later()
    assert [record["title"] for record in await world.threads.list()] == ["Mine"]


async def test_deleting_what_is_shown_begins_anew() -> None:
    world = Kept(answer(*said("Hi")))
    await world.threads.open("a")
    await world.say()
    await world.threads.delete("a")
    await world.later()
    assert world.chat.messages == []
    assert world.threads.current != "a"
    assert await world.threads.list() == []


async def test_clearing_keeps_the_old_conversation() -> None:
    world = Kept(answer(*said("Hi")), answer(*said("Ho")))
    await world.threads.open("a")
    await world.say("One")
    await world.later()
    world.chat.clear()
    await world.say("Two")
    await world.later()
    titles = sorted(record["title"] for record in await world.threads.list())
    assert titles == ["One", "Two"]


async def test_unanswered_calls_of_a_kept_conversation_do_not_run() -> None:
    store = MemoryThreadStore()
    first = Kept(wants(asked("card")), store=store, engine=FakeEngine(card=FakeEngine.PERSON))
    await first.threads.open("a")
    await first.say()
    await first.threads.save()
    engine = FakeEngine(card="ok")
    second = Kept(answer(*said("Done"), message_id="m1"), store=store, engine=engine)
    await second.threads.open("a")
    await turns()
    assert engine.started == []
    assert [part.tool_call_id for part in second.chat.pending_choices] == ["c1"]
    await second.chat.run_pending()
    await second.chat.idle()
    assert second.last.text == "Done"


async def test_half_an_answer_is_closed_when_it_is_loaded() -> None:
    store = MemoryThreadStore()
    parts = [
        {"type": "text", "text": "Hel", "state": "streaming"},
        {"type": "tool-open", "toolCallId": "c1", "state": "input-streaming", "rawInput": "{"},
    ]
    await store.save(
        {"id": "a", "updated": 1, "messages": [{"id": "m1", "role": "assistant", "parts": parts}]}
    )
    world = Kept(answer(*said("Hello"), message_id="m1"), store=store)
    await world.threads.open("a")
    assert [part["state"] for part in world.last.to_wire()["parts"]] == ["done", "output-error"]
    assert world.last.interrupted
    assert await world.chat.resume()
    assert world.last.text == "Hello"


def test_titles_are_short() -> None:
    long = {"role": "user", "parts": [{"type": "text", "text": "word " * 40}]}
    assert len(title_of([long])) <= 60
    assert title_of([]) == ""
