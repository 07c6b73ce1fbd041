"""The language in which code speaks to people: each assistant of a page has its own.

    apart(start, element)           # runs it, and all it sets off, with a language of its own
    set_language("zh-CN")           # in there: that of this assistant
    target.addEventListener("click", create_proxy(kept(clicked)))

What a task or a callback says is in the language of the assistant that made it: tasks carry their
context by themselves, callbacks that the page calls carry it through `kept`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from contextvars import ContextVar, copy_context
from typing import Any

LANGUAGES = ("en", "zh-CN")


class _Tongue:
    """One assistant's language; `index` into `LANGUAGES`, None while nobody has said any."""

    __slots__ = ("index",)

    def __init__(self) -> None:
        self.index: int | None = None


# For code that belongs to no assistant: the language that was set last.
_common = _Tongue()
_current: ContextVar[_Tongue] = ContextVar("pagehand_tongue", default=_common)


def set_language(language: str) -> bool:
    """Speaks this language from now on; True when that is a change.

    Args:
        language: `zh-CN` (or any other Chinese) or `en`; everything else counts as English.
    """
    mine = _current.get()
    before = mine.index
    mine.index = _common.index = 1 if language.lower().startswith("zh") else 0
    return mine.index != (before or 0)


def spoken() -> str | None:
    """The language in force; None while nobody has set any."""
    index = _current.get().index
    index = _common.index if index is None else index
    return None if index is None else LANGUAGES[index]


def apart(function: Callable[..., Any], *args: Any) -> Any:
    """Calls a function that, with all it sets off, has a language of its own."""

    def begin() -> Any:
        _current.set(_Tongue())
        return function(*args)

    return copy_context().run(begin)


_tasks: set[asyncio.Task[Any]] = set()  # a task that nobody holds may vanish


def _begun(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    loop = asyncio.get_running_loop()
    if sys.version_info >= (3, 12):
        return asyncio.Task(work, loop=loop, eager_start=True)
    return loop.create_task(work)


def kept(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as it is called later by the page: in the context of now.

    What an `async def` function gives is run as a task, and begins at once: up to its first
    `await` it is still inside the event, where `event.preventDefault()` counts.
    """
    context = copy_context()

    def begin(*args: Any) -> Any:
        result = function(*args)
        if not asyncio.iscoroutine(result):
            return result
        task = _begun(result)
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)
        return None

    def call(*args: Any) -> Any:
        # A copy: one context cannot be entered twice, and callbacks may nest.
        return context.copy().run(begin, *args)

    return call
