"""Keeps a conversation over reloads, under the name in the element's `thread` attribute.

A change is written a moment later, so that a streaming answer does not write at every word;
leaving the page writes at once. A database may not get to finish what it is told in the page's
last moment, so the last words go into `localStorage` as well, which does.

A name has one owner at a time, among all elements and tabs: who comes second shows what is
kept, and neither writes nor takes up what the owner may still be doing (`ui.tabs` follows it).
"""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from pagehand.browser.claim import Claim
from pagehand.browser.dom import Listeners, document, window
from pagehand.browser.storage import Storage
from pagehand.chat.conversation import new_id
from pagehand.wire.jsontext import loads

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pagehand.browser.idb import TextStore
    from pagehand.chat.threads import Record
    from pagehand.ui.record_text import RecordText

_DELAY = 0.4
_LONGEST_LAST_WORDS = 1_000_000  # characters: the store has room for five million in all
_VERSION = 1
_FACTS = ("title", "renamed", "created", "updated")


class Keeper:
    """Reads and writes one chat.

    Args:
        store: Texts by key.
        name: The name to keep it under; empty keeps nothing.
        kept: The text to begin with where nothing is kept under a name.
        chat: The conversation.
        refused: Called once when the browser does not let us keep anything.
        give_back: Called with words that waited to be sent when the conversation is left.

    Attributes:
        name: The name it is kept under.
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
        give_back: Callable[[str], None],
    ) -> None:
        self.name = name
        self.unfinished = False
        self.owns = True
        self._store = store
        self._kept = kept
        self._chat = chat
        self._refused = refused
        self._give_back = give_back
        self._claim = Claim()
        self._turn = asyncio.Lock()
        self._elsewhere = False
        self._facts: Record = {}
        self._told = False
        self._loaded = False
        self._dirty = False
        self._unwritten: str | None = None
        self._text: RecordText | None = None
        self._spoken = 0.0
        self._marks = Storage("localStorage", "pagehand:kept:")
        self._last_words = Storage("localStorage", "pagehand:last:")
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe = chat.subscribe(self._changed)
        self._listeners = Listeners()
        self._listeners.on(window, "pagehide", lambda event: self.write_now())
        self._listeners.on(document, "visibilitychange", lambda event: self._hidden())

    async def load(self) -> None:
        """Puts the kept conversation into the chat; a text that cannot be read is left alone."""
        name = self.name
        owns = await self._claim.hold(name)
        kept = await self._read(name) if name else _parsed(self._kept)
        if name != self.name:
            return
        self.owns = owns
        self.unfinished = owns and kept is not None and kept.get("unfinished") is True
        if not owns:
            self._chat.follow(kept["messages"] if kept else (), status="ready")
        elif kept is not None or self._elsewhere:
            self._go_on(kept)
        self._loaded = True
        if not self._store.durable:
            self._tell_refused()

    async def switch(self, name: str) -> None:
        """Keeps the conversation under its name so far and shows that of another name.

        What is said until that is there waits for it.
        """
        if name == self.name:
            return
        self.write_now()
        self._loaded = self._dirty = False
        waiting = self._take_waiting()
        if waiting and not self._keeps:
            self._give_back(waiting)
        self._task = None  # it is for the old name, and ends when it sees that
        self.name = name
        self._kept = None
        self._facts = {}
        self._elsewhere = True
        self._chat.follow((), status="ready")
        await self.load()

    def write_now(self) -> None:
        """Begins to write at once, without waiting for anything: the page may be going."""
        # What is just being written, or could not be, would be lost with the page: once more.
        if self._loaded and (self._dirty or self._unwritten == self.name) and self._keeps:
            self._dirty = False
            _, text = self._written()
            self._store.save_now(self.name, text)
            if len(text) <= _LONGEST_LAST_WORDS:
                self._last_words.set(self.name, text)
                self._spoken = time.time()
            self._mark()

    def close(self) -> None:
        """Writes what is not yet written, stops watching, and leaves the name to others."""
        self.write_now()
        self._unsubscribe()
        self._listeners.close()
        if self._task is not None:
            self._task.cancel()
        self._claim.let_go()

    # One owner among many tabs

    @asynccontextmanager
    async def moving(self) -> AsyncIterator[bool]:
        """Waits until nobody else moves the conversation; gives whether it is ours to move."""
        async with self._turn:
            yield self.owns

    def wait(self, free: Callable[[], None]) -> None:
        """Calls `free` when the owner has gone and the name is this element's."""
        self._claim.hold_later(self.name, free)

    async def take_over(self, heard: Record | None) -> None:
        """The name is this element's now: goes on with what is kept.

        Args:
            heard: What the last owner told, if anything: it may be newer than what is kept.
        """
        name = self.name
        kept = _joined(await self._read(name), heard)
        if name != self.name:
            return
        self.owns = True
        self.unfinished = kept is not None and kept.get("unfinished") is True
        self._loaded = False
        self._go_on(kept)
        self._loaded = self._dirty = True
        self.write_now()

    async def hand_over(self) -> None:
        """Leaves the conversation, all of it written down, to somebody else."""
        self._dirty = self.owns = False
        name, written = self.name, self._written()
        # From here on nothing is said in this tab that the written text does not hold.
        self._chat.follow(self._chat.dump(), status="ready")
        await self._write(name, *written)
        if name == self.name:
            self._claim.let_go()

    # The conversation that is shown (`chat.threads.Shown`)

    @property
    def id(self) -> str:
        """Its id."""
        return str(self._chat.id)

    def record(self) -> Record | None:
        """What there is of it; None while nothing was said."""
        kept = self.kept()
        for key in ("version", "unfinished", "waiting", "at"):
            kept.pop(key, None)
        return kept if kept["messages"] else None

    def rename(self, title: str) -> None:
        """Gives it a title."""
        self._facts.update(title=title, renamed=True)
        self._write_later()

    async def halt(self) -> None:
        """Stops what goes on in it; what waits to be sent goes back to the person."""
        waiting = self._take_waiting()
        await self._chat.stop()
        if waiting:
            self._give_back(waiting)

    async def show(self, record: Record | None) -> bool:
        """Puts another conversation in its place and keeps that; None begins a new one.

        Returns:
            Whether it is written where the next visit finds it.
        """
        self._loaded = self._dirty = False
        if record is None:
            self._facts = {}
            self._chat.clear()
        else:
            self._put(record)
        self._loaded = True
        if not self._keeps:
            return False
        self._mark()
        return await self._write(self.name, *self._written())

    def kept(self) -> Record:
        """What is written down."""
        return {**self._head(), "messages": self._chat.dump()}

    def _written(self) -> tuple[float, str]:
        """Of when it is, and the same as text."""
        from pagehand.ui.record_text import RecordText

        head = self._head()
        self._text = self._text or RecordText()
        return head["at"], self._text.write(head, self._chat.messages)

    def _head(self) -> Record:
        """All but the messages."""
        from pagehand.chat.threads import title_of

        kept = {"version": _VERSION, "id": self._chat.id, **self._facts, "at": time.time()}
        kept.setdefault("created", kept["at"])
        kept.setdefault("updated", kept["at"])
        if not kept.get("renamed"):
            asked = next((each for each in self._chat.messages if each.role == "user"), None)
            kept["title"] = title_of([asked.to_wire()] if asked is not None else [])
        if self._chat.queued:
            kept["waiting"] = [message.to_wire() for message in self._chat.queued]
        if self._chat.status != "ready":  # what failed waits for another try, too
            kept["unfinished"] = True
        return kept

    async def _read(self, name: str) -> Record | None:
        """What is kept under a name, wherever it was written last."""
        newest = None
        for text in [*await self._store.versions(name), self._last_words.get(name)]:
            newest = _newer(newest, _parsed(text))
        return newest

    def _go_on(self, kept: Record | None) -> None:
        """Leads what is kept; what was said here meanwhile waits, after what waited before."""
        chat_id = kept.get("id") if kept is not None else None
        if chat_id is None and self._elsewhere:
            chat_id = new_id()
        self._elsewhere = False
        self._facts = _facts_of(kept)
        self._chat.lead(kept["messages"] if kept is not None else (), chat_id=chat_id)
        self._wait_again(kept)

    def _put(self, kept: Record) -> None:
        self._facts = _facts_of(kept)
        self._chat.load(kept["messages"], chat_id=kept.get("id"))
        self._wait_again(kept)

    def _wait_again(self, kept: Record | None) -> None:
        waiting = kept.get("waiting") if kept is not None else None
        if isinstance(waiting, list):
            self._chat.wait_again(waiting)

    def _take_waiting(self) -> str:
        """The words that wait to be sent; they wait no more."""
        waiting = list(self._chat.queued)
        for message in waiting:
            self._chat.unqueue(message.id)
        return "\n".join(message.text for message in waiting)

    # Writing

    @property
    def _keeps(self) -> bool:
        return bool(self.name) and self.owns

    def _changed(self, change: Any) -> None:
        if change.kind not in ("list", "message", "status") or not self._loaded:
            return
        if change.loaded:
            self._facts = {}  # the chat was cleared: another conversation begins
        elif change.kind != "status":
            self._facts["updated"] = time.time()
            self._facts.setdefault("created", self._facts["updated"])
        self._write_later()

    def _write_later(self) -> None:
        self._dirty = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_event_loop().create_task(self._write_soon(self.name))

    async def _write_soon(self, name: str) -> None:
        """Writes under one name until nothing is new; ends when the chat is another name's."""
        while self._dirty:
            await asyncio.sleep(_DELAY)
            if name != self.name or not self._loaded or not self._dirty:
                return
            self._dirty = False
            if not self._keeps:
                return
            self._mark()
            await self._write(name, *self._written())
            if name != self.name:
                return

    async def _write(self, name: str, at: float, text: str) -> bool:
        """Writes; False when that is for this visit only: then the last words stay."""
        self._unwritten = name
        if self._chat.messages:
            done = await self._store.save(name, text)
        else:
            done = await self._store.remove(name)
        if done:
            self._unwritten = None
            if self._spoken < at:
                self._last_words.remove(name)
        elif name == self.name:
            self._tell_refused()
        return done

    def _mark(self) -> None:
        """Leaves a note for the shell, which otherwise greets before it knows of a conversation."""
        if self._chat.messages:
            self._marks.set(self.name, "1")
        else:
            self._marks.remove(self.name)

    def _hidden(self) -> None:
        if document.hidden:
            self.write_now()

    def _tell_refused(self) -> None:
        if self.name and not self._told:
            self._told = True
            self._refused()


def _facts_of(kept: Record | None) -> Record:
    return {key: kept[key] for key in _FACTS if key in kept} if kept else {}


def _newer(one: Record | None, other: Record | None) -> Record | None:
    if one is None or other is None:
        return other if one is None else one
    return other if other.get("at", 0) > one.get("at", 0) else one


def _joined(kept: Record | None, heard: Record | None) -> Record | None:
    """The newer of both, with what is told to nobody: titles, and what waits to be sent."""
    newer = _newer(kept, heard)
    if kept is None or heard is None or newer is kept or kept.get("id") != heard.get("id"):
        return newer
    said = {message.get("id") for message in heard["messages"]}
    waiting = kept.get("waiting")
    if isinstance(waiting, list):
        waiting = [each for each in waiting if each.get("id") not in said]
    return {**kept, "waiting": waiting, **heard}


def _parsed(text: str | None) -> Record | None:
    try:
        kept = loads(text) if text else None
    except ValueError:
        return None
    if not isinstance(kept, dict) or not isinstance(kept.get("messages"), list):
        return None
    return kept
