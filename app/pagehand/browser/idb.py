"""Conversations in IndexedDB, as JSON text.

Text, because turning Python objects into JavaScript ones costs seconds per megabyte. The
database work itself is idb-keyval's. Where the browser refuses IndexedDB, texts are kept for
this visit only.
"""

from __future__ import annotations

from typing import Any

import pagehand_shell
from pyodide.ffi import JsException

_LIBRARY = "vendor/js/idb-keyval.js"
_LAST_WORDS = "keep.js"
_DATABASE = "pagehand"
_TABLE = "threads"

# What could not be written to disk still survives an element that is moved or remounted.
_memory: dict[str, str] = {}


class TextStore:
    """Texts by key. `durable` is False once the browser has refused."""

    __slots__ = ("_held", "_last_words", "_library", "_release", "_store", "durable")

    def __init__(self) -> None:
        self._held = ""
        self._release: Any = None
        self._library: Any = None
        self._last_words: Any = None
        self._store: Any = None
        self.durable = True

    async def hold(self, key: str) -> bool:
        """Makes this store the one owner of a key, among all tabs, until `let_go` or the page goes.

        Holds one key at a time; "" is nobody's. Where the browser has no locks (plain http),
        every store counts as the owner.

        Returns:
            False when another store has the key.
        """
        if self._held and self._held == key:
            return True
        self.let_go()
        if not key:
            return True
        self._held = key
        try:
            library = await pagehand_shell.load(_LAST_WORDS)
            release = await library.hold(f"{_DATABASE}:{key}")
        except JsException:
            return True
        if self._held != key:  # let go meanwhile
            if release:
                release()
            return False
        if not release:
            self._held = ""
            return False
        self._release = release
        return True

    def let_go(self) -> None:
        """Leaves the held key to others."""
        release, self._release, self._held = self._release, None, ""
        if release is not None:
            release()

    async def load(self, key: str) -> str | None:
        """The text under `key`, or None."""
        try:
            library = await self._open()
            value = await library.get(key, self._store)
        except JsException:
            self.durable = False
            return _memory.get(key)
        return value if isinstance(value, str) else _memory.get(key)

    async def save(self, key: str, text: str) -> bool:
        """Keeps a text; False when only for this visit."""
        try:
            library = await self._open()
            await library.set(key, text, self._store)
        except JsException:
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
            self._last_words.setNow(self._store, key, text)

    async def remove(self, key: str) -> None:
        """Forgets a text."""
        _memory.pop(key, None)
        try:
            library = await self._open()
            await getattr(library, "del")(key, self._store)
        except JsException:
            self.durable = False

    async def _open(self) -> Any:
        if self._library is None:
            library = await pagehand_shell.load(_LIBRARY)
            self._last_words = await pagehand_shell.load(_LAST_WORDS)
            self._store = library.createStore(_DATABASE, _TABLE)
            self._library = library
        return self._library
