"""The one place that decides whether a conversation goes on by itself.

The AI SDK's predicates are necessary here, not enough: at most one request for a completed
step, only for a step in which we answered something, never after an error, an abort, an
interruption or a stop, and not for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pagehand.chat import notices
from pagehand.chat.messages import Message
from pagehand.chat.notices import Notice
from pagehand.chat.predicates import (
    complete_with_approval_responses,
    complete_with_tool_calls,
)
from pagehand.chat.tool_part import APPROVAL_REQUESTED, APPROVAL_RESPONDED, ToolPart
from pagehand.wire.jsontext import dumps

StepKey = tuple[str, int, frozenset[tuple[str, str]]]

MAX_ROUNDS = 12
"""Automatic requests for one user message."""

MAX_REPEATS = 3
"""Times that one call with equal arguments runs for one user message."""


class Continuation:
    """Remembers what was sent and answered since the last user message.

    Args:
        max_rounds: Cap on automatic requests.
        max_repeats: Cap on runs of one call with equal arguments.
        is_terminal: Tells of a tool name that its answer needs no further word of the model.
    """

    def __init__(
        self,
        *,
        max_rounds: int = MAX_ROUNDS,
        max_repeats: int = MAX_REPEATS,
        is_terminal: Callable[[str], bool] = lambda name: False,
    ) -> None:
        self.max_rounds = max_rounds
        self.max_repeats = max_repeats
        self._is_terminal = is_terminal
        self._rounds = 0
        self._runs: dict[str, int] = {}
        self._submitted: set[StepKey] = set()
        self._answered: set[ToolPart] = set()
        self._blocked: set[str] = set()
        self._paused: set[str] = set()

    def begin_turn(self) -> None:
        """A person spoke: everything begins again."""
        self.go_on()
        self._answered.clear()

    def go_on(self) -> None:
        """A person asked to go on: the counters begin again."""
        self._rounds = 0
        self._runs.clear()
        self._submitted.clear()
        self._blocked.clear()

    def block(self, message: Message) -> None:
        """Never go on from this message by itself: it failed, broke off, or was stopped."""
        self._blocked.add(message.id)

    def note_end(self, message: Message, *, paused: bool) -> None:
        """A response for this message ended well; `paused`: the server waits for an answer."""
        self._blocked.discard(message.id)
        if paused:
            self._paused.add(message.id)
        else:
            self._paused.discard(message.id)

    def note_answer(self, part: ToolPart) -> None:
        """We gave this call its outcome, or its approval the answer."""
        self._answered.add(part)

    def may_run(self, part: ToolPart) -> bool:
        """Count a run of this call; False when it was repeated too often."""
        key = f"{part.tool_name} {dumps(_sorted(part.input))}"
        if self._runs.get(key, 0) >= self.max_repeats:
            return False
        self._runs[key] = self._runs.get(key, 0) + 1
        return True

    def decide(
        self, messages: Sequence[Message], *, after: str | None = None
    ) -> tuple[bool, Notice | None]:
        """Whether to send now, and what to tell when it ends here for a reason worth telling.

        Args:
            messages: The conversation.
            after: The finish reason, when a response has just ended; None for other moments.
        """
        tools = complete_with_tool_calls(messages)
        if not tools and not self._approvals_answered(messages):
            return False, None
        message = messages[-1]
        if message.id in self._blocked:
            return False, None
        step = message.tool_parts(message.last_step())
        if step_key(message) in self._submitted:
            return False, notices.no_progress() if after is not None else None
        answered = [part for part in step if part in self._answered]
        if not answered:
            return False, notices.step_limit() if after == "tool-calls" else None
        if tools and all(self._is_terminal(part.tool_name) for part in answered):
            return False, None
        if self._rounds >= self.max_rounds:
            return False, notices.rounds(self.max_rounds)
        return True, None

    def _approvals_answered(self, messages: Sequence[Message]) -> bool:
        if complete_with_approval_responses(messages):
            return True
        if not messages or messages[-1].id not in self._paused:
            return False
        # Mastra asks for one approval at a time and sends its other calls along, unanswered.
        message = messages[-1]
        states = [part.state for part in message.tool_parts(message.last_step())]
        return APPROVAL_RESPONDED in states and APPROVAL_REQUESTED not in states

    def note_sent(self, message: Message) -> None:
        """A continuation of this message leaves."""
        self._rounds += 1
        self._submitted.add(step_key(message))


def step_key(message: Message) -> StepKey:
    """What identifies a completed step: message, step, and its calls with their approvals."""
    start = message.last_step()
    calls = frozenset((part.tool_call_id, _gate(part)) for part in message.tool_parts(start))
    return message.id, message.step_number(start), calls


def _gate(part: ToolPart) -> str:
    if part.state != APPROVAL_RESPONDED or part.approval is None:
        return ""
    return str(part.approval.get("id", ""))


def _sorted(value: object) -> object:
    """The value with its keys in order, so that equal arguments give equal text."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value
