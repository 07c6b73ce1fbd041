"""What is kept under a name is lost neither by a switch nor to another tab; no browser needed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from pagehand.wire.jsontext import dumps, loads

MODULES = ("pagehand.browser.dom", "pagehand.browser.storage", "pagehand.ui.keeper")


class Store:
    """Texts in memory; `taken` are names that another tab holds."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.taken: set[str] = set()
        self.held = ""
        self.durable = True
        self.before_save: Callable[[], Awaitable[Any]] | None = None

    async def hold(self, key: str) -> bool:
        self.held = "" if key in self.taken else key
        return key not in self.taken

    def let_go(self) -> None:
        self.held = ""

    async def load(self, key: str) -> str | None:
        return self.texts.get(key)

    async def save(self, key: str, text: str) -> bool:
        if self.before_save is not None:
            await self.before_save()
        self.texts[key] = text
        return True

    def save_now(self, key: str, text: str) -> None:
        self.texts[key] = text

    async def remove(self, key: str) -> None:
        self.texts.pop(key, None)

    def said(self, key: str) -> list[str]:
        """The messages kept under a name, in short."""
        return [message["id"] for message in loads(self.texts[key])["messages"]]


class Chat:
    """A conversation whose messages are only kept."""

    def __init__(self) -> None:
        self.id = "fresh"
        self.status = "ready"
        self.messages: list[Any] = []
        self._listeners: list[Callable[[Any], object]] = []

    def subscribe(self, fn: Callable[[Any], object]) -> Callable[[], None]:
        self._listeners.append(fn)
        return lambda: self._listeners.remove(fn)

    def dump(self) -> list[Any]:
        return list(self.messages)

    def load(self, messages: list[Any], chat_id: str | None = None) -> None:
        self.id = chat_id or self.id
        self.messages = list(messages)
        self._tell()

    def clear(self) -> None:
        self.load([], "another")

    def say(self, message_id: str) -> None:
        self.messages.append({"id": message_id, "role": "user", "parts": []})
        self._tell()

    def _tell(self) -> None:
        for fn in list(self._listeners):
            fn(SimpleNamespace(kind="list"))


class Bench:
    """A keeper with what it needs."""

    def __init__(self, keeper: ModuleType) -> None:
        self.store, self.chat = Store(), Chat()
        self.elsewhere: list[bool] = []
        self._module = keeper

    def keep(self, name: str) -> Any:
        return self._module.Keeper(
            self.store, name, None, self.chat, lambda: None, self.elsewhere.append
        )

    def put(self, name: str, *messages: Any, **more: Any) -> None:
        self.store.texts[name] = dumps({"version": 1, "id": name, "messages": messages, **more})


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    for name in ("js", "pyodide", "pyodide.ffi"):
        monkeypatch.setitem(sys.modules, name, MagicMock(JsException=OSError))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    keeper = import_module("pagehand.ui.keeper")
    monkeypatch.setattr(keeper, "_DELAY", 0)
    yield Bench(keeper)
    for name in MODULES:
        sys.modules.pop(name, None)


async def turns() -> None:
    """Lets every waiting task run as far as it comes."""
    for _ in range(20):
        await asyncio.sleep(0)


MESSAGE = {"id": "m1", "role": "user", "parts": []}


async def test_a_switch_while_a_writer_waits_loses_neither_conversation(bench: Bench) -> None:
    bench.put("b", MESSAGE)
    keeper = bench.keep("a")
    await keeper.load()
    bench.chat.say("a1")
    await asyncio.sleep(0)  # the writer waits
    gate = asyncio.Event()
    load = bench.store.load

    async def slow(key: str) -> str | None:
        await gate.wait()
        return await load(key)

    bench.store.load = slow  # type: ignore[method-assign]
    switch = asyncio.create_task(keeper.switch("b"))
    await turns()
    assert bench.store.said("b") == ["m1"]
    gate.set()
    await switch
    await turns()
    assert (bench.store.said("a"), bench.store.said("b")) == (["a1"], ["m1"])


async def test_what_is_said_after_a_switch_is_written_under_its_name(bench: Bench) -> None:
    keeper = bench.keep("a")
    await keeper.load()
    gate = asyncio.Event()
    bench.store.before_save = gate.wait
    bench.chat.say("a1")
    await turns()  # the old writer is in the middle of its work
    await keeper.switch("b")
    bench.store.before_save = None
    bench.chat.say("b1")
    await turns()
    gate.set()
    await turns()
    assert (bench.store.said("a"), bench.store.said("b")) == (["a1"], ["b1"])


async def test_a_page_that_goes_while_a_text_is_being_written_writes_it_again(bench: Bench) -> None:
    keeper = bench.keep("a")
    await keeper.load()
    bench.store.before_save = asyncio.Event().wait
    bench.chat.say("a1")
    await turns()
    assert "a" not in bench.store.texts
    keeper.write_now()
    assert bench.store.said("a") == ["a1"]
    keeper.close()


async def test_a_name_of_another_tab_is_shown_and_never_written(bench: Bench) -> None:
    bench.put("a", MESSAGE, unfinished=True)
    before = bench.store.texts["a"]
    bench.store.taken.add("a")
    keeper = bench.keep("a")
    await keeper.load()
    assert (bench.elsewhere, keeper.owns, keeper.unfinished) == ([True], False, False)
    assert bench.chat.messages == [MESSAGE]
    assert bench.chat.id == "fresh"
    bench.chat.say("m2")
    await turns()
    keeper.write_now()
    keeper.close()
    assert bench.store.texts["a"] == before

    bench.store.taken.clear()
    await bench.keep("a").load()
    assert bench.elsewhere == [True, False]
    assert bench.chat.messages == [MESSAGE]


async def test_a_switch_to_a_free_name_keeps_again(bench: Bench) -> None:
    bench.store.taken.add("a")
    keeper = bench.keep("a")
    await keeper.load()
    await keeper.switch("b")
    bench.chat.say("b1")
    await turns()
    assert bench.store.said("b") == ["b1"]
    assert bench.elsewhere == [True, False]
    assert bench.store.held == "b"
    keeper.close()
    assert bench.store.held == ""


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool-a", "toolCallId": "c", "state": "input-available", "input": {"x": 1}},
        {
            "type": "tool-a",
            "toolCallId": "c",
            "state": "approval-requested",
            "input": {"x": 1},
            "approval": {"id": "q"},
        },
        {
            "type": "tool-a",
            "toolCallId": "c",
            "state": "output-available",
            "input": {"x": 1},
            "output": 5,
            "preliminary": True,
        },
    ],
)
async def test_a_call_of_another_tab_is_not_offered(bench: Bench, part: dict[str, Any]) -> None:
    done = {"type": "tool-a", "toolCallId": "d", "state": "output-available", "output": 1}
    bench.put("a", {"id": "m1", "role": "assistant", "parts": [part, done]})
    bench.store.taken.add("a")
    await bench.keep("a").load()
    assert bench.chat.messages[0]["parts"] == [
        {
            "type": "tool-a",
            "toolCallId": "c",
            "state": "output-error",
            "input": {"x": 1},
            "errorText": "The conversation is open elsewhere, and this call is answered there.",
        },
        done,
    ]
