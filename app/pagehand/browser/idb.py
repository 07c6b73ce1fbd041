"""Conversations in IndexedDB, as JSON text.

Text, because turning Python objects into JavaScript ones costs seconds per megabyte. The
database work itself is idb-keyval's. Where the browser refuses IndexedDB, or never answers, texts
are kept for this visit only.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pagehand_shell
from pyodide.ffi import JsException

_LIBRARY = "vendor/js/idb-keyval.js"
_LAST_WORDS = "keep.js"
_DATABASE = "pagehand"
_TABLE = "threads"

# Tenths of a second in which the page could have taken the answer: a busy start does not count.
# A database that is blocked or broken may never answer, and nobody should wait for it.
_PATIENCE = 60

# What could not be written to disk still survives an element that is moved or remounted.
_memory: dict[str, str] = {}


class TextStore:
    """Texts by key. `durable` is False once the browser has refused."""

    __slots__ = ("_last_words", "_library", "_silent", "_store", "durable")

    def __init__(self) -> None:
        self._library: Any = None
        self._last_words: Any = None
        self._store: Any = None
        self._silent = False
        self.durable = True

    async def load(self, key: str) -> str | None:
        """The text under `key`, or None; what could not be written counts before what was."""
        return next(reversed(await self.versions(key)), None)

    async def versions(self, key: str) -> list[str]:
        """What is written under `key`, and what could not be: either may be the newer one."""
        try:
            value = await self._ask("get", key)
        except (JsException, TimeoutError):
            self.durable = False
            value = None
        return [text for text in (value, _memory.get(key)) if isinstance(text, str)]

    async def texts(self, prefix: str) -> list[str]:
        """All texts whose key begins so; those that are for this visit only come last."""
        here = [_memory[key] for key in sorted(_memory) if key.startswith(prefix)]
        try:
            values = await self._ask("texts", prefix)
        except (JsException, TimeoutError):
            self.durable = False
            return here
        return [*(value for value in values if isinstance(value, str)), *here]

    async def save(self, key: str, text: str) -> bool:
        """Keeps a text; False when only for this visit."""
        try:
            await self._ask("set", key, text)
        except (JsException, TimeoutError):
            self.durable = False
            _memory[key] = text
            return False
        _memory.pop(key, None)
        return True

    def save_now(self, key: str, text: str) -> None:
        """Hands a text to the browser without waiting: the page may be about to go."""
        if self._library is None:
            _memory[key] = text
        else:
            if key in _memory:
                _memory[key] = text
            self._last_words.setNow(self._store, key, text)

    async def remove(self, key: str) -> bool:
        """Forgets a text; False when the browser refused."""
        _memory.pop(key, None)
        try:
            await self._ask("del", key)
        except (JsException, TimeoutError):
            self.durable = False
            return False
        return True

    async def _ask(self, verb: str, *values: str) -> Any:
        if self._silent:
            raise TimeoutError
        work = asyncio.ensure_future(self._do(verb, *values))
        for _ in range(_PATIENCE):
            done, _waiting = await asyncio.wait({work}, timeout=0.1)
            if done:
                return work.result()
        work.cancel()
        self._silent = True
        raise TimeoutError

    async def _do(self, verb: str, *values: str) -> Any:
        library = await self._open()
        if verb == "texts":
            return await self._last_words.texts(self._store, *values)
        return await getattr(library, verb)(*values, self._store)

    async def _open(self) -> Any:
        if self._library is None:
            library = await pagehand_shell.load(_LIBRARY)
            self._last_words = await pagehand_shell.load(_LAST_WORDS)
            self._store = library.createStore(_DATABASE, _TABLE)
            self._library = library
        return self._library
