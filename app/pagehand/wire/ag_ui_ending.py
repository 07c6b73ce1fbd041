"""How an AG-UI run ends, and the questions to a person that it may end with.

A run that waits for a person ends with interrupts. One that asks for a plain yes or no is an
approval; any other waits for data of the shape it describes. Both become what the UI message
stream has for them, so everything after the codec treats them alike.
Source: AG-UI 1.0, `RUN_FINISHED.outcome`; `metadata.mastra` as `@ag-ui/mastra` writes it, which
our own backend writes under `metadata.pagehand`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pagehand.wire.chunks import Chunk, Data, Json, JsonObject, ToolApprovalRequest

INTERRUPTS = "ag-ui-interrupts"
"""Name of the data part that keeps the open interrupts of the last run."""

SUSPENDED = "tool-call-suspended"
"""Name of the data part that asks for data, as Mastra's own streams name it."""

_APPROVALS = ("tool_call", "confirmation")


class Ending:
    """The outcome of a run.

    Attributes:
        cancelled: It was stopped on purpose.
        interrupts: What it waits for.
        pending: Ids of the calls that the client must answer, if it names them.
        reason: The finish reason, if it tells one.
        metadata: What the message keeps of it, `{"ag-ui": {"result", "usage"}}`, or None.
    """

    def __init__(self, event: JsonObject) -> None:
        outcome = event.get("outcome")
        outcome = outcome if isinstance(outcome, dict) else {}
        kind = outcome.get("type")
        self.cancelled = kind == "cancelled"
        self.interrupts: list[JsonObject] = []
        if kind == "interrupt":
            self.interrupts = [i for i in _objects(outcome.get("interrupts")) if _text(i, "id")]
        ids = outcome.get("pendingToolCallIds")
        self.pending = [i for i in ids if isinstance(i, str)] if isinstance(ids, list) else []
        self.reason = _finish_reason(event)
        self.metadata = _metadata(event)


class Interrupt:
    """One question, with what can be known of the call it is about.

    Attributes:
        id: The interrupt's own.
        call_id: The call's; one made of `id` where the server names none.
        expires_at: When it ends, as the server writes it, or None.
        message: Words for the person, or "".
    """

    def __init__(self, raw: JsonObject) -> None:
        self.id = str(raw["id"])
        self.call_id = _text(raw, "toolCallId") or f"interrupt-{self.id}"
        self.expires_at = raw.get("expiresAt")
        self.message = _text(raw, "message")
        metadata = raw.get("metadata")
        told = _own(metadata if isinstance(metadata, dict) else {})
        self._told: JsonObject = told if isinstance(told, dict) else {}
        self._reason = _text(raw, "reason")
        schema = raw.get("responseSchema")
        self._schema = schema if isinstance(schema, dict) else None

    @property
    def tool_name(self) -> str:
        """The tool's name as the server tells it, else what kind of question this is."""
        told = self._told.get("toolName")
        return told if isinstance(told, str) and told else self._reason or "question"

    @property
    def arguments(self) -> Json:
        """The call's arguments as the server tells them."""
        arguments = self._told.get("args")
        return {} if arguments is None else arguments

    @property
    def is_approval(self) -> bool:
        """Whether a yes or no answers it."""
        if self._schema is not None:
            properties = self._schema.get("properties")
            approved = properties.get("approved") if isinstance(properties, dict) else None
            return isinstance(approved, dict) and approved.get("type") == "boolean"
        return self._reason in _APPROVALS or self._reason.endswith("tool_approval")

    def ask(self) -> Chunk:
        """The question, once its call is there."""
        if self.is_approval:
            descriptor: JsonObject = {"prompt": self.message} if self.message else {}
            if self.expires_at is not None:
                descriptor["expiresAt"] = self.expires_at
            return ToolApprovalRequest(
                self.id, self.call_id, descriptor or None, reason=self.message or None
            )
        payload = self._told.get("suspendPayload")
        if payload is None and self.message:
            payload = {"message": self.message}
        data: JsonObject = {
            "runId": self.id,
            "toolCallId": self.call_id,
            "toolName": self.tool_name,
            "suspendPayload": payload,
        }
        if self._schema is not None:
            data["resumeSchema"] = self._schema
        return Data(SUSPENDED, data, self.call_id)


def answers(interrupts: list[JsonObject], messages: list[JsonObject]) -> list[JsonObject]:
    """The `resume` entries for open interrupts: an answer for each, or that there will be none.

    Args:
        interrupts: As they came.
        messages: The conversation, as UIMessages.
    """
    parts = [part for message in messages for part in message.get("parts", ())]
    given: dict[str, Callable[[JsonObject], Json]] = {}
    for part in parts:
        approval, data = part.get("approval"), part.get("data")
        if part.get("state") == "approval-responded" and isinstance(approval, dict):
            given[str(approval.get("id"))] = _approved(approval)
        elif part.get("type") == f"data-{SUSPENDED}" and _is_answered(data):
            given[str(data["runId"])] = _said(data["resumeData"])
    entries: list[JsonObject] = []
    for interrupt in interrupts:
        entry: JsonObject = {"interruptId": interrupt["id"], "status": "cancelled"}
        answer = given.get(interrupt["id"])
        if answer is not None:
            entry |= {"status": "resolved", "payload": answer(interrupt)}
        entries.append(entry)
    return entries


def open_interrupts(messages: list[JsonObject]) -> list[JsonObject]:
    """The interrupts that the last run left, as the conversation keeps them."""
    for message in reversed(messages):
        for part in reversed(message.get("parts", ())):
            if part.get("type") == f"data-{INTERRUPTS}":
                return [i for i in _objects(part.get("data")) if _text(i, "id")]
    return []


def _approved(approval: JsonObject) -> Callable[[JsonObject], Json]:
    def answer(interrupt: JsonObject) -> Json:
        payload: JsonObject = {"approved": approval.get("approved") is True}
        schema = interrupt.get("responseSchema")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        takes = not isinstance(properties, dict) or "reason" in properties
        if approval.get("reason") and takes:
            payload["reason"] = approval["reason"]
        return payload

    return answer


def _own(metadata: JsonObject) -> Any:
    """What a server tells of the call: Mastra's bridge, or our own backend."""
    return metadata.get("mastra") or metadata.get("pagehand")


def _is_answered(data: Json) -> bool:
    return isinstance(data, dict) and "runId" in data and "resumeData" in data


def _said(value: Json) -> Callable[[JsonObject], Json]:
    return lambda interrupt: value


def _finish_reason(event: JsonObject) -> str | None:
    """What the server tells beyond the protocol: stop, length, tool-calls, content-filter ..."""
    metadata = event.get("metadata")
    for key in ("mastra", "pagehand"):
        told = metadata.get(key) if isinstance(metadata, dict) else None
        reason = told.get("finishReason") if isinstance(told, dict) else None
        if isinstance(reason, str):
            return reason
    return None


def _metadata(event: JsonObject) -> JsonObject | None:
    """What a message keeps of its run's end."""
    kept = {key: event[key] for key in ("result", "usage") if event.get(key) is not None}
    return {"ag-ui": kept} if kept else None


def _objects(value: Any) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(raw: JsonObject, key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""
