"""What every view knows of its surroundings, and what every view of a part can do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol

from pagehand.browser.dom import report

if TYPE_CHECKING:
    from pagehand.ui.announcer import Announcer


class PartView(Protocol):
    """Shows one part of a message in an element of its own and changes it in place."""

    element: Any

    def update(self, part: Any) -> None:
        """Brings the element in line with the part."""

    def close(self) -> None:
        """Frees what the view holds; its element is taken away by its owner."""


class ViewContext:
    """The conversation a view belongs to, and the few services that views share.

    Attributes:
        chat: The conversation (`chat.Chat`).
        engine: Runs its calls (`engine.Engine`).
        toolkit: Knows the tools by name.
        shell: The frame in the page (`browser.element.Shell`).
        announcer: Tells screen readers what happened.
        calls: The views of tool calls by call id, so that news of a call finds them.
        declined: The ids of calls that the person said no to, which is not a failure.
        templates: Elements that are copied instead of made anew, by name.
        changed: Call it when a view changed by itself, outside a paint.
    """

    __slots__ = (
        "_tasks",
        "announcer",
        "calls",
        "changed",
        "chat",
        "declined",
        "engine",
        "shell",
        "templates",
        "toolkit",
    )

    def __init__(
        self,
        shell: Any,
        chat: Any,
        engine: Any,
        toolkit: Any,
        announcer: Announcer,
        changed: Callable[[], None],
    ) -> None:
        self.shell = shell
        self.chat = chat
        self.engine = engine
        self.toolkit = toolkit
        self.announcer = announcer
        self.changed = changed
        self.calls: dict[str, list[Any]] = {}
        self.declined: set[str] = set()
        self.templates: dict[str, Any] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Runs what a click began, and reports its error should it fail."""
        task = asyncio.get_event_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            report(error)
