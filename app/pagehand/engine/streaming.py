"""Arguments that are still arriving, for tools that want to begin early.

    async def preview(reader, ctx):
        title = await reader.get("title")            # one complete value
        async for piece in reader.text("body"):      # a text as it grows
            ...
        async for row in reader.items("rows"):       # finished items of a list
            ...

A tool names such a function as `stream_call`. It runs beside the call and
cannot settle it; an error in it is told to the author and changes nothing. The
text is parsed only while somebody reads.
"""

from __future__ import annotations

from asyncio import Future, Task, get_running_loop
from typing import TYPE_CHECKING, Any

from pagehand.errors import CallCancelledError
from pagehand.wire.partial_json import PartialJson

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pagehand.toolkit.context import ToolContext
    from pagehand.toolkit.tool import Tool

_ABSENT: Any = object()
# Whoever reads looks at all that has come. So a long text is looked at again when this part of it
# is new: the whole costs so many times its length, not its square.
_PART = 64


class ArgumentReader:
    """The arguments of one call, while they arrive and after."""

    def __init__(self) -> None:
        self._json = PartialJson()
        self._done = False
        self._error: Exception | None = None
        self._waiting: list[Future[None]] = []
        self._length = self._unread = 0  # in characters

    def feed(self, text: str) -> None:
        """Takes the next piece."""
        if not self._done and self._error is None:
            self._json.feed(text)
            self._length += len(text)
            self._unread += len(text)
            if self._unread * _PART >= self._length:
                self._unread = 0
                self._wake()

    def close(self) -> None:
        """No more comes."""
        self._done = True
        self._wake()

    def fail(self, error: Exception) -> None:
        """No more comes, because something went wrong; complete values stay readable."""
        if not self._done:
            self._error = error
            self._wake()

    async def get(self, *path: str | int, default: Any = None) -> Any:
        """Waits for one complete value; `default` when it never comes.

        Raises:
            CallCancelledError: When the call was stopped before it was complete.
        """
        while True:
            value, complete = self._look(path)
            if complete:
                return value
            if self._done:
                return default if value is _ABSENT else value
            await self._more()

    async def values(self, *path: str | int) -> AsyncIterator[Any]:
        """Gives a value each time it has grown, the complete one last."""
        last: Any = _ABSENT
        while True:
            value, complete = self._look(path)
            if value is not _ABSENT and value != last:
                last = value
                yield value
            if complete or self._done:
                return
            await self._more()

    async def text(self, *path: str | int) -> AsyncIterator[str]:
        """Gives a text piece by piece."""
        given = 0
        async for value in self.values(*path):
            if isinstance(value, str) and len(value) > given:
                yield value[given:]
                given = len(value)

    async def items(self, *path: str | int) -> AsyncIterator[Any]:
        """Gives the items of a list, each when it is complete."""
        index = 0
        while True:
            value, complete = self._look((*path, index))
            if complete or (self._done and value is not _ABSENT):
                yield value
                index += 1
            elif self._done or self._look(path)[1]:
                return
            else:
                await self._more()

    def _look(self, path: tuple[str | int, ...]) -> tuple[Any, bool]:
        """The value at a path so far, and whether it can still change.

        What stands last may still grow; whatever something else follows is complete.
        """
        value, _ = self._json.value()
        complete = self._done
        for step in path:
            if isinstance(value, dict) and step in value:
                complete = complete or next(reversed(value)) != step
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                complete = complete or step < len(value) - 1
            else:
                return _ABSENT, False
            value = value[step]
        return value, complete

    async def _more(self) -> None:
        if self._error is not None:
            raise self._error
        waiting: Future[None] = get_running_loop().create_future()
        self._waiting.append(waiting)
        await waiting

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)


class Streams:
    """The readers of the calls whose arguments are arriving.

    Args:
        report: Told of a `stream_call` that failed.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._readers: dict[str, ArgumentReader] = {}
        self._tasks: dict[str, Task[None]] = {}

    def feed(self, tool_call_id: str, tool: Tool, text: str) -> None:
        """Passes a piece of a call's arguments on; the first one starts `stream_call`."""
        reader = self._readers.get(tool_call_id)
        if reader is None:
            from pagehand.toolkit.context import ToolContext

            reader = self._readers[tool_call_id] = ArgumentReader()
            context = ToolContext(tool_call_id, tool.name)
            self._tasks[tool_call_id] = get_running_loop().create_task(
                self._run(tool, reader, context)
            )
        reader.feed(text)

    def close(self, tool_call_id: str) -> None:
        """A call's arguments are complete."""
        reader = self._readers.pop(tool_call_id, None)
        if reader is not None:
            reader.close()

    def stop(self, tool_call_id: str) -> None:
        """A call will not come, or was stopped."""
        reader = self._readers.pop(tool_call_id, None)
        if reader is not None:
            reader.fail(CallCancelledError("The call was stopped before its arguments arrived."))
        task = self._tasks.pop(tool_call_id, None)
        if task is not None:
            task.cancel()

    def stop_all(self) -> None:
        """Stops every one."""
        for tool_call_id in list(self._tasks):
            self.stop(tool_call_id)

    async def _run(self, tool: Tool, reader: ArgumentReader, context: ToolContext) -> None:
        if tool.stream_call is None:
            return
        try:
            await tool.stream_call(reader, context)
        except Exception as error:  # noqa: BLE001 -- beside the call: told, never in its way
            self._report(f"stream_call of {tool.name} failed: {error!r}")
        finally:
            self._tasks.pop(context.tool_call_id, None)
