"""What is kept of an answer while it is made, so that it can be taken up by another connection.

    tape = Tape(limit)
    await tape.append(data); tape.end(last)         # who makes the answer
    async for data in tape.play(): ...              # who reads it: from the beginning, then live

A tape that grows over its limit forgets its beginning: from then on it only goes to those
who read it already, and the answer is no faster than they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable


class LostError(Exception):
    """The tape ends before the answer does."""


class Tape:
    """The bytes of one answer.

    Args:
        limit: Bytes that are kept at most.
        count: Told how many bytes more are kept, or fewer.
    """

    def __init__(self, limit: int, count: Callable[[int], None] = lambda change: None) -> None:
        self.count = count
        self.kept = 0
        """Bytes that are kept now."""
        self.whole = True
        """Whether it can still be played from the beginning."""
        self.ended = False
        self.heard_out = False
        """Whether somebody has had all of it."""
        self._limit = limit
        self._pieces: list[bytes] = []
        self._dropped = 0
        self._lost = False
        self._readers: dict[object, int] = {}
        self._changed: set[asyncio.Future[None]] = set()

    @property
    def readers(self) -> int:
        """How many read it now."""
        return len(self._readers)

    async def append(self, data: bytes) -> None:
        """Add bytes; waits for the readers once the beginning is forgotten."""
        self.add(data)
        if not self.whole:
            while any(position < self._end for position in self._readers.values()):
                await self._change()
            self._clear()

    def add(self, data: bytes) -> None:
        """Add bytes without waiting for anybody."""
        if data:
            self._pieces.append(data)
            self.kept += len(data)
            self.whole = self.whole and self.kept <= self._limit
            self._tell()
            self.count(len(data))

    def forget(self) -> None:
        """Keep no more than the readers need; nobody new can play it."""
        self.whole = False
        self._clear_unread()

    def end(self, last: bytes = b"") -> None:
        """Add the last bytes; readers end after them."""
        self.add(last)
        self.ended = True
        self._tell()

    def break_off(self) -> None:
        """Nothing more comes and this is not the end; readers lose it."""
        self.whole = False
        self._lost = self.ended = True
        self._tell()
        self._clear_unread()

    async def play(self) -> AsyncGenerator[bytes]:
        """Everything from the beginning, then what comes, to the end.

        Raises:
            LostError: It broke off, or its beginning is forgotten.
        """
        if self._dropped or not self.whole:
            raise LostError
        reader = object()
        position = self._readers[reader] = 0
        try:
            while True:
                if position < self._end:
                    data = b"".join(self._pieces[position - self._dropped :])
                    position = self._end
                    yield data
                    # What was yielded before is with its reader only now.
                    self._readers[reader] = position
                    self._tell()
                elif self._lost:
                    raise LostError
                elif self.ended:
                    self.heard_out = True
                    return
                else:
                    await self._change()
        finally:
            del self._readers[reader]
            self._tell()
            self._clear_unread()

    @property
    def _end(self) -> int:
        return self._dropped + len(self._pieces)

    def _clear_unread(self) -> None:
        if not self.whole and not self._readers:
            self._clear()

    def _clear(self) -> None:
        self._dropped = self._end
        self._pieces.clear()
        kept, self.kept = self.kept, 0
        self.count(-kept)

    def _tell(self) -> None:
        changed, self._changed = self._changed, set()
        for future in changed:
            if not future.done():
                future.set_result(None)

    async def _change(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._changed.add(future)
        try:
            await future
        finally:
            self._changed.discard(future)
