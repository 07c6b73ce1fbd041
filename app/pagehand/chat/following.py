"""One conversation in two tabs: a chat that only shows what another tab's chat does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pagehand.chat.conversation import Queued
from pagehand.chat.messages import messages_from_wire
from pagehand.chat.request import TurnOptions
from pagehand.errors import ChatError, HttpStatusError

if TYPE_CHECKING:
    from pagehand.chat.conversation import Conversation
    from pagehand.chat.turns import Turns
    from pagehand.wire.chunks import JsonObject


class Following:
    """The part of a `Chat` that follows."""

    _conversation: Conversation
    _turns: Turns

    @property
    def following(self) -> bool:
        """True while this only shows what another tab's chat does."""
        return self._turns.followed is not None

    def follow(
        self, messages: Sequence[JsonObject], *, start: int = 0, status: str, error: Any = None
    ) -> None:
        """Show another tab's chat; nothing runs and nothing leaves here until `lead`.

        What is said meanwhile waits in the queue.

        Args:
            messages: In wire form, in place of those from `start` on.
            start: How many messages stay as they are.
            status: That chat's.
            error: What `told_error` gave of that chat's error.
        """
        conversation, turns = self._conversation, self._turns
        if not self.following:
            turns.followed = status
            turns.leave(there=False)
            conversation.drop_notices()
        turns.followed = status
        conversation.follow(messages, start)
        shown, before = _error_of(error), turns.status
        another = told_error(shown) != told_error(conversation.error)
        if another:  # one that stays is not shown anew
            conversation.error = shown
        turns.refresh()
        if another and turns.status == before:
            conversation.changed("status")

    def wait_again(self, messages: Sequence[JsonObject]) -> None:
        """Put messages in wire form back into the queue, before those that came later."""
        waiting = messages_from_wire(messages, self._conversation.ids)
        queue = self._conversation.queue
        queue[:0] = [Queued(message, TurnOptions()) for message in waiting]
        self._conversation.changed("list")

    async def send_waiting(self) -> None:
        """Send the first message that waits, unless something goes on; it need not wait longer."""
        if not self._turns.busy:
            await self._turns.wait_for(self._turns.send_next())

    def _check_led(self) -> None:
        if self.following:
            raise ChatError("This conversation is open in another tab, which leads it.")


def told_error(error: ChatError | None) -> JsonObject | None:
    """An error as a tab tells it to those that follow."""
    if error is None:
        return None
    return {"code": error.code, "text": str(error), "status": getattr(error, "status", None)}


def _error_of(told: Any) -> ChatError | None:
    if not isinstance(told, dict):
        return None
    text, status = str(told.get("text", "")), told.get("status")
    error = HttpStatusError(text, status=status) if isinstance(status, int) else ChatError(text)
    error.code = str(told.get("code", error.code))
    return error
