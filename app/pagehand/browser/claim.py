"""One owner of a name among all elements and tabs of an origin, by the browser's Web Locks.

    claim = Claim()
    if not await claim.hold("default"):
        claim.hold_later("default", became_owner)

Where the browser has no locks (plain http) everybody counts as the owner.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pagehand_shell
from pyodide.ffi import JsException

_LIBRARY = "keep.js"
_PREFIX = "pagehand:"


class Claim:
    """Holds one name at a time; "" is nobody's."""

    __slots__ = ("_holds", "_name", "_release", "_task", "_wait")

    def __init__(self) -> None:
        self._name = ""
        self._holds = 0
        self._release: Any = None
        self._wait: Any = None
        self._task: asyncio.Task[None] | None = None

    async def hold(self, name: str) -> bool:
        """Makes this the one owner of a name, until `let_go` or until the page goes.

        Returns:
            False when somebody else has the name.
        """
        if self._release is not None and self._name == name:
            return True
        self.let_go()
        if not name:
            return True
        number = self._holds
        try:
            library = await pagehand_shell.load(_LIBRARY)
            release = await library.hold(_PREFIX + name)
        except JsException:
            return True
        return self._take(number, name, release)

    def hold_later(self, name: str, held: Callable[[], None]) -> None:
        """Makes this the owner as soon as the name is free, and tells; `let_go` ends the wait."""
        self.let_go()
        self._task = asyncio.ensure_future(self._wait_for(self._holds, name, held))

    async def _wait_for(self, number: int, name: str, held: Callable[[], None]) -> None:
        try:
            library = await pagehand_shell.load(_LIBRARY)
            if number != self._holds:
                return
            self._wait = library.holdLater(_PREFIX + name)
            release = await self._wait.held
        except JsException:
            return
        if self._take(number, name, release):
            held()

    def let_go(self) -> None:
        """Leaves the name to others, and waits for it no more."""
        self._holds += 1
        release, self._release, self._name = self._release, None, ""
        wait, self._wait = self._wait, None
        if wait is not None:
            wait.giveUp()
        if release is not None:
            release()

    def _take(self, number: int, name: str, release: Any) -> bool:
        if number != self._holds:  # let go meanwhile, and perhaps asked for anew
            if release:
                release()
            return False
        self._wait = None
        if not release:
            return False
        self._name, self._release = name, release
        return True
