"""The `call` that a tool's card draws with and answers through.

    def card(call, url):
        return button("Open", on_click=lambda event: call.add_result({"opened": url}))

One handle per call id; it stays the same object while the call changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Protocol

    class HandleOwner(Protocol):
        """What a handle needs of the engine."""

        @property
        def toolkit(self) -> Any:
            """The tools, and the views of their Tool UIs."""
            ...

        def answer(self, handle: CallHandle, value: Any) -> bool:
            """Settles a waiting call with a result."""
            ...

        def refuse(self, handle: CallHandle, text: str) -> bool:
            """Settles a waiting call with an error."""
            ...

        def resume(self, handle: CallHandle, payload: Any) -> bool:
            """Answers `ctx.human`."""
            ...

        def respond(self, handle: CallHandle, response: dict[str, Any]) -> Any:
            """Answers the server's approval gate."""
            ...


_SYNCED = (
    "args",
    "args_text",
    "state",
    "result",
    "artifact",
    "error_text",
    "is_preliminary",
    "approval",
    "gate",
    "interrupt",
    "started_at",
    "ended_at",
)


class CallHandle:
    """One call, live.

    Attributes:
        tool_call_id: The id on the wire.
        tool_name: The tool's name.
        args: The arguments so far; complete once `state` is past `input-streaming`.
        args_text: The arguments as text, as they came.
        state: The state on the wire, as in `input-available`.
        result: The result, also a preliminary one; None before there is any.
        is_error: Whether the call failed.
        is_preliminary: Whether `result` may still change.
        error_text: What went wrong, or None.
        artifact: What the tool left for the view, or None.
        interrupt: `{"type": "human", "payload": ...}` while `ctx.human` waits, `{"type":
            "suspend", "payload": ..., "schema": ...}` while the server's run does, else None.
        approval: The server's approval gate as on the wire, or None.
        gate: How the server's question stands: `none`, `open`, `granted`, `denied`,
            `expired`, `cancelled`. Only an open one takes an answer.
        cancelled: Whether the call was stopped.
        waiting: Whether `add_result` is taken now.
        revision: Counts changes.
        started_at: When it started, and `ended_at` when it ended: seconds since 1970, or None.
    """

    __slots__ = (
        "_owner",
        "approval",
        "args",
        "args_text",
        "artifact",
        "asking",
        "cancelled",
        "ended_at",
        "error_text",
        "gate",
        "interrupt",
        "is_error",
        "is_preliminary",
        "result",
        "revision",
        "started_at",
        "state",
        "tool_call_id",
        "tool_name",
        "waiting",
    )

    def __init__(self, owner: HandleOwner, tool_call_id: str, tool_name: str) -> None:
        self._owner = owner
        self.tool_call_id = tool_call_id
        self.tool_name = tool_name
        self.args: Any = {}
        self.args_text = ""
        self.state = "input-streaming"
        self.result: Any = None
        self.is_error = False
        self.is_preliminary = False
        self.error_text: str | None = None
        self.artifact: Any = None
        self.interrupt: dict[str, Any] | None = None
        self.approval: dict[str, Any] | None = None
        self.gate = "none"
        self.cancelled = False
        self.waiting = False
        self.asking = False
        self.revision = 0
        self.started_at: float | None = None
        self.ended_at: float | None = None

    @property
    def status(self) -> str:
        """`running`, `requires-action`, `complete` or `incomplete` (stopped)."""
        if self.cancelled:
            return "incomplete"
        if self.state in ("output-error", "output-denied"):
            return "complete"
        if self.state == "output-available" and not self.is_preliminary:
            return "complete"
        if self.interrupt or self.waiting or self.asking or self.gate == "open":
            return "requires-action"
        return "running"

    def sync(self, part: Any) -> None:
        """Takes over what a message's tool part says; counts as a change only if it is one."""
        before = [getattr(self, name) for name in _SYNCED]
        self.args = part.input if part.input is not None else {}
        self.args_text = part.args_text or ""
        self.state = part.state
        card = part.card
        self.result = card.get("result", part.output)
        self.artifact = card.get("artifact")
        self.started_at, self.ended_at = part.ran or (None, None)
        self.error_text = part.error_text
        self.is_error = part.state in ("output-error", "output-denied")
        self.is_preliminary = bool(part.preliminary)
        self.approval = part.question
        self.gate = part.gate
        pause = part.suspension
        self.interrupt = None
        if pause is not None and not pause.approval and part.asks_person:
            self.interrupt = {"type": "suspend", "payload": pause.payload, "schema": pause.schema}
        if before != [getattr(self, name) for name in _SYNCED]:
            self.revision += 1

    def add_result(self, value: Any) -> bool:
        """Answers a human tool's call; the first answer counts.

        Returns:
            Whether it was taken. False when the call is settled or not waiting.

        Raises:
            UnsendableValueError: When the value cannot travel as JSON.
        """
        return self._owner.answer(self, value)

    def add_error(self, text: str) -> bool:
        """Answers a human tool's call with an error the model can read."""
        return self._owner.refuse(self, text)

    def resume(self, payload: Any = None) -> bool:
        """Answers `await ctx.human(...)`: the payload is what it returns.

        A suspended run of the server's is answered like this too; it must be JSON then.

        Raises:
            AnswerError: The server's run waits for something else.
        """
        return self._owner.resume(self, payload)

    def respond_to_approval(
        self,
        approved: bool | None = None,
        *,
        reason: str | None = None,
        option_id: str | None = None,
        text: str | None = None,
        answers: dict[str, Any] | None = None,
    ) -> Any:
        """Answers the server's approval gate, in whichever way the gate takes.

        Raises:
            LookupError: No gate is open.
            AnswerError: The gate does not take that.
        """
        answer = {
            "approved": approved,
            "reason": reason,
            "optionId": option_id,
            "text": text,
            "answers": answers,
        }
        return self._owner.respond(
            self, {key: value for key, value in answer.items() if value is not None}
        )

    def view(self, tag: str) -> Any:
        """The function that draws a Tool UI of this tag, or None."""
        return self._owner.toolkit.view_of(tag)
