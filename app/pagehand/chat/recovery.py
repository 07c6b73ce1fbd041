"""Coming back after the connection broke off.

The page calls `Chat.recover` when it is online or visible again; an answer that the server keeps
is taken up by itself. Nothing is posted: only a running answer is taken up, and where there is
none the error stays, with its retry.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pagehand.chat import history
from pagehand.chat.nap import Nap
from pagehand.chat.request import RESUME
from pagehand.chat.runner import Plan
from pagehand.errors import InterruptedStreamError, NetworkError, StalledStreamError
from pagehand.wire.jsontext import dumps

if TYPE_CHECKING:
    from typing import Protocol

    from pagehand.chat.calls import CallDesk
    from pagehand.chat.conversation import Conversation
    from pagehand.chat.exchange import End
    from pagehand.chat.failed import FailedRequest
    from pagehand.chat.request import TurnOptions
    from pagehand.chat.runner import Runner
    from pagehand.engine.clock import Clock
    from pagehand.errors import ChatError

    class Course(Protocol):
        """The turns, as far as a broken-off answer cares."""

        options: TurnOptions
        last_end: End | None

        @property
        def desk(self) -> CallDesk:
            """The calls of this page."""
            ...

        @property
        def runner(self) -> Runner:
            """Makes the requests."""
            ...

        @property
        def busy(self) -> bool:
            """Whether something goes on."""
            ...

        @property
        def error(self) -> ChatError | None:
            """Why the last request failed."""
            ...

        def person_is_asked(self) -> bool:
            """Whether a person's word is waited for."""
            ...

        def refresh(self) -> None:
            """Find out the status."""
            ...

        async def wait_for(self, task: asyncio.Task[None] | None) -> None:
            """Wait for a request."""
            ...


BACK_OFF = (0.0, 1.0, 2.0, 5.0, 10.0)
"""Seconds before each attempt; they begin again when an answer got further and broke off anew."""

_BROKEN = (InterruptedStreamError, StalledStreamError, NetworkError)


class Recovery:
    """Takes up an answer that broke off; one attempt at a time, whoever asks.

    Args:
        turns: Those of the conversation; without a broken-off answer nothing happens.
        conversation: Holds the answer.
        failed: Knows where the answer began, and keeps what is to be asked anew.
        clock: Time.
    """

    def __init__(
        self, turns: Course, conversation: Conversation, failed: FailedRequest, clock: Clock
    ) -> None:
        self._turns = turns
        self._conversation = conversation
        self._failed = failed
        self._nap = Nap(clock)
        self._task: asyncio.Task[bool] | None = None
        self._anew = False

    @property
    def running(self) -> bool:
        """True while attempts go on."""
        return self._task is not None and not self._task.done()

    async def run(self) -> bool:
        """Try for a while; True when the answer was taken up. Who waits already tries at once."""
        self.begin()
        self._nap.wake()
        assert self._task is not None
        return await asyncio.shield(self._task)

    def begin(self, *, anew: bool = False) -> None:
        """Try for a while, beside everything else.

        Args:
            anew: Another answer broke off than the one that is being tried.
        """
        if self.running:
            self._anew = self._anew or anew
            if anew:
                self._nap.wake()
        else:
            self._task = asyncio.ensure_future(self._attempts())

    def close(self) -> None:
        """Try no more."""
        if self._task is not None:
            self._task.cancel()

    async def resume(self) -> bool:
        """Take up a running answer, once; True when there was one."""
        turns = self._turns
        last = history.last_assistant(self._conversation.messages)
        goes_on = last is not None and (history.is_open(last) or bool(turns.desk.choices))
        if turns.busy or (turns.person_is_asked() and not goes_on):
            # An answer that asks a person has come to its end.
            return False
        plan = Plan(RESUME, turns.options, message=last if goes_on else None)
        if last is not None:
            known = self._failed.base_of(last)
            guess = history.response_base(last, turns.desk.ours)
            plan.base = guess if known is None else known
        await turns.wait_for(turns.runner.start(plan))
        return turns.last_end is not None and turns.last_end.answered

    def miss(self) -> None:
        """Nobody gives the rest of an answer that was cut off: say so, and offer to ask anew."""
        conversation, turns = self._conversation, self._turns
        if turns.busy or turns.desk.choices or turns.person_is_asked():
            return
        last = history.last_assistant(conversation.messages)
        if last is not None:
            self._failed.keep(last, history.response_base(last, turns.desk.ours), turns.options)
        if conversation.error is None:
            conversation.error = InterruptedStreamError(
                "The page was left before the answer was complete."
            )
        turns.refresh()

    async def _attempts(self) -> bool:
        turns = self._turns
        error, reached = turns.error, self._reached()
        waits = iter(BACK_OFF)
        while self._broken():
            if turns.error is not error:
                # An answer broke off anew: the one taken up, or one asked for meanwhile.
                error, come = turns.error, self._reached()
                if self._anew or come > reached:
                    waits, reached = iter(BACK_OFF), come
            self._anew = False
            seconds = next(waits, None)
            if seconds is None:
                return False
            if seconds:
                await self._nap.sleep(seconds)
            if turns.error is not error:
                continue
            if not await self.resume():
                if not self._unreachable():
                    return False
            elif not self._broken():
                return True
        return False

    def _broken(self) -> bool:
        return isinstance(self._turns.error, _BROKEN)

    def _unreachable(self) -> bool:
        end = self._turns.last_end
        return end is not None and isinstance(end.error, NetworkError)

    def _reached(self) -> int:
        """How much of the answer has come."""
        last = history.last_assistant(self._conversation.messages)
        return len(dumps(last.to_wire())) if last is not None else 0
