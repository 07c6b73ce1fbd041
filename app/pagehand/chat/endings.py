"""What becomes of an answer when its response has ended, well or not.

Whether the conversation goes on is decided elsewhere, afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagehand.chat import closing, notices
from pagehand.chat.exchange import ABORTED, FAILED, FINISHED, PAUSED, STOPPED
from pagehand.chat.request import RESUME

if TYPE_CHECKING:
    from pagehand.chat.calls import CallDesk
    from pagehand.chat.continuation import Continuation
    from pagehand.chat.conversation import Conversation
    from pagehand.chat.exchange import End
    from pagehand.chat.failed import FailedRequest
    from pagehand.chat.runner import Plan
    from pagehand.chat.server_questions import ServerQuestions
    from pagehand.chat.state import ResponseState


class Endings:
    """Winds responses up.

    Args:
        conversation: Holds the message, shows the notices.
        desk: Runs the calls that are left.
        continuation: Is told what it may go on from.
        questions: Those of the server, which may keep calls from running.
        failed: Remembers a request that failed.
    """

    def __init__(
        self,
        conversation: Conversation,
        desk: CallDesk,
        continuation: Continuation,
        questions: ServerQuestions,
        failed: FailedRequest,
    ) -> None:
        self._conversation = conversation
        self._desk = desk
        self._continuation = continuation
        self._questions = questions
        self._failed = failed

    def close(self, plan: Plan, state: ResponseState, end: End) -> None:
        """Put the message in order, run the calls that are left, remember what failed."""
        message = state.message
        well = end.kind in (FINISHED, PAUSED)
        closing.close_open_parts(message, state.base, interrupted=not well)
        if well:
            self._finish(state, end)
        else:
            self._break_off(plan, state, end)
        if plan.cut and not state.started:
            # Nothing came in its place: the old answer stays.
            self._conversation.put_back(plan.cut)
        if message in self._conversation.messages:
            self._conversation.touched(message)
            self._questions.watch()

    def _finish(self, state: ResponseState, end: End) -> None:
        """Run what is left to run, tell what is worth telling."""
        message, conversation = state.message, self._conversation
        self._failed.forget()
        self._continuation.note_end(message, paused=end.kind == PAUSED)
        left = [part for part in message.tool_parts(state.base) if part.runnable]
        if end.kind == PAUSED:
            left = [part for part in left if self._desk.ours(part)]
        left = [part for part in left if not self._desk.runs_elsewhere(part)]
        if not self._questions.hold(message, left, paused=end.kind == PAUSED):
            self._desk.run(message, left)
        if state.finish_reason in ("length", "content-filter"):
            conversation.note(notices.cut_short(state.finish_reason))
        elif not state.started and not state.base:
            conversation.note(notices.empty())

    def _break_off(self, plan: Plan, state: ResponseState, end: End) -> None:
        """After an error, an abort, an interruption or a stop nothing goes on by itself."""
        message, conversation = state.message, self._conversation
        self._continuation.block(message)
        texts = {STOPPED: closing.CANCELLED_BY_STOP, ABORTED: closing.ABORTED_BY_SERVER}
        closing.break_off(
            (p for p in message.tool_parts(state.base) if not self._desk.is_out(p)),
            texts.get(end.kind, closing.BROKEN_OFF),
        )
        message.touch()
        if end.kind != FAILED:
            return
        if plan.trigger == RESUME and not state.started and conversation.error is not None:
            # The answer broke off before, and that is still what there is to tell.
            return
        conversation.error = end.error
        self._failed.remember(plan, state, end.error)
