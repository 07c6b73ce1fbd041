"""Keeps a conversation over reloads, under the name in the element's `thread` attribute.

A change is written a moment later, so that a streaming answer does not write at every word;
leaving the page writes at once.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pagehand.browser.dom import Listeners, document, window
from pagehand.browser.storage import Storage
from pagehand.wire.jsontext import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.browser.idb import TextStore

_DELAY = 0.4
_VERSION = 1


class Keeper:
    """Reads and writes one chat.

    Args:
        store: Texts by key.
        name: The name to keep it under; empty keeps nothing.
        kept: The text to begin with where nothing is kept under a name.
        chat: The conversation.
        refused: Called once when the browser does not let us keep anything.

    Attributes:
        unfinished: What was loaded was written down while an answer was coming in.
    """

    def __init__(
        self, store: TextStore, name: str, kept: str | None, chat: Any, refused: Callable[[], None]
    ) -> None:
        self.unfinished = False
        self._store = store
        self._name = name
        self._kept = kept
        self._chat = chat
        self._refused = refused
        self._told = False
        self._loaded = False
        self._dirty = False
        self._marks = Storage("localStorage", "pagehand:kept:")
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe = chat.subscribe(self._changed)
        self._listeners = Listeners()
        self._listeners.on(window, "pagehide", lambda event: self.write_now())
        self._listeners.on(document, "visibilitychange", lambda event: self._hidden())

    async def load(self) -> None:
        """Puts the kept conversation into the chat; a text that cannot be read is left alone."""
        name = self._name
        text = await self._store.load(name) if name else self._kept
        if name != self._name:
            return
        kept = _read(text) if text else None
        if kept is not None:
            self.unfinished = kept.get("unfinished") is True
            self._chat.load(kept["messages"], chat_id=kept.get("id"))
        self._loaded = True
        self._tell_if_refused()

    async def switch(self, name: str) -> None:
        """Keeps the conversation under its name so far and shows that of another name."""
        if name == self._name:
            return
        self.write_now()
        self._name = name
        self._loaded = False
        self._kept = None
        self._chat.clear()
        await self.load()

    def write_now(self) -> None:
        """Begins to write at once, without waiting for anything: the page may be going."""
        if self._dirty and self._name:
            self._dirty = False
            self._store.save_now(self._name, self._text())
            self._mark()

    def close(self) -> None:
        """Writes what is not yet written and stops watching."""
        self.write_now()
        self._unsubscribe()
        self._listeners.close()
        if self._task is not None:
            self._task.cancel()

    def _changed(self, change: Any) -> None:
        if change.kind not in ("list", "message", "status") or not self._loaded:
            return
        self._dirty = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_event_loop().create_task(self._write_soon())

    async def _write_soon(self) -> None:
        while self._dirty:
            await asyncio.sleep(_DELAY)
            self._dirty = False
            if not self._name:
                return
            self._mark()
            if self._chat.messages:
                await self._store.save(self._name, self._text())
            else:
                await self._store.remove(self._name)
            self._tell_if_refused()

    def _mark(self) -> None:
        """Leaves a note for the shell, which otherwise greets before it knows of a conversation."""
        if self._chat.messages:
            self._marks.set(self._name, "1")
        else:
            self._marks.remove(self._name)

    def _text(self) -> str:
        kept = {"version": _VERSION, "id": self._chat.id, "messages": self._chat.dump()}
        if self._chat.status in ("submitted", "streaming"):
            kept["unfinished"] = True
        return dumps(kept)

    def _hidden(self) -> None:
        if document.hidden:
            self.write_now()

    def _tell_if_refused(self) -> None:
        if not self._store.durable and self._name and not self._told:
            self._told = True
            self._refused()


def _read(text: str) -> dict[str, Any] | None:
    try:
        kept = loads(text)
    except ValueError:
        return None
    if not isinstance(kept, dict) or not isinstance(kept.get("messages"), list):
        return None
    return kept
