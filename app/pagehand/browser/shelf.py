"""Conversations that are put away, in the browser's database: two texts for each.

The short one is what a list shows, so that a list costs the same however long the
conversations are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagehand.chat.threads import Record, Records, holds, newest_first
from pagehand.wire.jsontext import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pagehand.browser.idb import TextStore

_FACTS = "facts"
_WORDS = "words"


class Shelf:
    """A `chat.threads.ThreadStore` for the conversations of one name.

    Args:
        store: Keeps the texts.
        name: Whose conversations these are.
        refused: Called with a conversation that is kept for this visit only.
    """

    __slots__ = ("_name", "_refused", "_store")

    def __init__(self, store: TextStore, name: str, refused: Callable[[Record], None]) -> None:
        self._store = store
        self._name = name
        self._refused = refused

    async def list(self) -> Records:
        """All conversations without their messages, the last changed first."""
        return newest_first(_records(await self._store.texts(self._key(_FACTS, ""))))

    async def load(self, thread_id: str) -> Record | None:
        """One conversation with its messages."""
        text = await self._store.load(self._key(_WORDS, thread_id))
        return next(_records([text]), None) if text else None

    async def save(self, record: Record) -> None:
        """Keeps a conversation in place of the one of the same id; its words first."""
        thread_id = record["id"]
        facts = {key: value for key, value in record.items() if key != "messages"}
        words = await self._store.save(self._key(_WORDS, thread_id), dumps(record))
        if not (await self._store.save(self._key(_FACTS, thread_id), dumps(facts)) and words):
            self._refused(record)

    async def rename(self, thread_id: str, title: str) -> None:
        """Gives another title; nothing when there is no such conversation."""
        record = await self.load(thread_id)
        if record is not None:
            await self.save({**record, "title": title, "renamed": True})

    async def delete(self, thread_id: str) -> None:
        """Forgets a conversation."""
        await self._store.remove(self._key(_FACTS, thread_id))
        await self._store.remove(self._key(_WORDS, thread_id))

    async def search(self, text: str) -> Records:
        """Conversations whose title or words hold the text."""
        every = _records(await self._store.texts(self._key(_WORDS, "")))
        return newest_first(record for record in every if holds(record, text))

    def _key(self, kind: str, thread_id: str) -> str:
        # No attribute of an element holds a NUL: no name can be the beginning of another's key.
        return f"{self._name}\0{kind}\0{thread_id}"


def _records(texts: list[str]) -> Iterator[Record]:
    """What can be read of what is kept; a text that cannot is left alone.

    Of two texts of one conversation the last counts: it could not be written over the other.
    """
    found: dict[str, Record] = {}
    for text in texts:
        try:
            record = loads(text)
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(record.get("id"), str):
            record.setdefault("updated", 0)
            found[record["id"]] = record
    yield from found.values()
