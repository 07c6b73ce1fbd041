"""Tapes of other processes: an answer made by one replica, taken up or stopped at another.

For each chat the server holds, while an answer of it can be taken up (KEY is the name from
`backend.recordings`, RUN is new for each answer):

    pagehand:{KEY}:run          RUN, for as long as it can be taken up
    pagehand:{KEY}:tape:RUN     a stream: entries 1-0, 2-0, ... with `d`, bytes, last one with `e`
    pagehand:{KEY}:stop:RUN     there when somebody stopped it at another replica
    pagehand:{KEY}:read:RUN     there while somebody reads it at another replica
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager, suppress
from math import ceil
from secrets import token_hex
from time import monotonic
from typing import Any

from backend.shared import SharedStore
from backend.tapes import LostError

_LEASE = 15
"""Seconds that the name of a running answer lasts unless its maker says that it goes on."""
_BLOCK = 1_000
"""Milliseconds that a reader waits for news before it says that it still reads."""
_READING = 4
"""Seconds for which that counts."""
_END, _LOST = b"end", b"lost"
_IF_STILL = """
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then return redis.call('del', KEYS[1]) end
return redis.call('expire', KEYS[1], ARGV[2])
"""
"""Sets when the name of an answer ends (now: 0), if it still names that answer."""
_BEAT = """
local run = redis.call('get', KEYS[1])
local stop = redis.call('exists', KEYS[3])
if stop == 0 and (not run or run == ARGV[1]) then
  redis.call('set', KEYS[1], ARGV[1], 'ex', ARGV[2])
  redis.call('expire', KEYS[2], ARGV[3])
  run = ARGV[1]
end
return {run == ARGV[1] and 1 or 0, stop, redis.call('exists', KEYS[4])}
"""
"""Puts off the end of an answer's name, or names it again, unless it was stopped or replaced.

