"""Lanes: calls that must not overlap wait for each other, in the order they were asked for.

ticket = lanes.ticket("page")
await ticket.turn()
ticket.done()
"""

from __future__ import annotations

from asyncio import Future, get_running_loop


class Ticket:
    """A place in a lane. Every ticket must be given back with `done`."""

    __slots__ = ("_before", "_mine")

    def __init__(self, before: Future[None] | None, mine: Future[None]) -> None:
        self._before = before
        self._mine = mine

    async def turn(self) -> None:
        """Waits until everyone before is done."""
        before = self._before
        if before is not None and not before.done():
            # Whoever gives up waiting must not cancel the one it waits for.
            from asyncio import shield

            await shield(before)

    def done(self) -> None:
        """Lets the next one go, once those before are done too."""
        if self._mine.done():
            return
        before = self._before
        if before is None or before.done():
            self._mine.set_result(None)
        else:
            before.add_done_callback(lambda _: self.done())


class Lanes:
    """All lanes, by name."""

    def __init__(self) -> None:
        self._tails: dict[str, Future[None]] = {}

    def ticket(self, lane: str) -> Ticket:
        """Takes the next place in a lane."""
        mine: Future[None] = get_running_loop().create_future()
        ticket = Ticket(self._tails.get(lane), mine)
        self._tails[lane] = mine
        return ticket
