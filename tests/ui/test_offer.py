"""What the browser's own agent is offered, and what becomes of its calls; no browser needed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from pagehand.toolkit.toolkit import Toolkit
from pagehand.wire.jsontext import dumps, loads

MODULE = "pagehand.browser.webmcp"


class Context:
    """The page's model context."""

    def __init__(self) -> None:
        self.tools: dict[str, Any] = {}

    def registerTool(self, entry: Any, _options: Any) -> None:  # noqa: N802 - the browser's name
        self.tools[entry.name] = entry

    def unregisterTool(self, name: str) -> None:  # noqa: N802 - the browser's name
        del self.tools[name]


class Proxy:
    """A function that the page may call."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, *given: Any) -> Any:
        return self._function(*given)

    def destroy(self) -> None:
        """Frees it."""


def promise() -> Any:
    made: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    return SimpleNamespace(promise=made, resolve=made.set_result)


@pytest.fixture
def webmcp(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    js = MagicMock()
    js.document.modelContext = Context()
    js.JSON.parse = lambda text: SimpleNamespace(**loads(text))
    js.JSON.stringify = dumps
    js.Promise.withResolvers = promise
    ffi = MagicMock(JsException=OSError, create_proxy=Proxy)
    monkeypatch.setitem(sys.modules, "js", js)
    monkeypatch.setitem(sys.modules, "pyodide", MagicMock())
    monkeypatch.setitem(sys.modules, "pyodide.ffi", ffi)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    yield import_module(MODULE)
    sys.modules.pop(MODULE, None)


def toolkit() -> Toolkit:
    made = Toolkit()

    @made.tool("drop")
    def drop() -> str:
        """Drops."""
        return "dropped"

    return made


async def turns() -> None:
    """Lets every waiting task run as far as it comes."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("begun", [True, False])
async def test_calls_end_with_the_offer(webmcp: ModuleType, begun: bool) -> None:
    ended: list[str] = []

    async def run(name: str, _arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)
        return {"value": "never"}

    offer = webmcp.offer_toolkit(toolkit(), run)
    execute = webmcp.js.document.modelContext.tools["drop"].execute
    answer = execute({})
    if begun:
        await turns()
    offer.close()
    await turns()
    told = answer.result()
    assert (told.isError, told.content[0]["text"]) == (True, "The page ended the call.")
    assert ended == (["drop"] if begun else [])
    assert webmcp.js.document.modelContext.tools == {}


async def test_a_change_just_before_the_end_offers_nothing_again(webmcp: ModuleType) -> None:
    async def run(_name: str, _arguments: dict[str, Any]) -> dict[str, Any]:
        return {"value": 1}

    tools = toolkit()
    offer = webmcp.offer_toolkit(tools, run)
    tools.tool("late", description="Comes late.")(lambda: 1)
    offer.close()
    await turns()
    assert webmcp.js.document.modelContext.tools == {}


async def test_an_answer_reaches_the_agent(webmcp: ModuleType) -> None:
    async def run(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"value": {"name": name, **arguments}}

    offer = webmcp.offer_toolkit(toolkit(), run)
    answer = webmcp.js.document.modelContext.tools["drop"].execute({"n": 1})
    await turns()
    assert answer.result().structuredContent == {"name": "drop", "n": 1}
    offer.close()
