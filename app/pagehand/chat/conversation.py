"""What a conversation holds, and who is told when it changes. No decisions are made here."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pagehand.chat.closing import (
    BROKEN_OFF,
    CANCELLED_BY_MESSAGE,
    cancel_pending,
    close_open_parts,
    has_open_parts,
)
from pagehand.chat.messages import Message, messages_from_wire
from pagehand.chat.notices import Notice
from pagehand.chat.request import TurnOptions
from pagehand.errors import ChatError

if TYPE_CHECKING:
    from pagehand.chat.state import ResponseState
    from pagehand.wire.chunks import JsonObject

_ID_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def new_id() -> str:
    """Sixteen letters and digits."""
    # `random` would load hashing and statistics for this one use.
    return "".join(_ID_LETTERS[byte % len(_ID_LETTERS)] for byte in os.urandom(16))


def report(text: str, error: Exception) -> None:
    """Tell the event loop's owner of a failure in code that is not ours.

    Raises:
        Exception: The failure itself, when no event loop runs.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise error from None
    loop.call_exception_handler({"message": text, "exception": error})


class Change:
    """What changed: `kind` is status, list, message, notice or engine.

    `loaded` tells that another conversation, or another state of it, was put in place: what it
    holds is no news.
    """

    __slots__ = ("kind", "loaded", "message_id")

    def __init__(self, kind: str, message_id: str | None = None, *, loaded: bool = False) -> None:
        self.kind = kind
        self.message_id = message_id
        self.loaded = loaded

    def __repr__(self) -> str:
        return f"<Change {self.kind} {self.message_id or ''}>"


class Queued:
    """A message that waits for its turn."""

    __slots__ = ("message", "options")

    def __init__(self, message: Message, options: TurnOptions) -> None:
        self.message = message
        self.options = options


class Conversation:
    """Messages, error, notices, queue, and the subscribers."""

    def __init__(self, chat_id: str, ids: Callable[[], str]) -> None:
        self.id = chat_id
        self.ids = ids
        self.messages: list[Message] = []
        self.error: ChatError | None = None
        self.notices: list[Notice] = []
        self.queue: list[Queued] = []
        self._subscribers: list[Callable[[Change], object]] = []

    def subscribe(self, fn: Callable[[Change], object]) -> Callable[[], None]:
        """Be told of changes; gives the function that ends it."""
        self._subscribers.append(fn)
        return lambda: self._subscribers.remove(fn) if fn in self._subscribers else None

    def changed(self, kind: str, message_id: str | None = None, *, loaded: bool = False) -> None:
        """Tell everybody. A view that fails at it breaks neither the others nor the chat."""
        change = Change(kind, message_id, loaded=loaded)
        for fn in tuple(self._subscribers):
            try:
                fn(change)
            except Exception as error:  # noqa: BLE001 -- the page's own code
                report("A view of the chat failed", error)

    def touched(self, message: Message) -> None:
        """Tell of a change in a message."""
        self.changed("message", message.id)

    def publish(self, state: ResponseState) -> None:
        """Show the message a response writes into: put it into the list, or tell of its change."""
        message = state.message
        if any(known is message for known in reversed(self.messages)):
            self.touched(message)
            return
        index = next((i for i, m in enumerate(self.messages) if m.id == message.id), None)
        if index is None:
            self._append(message)
        elif state.resumed and index == len(self.messages) - 1:
            self.messages[index] = message
        else:
            # Two messages of one id would be one to every view and to every store.
            message.id = self.ids()
            self._append(message)
        state.id_fixed = True
        self.changed("list", message.id)

    def _append(self, message: Message) -> None:
        """Another answer begins: what the one before left open gets no outcome any more."""
        for before in self.messages[-1:]:
            if cancel_pending([before], BROKEN_OFF):
                self.touched(before)
        self.messages.append(message)

    def put_back(self, messages: Sequence[Message]) -> None:
        """Add messages that were taken away."""
        self.messages.extend(messages)
        self.changed("list")

    def replace(self, messages: Sequence[JsonObject]) -> None:
        """Put other messages in place of these; what was open in them was cut off."""
        self.queue.clear()
        self.error = None
        self.drop_notices()
        self.messages[:] = messages_from_wire(messages, self.ids)
        for message in self.messages:
            if has_open_parts(message):
                close_open_parts(message, interrupted=True)
        # What was said after an open call or approval says that the person moved on.
        cancel_pending(self.messages[:-1], CANCELLED_BY_MESSAGE)

    def follow(self, messages: Sequence[JsonObject], start: int) -> None:
        """Put messages in place of those from `start` on, as another tab's chat has them now."""
        known = {message.id for message in self.messages[start:]}
        before = [message.id for message in self.messages]
        self.messages[start:] = messages_from_wire(messages, self.ids)
        if [message.id for message in self.messages] != before:
            self.changed("list")
        for message in self.messages[start:]:
            if message.id in known:
                self.touched(message)

    def unqueue(self, message_id: str) -> bool:
        """Take a waiting message back; True when it was there."""
        kept = [entry for entry in self.queue if entry.message.id != message_id]
        found = len(kept) != len(self.queue)
        self.queue[:] = kept
        if found:
            self.changed("list")
        return found

    def note(self, notice: Notice) -> None:
        """Show a notice, once."""
        if all(known.code != notice.code for known in self.notices):
            self.notices.append(notice)
            self.changed("notice")

    def drop_notices(self, code: str | None = None) -> None:
        """Take notices away: those of one code, or all."""
        kept = [] if code is None else [n for n in self.notices if n.code != code]
        if len(kept) != len(self.notices):
            self.notices = kept
            self.changed("notice")
