"""What is kept under a name is lost neither by a switch nor to another tab; no browser needed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any
from unittest.mock import AsyncMock, MagicMock

import pytest

from chat.support import World, said, texts, turns
from pagehand.chat.scripted import Answer, answer
from pagehand.chat.threads import MemoryThreadStore, Threads
from pagehand.wire.jsontext import dumps
from ui.keeping import Channel, Claim, Store, Words

OURS = ("pagehand.browser.", "pagehand.ui.")


class Bench:
    """Keepers with all they need."""

    def __init__(self, keeper: ModuleType, js: Any) -> None:
        self.store = Store()
        self.taken = Claim.taken
        self.last_words: Words = js.window.localStorage
        self.drafts: Words = js.window.sessionStorage
        self.window = js.window
        self.given_back: list[str] = []
        self.refused: list[str] = []
        self._module = keeper

    def keep(self, name: str, *answers: Answer) -> tuple[Any, World]:
        world = World(*answers)
        keeper = self._module.Keeper(
            self.store,
            name,
            None,
            world.chat,
            lambda: self.refused.append(name),
            self.given_back.append,
        )
        return keeper, world

    def happen(self, event: str) -> None:
        """An event at the window."""
        for asked in self.window.addEventListener.call_args_list:
            if asked.args[0] == event:
                asked.args[1](MagicMock())

    def put(self, name: str, *words: str, **more: Any) -> None:
        messages = [message(text) for text in words]
        self.store.texts[name] = dumps({"version": 1, "id": name, "messages": messages, **more})


def message(text: str, role: str = "user") -> dict[str, Any]:
    return {"id": f"of {text}", "role": role, "parts": [{"type": "text", "text": text}]}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    js = MagicMock()
    js.window.localStorage, js.window.sessionStorage = Words(), Words()
    ffi = MagicMock(JsException=OSError, create_proxy=lambda fn: MagicMock(side_effect=fn))
    faked = {"js": js, "pyodide": MagicMock(ffi=ffi), "pyodide.ffi": ffi}
    for name, module in {**faked, "pagehand_shell": MagicMock()}.items():
        monkeypatch.setitem(sys.modules, name, module)
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith(OURS)}
    keeper = import_module("pagehand.ui.keeper")
    Claim.taken, Channel.opened = set(), []
    monkeypatch.setattr(keeper, "Claim", Claim)
    monkeypatch.setattr(keeper, "_DELAY", 0)
    tabs = import_module("pagehand.ui.tabs")
    monkeypatch.setattr(tabs, "Channel", Channel)
    monkeypatch.setattr(tabs, "TELL_EVERY", 0)
    yield Bench(keeper, js)
    for name in [name for name in sys.modules if name.startswith(OURS)]:
        del sys.modules[name]
    sys.modules.update(before)


def conversations(bench: Bench, world: World, name: list[str]) -> Any:
    """All that an element has to do with several conversations; `name` holds its `thread`."""
    module = import_module("pagehand.ui.conversations")
    module.TextStore = lambda: bench.store
    module.ThreadSwitch = MagicMock
    shell = MagicMock(kept=None)
    shell.textarea.value = ""
    shell.set_text = lambda text: setattr(shell.textarea, "value", text)
    loop = asyncio.get_event_loop()
    made = module.Conversations(shell, world.chat, MagicMock(), lambda: name[0], loop.create_task)
    return made, shell


# A switch


async def test_a_switch_while_a_writer_waits_loses_neither_conversation(bench: Bench) -> None:
    bench.put("b", "Kept")
    keeper, world = bench.keep("a", answer(*said("Hi")))
    await keeper.load()
    await world.say("One")
    gate = asyncio.Event()
    bench.store.before_load = gate.wait
    switch = asyncio.create_task(keeper.switch("b"))
    await turns()
    assert bench.store.said("b") == ["Kept"]
    gate.set()
    await switch
    await turns()
    assert (bench.store.said("a"), bench.store.said("b")) == (["One", "Hi"], ["Kept"])
    assert texts(world) == ["Kept"]
    assert world.chat.id == "b"


async def test_what_is_said_after_a_switch_is_written_under_its_name(bench: Bench) -> None:
    keeper, world = bench.keep("a", answer(*said("Hi")), answer(*said("Ho")))
    await keeper.load()
    first = world.chat.id
    gate = asyncio.Event()
    bench.store.before_save = gate.wait
    await world.say("One")
    await turns()  # the old writer is in the middle of its work
    await keeper.switch("b")
    assert world.chat.id != first
    bench.store.before_save = None
    await world.say("Two")
    await turns()
    gate.set()
    await turns()
    assert (bench.store.said("a")[0], bench.store.said("b")) == ("One", ["Two", "Ho"])


@pytest.mark.parametrize("kept", [(), ("Kept",)])
async def test_words_sent_during_a_switch_go_to_the_other_conversation(
    bench: Bench, kept: tuple[str, ...]
) -> None:
    if kept:
        bench.put("b", *kept, waiting=[message("Waited")])
    world = World(*[answer(*said("Hi"), message_id=f"a{n}") for n in range(3)])
    name = ["a"]
    made, _ = conversations(bench, world, name)
    await made.load()
    await made.begin()
    name[0] = "b"
    renaming = asyncio.create_task(made.rename())
    sending = asyncio.create_task(made.send("Sent at once"))
    await renaming
    await sending
    await world.chat.idle()
    await turns()
    mine = [text for text in texts(world) if text != "Hi"]
    assert mine == [*kept, *(["Waited"] if kept else []), "Sent at once"]
    assert {body["id"] for body in world.bodies} == {world.chat.id}
    assert bench.store.said("b") == texts(world)
    assert "a" not in bench.store.texts
    made.close()


async def test_a_switch_leaves_the_talk_of_the_old_name_at_once(bench: Bench) -> None:
    bench.taken.add("a")
    bench.put("b", "Kept")
    world = World()
    name = ["a"]
    made, _ = conversations(bench, world, name)
    await made.load()
    await made.begin()
    (old,) = Channel.opened
    gate = asyncio.Event()
    bench.store.before_load = gate.wait
    name[0] = "b"
    renaming = asyncio.create_task(made.rename())
    await turns()
    assert old not in Channel.opened
    gate.set()
    await renaming
    assert [channel.name for channel in Channel.opened] == ["b"]
    assert texts(world) == ["Kept"]
    made.close()


async def test_a_clear_right_after_a_switch_clears_the_other_conversation(bench: Bench) -> None:
    bench.put("a", "Stays")
    bench.put("b", "Goes")
    world = World()
    name = ["a"]
    made, _ = conversations(bench, world, name)
    await made.load()
    await made.begin()
    name[0] = "b"
    renaming = asyncio.create_task(made.rename())
    made.clear()
    await renaming
    await turns()
    assert texts(world) == []
    assert bench.store.said("a") == ["Stays"]
    assert "b" not in bench.store.texts
    made.close()


async def test_words_that_waited_for_the_lead_go_back_at_a_switch(bench: Bench) -> None:
    bench.taken.add("a")
    keeper, world = bench.keep("a")
    await keeper.load()
    await world.chat.send("Waits")
    await keeper.switch("b")
    assert bench.given_back == ["Waits"]
    assert world.chat.queued == []
    assert world.chat.messages == []


async def test_words_that_wait_stay_with_the_conversation_they_were_said_in(bench: Bench) -> None:
    gate = asyncio.Event()
    keeper, world = bench.keep("a", answer(gate, *said("Hi")))
    await keeper.load()
    going = asyncio.create_task(world.chat.send("One"))
    await turns()
    await world.chat.send("Waits")
    await keeper.switch("b")
    await going
    assert (texts(world), world.chat.queued, len(world.bodies)) == ([], [], 1)
    await keeper.switch("a")
    assert [each.text for each in world.chat.queued] == ["Waits"]
    assert keeper.unfinished
    assert bench.given_back == []


async def test_a_page_that_goes_while_a_text_is_being_written_writes_it_again(bench: Bench) -> None:
    keeper, world = bench.keep("a", answer(*said("Hi")))
    await keeper.load()
    bench.store.before_save = asyncio.Event().wait
    await world.say("One")
    await turns()
    assert "a" not in bench.store.texts
    keeper.write_now()
    assert bench.store.said("a") == ["One", "Hi"]
    keeper.close()


# Another tab


async def test_a_name_of_another_tab_is_shown_and_never_written(bench: Bench) -> None:
    bench.put("a", "Kept", unfinished=True)
    before = bench.store.texts["a"]
    bench.taken.add("a")
    keeper, world = bench.keep("a")
    await keeper.load()
    assert (keeper.owns, keeper.unfinished, world.chat.following) == (False, False, True)
    assert texts(world) == ["Kept"]
    await world.chat.send("Waits")
    await turns()
    keeper.write_now()
    keeper.close()
    assert bench.store.texts["a"] == before


async def test_a_switch_to_a_free_name_keeps_again(bench: Bench) -> None:
    bench.taken.add("a")
    keeper, world = bench.keep("a", answer(*said("Hi")))
    await keeper.load()
    await keeper.switch("b")
    assert not world.chat.following
    await world.say("One")
    await turns()
    assert bench.store.said("b") == ["One", "Hi"]


async def test_who_takes_over_has_the_title_and_what_waits(bench: Bench) -> None:
    facts = {"title": "Mine", "renamed": True, "created": 5.0, "at": 10}
    bench.put("a", "One", **facts, waiting=[message("Two"), message("Three")])
    bench.taken.add("a")
    keeper, world = bench.keep("a")
    await keeper.load()
    heard = [message("One"), message("Hi", "assistant"), message("Two")]
    await keeper.take_over({"id": "a", "at": 20, "messages": heard, "unfinished": True})
    assert texts(world) == ["One", "Hi", "Two"]
    assert [each.text for each in world.chat.queued] == ["Three"]
    kept = keeper.kept()
    assert (kept["title"], kept["renamed"], kept["created"]) == ("Mine", True, 5.0)
    assert keeper.unfinished


async def test_what_was_told_of_another_conversation_gets_nothing_of_the_kept_one(
    bench: Bench,
) -> None:
    bench.put("a", "One", title="Mine", renamed=True, at=10, waiting=[message("Two")])
    bench.taken.add("a")
    keeper, world = bench.keep("a")
    await keeper.load()
    await keeper.take_over({"id": "new", "at": 20, "messages": [message("Other")]})
    assert (texts(world), world.chat.queued, world.chat.id) == (["Other"], [], "new")
    assert keeper.kept()["title"] == "Other"


async def test_a_leader_tells_what_waits(bench: Bench) -> None:
    gate = asyncio.Event()
    world = World(answer(gate, *said("Hi")), answer(*said("Ho"), message_id="a2"))
    made, _ = conversations(bench, world, ["a"])
    await made.load()
    await made.begin()
    (channel,) = Channel.opened
    going = asyncio.create_task(made.send("One"))
    await turns()
    await made.send("Waits")
    channel.hear({"type": "hello", "me": "other"})
    assert channel.said[-1]["type"] == "state"
    (waiting,) = channel.said[-1]["waiting"]
    assert waiting["parts"][0]["text"] == "Waits"
    gate.set()
    await going
    await world.chat.idle()
    made.close()


async def test_a_conversation_that_is_being_opened_is_not_handed_over(bench: Bench) -> None:
    bench.put("a", "Shown")
    world = World()
    made, _ = conversations(bench, world, ["a"])
    await made.load()
    await made.begin()
    (channel,) = Channel.opened
    keeper = made._keeper
    shelf = MemoryThreadStore()
    await shelf.save({"id": "other", "updated": 1, "messages": [message("Other")]})
    gate = asyncio.Event()
    save = shelf.save

    async def slow(record: Any) -> Any:
        await gate.wait()
        return await save(record)

    shelf.save = slow  # type: ignore[method-assign]
    opening = asyncio.create_task(Threads(keeper, shelf).open("other"))
    await turns()
    channel.hear({"type": "please", "me": "tab"})
    await turns()
    assert keeper.owns
    gate.set()
    assert await opening
    await turns()
    assert bench.store.said("a") == ["Other"]
    assert not keeper.owns
    assert [record["id"] for record in await shelf.list()] == ["a"]
    made.close()


async def test_a_tab_that_follows_says_when_it_goes_and_comes_back(bench: Bench) -> None:
    bench.taken.add("a")
    made, _ = conversations(bench, World(), ["a"])
    await made.load()
    await made.begin()
    (channel,) = Channel.opened
    bench.happen("pagehide")
    assert channel.said[-1]["type"] == "bye"
    bench.happen("pageshow")
    assert channel.said[-1]["type"] == "hello"
    made.close()


async def test_a_tab_that_follows_opens_nothing(bench: Bench) -> None:
    bench.put("a", "Shown")
    bench.taken.add("a")
    keeper, world = bench.keep("a")
    await keeper.load()
    shelf = MemoryThreadStore()
    await shelf.save({"id": "other", "updated": 1, "messages": [message("Other")]})
    threads = Threads(keeper, shelf)
    assert not await threads.open("other")
    await threads.new()
    assert await threads.delete(keeper.id) is None
    assert [record["id"] for record in await shelf.list()] == ["other"]
    assert texts(world) == ["Shown"]
    assert world.chat.following


# A browser that keeps nothing more


async def test_a_text_that_cannot_be_written_does_not_cost_the_last_words(bench: Bench) -> None:
    keeper, world = bench.keep("a", answer(*said("Hi")))
    await keeper.load()
    bench.store.full = True
    await world.say("One")
    await turns()  # the writer has tried
    keeper.write_now()  # the page is hidden
    assert "pagehand:last:a" in bench.last_words
    keeper.rename("Mine")
    await turns()  # and tried again
    again, shown = bench.keep("a")
    await again.load()
    assert texts(shown) == ["One", "Hi"]


async def test_a_conversation_that_is_opened_stays_in_the_list_until_it_is_written(
    bench: Bench,
) -> None:
    keeper, world = bench.keep("a")
    await keeper.load()
    shelf = MemoryThreadStore()
    await shelf.save({"id": "other", "updated": 1, "messages": [message("Other")]})
    bench.store.full = True
    assert await Threads(keeper, shelf).open("other")
    assert texts(world) == ["Other"]
    assert await shelf.load("other") is not None
    assert bench.refused == ["a"]  # told at once, not when the next word is said


async def test_a_conversation_that_cannot_be_put_away_is_told_each_time(bench: Bench) -> None:
    shelf = import_module("pagehand.browser.shelf").Shelf
    told: list[str] = []
    away = shelf(bench.store, "name", lambda record: told.append(record["title"]))
    await away.save({"id": "1", "title": "One", "updated": 1})
    assert told == []
    bench.store.full = True
    await away.save({"id": "2", "title": "Two", "updated": 1})
    await away.save({"id": "1", "title": "Once more", "updated": 2})
    assert told == ["Two", "Once more"]


async def test_what_is_cleared_just_before_the_page_goes_stays_cleared(bench: Bench) -> None:
    keeper, world = bench.keep("a", answer(*said("Hi")))
    await keeper.load()
    await world.say("One")
    await turns()
    world.chat.clear()
    keeper.write_now()
    keeper.close()
    again, shown = bench.keep("a")
    await again.load()
    assert texts(shown) == []


async def test_the_newest_text_counts_though_it_was_never_written(bench: Bench) -> None:
    idb = import_module("pagehand.browser.idb")
    store = idb.TextStore()
    disk: dict[str, str] = {"a": "old"}

    async def ask(verb: str, key: str, *values: str) -> Any:
        if verb == "set":
            raise OSError
        return disk.get(key) if verb == "get" else None

    idb.TextStore._ask = lambda self, verb, *values: ask(verb, *values)
    assert await store.load("a") == "old"
    assert not await store.save("a", "new")
    assert await store.load("a") == "new"
    assert await store.versions("a") == ["old", "new"]


async def test_a_conversation_written_in_part_is_listed_once_as_it_is_now(bench: Bench) -> None:
    shelf = import_module("pagehand.browser.shelf")
    texts = [dumps({"id": "a", "title": title, "updated": 1}) for title in ("Old", "New")]
    store = MagicMock(texts=AsyncMock(return_value=texts))
    (record,) = await shelf.Shelf(store, "name", print).list()
    assert record["title"] == "New"


async def test_a_name_that_is_waited_for_no_more_is_not_taken(bench: Bench) -> None:
    module = import_module("pagehand.browser.claim")
    library = MagicMock()
    module.pagehand_shell.load = AsyncMock(return_value=library)
    held = MagicMock()
    claim = module.Claim()
    claim.hold_later("a", held)
    claim.let_go()
    await turns()
    library.holdLater.assert_not_called()
    held.assert_not_called()


# Words of the person


async def test_what_waits_and_what_is_typed_both_become_the_draft(bench: Bench) -> None:
    bench.taken.add("a")
    world = World()
    made, shell = conversations(bench, world, ["a"])
    await made.load()
    await made.begin()
    await made.send("Waits")
    shell.textarea.value = "Typed"
    bench.happen("pagehide")
    assert bench.drafts["pagehand:draft:a"] == "Waits\nTyped"
    made.close()
    assert shell.textarea.value == "Waits\nTyped"
