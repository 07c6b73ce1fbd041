"""Several conversations, kept by a store.

    threads = Threads(chat, MemoryThreadStore(), clock)
    await threads.open("default")
    ...
    await threads.new()

What is said is saved by itself, a moment after it changes. Nothing that was kept runs again
by itself: unanswered calls of a loaded conversation are a choice (`chat.pending_choices`).
"""

from __future__ import annotations

import asyncio
import copy
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pagehand.chat.chat import Chat
    from pagehand.chat.conversation import Change
    from pagehand.engine.clock import Clock

Record = dict[str, Any]
"""What is kept: `id`, `title`, `renamed`, `created`, `updated` (seconds since 1970), `messages`.

In lists `messages` is left away.
"""

Records = list[Record]

SAVE_AFTER = 0.3
"""Seconds between a change and its saving."""

SAVE_EVERY = 2.0
"""Seconds between two savings while an answer streams in."""

_TITLE_LENGTH = 60


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


def newest_first(records: Any) -> Records:
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
    """The conversations of one chat: which one it shows, and keeping them.

    Args:
        chat: Shows one of them at a time.
        store: Keeps them.
        clock: Time.
    """

    def __init__(self, chat: Chat, store: ThreadStore, clock: Clock) -> None:
        self._chat = chat
        self._store = store
        self._clock = clock
        self._kept: Record = {}
        self._timer: Any = None
        self._loading = False
        self._saving = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unsubscribe = chat.subscribe(self._changed)

    @property
    def current(self) -> str:
        """The id of the conversation that is shown."""
        return self._chat.id

    async def list(self) -> Records:
        """All kept conversations without their messages, the last changed first."""
        return await self._store.list()

    async def search(self, text: str) -> Records:
        """Kept conversations that hold a text."""
        return await self._store.search(text) if text.strip() else await self._store.list()

    async def open(self, thread_id: str) -> bool:
        """Show a conversation; False when it was not kept and begins empty.

        What goes on in the one that was shown is stopped and kept.
        """
        await self._leave()
        record = await self._store.load(thread_id)
        self._show(thread_id, record or {})
        return record is not None

    async def new(self) -> str:
        """Begin another conversation; gives its id."""
        await self._leave()
        self._begin()
        return self._chat.id

    async def rename(self, thread_id: str, title: str) -> None:
        """Give a conversation another title."""
        title = " ".join(title.split())
        if thread_id == self._chat.id:
            self._kept.update(title=title, renamed=True)
            await self.save()
        else:
            await self._store.rename(thread_id, title)

    async def delete(self, thread_id: str) -> None:
        """Forget a conversation; in place of the one that is shown a new one begins."""
        if thread_id == self._chat.id:
            self._cancel_timer()
            await self._chat.stop()
            self._begin()
        async with self._saving:
            await self._store.delete(thread_id)

    async def save(self) -> None:
        """Keep the conversation that is shown, now."""
        self._cancel_timer()
        async with self._saving:
            messages = self._chat.dump()
            if not messages:
                return
            now = self._clock.now()
            kept = self._kept
            self._kept = {
                "id": self._chat.id,
                "title": kept.get("title") if kept.get("renamed") else title_of(messages),
                "renamed": kept.get("renamed", False),
                "created": kept.get("created", now),
                "updated": now,
            }
            await self._store.save({**self._kept, "messages": messages})

    async def close(self) -> None:
        """Keep what is there and look no further."""
        self._unsubscribe()
        await self.save()

    async def _leave(self) -> None:
        await self._chat.stop()
        await self.save()

    def _begin(self) -> None:
        self._loading = True
        self._chat.clear()
        self._loading = False
        self._kept = {}

    def _show(self, thread_id: str, record: Record) -> None:
        self._loading = True
        self._chat.load(record.get("messages", []), chat_id=thread_id)
        self._loading = False
        self._kept = {key: value for key, value in record.items() if key != "messages"}

    def _changed(self, change: Change) -> None:
        if self._loading or change.kind not in ("list", "message", "status"):
            return
        if self._kept.get("id", self._chat.id) != self._chat.id:
            # The chat was cleared: another conversation begins.
            self._kept = {}
        if self._timer is None:
            busy = self._chat.status in ("submitted", "streaming") and change.kind == "message"
            wait = SAVE_EVERY if busy else SAVE_AFTER
            self._timer = self._clock.call_later(wait, self._save_soon)

    def _save_soon(self) -> None:
        self._timer = None
        task = asyncio.ensure_future(self.save())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