In one step, so that no other answer can take the name in between. Tells whether the name is
the answer's, whether it was stopped, and whether another replica reads it.
"""
_THERE = "equal or smaller"
"""How the server refuses an entry that it has: the reply to it was lost and it was sent again."""


class _Names:
    """The keys of one answer."""

    def __init__(self, key: str, run: str) -> None:
        chat = f"pagehand:{{{key}}}"
        self.id = run
        self.run = f"{chat}:run"
        self.tape = f"{chat}:tape:{run}"
        self.stop = f"{chat}:stop:{run}"
        self.read = f"{chat}:read:{run}"


class SharedTapes:
    """The tapes that replicas share.

    Args:
        store: The server.
        keep: Seconds for which an answer that has ended can be taken up.
    """

    def __init__(self, store: SharedStore, keep: float) -> None:
        self.store = store
        self.keep = max(1, ceil(keep))

    async def begin(
        self, key: str, *, stopped: Callable[[], None], replaced: Callable[[], None]
    ) -> TapeCopy | None:
        """Begin the copy of an answer; None when the server does not answer.

        Args:
            key: The name of the chat.
            stopped: Called when somebody stops the answer at another replica.
            replaced: Called when another answer has taken its place there.
        """
        copy = TapeCopy(self, key, stopped, replaced)
        if await self.store.tried(copy.begin, otherwise=False):
            self.store.beat(copy)
            return copy
        return None

    async def find(self, key: str) -> FarTape | None:
        """The answer of that chat that can be taken up, wherever it is made."""
        run = await self.store.tried(lambda: self._run(key), otherwise=None)
        return FarTape(self, _Names(key, run)) if run else None

    async def stop(self, key: str) -> None:
        """Stop the answer of that chat, wherever it is made: it ends within a second or two."""
        await self.store.tried(lambda: self._stop(key), otherwise=None)

    async def ends(self, names: _Names, seconds: int) -> None:
        """Set when an answer can no longer be taken up."""
        await self.store.client.eval(_IF_STILL, 1, names.run, names.id, str(seconds))  # type: ignore[misc]

    async def _run(self, key: str) -> str | None:
        run = await self.store.client.get(_Names(key, "").run)
        return run.decode() if run else None

    async def _stop(self, key: str) -> None:
        run = await self._run(key)
        if run:
            names = _Names(key, run)
            await self.store.client.set(names.stop, b"1", ex=_LEASE)
            await self.ends(names, 0)


class TapeCopy:
    """The copy of an answer that this process makes."""

    def __init__(
        self,
        tapes: SharedTapes,
        key: str,
        stopped: Callable[[], None],
        replaced: Callable[[], None],
    ) -> None:
        self.read_elsewhere = False
        self._tapes = tapes
        self._names = _Names(key, token_hex(8))
        self._stopped = stopped
        self._replaced = replaced
        self._pending: list[bytes] = []
        self._entries: list[tuple[int, bytes, bytes]] = []
        """Numbers, fields and values on their way, until the server surely has them."""
        self._count = 0
        self._last = b""
        self._marked = False
        """Whether the end has its entry."""
        self._dropped = False
        self._over = False
        """Whether everything is said that ever will be."""
        self._unsure = False
        """Whether the server failed when it was asked last: the name may have run out."""
        self._said = monotonic()
        self._carrying = False
        self._one_by_one = asyncio.Lock()

    async def begin(self) -> bool:
        """Make the answer known."""
        await self._tapes.store.client.set(self._names.run, self._names.id, ex=_LEASE)
        return True

    async def is_current(self) -> bool:
        """Whether it is still the answer of its chat, and can be taken up."""
        return await self._tapes.store.tried(self._is_current, otherwise=True)

    async def _is_current(self) -> bool:
        run = await self._tapes.store.client.get(self._names.run)
        late = not self._last and monotonic() - self._said > _LEASE
        return run == self._names.id.encode() or (run is None and (late or self._unsure))

    def add(self, data: bytes) -> None:
        """Carry bytes."""
        if data and not self._last:
            self._pending.append(data)
            self._carry()

    def end(self, *, whole: bool) -> None:
        """It has ended; `whole` unless it broke off."""
        self._last = self._last or (_END if whole else _LOST)
        self._carry()

    def drop(self) -> None:
        """Nobody new may play it."""
        self._over = self._over and self._dropped
        self._dropped = True
        self._last = self._last or _LOST
        self._carry()

    async def beat(self) -> bool:
        """Say that it goes on; hear whether it was stopped, replaced, or is read elsewhere."""
        async with self._one_by_one:
            if self._last:
                return False
            names = self._names
            keys = (names.run, names.tape, names.stop, names.read)
            with self._noticing_faults():
                ours, stop, read = await self._tapes.store.client.eval(  # type: ignore[misc]
                    _BEAT, len(keys), *keys, names.id, str(_LEASE), str(_LEASE * 4)
                )
            self._said = monotonic()
        self.read_elsewhere = bool(read)
        if stop:
            self._stopped()
        elif not ours:
            self._replaced()
        elif self._pending or self._entries:
            self._carry()  # the server did not take it before
        return True

    @contextmanager
    def _noticing_faults(self) -> Iterator[None]:
        try:
            yield
        except self._tapes.store.failures:
            self._unsure = True
            raise
        self._unsure = False

    def _carry(self) -> None:
        if not self._carrying:
            self._carrying = True
            self._tapes.store.beside(self._carry_on())

    async def _carry_on(self) -> None:
        """Carry all there is, and what comes meanwhile, in one piece each time.

        What the server does not take waits for the next beat. When none comes any more, the
        name runs out by itself.
        """
        try:
            while self._pending or self._entries or (self._last and not self._over):
                if await self._tapes.store.tried(self._carry_once, otherwise=False):
                    continue
                self._unsure = True
                if not self._last:
                    return
                self._pending.clear()
                self._entries.clear()
                self._over = True
        finally:
            self._carrying = False

    async def _carry_once(self) -> bool:
        async with self._one_by_one:
            with self._noticing_faults():
                await self._carry_entries()
        return True

    async def _carry_entries(self) -> None:
        names, tapes = self._names, self._tapes
        last, dropped = self._last, self._dropped
        if self._pending:
            self._number(b"d", b"".join(self._pending))
            self._pending.clear()
        if last and not self._marked:
            self._number(b"e", last)
            self._marked = True
        async with tapes.store.client.pipeline(transaction=False) as pipe:
            for number, field, value in self._entries:
                pipe.xadd(names.tape, {field: value}, id=f"{number}-0")
            pipe.expire(names.tape, _LEASE * 4 if not last else tapes.keep + _LEASE)
            replies = await pipe.execute(raise_on_error=False)
        for reply in replies:
            if isinstance(reply, Exception) and _THERE not in str(reply):
                raise reply
        self._entries.clear()
        if last:
            await tapes.ends(names, tapes.keep if last == _END and not dropped else 0)
            self._over = self._dropped == dropped

    def _number(self, field: bytes, value: bytes) -> None:
        self._count += 1
        self._entries.append((self._count, field, value))


class FarTape:
    """An answer that another process makes."""

    def __init__(self, tapes: SharedTapes, names: _Names) -> None:
        self._tapes = tapes
        self._names = names

    async def play(self) -> AsyncGenerator[bytes]:
        """Everything from the beginning, then what comes, to the end.

        Raises:
            LostError: It broke off, or its maker or the server is gone.
        """
        try:
            async for data in self._play():
                yield data
        except self._tapes.store.failures:
            raise LostError from None

    def heard_out(self) -> None:
        """Somebody has had all of it."""
        store = self._tapes.store
        store.beside(store.tried(lambda: self._tapes.ends(self._names, 0), otherwise=None))

    async def _play(self) -> AsyncGenerator[bytes]:
        names, store = self._names, self._tapes.store
        position: Any = b"0-0"
        count = 0
        going_on = True
        while True:
            await store.client.set(names.read, b"1", ex=_READING)
            found = await store.patient.xread(
                {names.tape: position}, count=500, block=_BLOCK if going_on else None
            )
            entries = found[0][1] if found else []
            if not entries:
                if not going_on:
                    raise LostError
                run, stop = await store.client.mget(names.run, names.stop)
                # One that was stopped still has its end to tell.
                going_on = run == names.id.encode() or stop is not None
                continue
            position = entries[-1][0]
            count += len(entries)
            if [name for name, _ in entries] != [
                b"%d-0" % n for n in range(count - len(entries) + 1, count + 1)
            ]:
                raise LostError  # the server forgot a part and its maker went on
            data = b"".join(fields.get(b"d", b"") for _, fields in entries)
            if data:
                yield data
            last = entries[-1][1].get(b"e")
            if last == _END:
                with suppress(*store.failures):
                    await store.client.delete(names.read)
                return
            if last is not None:
                raise LostError
