"""What the host page is told: events on the element, whose detail is plain JSON.

They only tell. Nothing a listener does with one can confirm, approve or answer anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pagehand.browser.element import Shell

_OVER = ("ready", "error")


class HostEvents:
    """Watches a chat and tells the element.

    `pagehand:status` at each change, `pagehand:message` for a message that is complete,
    `pagehand:toolcall` for each new state of a call, `pagehand:error` for each failure.
    """

    def __init__(self, shell: Shell, chat: Any) -> None:
        self._shell = shell
        self._chat = chat
        self._told: set[str] = {message.id for message in chat.messages}
        self._states: dict[str, str] = {}
        self._error: Any = None
        self._running = False
        self._unsubscribe: Callable[[], None] = chat.subscribe(self._changed)

    def close(self) -> None:
        """Stops watching."""
        self._unsubscribe()

    def forget(self) -> None:
        """Another conversation was loaded: its messages are no news."""
        self._told = {message.id for message in self._chat.messages}
        for message in self._chat.messages:
            for part in message.tool_parts():
                self._states[part.tool_call_id] = part.state

    def _changed(self, change: Any) -> None:
        if change.loaded:
            self.forget()
            return
        if change.kind in ("message", "list"):
            self._tell_calls()
        if change.kind == "list":
            self._tell_messages(users_only=self._chat.status not in _OVER)
        if change.kind == "status":
            self._tell_status()

    def _tell_status(self) -> None:
        status = self._chat.status
        if status in _OVER:
            self._tell_messages(users_only=False)
        self._shell.set_status(status)
        error = self._chat.error
        if error is not None and error is not self._error:
            self._shell.emit("pagehand:error", described(error))
        self._error = error

    def _tell_messages(self, *, users_only: bool) -> None:
        for message in self._chat.messages:
            news = message.id not in self._told
            if news and not (users_only and message.role == "assistant"):
                self._told.add(message.id)
                self._shell.emit("pagehand:message", message.to_wire())

    def _tell_calls(self) -> None:
        if not self._chat.messages:
            return
        for part in self._chat.messages[-1].tool_parts():
            if self._states.get(part.tool_call_id) != part.state:
                self._states[part.tool_call_id] = part.state
                detail = {
                    "toolCallId": part.tool_call_id,
                    "toolName": part.tool_name,
                    "state": part.state,
                }
                self._shell.emit("pagehand:toolcall", detail)


def described(error: Any) -> dict[str, str]:
    """An error as the element's `error` property shows it."""
    return {"code": str(getattr(error, "code", "internal")), "message": str(error)}
