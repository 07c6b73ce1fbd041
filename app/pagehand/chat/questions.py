"""The answers a conversation takes from outside: to calls, approvals and left-over calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pagehand.chat import closing, history
from pagehand.chat.tool_part import APPROVAL_REQUESTED, ToolPart
from pagehand.engine.outcome import Failure, Output
from pagehand.errors import ChatError

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
        from pagehand.wire.jsontext import dumps, loads

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
        if found[1].state == APPROVAL_REQUESTED:
            self._turns.respond(*found, approved, reason)

    def respond_to_approval(self, tool_call_id: str, response: dict[str, Any]) -> None:
        """Answer the approval of a call: `response` holds `approved` and perhaps `reason`.

        Raises:
            ChatError: The call does not ask.
        """
        found = history.find_pending(self._conversation.messages, tool_call_id)
        approval = found[1].approval if found is not None else None
        if approval is None:
            raise ChatError(f"The call {tool_call_id!r} asks for no approval.")
        approved, reason = response.get("approved") is True, response.get("reason")
        self.add_tool_approval_response(str(approval.get("id")), approved, reason)

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
