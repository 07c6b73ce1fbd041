"""The toolkit offered to the browser's own agent, through WebMCP where the browser has it.

    offer = offer_toolkit(toolkit, run)      # None in a browser without it
    offer.close()

`document.modelContext`, and before it `navigator.modelContext`, take a page's tools as
`{name, description, inputSchema, execute}` (webmachinelearning.github.io/webmcp). What calls them
there goes the same way as a model's call: the same checks, limits and questions to the person.
A tool that cannot be offered is left out, and said in the console.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException, create_proxy

from pagehand.errors import ToolDefinitionError
from pagehand.wire.jsontext import dumps, loads

if TYPE_CHECKING:
    from pagehand.toolkit.tool import Tool
    from pagehand.toolkit.toolkit import Toolkit

Run = Callable[[str, dict[str, Any]], Coroutine[Any, Any, dict[str, Any]]]
"""Runs a tool by name and gives `{"value": ...}` or `{"error": text}`."""


def offer_toolkit(toolkit: Toolkit, run: Run) -> WebMcpOffer | None:
    """Offers the tools, now and as they change; None where the browser takes none."""
    context = _model_context()
    if context is None or toolkit.setting("webmcp") is False:
        return None
    return WebMcpOffer(context, toolkit, run)


class WebMcpOffer:
    """What the browser was told of, kept in step with the toolkit.

    Args:
        context: The page's model context.
        toolkit: The tools.
        run: What a call does.
    """

    def __init__(self, context: Any, toolkit: Toolkit, run: Run) -> None:
        self._context = context
        self._toolkit = toolkit
        self._run = run
        self._offered: dict[str, _Offered] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting = self._closed = False
        self._unsubscribe = toolkit.subscribe(self._changed)
        self._sync()

    @property
    def names(self) -> list[str]:
        """The tools that were offered, sorted."""
        return sorted(self._offered)

    def close(self) -> None:
        """Takes everything back; calls that still run are stopped and say so."""
        self._closed = True
        self._unsubscribe()
        for name in list(self._offered):
            self._offered.pop(name).withdraw()
        for task in list(self._tasks):
            task.cancel()

    def _changed(self) -> None:
        # Many tools often change at once: one look afterwards is enough.
        if not self._waiting:
            self._waiting = True
            asyncio.get_event_loop().call_soon(self._sync)

    def _sync(self) -> None:
        self._waiting = False
        if self._closed:
            return  # a change just before the end
        wanted = {tool.name: tool for tool in self._toolkit if tool.declared}
        for name, offered in list(self._offered.items()):
            if wanted.get(name) is not offered.tool:
                self._offered.pop(name).withdraw()
        for name, tool in wanted.items():
            if name not in self._offered:
                self._offer(tool)

    def _offer(self, tool: Tool) -> None:
        try:
            entry = _entry(tool)
        except ToolDefinitionError:
            return  # the toolkit's own check tells of it
        offered = _Offered(self._context, tool, entry, self._execute)
        try:
            waiting = offered.register()
        except JsException as error:
            offered.withdraw()
            _note(tool.name, error)
            return
        self._offered[tool.name] = offered
        if waiting:
            self._spawn(self._settled(offered, waiting))

    async def _settled(self, offered: _Offered, waiting: Any) -> None:
        try:
            await waiting
        except JsException as error:
            if self._offered.get(offered.tool.name) is offered:
                del self._offered[offered.tool.name]
            offered.withdraw()
            _note(offered.tool.name, error)

    def _execute(self, name: str, given: Any) -> Any:
        """Starts a call; returns a promise of its result, in the shape of MCP's tools."""
        pair = js.Promise.withResolvers()
        task = self._spawn(self._answer(name, str(js.JSON.stringify(given)), pair.resolve))
        # Also for a call that is stopped before it began.
        task.add_done_callback(lambda done: done.cancelled() and pair.resolve(_stopped()))
        return pair.promise

    async def _answer(self, name: str, given: str, resolve: Any) -> None:
        # A promise that is rejected loses its words on the way: failures are results too.
        arguments = loads(given) if given.startswith("{") else {}
        told = _told(await self._run(name, arguments))
        resolve(js.JSON.parse(dumps(told)))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_event_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class _Offered:
    """One tool as the browser has it."""

    def __init__(
        self, context: Any, tool: Tool, entry: dict[str, Any], execute: Callable[[str, Any], Any]
    ) -> None:
        self.tool = tool
        self._context = context
        self._controller = js.AbortController.new()
        self._proxy = create_proxy(lambda given, *more: execute(tool.name, given))
        self._entry = js.JSON.parse(dumps(entry))
        self._entry.execute = self._proxy

    def register(self) -> Any:
        """Tells the browser; returns a promise where the browser gives one, else None.

        Raises:
            JsException: It refuses.
        """
        options = js.Object.new()
        options.signal = self._controller.signal
        given = self._context.registerTool(self._entry, options)
        return given if given and hasattr(given, "then") else None

    def withdraw(self) -> None:
        """Takes the tool back, in the newer way and in the older one."""
        self._controller.abort()
        if hasattr(self._context, "unregisterTool"):
            with suppress(JsException):  # the signal was enough
                self._context.unregisterTool(self.tool.name)
        # The browser may be in the middle of a call through it.
        asyncio.get_event_loop().call_soon(self._proxy.destroy)


def _model_context() -> Any:
    for owner in (js.document, js.navigator):
        context = getattr(owner, "modelContext", None)
        if context and hasattr(context, "registerTool"):
            return context
    return None


def _entry(tool: Tool) -> dict[str, Any]:
    declaration = tool.declaration()
    entry: dict[str, Any] = {
        "name": tool.name,
        "description": declaration["description"] or tool.title or tool.name,
        "inputSchema": declaration["inputSchema"],
        "annotations": {
            "readOnlyHint": tool.eager or (tool.category == "data" and tool.risk == "safe"),
            "untrustedContentHint": True,  # results may quote the page
            "consequentialHint": tool.risk != "safe",
        },
    }
    if tool.title:
        entry["title"] = tool.title
    return entry


def _told(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        return {"content": [{"type": "text", "text": answer["error"]}], "isError": True}
    value = answer["value"]
    text = value if isinstance(value, str) else dumps(value)
    told: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": False}
    if isinstance(value, dict):
        told["structuredContent"] = value
    return told


def _stopped() -> Any:
    return js.JSON.parse(dumps(_told({"error": "The page ended the call."})))


def _note(name: str, error: JsException) -> None:
    js.console.info(f"pagehand: {name} is not offered to the browser's agent: {error}")
