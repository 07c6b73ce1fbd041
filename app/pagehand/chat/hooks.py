"""What the page wants to be told, and what happens when its own code fails at that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pagehand.chat.conversation import report
from pagehand.chat.exchange import ABORTED, FAILED, STOPPED, End
from pagehand.chat.messages import Message

if TYPE_CHECKING:
    from pagehand.errors import ChatError
    from pagehand.wire.chunks import Data


class Finished:
    """What `on_finish` is told about a response."""

    __slots__ = ("finish_reason", "is_abort", "is_disconnect", "is_error", "message", "messages")

    def __init__(
        self, message: Message, messages: list[Message], end: End, reason: str | None
    ) -> None:
        self.message = message
        self.messages = messages
        self.is_abort = end.kind in (STOPPED, ABORTED)
        self.is_disconnect = end.disconnected
        self.is_error = end.kind == FAILED
        self.finish_reason = reason


class Hooks:
    """Calls the page's functions.

    An exception in one of them never breaks the conversation: the event loop reports it, and
    `raise_first` gives it to whoever waits for the turn.
    """

    def __init__(
        self,
        on_data: Callable[[Data], object] | None,
        on_finish: Callable[[Finished], object] | None,
        on_error: Callable[[ChatError], object] | None,
        on_warning: Callable[[str], object] | None,
    ) -> None:
        self._on_data = on_data
        self._on_finish = on_finish
        self._on_error = on_error
        self._on_warning = on_warning
        self._first: Exception | None = None

    def data(self, chunks: list[Data]) -> None:
        """Data came."""
        for chunk in chunks:
            self._call(self._on_data, chunk)

    def finish(self, finished: Finished) -> None:
        """A response ended."""
        self._call(self._on_finish, finished)

    def error(self, error: ChatError) -> None:
        """A request failed."""
        self._call(self._on_error, error)

    def warn(self, sentences: list[str]) -> None:
        """Something in a stream was passed over."""
        for sentence in sentences:
            self._call(self._on_warning, sentence)

    def raise_first(self) -> None:
        """Raise what a hook raised, once."""
        error, self._first = self._first, None
        if error is not None:
            raise error

    def _call(self, hook: Callable[[Any], object] | None, value: object) -> None:
        if hook is None:
            return
        try:
            hook(value)
        except Exception as error:  # noqa: BLE001 -- the page's own code
            self._first = self._first or error
            report("A hook of the chat failed", error)
