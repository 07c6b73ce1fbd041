"""The answers a conversation takes from outside: to calls, approvals and left-over calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pagehand.chat import closing, history
from pagehand.chat.gates import Gate
from pagehand.chat.tool_part import ToolPart
from pagehand.engine.outcome import Failure, Output
from pagehand.errors import AnswerError, ChatError
from pagehand.wire.jsontext import dumps, loads

if TYPE_CHECKING:
    from pagehand.chat.conversation import Conversation
    from pagehand.chat.turns import Turns


class OpenQuestions:
    """The half of a `Chat` that answers what is open in it."""

    _conversation: Conversation
    _turns: Turns

    @property
    def pending_choices(self) -> list[ToolPart]:
        """Unanswered calls of a loaded conversation, for `run_pending` and `skip_pending`."""
        return self._turns.desk.choices

    def add_tool_output(self, tool_call_id: str, output: Any) -> None:
        """Give an open call its result: any JSON value.

        Raises:
            ChatError: There is no such call.
            UnsendableValueError: JSON cannot carry the value.
        """
        self._turns.answer(tool_call_id, Output(loads(dumps(output, "output"))))

    def add_tool_error(self, tool_call_id: str, error_text: str) -> None:
        """Give an open call an error that the model can read.

        Raises:
            ChatError: There is no such call.
        """
        self._turns.answer(tool_call_id, Failure(error_text))

    def add_tool_approval_response(
        self, approval_id: str, approved: bool, reason: str | None = None
    ) -> None:
        """Answer the server's question whether a call may run. A second answer does nothing.

        Raises:
            ChatError: Nobody asked that.
        """
        found = history.find_approval(self._conversation.messages, approval_id)
        if found is None:
            raise ChatError(f"There is no approval with the id {approval_id!r}.")
        if found[1].asks_person:
            answer: dict[str, Any] = {"approved": approved}
            if reason is not None:
                answer["reason"] = reason
            self._turns.questions.respond(*found, answer)

    def respond_to_approval(self, tool_call_id: str, response: dict[str, Any]) -> None:
        """Answer the approval of a call.

        Args:
            tool_call_id: The call.
            response: `approved` and perhaps `reason`; where the server asks for it an
                `optionId`, a `text`, or `answers` by the questions' ids.

        Raises:
            ChatError: The call does not ask.
            AnswerError: It does not take that answer, or it has one, or its time is over.
        """
        messages = self._conversation.messages
        found = history.find_pending(messages, tool_call_id) or history.find_call(
            messages, tool_call_id
        )
        approval = found[1].question if found is not None else None
        if found is None or approval is None:
            raise ChatError(f"The call {tool_call_id!r} asks for no approval.")
        self._turns.questions.respond(*found, Gate(approval).answer(response))

    def resume_call(self, tool_call_id: str, answer: Any) -> None:
        """Answer a run of the server's that is suspended at this call.

        Args:
            tool_call_id: The call.
            answer: Any JSON value, of the shape the server asked for.

        Raises:
            AnswerError: The call waits for nothing, or the answer does not fit.
            UnsendableValueError: JSON cannot carry the value.
        """
        found = history.find_pending(self._conversation.messages, tool_call_id)
        if found is None or found[1].suspension is None or not found[1].asks_person:
            raise AnswerError(f"The call {tool_call_id!r} does not wait for an answer any more.")
        self._turns.questions.resume(*found, loads(dumps(answer, "answer")))

    async def run_pending(self, ids: Sequence[str] | None = None) -> None:
        """Run unanswered calls of a loaded conversation: those named, or all."""
        message = history.last_assistant(self._conversation.messages)
        if message is not None:
            desk = self._turns.desk
            desk.run(message, desk.take_choices(ids))
            self._turns.refresh()

    def skip_pending(self, ids: Sequence[str] | None = None) -> None:
        """Answer unanswered calls of a loaded conversation with "skipped": those named, or all."""
        for part in self._turns.desk.take_choices(ids):
            self.add_tool_error(part.tool_call_id, closing.SKIPPED)
