"""Remembers the request that failed, so that it can be made again without losing anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagehand.chat import closing, history
from pagehand.chat.request import RESUME, SUBMIT
from pagehand.chat.runner import Plan
from pagehand.errors import ChatError, HttpStatusError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.chat.conversation import Conversation
    from pagehand.chat.messages import Message
    from pagehand.chat.request import TurnOptions
    from pagehand.chat.state import ResponseState
    from pagehand.chat.tool_part import ToolPart
    from pagehand.engine.clock import Clock


class FailedRequest:
    """At most one.

    Args:
        conversation: Its messages are put in order before the next try.
        ours: Tells whether this page answers a call.
        clock: Time.
    """

    def __init__(
        self, conversation: Conversation, ours: Callable[[ToolPart], bool], clock: Clock
    ) -> None:
        self._conversation = conversation
        self._ours = ours
        self._clock = clock
        self._plan: Plan | None = None
        self._retry_at = 0.0

    def forget(self) -> None:
        """Another request was made."""
        self._plan = None

    def remember(self, plan: Plan, state: ResponseState, error: ChatError | None) -> None:
        """A request failed; `state` holds what came of it."""
        message = state.message
        wish = error.retry_after if isinstance(error, HttpStatusError) else None
        self._retry_at = self._clock.monotonic() + (wish or 0.0)
        if plan.trigger != RESUME:
            plan.answer, plan.base = message, state.base
            self._plan = plan
        elif state.started:
            self.keep(message, state.base, plan.options)

    def keep(self, message: Message, base: int, options: TurnOptions) -> None:
        """The answer that begins at `base` in this message was cut off; asking anew replaces it."""
        plan = Plan(SUBMIT, options, message=message if base else None)
        plan.answer, plan.base = message, base
        self._plan = plan

    def base_of(self, message: Message) -> int | None:
        """Where the failed answer began in this message, if it went into it."""
        return self._plan.base if self._plan is not None and self._plan.answer is message else None

    def take(self) -> Plan | None:
        """The plan for the next try: what the failed one left is taken away."""
        plan, self._plan = self._plan, None
        if plan is not None:
            plan = self._without_leftovers(plan)
            plan.delay = max(0.0, self._retry_at - self._clock.monotonic())
        return plan

    def _without_leftovers(self, plan: Plan) -> Plan:
        """Nothing that we answered goes with the leftovers."""
        messages = self._conversation.messages
        if plan.cut and messages[-len(plan.cut) :] == plan.cut:
            del messages[-len(plan.cut) :]
        message = plan.answer
        if message is None or message not in messages:
            return plan
        point = history.retry_point(message, plan.base, self._ours)
        del message.parts[point:]
        message.touch()
        if not message.parts:
            messages.remove(message)
            plan.message = plan.answer = None
        elif point > plan.base or plan.message is not None:
            closing.break_off(message.tool_parts(plan.base), closing.BROKEN_OFF)
            plan = Plan(SUBMIT, plan.options, message=message, message_id=message.id)
        self._conversation.changed("list")
        return plan
