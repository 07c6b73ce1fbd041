"""Questions to the person, one after another, each with an end.

    answer = await queue.ask(Confirmation(...))   # "granted", "denied", "expired", "cancelled"

Only the first of the queue is shown and counts down; the others wait for their
turn. The view draws `queue.open` and calls `confirmation.answer(True)`; it
must do so only for trusted events.
"""

from __future__ import annotations

from asyncio import Future, get_running_loop
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pagehand.engine.clock import Clock, Timer


class Confirmation:
    """One question.

    Attributes:
        tool_call_id: The call that asks; its tool is `tool_name`.
        title: What is about to happen, in one line.
        text: More words, or "".
        args: The real arguments, JSON: also those that the model left to their defaults.
        defaults: The names of those.
        risk: `safe`, `moderate` or `dangerous`.
        category: The tool's category.
        expires_at: Seconds since 1970 when it declines by itself; None while it waits its turn.
        can_remember: Whether `answer(True, remember=True)` makes sense.
    """

    def __init__(
        self,
        tool_call_id: str,
        tool_name: str,
        *,
        title: str,
        text: str = "",
        args: Any = None,
        defaults: Sequence[str] = (),
        risk: str = "safe",
        category: str = "other",
        can_remember: bool = True,
    ) -> None:
        self.tool_call_id = tool_call_id
        self.tool_name = tool_name
        self.title = title
        self.text = text
        self.args = args
        self.defaults = list(defaults)
        self.risk = risk
        self.category = category
        self.can_remember = can_remember
        self.expires_at: float | None = None
        self.remember = False
        self.reason: str | None = None
        self._answered: Future[str] | None = None

    @property
    def is_open(self) -> bool:
        """Whether it still takes an answer."""
        return self._answered is not None and not self._answered.done()

    def answer(self, yes: bool, *, remember: bool = False, reason: str | None = None) -> bool:
        """Answers; only exactly True grants.

        Args:
            yes: Whether the call may run.
            remember: With a yes: do not ask again for this tool in this conversation.
            reason: With a no: words for the model.

        Returns:
            Whether the answer was taken: the first one counts.
        """
        self.remember = remember and yes is True and self.can_remember
        self.reason = reason
        return self.end("granted" if yes is True else "denied")

    def end(self, outcome: str) -> bool:
        """Closes the question; returns whether it was open."""
        if self._answered is None or self._answered.done():
            return False
        self._answered.set_result(outcome)
        return True

    def open(self) -> Future[str]:
        """Makes it answerable. The answer is waited for before anything is shown."""
        if self._answered is None:
            self._answered = get_running_loop().create_future()
        return self._answered


class ConfirmationQueue:
    """The open questions, oldest first.

    Args:
        clock: Time.
        changed: Called with the call's id whenever the queue changes.

    Attributes:
        open: The questions that wait for an answer.
        seconds: How long a question stands before it declines.
    """

    def __init__(self, clock: Clock, changed: Callable[[str], None]) -> None:
        self.open: list[Confirmation] = []
        self.seconds = 30.0
        self._clock = clock
        self._changed = changed
        self._timer: Timer | None = None

    async def ask(self, confirmation: Confirmation, show: Callable[[Confirmation], None]) -> str:
        """Waits for the answer, or for the end of the time."""
        answered = confirmation.open()
        self.open.append(confirmation)
        if len(self.open) == 1:
            self._count_down()
        try:
            show(confirmation)
            self._changed(confirmation.tool_call_id)
            return await answered
        finally:
            confirmation.end("cancelled")
            first = self.open[0] is confirmation
            self.open.remove(confirmation)
            if first:
                self._count_down()
            self._changed(confirmation.tool_call_id)

    def _count_down(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self.open:
            return
        current = self.open[0]
        current.expires_at = self._clock.now() + self.seconds
        self._timer = self._clock.call_later(self.seconds, lambda: _expire(current))
        self._changed(current.tool_call_id)


def _expire(confirmation: Confirmation) -> None:
    confirmation.end("expired")
