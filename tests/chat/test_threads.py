from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from chat.support import FakeEngine, World, asked, said, turns, wants
from pagehand.chat.scripted import Answer, answer
from pagehand.chat.threads import MemoryThreadStore, Record, Threads, title_of
from pagehand.wire import chunks as c


class Shown:
    """The conversation of a chat, as whoever keeps it shows it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.facts: Record = {}
        self.ours = self.durable = True

    @property
    def id(self) -> str:
        return self._world.chat.id

    def record(self) -> Record | None:
        messages = self._world.chat.dump()
        if not messages:
            return None
        found = {"title": title_of(messages), "updated": self._world.clock.now(), **self.facts}
        return {"id": self.id, **found, "messages": messages}

    @asynccontextmanager
    async def moving(self) -> AsyncIterator[bool]:
        yield self.ours

    def rename(self, title: str) -> None:
        self.facts.update(title=title, renamed=True)

    async def halt(self) -> None:
        await self._world.chat.stop()

    async def show(self, record: Record | None) -> bool:
        self.facts = {}
        if record is None:
            self._world.chat.clear()
        else:
            self.facts = {key: record[key] for key in ("title", "renamed") if key in record}
            self._world.chat.load(record["messages"], chat_id=record["id"])
        return self.durable


class Kept(World):
    """A chat that shows one of several conversations."""

    def __init__(self, *answers: Answer, **options: Any):
        super().__init__(*answers, **options)
        self.store = MemoryThreadStore()
        self.shown = Shown(self)
        self.threads = Threads(self.shown, self.store)

    async def titles(self) -> list[str]:
        return [record["title"] for record in await self.threads.list()]

    async def another(self, text: str) -> str:
        """One more conversation that begins with these words; gives its id."""
        await self.threads.new()
        self.clock.advance(1)
        await self.say(text)
        return self.chat.id


async def test_a_new_conversation_puts_the_old_one_away() -> None:
    world = Kept(answer(*said("Hi")), answer(*said("Ho")))
    await world.say("Hello   there")
    first = world.chat.id
    second = await world.another("And you")
    assert second != first
    assert await world.titles() == ["And you", "Hello there"]
    assert [m.text for m in world.chat.messages] == ["And you", "Ho"]
    record = await world.store.load(first)
    assert record is not None
    assert len(record["messages"]) == 2
    assert all("messages" not in each for each in await world.threads.list())


async def test_an_empty_conversation_is_not_put_away() -> None:
    world = Kept()
    await world.threads.new()
    await world.threads.new()
    assert await world.threads.list() == []
    assert await world.store.list() == []


async def test_a_conversation_is_there_again_and_goes_on_under_its_id() -> None:
    world = Kept(answer(*said("Hi")), answer(*said("Ho")), answer(*said("More")))
    await world.say("One")
    first = world.chat.id
    await world.another("Two")
    assert await world.threads.open(first)
    assert world.threads.current == first
    assert [m.text for m in world.chat.messages] == ["One", "Hi"]
    assert [record["title"] for record in await world.store.list()] == ["Two"]
    assert sorted(await world.titles()) == ["One", "Two"]
    await world.say("And?")
    assert world.bodies[2]["id"] == first
    assert len(world.bodies[2]["messages"]) == 3


async def test_opening_what_is_shown_or_what_is_not_there_changes_nothing() -> None:
    gate = asyncio.Event()
    world = Kept(answer(gate, *said("Hi")))
    task = asyncio.ensure_future(world.chat.send("One"))
    await turns()
    assert await world.threads.open(world.chat.id)
    assert not await world.threads.open("nowhere")
    gate.set()
    await task
    assert world.last.text == "Hi"


async def test_what_is_shown_elsewhere_is_neither_moved_nor_put_away() -> None:
    world = Kept(answer(*said("Hi")))
    await world.say("One")
    await world.store.save({"id": "kept", "updated": 1, "title": "Kept", "messages": []})
    world.shown.ours = False
    assert not await world.threads.open("kept")
    await world.threads.new()
    assert await world.threads.delete(world.chat.id) is None
    assert [record["id"] for record in await world.store.list()] == ["kept"]
    assert len(world.chat.messages) == 2


async def test_a_conversation_stays_in_the_store_when_it_is_shown_but_not_kept() -> None:
    world = Kept()
    await world.store.save({"id": "kept", "updated": 1, "title": "Kept", "messages": []})
    world.shown.durable = False
    assert await world.threads.open("kept")
    assert world.chat.id == "kept"
    assert await world.store.load("kept") is not None


async def test_switching_stops_the_answer_and_keeps_it() -> None:
    gate = asyncio.Event()
    world = Kept(answer(c.TextStart("t"), c.TextDelta("t", "Hel"), gate, message_id="m1"))
    first = world.chat.id
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    await world.threads.new()
    await task
    assert world.chat.messages == []
    await world.threads.open(first)
    assert [message.text for message in world.chat.messages] == ["Hello", "Hel"]
    assert world.transport.aborts[0].aborted


async def test_a_copy_left_over_does_not_show_twice() -> None:
    """A page that went between two writes leaves the shown conversation in the store as well."""
    world = Kept(answer(*said("Hi")))
    await world.say("One")
    stale = {"id": world.chat.id, "title": "Old", "updated": 1, "messages": []}
    await world.store.save(stale)
    assert await world.titles() == ["One"]


async def test_searching_looks_into_all_of_them() -> None:
    world = Kept(answer(*said("The sea is blue")), answer(*said("Grass is green")))
    await world.say("About water")
    await world.another("About meadows")
    find = world.threads.search
    assert [record["title"] for record in await find("BLUE")] == ["About water"]
    assert [record["title"] for record in await find("grass")] == ["About meadows"]
    assert [record["title"] for record in await find("about")] == ["About meadows", "About water"]
    assert len(await find("  ")) == 2
    assert await find("sky") == []


async def test_titles_are_given_and_stay() -> None:
    world = Kept(answer(*said("Hi")), answer(*said("Ho")), answer(*said("More")))
    await world.say("First words")
    first = world.chat.id
    await world.threads.rename(first, "  Mine,   here ")
    await world.another("Second words")
    await world.threads.rename(first, "Mine, there")
    await world.threads.rename(first, "   ")
    assert await world.titles() == ["Second words", "Mine, there"]
    await world.threads.open(first)
    await world.say("More words")
    assert "Mine, there" in await world.titles()


@pytest.mark.parametrize("shown", [True, False])
async def test_what_was_deleted_can_be_brought_back(shown: bool) -> None:
    world = Kept(answer(*said("Hi")), answer(*said("Ho")))
    await world.say("One")
    first = world.chat.id
    second = await world.another("Two")
    gone = await world.threads.delete(second if shown else first)
    assert gone is not None
    assert len(await world.titles()) == 1
    assert (world.chat.messages == []) is shown
    await world.threads.restore(gone)
    assert await world.titles() == ["Two", "One"]
    assert await world.threads.open(gone["id"])
    assert len(world.chat.messages) == 2


async def test_deleting_what_is_shown_begins_anew() -> None:
    world = Kept(answer(*said("Hi")))
    await world.say()
    first = world.chat.id
    await world.threads.delete(first)
    assert world.chat.messages == []
    assert world.threads.current != first
    assert await world.threads.list() == []
    assert await world.threads.delete("nowhere") is None


async def test_unanswered_calls_of_a_conversation_that_is_opened_do_not_run() -> None:
    engine = FakeEngine(card=FakeEngine.PERSON)
    world = Kept(
        wants(asked("card")),
        answer(*said("Ho")),
        answer(*said("Done"), message_id="m1"),
        engine=engine,
    )
    first = world.chat.id
    await world.say()
    engine.tools["card"] = "ok"
    record = {"id": "kept", "updated": 1, "title": "Kept", "messages": world.chat.dump()}
    await world.store.save(record)
    await world.threads.open("kept")
    await turns()
    assert len(engine.started) == 1
    assert [part.tool_call_id for part in world.chat.pending_choices] == ["c1"]
    # Leaving the other one settled its card.
    left = await world.store.load(first)
    assert left is not None
    assert left["messages"][1]["parts"][1]["state"] == "output-error"


def test_titles_are_short() -> None:
    long = {"role": "user", "parts": [{"type": "text", "text": "word " * 40}]}
    assert len(title_of([long])) <= 60
    assert title_of([]) == ""
