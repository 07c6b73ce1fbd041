"""Several conversations: the one that is shown, and those put away.

    threads = Threads(keeper, MemoryThreadStore())
    await threads.new()
    for record in await threads.list(): ...
    await threads.open(record["id"])

Whoever keeps the one that is shown (in the page `ui.keeper`) goes on doing so; the others lie
in a store. Nothing that was kept runs again by itself: unanswered calls of a conversation that
is opened are a choice (`chat.pending_choices`).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

Record = dict[str, Any]
"""What is kept: `id`, `title`, `renamed`, `created`, `updated` (seconds since 1970), `messages`.

In lists `messages` is left away.
"""

Records = list[Record]

_TITLE_LENGTH = 60
_LONGEST_TITLE = 200


class Shown(Protocol):
    """The conversation that is shown, as whoever keeps it sees it."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    def record(self) -> Record | None:
        """What there is of it; None while nothing was said."""
        ...

    def moving(self) -> AbstractAsyncContextManager[bool]:
        """Nobody else puts another one in its place meanwhile; gives whether we may."""
        ...

    def rename(self, title: str) -> None:
        """Give it a title; an empty one is made from its first words again."""
        ...

    async def halt(self) -> None:
        """Stop what goes on in it."""
        ...

    async def show(self, record: Record | None) -> bool:
        """Put another one in its place and keep that; None begins a new one.

        Returns:
            Whether it is kept for good.
        """
        ...


class ThreadStore(Protocol):
    """Where conversations are kept. All that goes in and comes out is plain JSON."""

    async def list(self) -> Records:
        """All conversations without their messages, the last changed first."""
        ...

    async def load(self, thread_id: str) -> Record | None:
        """One conversation with its messages."""
        ...

    async def save(self, record: Record) -> None:
        """Keep a conversation in place of the one of the same id."""
        ...

    async def rename(self, thread_id: str, title: str) -> None:
        """Give another title; nothing when there is no such conversation."""
        ...

    async def delete(self, thread_id: str) -> None:
        """Forget a conversation."""
        ...

    async def search(self, text: str) -> Records:
        """Like `list`: conversations whose title or words hold the text, whatever its case."""
        ...


class MemoryThreadStore:
    """Keeps conversations as long as it lives."""

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}

    async def list(self) -> Records:
        """All conversations without their messages, the last changed first."""
        return newest_first(self._records.values())

    async def load(self, thread_id: str) -> Record | None:
        """One conversation with its messages."""
        return copy.deepcopy(self._records.get(thread_id))

    async def save(self, record: Record) -> None:
        """Keep a conversation in place of the one of the same id."""
        self._records[record["id"]] = copy.deepcopy(record)

    async def rename(self, thread_id: str, title: str) -> None:
        """Give another title."""
        if thread_id in self._records:
            self._records[thread_id].update(title=title, renamed=True)

    async def delete(self, thread_id: str) -> None:
        """Forget a conversation."""
        self._records.pop(thread_id, None)

    async def search(self, text: str) -> Records:
        """Conversations whose title or words hold the text."""
        return newest_first(r for r in self._records.values() if holds(r, text))


def newest_first(records: Iterable[Record]) -> Records:
    """Records as `list` gives them."""
    ordered = sorted(records, key=lambda record: record["updated"], reverse=True)
    return [{k: v for k, v in record.items() if k != "messages"} for record in ordered]


def holds(record: Record, text: str) -> bool:
    """True when the title or the words of a record hold the text, whatever its case."""
    wanted = text.casefold().strip()
    words = [str(record.get("title", ""))]
    for message in record.get("messages", ()):
        words += [p["text"] for p in message.get("parts", ()) if p.get("type") == "text"]
    return any(wanted in each.casefold() for each in words)


def title_of(messages: Records) -> str:
    """A title from the first words of the person."""
    for message in messages:
        if message["role"] == "user":
            words = [p["text"] for p in message["parts"] if p["type"] == "text"]
            line = " ".join(" ".join(words).split())
            if len(line) > _TITLE_LENGTH:
                line = line[: _TITLE_LENGTH - 1].rstrip() + "…"
            return line
    return ""


class Threads:
    """The conversations that belong together.

    Args:
        shown: The one that is shown.
        store: Keeps the others.
    """

    def __init__(self, shown: Shown, store: ThreadStore) -> None:
        self._shown = shown
        self._store = store

    @property
    def current(self) -> str:
        """The id of the conversation that is shown."""
        return self._shown.id

    async def list(self) -> Records:
        """All conversations without their messages, the last changed first."""
        return self._with_shown(await self._store.list(), "")

    async def search(self, text: str) -> Records:
        """Like `list`: conversations whose title or words hold the text."""
        found = await (self._store.search(text) if text.strip() else self._store.list())
        return self._with_shown(found, text)

    async def open(self, thread_id: str) -> bool:
        """Show a conversation; False when there is none of this id, or somebody else leads.

        What goes on in the one that was shown is stopped.
        """
        async with self._shown.moving() as ours:
            if thread_id == self._shown.id:
                return True
            record = await self._store.load(thread_id) if ours else None
            if record is None:
                return False
            await self._put_away()
            if await self._shown.show(record):
                await self._store.delete(thread_id)
            return True

    async def new(self) -> None:
        """Begin another conversation; the one that was shown is put away."""
        async with self._shown.moving() as ours:
            if ours:
                await self._put_away()
                await self._shown.show(None)

    async def rename(self, thread_id: str, title: str) -> None:
        """Give a conversation another title; an empty one changes nothing."""
        title = " ".join(title.split())[:_LONGEST_TITLE]
        if not title:
            return
        if thread_id == self._shown.id:
            self._shown.rename(title)
        else:
            await self._store.rename(thread_id, title)

    async def delete(self, thread_id: str) -> Record | None:
        """Forget a conversation; in place of the one that is shown a new one begins.

        Returns:
            What was forgotten, for `restore`.
        """
        async with self._shown.moving() as ours:
            if thread_id != self._shown.id:
                record = await self._store.load(thread_id)
                await self._store.delete(thread_id)
                return record
            if not ours:
                return None
            await self._shown.halt()
            record = self._shown.record()
            await self._shown.show(None)
            return record

    async def restore(self, record: Record) -> None:
        """Bring back what `delete` gave; it is put away, not shown."""
        await self._store.save(record)

    async def _put_away(self) -> None:
        await self._shown.halt()
        record = self._shown.record()
        if record is not None:
            await self._store.save(record)

    def _with_shown(self, records: Records, text: str) -> Records:
        """The one that is shown counts as it is now, whatever an older copy says."""
        kept = [record for record in records if record["id"] != self._shown.id]
        record = self._shown.record()
        if record is not None and holds(record, text):
            kept.append(record)
        return newest_first(kept)
