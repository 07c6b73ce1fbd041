"""A call that the engine never saw: from a stored conversation, or run by the server."""

from __future__ import annotations

from typing import Any


class PastCall:
    """Looks like an engine's handle, and takes no answer.

    Args:
        part: The call in the message (`chat.tool_part.ToolPart`).
    """

    artifact = None
    interrupt = None
    started_at = None
    ended_at = None

    def __init__(self, part: Any) -> None:
        self._part = part
        self.tool_call_id: str = part.tool_call_id
        self.tool_name: str = part.tool_name
        self.args = part.input if part.input is not None else {}
        self.args_text: str = part.args_text
        self.state: str = part.state
        self.result = part.output
        self.is_error = part.state in ("output-error", "output-denied")
        self.is_preliminary: bool = part.preliminary
        self.error_text: str | None = part.error_text
        self.approval = part.approval
        self.cancelled: bool = part.cancelled
        self.revision: int = part.revision

    @property
    def status(self) -> str:
        """`running`, `requires-action`, `complete` or `incomplete`."""
        if self.cancelled:
            return "incomplete"
        if self._part.finished:
            return "complete"
        return "requires-action" if self.state == "approval-requested" else "running"

    waiting = False

    def add_result(self, value: Any) -> bool:
        """Nobody waits for it."""
        return False

    def add_error(self, text: str) -> bool:
        """Nobody waits for it."""
        return False

    def resume(self, payload: Any = None) -> bool:
        """Nobody waits for it."""
        return False
