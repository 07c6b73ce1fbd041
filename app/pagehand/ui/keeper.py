"""Keeps a conversation over reloads, under the name in the element's `thread` attribute.

A change is written a moment later, so that a streaming answer does not write at every word;
leaving the page writes at once.

A name has one owner at a time, among all elements and tabs: who comes second shows what is
kept, and neither writes nor takes up what the owner may still be doing.
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
_OPEN_CALLS = ("input-streaming", "input-available", "approval-requested", "approval-responded")
_ELSEWHERE = "The conversation is open elsewhere, and this call is answered there."


class Keeper:
    """Reads and writes one chat.

    Args:
        store: Texts by key.
        name: The name to keep it under; empty keeps nothing.
        kept: The text to begin with where nothing is kept under a name.
        chat: The conversation.
        refused: Called once when the browser does not let us keep anything.
        elsewhere: Told after each load whether another element or tab has the name.

    Attributes:
        unfinished: What was loaded was written down while an answer was coming in.
        owns: Whether the conversation is this element's to keep and to go on with.
    """

    def __init__(
        self,
        store: TextStore,
        name: str,
        kept: str | None,
        chat: Any,
        refused: Callable[[], None],
        elsewhere: Callable[[bool], None],
    ) -> None:
        self.unfinished = False
        self.owns = True
        self._store = store
        self._name = name
        self._kept = kept
        self._chat = chat
        self._refused = refused
        self._elsewhere = elsewhere
        self._told = False
        self._loaded = False
        self._dirty = False
        self._writing: str | None = None
        self._marks = Storage("localStorage", "pagehand:kept:")
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe = chat.subscribe(self._changed)
        self._listeners = Listeners()
        self._listeners.on(window, "pagehide", lambda event: self.write_now())
        self._listeners.on(document, "visibilitychange", lambda event: self._hidden())

    async def load(self) -> None:
        """Puts the kept conversation into the chat; a text that cannot be read is left alone."""
        name = self._name
        owns = await self._store.hold(name)
        text = await self._store.load(name) if name else self._kept
        if name != self._name:
            return
        self.owns = owns
        kept = _read(text) if text else None
        self.unfinished = owns and kept is not None and kept.get("unfinished") is True
        if kept is not None and owns:
            self._chat.load(kept["messages"], chat_id=kept.get("id"))
        elif kept is not None:
            # Not its id either: to the server this is a conversation of its own.
            self._chat.load(closed(kept["messages"]))
        self._loaded = True
        self._elsewhere(not owns)
        self._tell_if_refused()

    async def switch(self, name: str) -> None:
        """Keeps the conversation under its name so far and shows that of another name."""
        if name == self._name:
            return
        self.write_now()
        self._task = None  # it is for the old name, and ends when it sees that
        self._name = name
        self._loaded = self._dirty = False
        self._kept = None
        self._chat.clear()
        await self.load()

    def write_now(self) -> None:
        """Begins to write at once, without waiting for anything: the page may be going."""
        # What is just being written would be lost with the page, so it is written again.
        if self._loaded and (self._dirty or self._writing == self._name) and self._keeps:
            self._dirty = False
            self._store.save_now(self._name, self._text())
            self._mark()

    def close(self) -> None:
        """Writes what is not yet written, stops watching, and leaves the name to others."""
        self.write_now()
        self._unsubscribe()
        self._listeners.close()
        if self._task is not None:
            self._task.cancel()
        self._store.let_go()

    @property
    def _keeps(self) -> bool:
        return bool(self._name) and self.owns

    def _changed(self, change: Any) -> None:
        if change.kind not in ("list", "message", "status") or not self._loaded:
            return
        self._dirty = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_event_loop().create_task(self._write_soon(self._name))

    async def _write_soon(self, name: str) -> None:
        """Writes under one name until nothing is new; ends when the chat is another name's."""
        while self._dirty:
            await asyncio.sleep(_DELAY)
            if name != self._name or not self._loaded or not self._dirty:
                return
            self._dirty = False
            if not self._keeps:
                return
            self._mark()
            await self._write(name)
            if name != self._name:
                return
            self._tell_if_refused()

    async def _write(self, name: str) -> None:
        self._writing = name
        try:
            if self._chat.messages:
                await self._store.save(name, self._text())
            else:
                await self._store.remove(name)
        finally:
            self._writing = None

    def _mark(self) -> None:
        """Leaves a note for the shell, which otherwise greets before it knows of a conversation."""
        if self._chat.messages:
            self._marks.set(self._name, "1")
        else:
            self._marks.remove(self._name)

    def _text(self) -> str:
        kept = {"version": _VERSION, "id": self._chat.id, "messages": self._chat.dump()}
        if self._chat.status != "ready":  # what failed waits for another try, too
            kept["unfinished"] = True
        return dumps(kept)

    def _hidden(self) -> None:
        if document.hidden:
            self.write_now()

    def _tell_if_refused(self) -> None:
        if not self._store.durable and self._name and not self._told:
            self._told = True
            self._refused()


def closed(messages: list[Any]) -> list[Any]:
    """The same messages, without calls and questions that the owner may still answer."""
    return [_closed_message(each) if isinstance(each, dict) else each for each in messages]


def _closed_message(message: dict[str, Any]) -> dict[str, Any]:
    parts = message.get("parts")
    if not isinstance(parts, list):
        return message
    return {**message, "parts": [_closed_part(p) if isinstance(p, dict) else p for p in parts]}


def _closed_part(part: dict[str, Any]) -> dict[str, Any]:
    runs = part.get("state") in _OPEN_CALLS or part.get("preliminary") is True
    if not runs or "toolCallId" not in part:
        return part
    gone = ("approval", "output", "preliminary")
    rest = {key: value for key, value in part.items() if key not in gone}
    return {**rest, "input": part.get("input"), "state": "output-error", "errorText": _ELSEWHERE}


def _read(text: str) -> dict[str, Any] | None:
    try:
        kept = loads(text)
    except ValueError:
        return None
    if not isinstance(kept, dict) or not isinstance(kept.get("messages"), list):
        return None
    return kept
