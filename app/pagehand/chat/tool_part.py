"""One use of a tool inside a message, from its first argument character to its outcome.

States are the wire's, and they only move forward:

    input-streaming -> input-available -> approval-requested -> approval-responded
                    -> output-available | output-error | output-denied

Arguments are collected as text at a cost that does not grow with what came before; their
value is built when somebody looks at `input`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.chat.gates import CANCELLED, GRANTED, OPEN, state_of
from pagehand.chat.parts import Part
from pagehand.chat.text import GrowingText

if TYPE_CHECKING:
    from pagehand.chat.suspensions import Suspension
    from pagehand.wire.chunks import JsonObject

INPUT_STREAMING = "input-streaming"
INPUT_AVAILABLE = "input-available"
APPROVAL_REQUESTED = "approval-requested"
APPROVAL_RESPONDED = "approval-responded"
OUTPUT_AVAILABLE = "output-available"
OUTPUT_ERROR = "output-error"
OUTPUT_DENIED = "output-denied"

RANK = {
    INPUT_STREAMING: 0,
    INPUT_AVAILABLE: 1,
    APPROVAL_REQUESTED: 2,
    APPROVAL_RESPONDED: 3,
    OUTPUT_AVAILABLE: 4,
    OUTPUT_ERROR: 4,
    OUTPUT_DENIED: 4,
}
_FINAL = RANK[OUTPUT_AVAILABLE]

_LATEST = 8.64e12  # seconds since 1970: the last that a Date can hold

_PLAIN_KEYS = (
    ("title", "title"),
    ("provider_executed", "providerExecuted"),
    ("tool_metadata", "toolMetadata"),
    ("call_provider_metadata", "callProviderMetadata"),
    ("result_provider_metadata", "resultProviderMetadata"),
)


class ToolPart(Part):
    """A tool call.

    Attributes that never travel: `cancelled` (we settled it because the person moved on; a
    late real outcome may still replace that), `interrupted` (its stream broke off; a replay
    may open it again), `released` (the server announced it again after its approval, so it is
    ours to run), `early` (an outcome given before the arguments were complete), `suspension`
    (the server's run waits for data; it travels as a data part of its own).

    `kept` is this page's own note about the call, under the key `pagehand`: it is stored with
    the message and never posted.
    """

    __slots__ = (
        "_args",
        "_input",
        "_partial",
        "_seen",
        "approval",
        "call_provider_metadata",
        "cancelled",
        "dynamic",
        "early",
        "error_text",
        "extra",
        "has_input",
        "input_encoding",
        "interrupted",
        "kept",
        "output",
        "preliminary",
        "provider_executed",
        "raw_input",
        "released",
        "result_provider_metadata",
        "state",
        "suspension",
        "title",
        "tool_call_id",
        "tool_metadata",
        "tool_name",
    )

    def __init__(
        self, tool_name: str, tool_call_id: str, state: str = INPUT_STREAMING, *, dynamic: bool
    ) -> None:
        super().__init__()
        self.tool_name = tool_name
        self.tool_call_id = tool_call_id
        self.state = state
        self.dynamic = dynamic
        self.has_input = False
        self.output: Any = None
        self.error_text: str | None = None
        self.raw_input: Any = None
        self.approval: JsonObject | None = None
        self.preliminary = False
        self.input_encoding: str | None = None
        self.title: str | None = None
        self.provider_executed: bool | None = None
        self.tool_metadata: JsonObject | None = None
        self.call_provider_metadata: JsonObject | None = None
        self.result_provider_metadata: JsonObject | None = None
        self.extra: JsonObject | None = None
        self.cancelled = False
        self.interrupted = False
        self.released = False
        self.early: tuple[str, Any] | None = None
        self.suspension: Suspension | None = None
        self.kept: JsonObject | None = None
        self._input: Any = None
        self._args = GrowingText()
        self._partial: Any = None
        self._seen = 0

    @property
    def type(self) -> str:  # type: ignore[override]
        """`tool-NAME` or `dynamic-tool`."""
        return "dynamic-tool" if self.dynamic else f"tool-{self.tool_name}"

    # Arguments

    @property
    def args_text(self) -> str:
        """The arguments as text: as they streamed in, else written from `input`."""
        if self._args.length or not self.has_input:
            return self._args.value()
        from pagehand.wire.jsontext import dumps

        return dumps(self._input)

    @property
    def args_length(self) -> int:
        """How many characters of the arguments' text have streamed in."""
        return self._args.length

    def args_since(self, offset: int) -> str:
        """The streamed text of the arguments after its first `offset` characters."""
        return self._args.since(offset)

    @property
    def input(self) -> Any:
        """The arguments; while they stream, as much of them as can be read; None if nothing."""
        if self.has_input or self.state != INPUT_STREAMING:
            return self._input
        return self._partial_input()[0]

    def append_args(self, delta: str) -> None:
        """Add a piece of the arguments' text: O(len(delta))."""
        self._args.append(delta)
        self.revision += 1

    def restart_args(self) -> None:
        """Forget the arguments: they are sent again from their beginning."""
        self._args = GrowingText()
        self._partial = None
        self._seen = 0
        self.has_input = False
        self._input = None
        self.revision += 1

    def set_input(self, value: Any) -> None:
        """Set the final arguments."""
        self._input = value
        self.has_input = True
        self._partial = None
        self.raw_input = None
        self.input_encoding = None

    def keep_partial_input(self) -> None:
        """Make what could be read of the arguments their value: no more will come."""
        value, found = self._partial_input()
        if self._args.length:
            self.raw_input = self._args.value()
        if found:
            self._input = value
            self.has_input = True

    def _partial_input(self) -> tuple[Any, bool]:
        if self.input_encoding == "text":
            return self._args.value(), self._args.length > 0
        if not self._args.length:
            return None, False
        if self._partial is None:
            from pagehand.wire.partial_json import PartialJson

            self._partial = PartialJson()
            self._seen = 0
        if self._seen < self._args.length:
            self._partial.feed(self._args.since(self._seen))
            self._seen = self._args.length
        value, state = self._partial.value()
        return value, state in ("successful-parse", "repaired-parse")

    # State

    @property
    def rank(self) -> int:
        """How far the call is; larger is later."""
        return RANK[self.state]

    @property
    def finished(self) -> bool:
        """True when a final outcome is there."""
        return self.rank == _FINAL and not (self.state == OUTPUT_AVAILABLE and self.preliminary)

    @property
    def pending(self) -> bool:
        """True when somebody other than the server's provider still owes an outcome."""
        return not self.finished and not self.provider_executed

    @property
    def runnable(self) -> bool:
        """True when the arguments are complete and no gate stands before the call."""
        if self.provider_executed or self.suspension is not None:
            return False
        return self.state == INPUT_AVAILABLE or (
            self.state == APPROVAL_RESPONDED and self.released and self.approved is True
        )

    @property
    def approved(self) -> bool | None:
        """The answer to the approval, None without one."""
        answer = (self.approval or {}).get("approved")
        return answer if isinstance(answer, bool) else None

    @property
    def gate(self) -> str:
        """How the server's question stands; only an open one takes an answer.

        `none`, `open`, `granted`, `denied`, `expired` or `cancelled`.
        """
        question, pause = self.question, self.suspension
        state = state_of(question)
        if pause is not None and question is None:
            state = GRANTED if pause.answered else OPEN
        return CANCELLED if state == OPEN and self.finished else state

    @property
    def question(self) -> JsonObject | None:
        """The approval, also one that ended without an answer and travels no more."""
        if self.approval is not None:
            return self.approval
        if self.suspension is not None and self.suspension.approval:
            return self.suspension.question
        closed = (self.kept or {}).get("gate")
        return closed if isinstance(closed, dict) else None

    @property
    def card(self) -> JsonObject:
        """What only the call's card sees: `artifact`, and `result` where the model read less."""
        card = (self.kept or {}).get("card")
        return card if isinstance(card, dict) and self.state == OUTPUT_AVAILABLE else {}

    @property
    def ran(self) -> tuple[float, float] | None:
        """When this page began to run the call and when that ended: seconds since 1970."""
        ran = (self.kept or {}).get("ran")
        match ran if isinstance(ran, (list, tuple)) else ():
            case (int() | float() as began, int() | float() as ended):
                return (began, ended) if 0 < began <= ended < _LATEST else None
        return None

    @property
    def asks_person(self) -> bool:
        """True while the server waits for a person's word about this call."""
        return self.gate == OPEN

    def ask(self, approval: JsonObject) -> None:
        """The server asks before it goes on."""
        self.approval = approval
        self.state = APPROVAL_REQUESTED
        self.released = False
        self.suspension = None
        self.revision += 1

    def respond(self, approved: bool, reason: str | None = None, **answer: Any) -> None:
        """The approval is answered; everything the server put into it is kept."""
        approval: JsonObject = {**(self.approval or {}), **answer, "approved": approved}
        if reason is not None:
            approval["reason"] = reason
        self.approval = approval
        self.state = APPROVAL_RESPONDED
        self.revision += 1

    def close_gate(self, resolution: str) -> None:
        """An open question ends without an answer: `expired` or `cancelled`.

        It must not travel on: an unanswered one makes every later request invalid.
        """
        if self.approval is not None and self.approved is None:
            self.note(gate={**self.approval, "resolution": resolution})
            self.approval = None

    def note(self, **notes: Any) -> None:
        """Keep something about the call with it; None forgets it."""
        both = {**(self.kept or {}), **notes}
        self.kept = {key: value for key, value in both.items() if value is not None} or None
        self.revision += 1

    def finish_output(self, output: Any, *, preliminary: bool = False) -> None:
        """The call has a result. `preliminary`: another one will replace it."""
        self.state = OUTPUT_AVAILABLE
        self.output = output
        self.preliminary = preliminary
        self._settle()

    def finish_error(self, text: str) -> None:
        """The call failed."""
        self.state = OUTPUT_ERROR
        self.output = None
        self._settle()
        self.error_text = text

    def finish_denied(self) -> None:
        """The call was denied and never ran."""
        self.state = OUTPUT_DENIED
        self.output = None
        self._settle()

    def take_outcome(self, other: ToolPart) -> None:
        """Have the outcome that another part of the same call has."""
        self.note(card=other.card or None, ran=other.ran)
        if other.state == OUTPUT_AVAILABLE:
            self.finish_output(other.output)
        elif other.state == OUTPUT_ERROR:
            self.finish_error(other.error_text or "")

    def reopen(self) -> None:
        """A broken-off call is announced again."""
        self.state = INPUT_STREAMING
        self.interrupted = self.cancelled = False
        self.error_text = None
        self.raw_input = None
        self.note(card=None, ran=None)
        self.restart_args()

    def _settle(self) -> None:
        if self.state != OUTPUT_AVAILABLE:
            self.preliminary = False
        self.error_text = None
        self.cancelled = self.interrupted = False
        self.early = None
        self.revision += 1

    def to_wire(self) -> JsonObject:
        """The part as it travels."""
        wire: JsonObject = {**(self.extra or {}), "type": self.type}
        if self.dynamic:
            wire["toolName"] = self.tool_name
        wire["toolCallId"] = self.tool_call_id
        wire["state"] = self.state
        for name, key in _PLAIN_KEYS:
            value = getattr(self, name)
            if value is not None:
                wire[key] = value
        self._write_input(wire)
        if self.approval is not None:
            wire["approval"] = dict(self.approval)
        if self.kept:
            wire["pagehand"] = self.kept
        if self.state == OUTPUT_AVAILABLE:
            wire["output"] = self.output
            if self.preliminary:
                wire["preliminary"] = True
        elif self.state == OUTPUT_ERROR:
            wire["errorText"] = self.error_text or ""
        return wire

    def _write_input(self, wire: JsonObject) -> None:
        if self.state == INPUT_STREAMING:
            value, found = self._partial_input()
            if found:
                wire["input"] = value
            if self._args.length:
                wire["rawInput"] = self._args.value()
            if self.input_encoding is not None:
                wire["inputEncoding"] = self.input_encoding
            return
        if self.has_input or self.state != OUTPUT_ERROR:
            wire["input"] = self._input
        if self.state == OUTPUT_ERROR and self.raw_input is not None:
            wire["rawInput"] = self.raw_input
