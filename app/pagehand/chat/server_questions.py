"""What a server asks a person before it goes on: approvals and suspended runs.

An answer closes the question and, when it was the last one of its step, the conversation goes
on. A question whose time is over ends without one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pagehand.chat import closing, history
from pagehand.chat.gates import Gate
from pagehand.chat.tool_part import APPROVAL_RESPONDED

if TYPE_CHECKING:
    from typing import Protocol

    from pagehand.chat.calls import CallDesk
    from pagehand.chat.continuation import Continuation
    from pagehand.chat.conversation import Conversation
    from pagehand.chat.messages import Message
    from pagehand.chat.tool_part import ToolPart
    from pagehand.engine.clock import Clock, Timer

    class Course(Protocol):
        """What goes on once a question is closed: the turns."""

        @property
        def desk(self) -> CallDesk:
            """The calls of this page."""
            ...

        @property
        def continuation(self) -> Continuation:
            """Is told what was answered."""
            ...

        def go_on(self, message: Message, **body: Any) -> object:
            """Continue an assistant's message."""
            ...

        def decide(self) -> None:
            """Go on by itself, if the step is complete now."""
            ...

        def refresh(self) -> None:
            """Find out the status."""
            ...

        def drain(self) -> None:
            """Send what waits."""
            ...


class ServerQuestions:
    """The open questions of a conversation.

    Args:
        turns: Goes on when they are answered.
        conversation: Holds the calls that ask.
        clock: Time.
    """

    def __init__(self, turns: Course, conversation: Conversation, clock: Clock) -> None:
        self._turns = turns
        self._conversation = conversation
        self._clock = clock
        self._timer: Timer | None = None
        self._given: list[tuple[Message, ToolPart]] = []

    def respond(self, message: Message, part: ToolPart, answer: dict[str, Any]) -> None:
        """A person answers an approval: `answer` as `Gate.answer` gives it."""
        if part.suspension is not None:
            said = {key: answer[key] for key in ("approved", "reason") if key in answer}
            self.resume(message, part, said)
            return
        part.respond(**answer)
        self._closed(message, part)

    def resume(self, message: Message, part: ToolPart, answer: Any) -> None:
        """A person answers a suspended run of the server's.

        Raises:
            AnswerError: The answer does not fit what the server waits for.
        """
        if part.suspension is not None:
            part.suspension.check(answer)
            part.suspension.take(answer)
            part.revision += 1
            self._given.append((message, part))
            self._closed(message, part)

    def send_given(self) -> bool:
        """Go on with the next suspended run that has its answer; True when there was one.

        An answer may come while a request is on its way, and waits for its end.
        """
        last = history.last_assistant(self._conversation.messages)
        for message, part in self._given:
            if message is last and self._resumes(part) and part in message.tool_parts():
                self._given.remove((message, part))
                assert part.suspension is not None
                self._turns.go_on(message, **part.suspension.body)
                return True
        return False

    def forget(self) -> None:
        """The person moves on: no answer leaves any more."""
        self._given.clear()

    def hold(self, message: Message, calls: list[ToolPart], *, paused: bool) -> bool:
        """Keep calls of this page from running where the server waits for a person's word.

        Args:
            message: Its last step asks, or asked and was answered before the response ended.
            calls: They stand beside the question, and their results would be lost.
            paused: Whether the server said that it waits.

        Returns:
            False when nothing is asked: the calls may run.
        """
        step = message.tool_parts(message.last_step())
        given = [part for _, part in self._given if self._resumes(part)]
        if not any(
            part in given
            or (part.asks_person and part.suspension is not None)
            or (paused and (part.asks_person or part.state == APPROVAL_RESPONDED))
            for part in step
        ):
            return False
        self._turns.desk.gate(calls)
        if not any(part.asks_person for part in step):
            self._turns.desk.settle_gated(message)
        return True

    def watch(self) -> None:
        """Questions may have come or gone: look again when the next one ends."""
        self.close()
        ends = [end for _, _, end in _open_gates(self._conversation.messages)]
        if ends:
            left = max(0.0, min(ends) - self._clock.now())
            self._timer = self._clock.call_later(left, self._ring)

    def close(self) -> None:
        """Stop looking."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @staticmethod
    def _resumes(part: ToolPart) -> bool:
        return part.pending and part.suspension is not None and part.suspension.answered

    def _closed(self, message: Message, part: ToolPart) -> None:
        turns = self._turns
        message.touch()
        turns.continuation.note_answer(part)
        self.watch()
        if not any(other.asks_person for other in message.tool_parts(message.last_step())):
            turns.desk.settle_gated(message)
        self._conversation.touched(message)
        turns.decide()

    def _ring(self) -> None:
        self._timer = None
        now = self._clock.now()
        for message, part, end in list(_open_gates(self._conversation.messages)):
            if end <= now:
                self._expire(message, part)
        self.watch()

    def _expire(self, message: Message, part: ToolPart) -> None:
        """Nobody answered in time. The server gave up, so nothing goes on by itself."""
        turns = self._turns
        closing.expire_call(part)
        message.touch()
        turns.desk.settle_gated(message)
        self._conversation.touched(message)
        turns.refresh()
        turns.drain()


def _open_gates(messages: Sequence[Message]) -> Iterator[tuple[Message, ToolPart, float]]:
    for message in messages[-1:]:
        for part in message.tool_parts():
            if part.approval is not None and part.asks_person:
                end = Gate(part.approval).expires_at
                if end is not None:
                    yield message, part, end
