"""Chunks to AG-UI events, in an order that AG-UI's own client verifies.

`backend.writer` does the same for the UI message stream, and the same holds here: whatever
happens in the agent, every content stands between its start and its end, everything is closed
before the run ends, and the run ends once, with `RUN_FINISHED` or `RUN_ERROR`.

What a person must answer becomes an interrupt; calls of the page stay without a result and are
named in `pendingToolCallIds`; what AG-UI has no word for travels as a CUSTOM event.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from backend.ag_ui_input import SUSPENDED
from pagehand.wire.chunks import (
    Abort,
    Chunk,
    Data,
    Error,
    Finish,
    FinishStep,
    JsonObject,
    MessageMetadata,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    ResetStep,
    Start,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputError,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)
from pagehand.wire.codec import encode_chunk
from pagehand.wire.jsontext import dumps
from pagehand.wire.sse import encode_event

VERSION = "1.0"

_DENIED = "The person denied this call. It did not run."
_APPROVAL = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["approved"],
}
_NOTHING = (Start, MessageMetadata, ResetStep)

Text = TextStart | TextDelta | TextEnd
Thought = ReasoningStart | ReasoningDelta | ReasoningEnd


class AgUiWriter:
    """Writes one run.

    Args:
        thread_id: Of the conversation, as it came.
        run_id: Of the run, as it came.
        known: Ids of the calls that stand in the conversation already.
        usage: Tokens, counted up while the run goes on.
    """

    headers: Mapping[str, str] = {
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no",
    }

    def __init__(
        self,
        thread_id: str,
        run_id: str,
        *,
        known: Iterable[str] = (),
        usage: Mapping[str, int] | None = None,
    ) -> None:
        self.finished = False
        self.failed = False
        self.calls: list[str] = []
        """Names of the calls announced, in order."""
        self._run = {"threadId": thread_id, "runId": run_id}
        self._known = frozenset(known)
        self._usage = usage if usage is not None else {}
        self._started = False
        self._cancelled = False
        self._message = ""  # the id of the present step's message
        self._words = False  # that message has words, or calls, so other words need another
        self._texts: dict[str, str] = {}  # id of an open text: of its message
        self._thoughts: dict[str, str] = {}
        self._open: dict[str, bool] = {}  # id of an open call: whether arguments came
        self._told: dict[str, tuple[str, Any]] = {}  # id of a call: its name and arguments
        self._pending: dict[str, None] = {}
        self._interrupts: list[JsonObject] = []

    def write(self, chunk: Chunk) -> bytes:
        """The bytes for a chunk: with what must stand before it, or none if it has no place."""
        if self.finished:
            return b""
        out: list[JsonObject] = []
        if not self._started:
            self._started = True
            out.append({"type": "RUN_STARTED", **self._run, "protocolVersion": VERSION})
        handler = _HANDLERS.get(type(chunk))
        if handler is not None:
            handler(self, chunk, out)
        elif not isinstance(chunk, _NOTHING):
            raw = encode_chunk(chunk)
            out.append({"type": "CUSTOM", "name": raw.pop("type"), "value": raw})
        return b"".join(encode_event(dumps(event)) for event in out)

    def fail(self, text: str) -> bytes:
        """The bytes that end the run with an error that a person may read."""
        return self.write(Error(text))

    def end(self) -> bytes:
        """The bytes that end a run whose agent forgot to."""
        return self.write(Finish("other"))

    # The run and its steps

    def _border(self, chunk: StartStep | FinishStep, out: list[JsonObject]) -> None:
        self._close(out)
        self._message = ""
        self._words = False

    def _close(self, out: list[JsonObject]) -> None:
        for message_id in self._texts.values():
            out.append({"type": "TEXT_MESSAGE_END", "messageId": message_id})
        for message_id in self._thoughts.values():
            out += _thought_end(message_id)
        for call_id in self._open:
            out.append({"type": "TOOL_CALL_END", "toolCallId": call_id})
        self._texts.clear()
        self._thoughts.clear()
        self._open.clear()

    def _error(self, chunk: Error, out: list[JsonObject]) -> None:
        self._close(out)
        self.failed = self.finished = True
        out.append({"type": "RUN_ERROR", "message": chunk.error_text})

    def _abort(self, chunk: Abort, out: list[JsonObject]) -> None:
        self._cancelled = True

    def _finish(self, chunk: Finish, out: list[JsonObject]) -> None:
        self._close(out)
        self.finished = True
        outcome: JsonObject = {"type": "success"}
        if self._cancelled:
            outcome = {"type": "cancelled"}
        elif self._interrupts:
            outcome = {"type": "interrupt", "interrupts": self._interrupts}
        elif self._pending:
            outcome["pendingToolCallIds"] = list(self._pending)
        event: JsonObject = {"type": "RUN_FINISHED", **self._run, "outcome": outcome}
        names = {"input": "inputTokens", "output": "outputTokens"}
        usage = {names[key]: count for key, count in self._usage.items() if key in names}
        if usage:
            event["usage"] = [usage]
        if chunk.finish_reason and not self._cancelled:
            event["metadata"] = {"pagehand": {"finishReason": chunk.finish_reason}}
        out.append(event)

    def _here(self) -> str:
        """The id of the present step's message."""
        self._message = self._message or f"msg_{secrets.token_hex(8)}"
        return self._message

    # Words

    def _text(self, chunk: Text, out: list[JsonObject]) -> None:
        if isinstance(chunk, TextEnd):
            message_id = self._texts.pop(chunk.id, None)
            if message_id is not None:
                out.append({"type": "TEXT_MESSAGE_END", "messageId": message_id})
            return
        if isinstance(chunk, TextStart) or chunk.id not in self._texts:
            self._text(TextEnd(chunk.id), out)
            if self._words:
                self._message = ""
            self._words = True
            self._texts[chunk.id] = self._here()
            start = {"messageId": self._texts[chunk.id], "role": "assistant"}
            out.append({"type": "TEXT_MESSAGE_START", **start})
        if isinstance(chunk, TextDelta) and chunk.delta:
            content = {"messageId": self._texts[chunk.id], "delta": chunk.delta}
            out.append({"type": "TEXT_MESSAGE_CONTENT", **content})

    def _thought(self, chunk: Thought, out: list[JsonObject]) -> None:
        if isinstance(chunk, ReasoningEnd):
            message_id = self._thoughts.pop(chunk.id, None)
            if message_id is not None:
                out += _thought_end(message_id)
                if chunk.provider_metadata:
                    out.append(_signed(message_id, chunk.provider_metadata))
            return
        if isinstance(chunk, ReasoningStart) or chunk.id not in self._thoughts:
            self._thought(ReasoningEnd(chunk.id), out)
            message_id = self._thoughts[chunk.id] = f"thought_{secrets.token_hex(8)}"
            out.append({"type": "REASONING_START", "messageId": message_id})
            start = {"messageId": message_id, "role": "reasoning"}
            out.append({"type": "REASONING_MESSAGE_START", **start})
        if isinstance(chunk, ReasoningDelta) and chunk.delta:
            content = {"messageId": self._thoughts[chunk.id], "delta": chunk.delta}
            out.append({"type": "REASONING_MESSAGE_CONTENT", **content})

    # Calls

    def _call_start(self, chunk: ToolInputStart, out: list[JsonObject]) -> None:
        self._start(chunk.tool_call_id, chunk.tool_name, out)

    def _start(self, call_id: str, name: str, out: list[JsonObject]) -> None:
        if call_id not in self._open:
            self._open[call_id] = False
            start = {"toolCallId": call_id, "toolCallName": name, "parentMessageId": self._here()}
            out.append({"type": "TOOL_CALL_START", **start})
            self._words = True

    def _call_delta(self, chunk: ToolInputDelta, out: list[JsonObject]) -> None:
        call_id, delta = chunk.tool_call_id, chunk.input_text_delta
        if call_id in self._open and delta:
            self._open[call_id] = True
            out.append({"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": delta})

    def _call(self, chunk: ToolInputAvailable | ToolInputError, out: list[JsonObject]) -> None:
        call_id = chunk.tool_call_id
        self._told[call_id] = (chunk.tool_name, chunk.input)
        if call_id not in self._known:
            self.calls.append(chunk.tool_name)
            self._start(call_id, chunk.tool_name, out)
            if not self._open.pop(call_id):
                text = chunk.input if isinstance(chunk.input, str) else dumps(chunk.input, "input")
                out.append({"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": text})
            out.append({"type": "TOOL_CALL_END", "toolCallId": call_id})
        if isinstance(chunk, ToolInputError):
            self._result(call_id, chunk.error_text, out, "output-error")
        elif not chunk.provider_executed:
            self._pending[call_id] = None

    def _output(self, chunk: ToolOutputAvailable, out: list[JsonObject]) -> None:
        if not chunk.preliminary:
            output = chunk.output
            text = output if isinstance(output, str) else dumps(output, "output")
            self._result(chunk.tool_call_id, text, out)

    def _output_error(self, chunk: ToolOutputError, out: list[JsonObject]) -> None:
        self._result(chunk.tool_call_id, chunk.error_text, out, "output-error")

    def _denied(self, chunk: ToolOutputDenied, out: list[JsonObject]) -> None:
        self._result(chunk.tool_call_id, _DENIED, out, "output-denied")

    def _result(self, call_id: str, text: str, out: list[JsonObject], state: str = "") -> None:
        if self._open.pop(call_id, None) is not None:
            out.append({"type": "TOOL_CALL_END", "toolCallId": call_id})
        self._pending.pop(call_id, None)
        event: JsonObject = {
            "type": "TOOL_CALL_RESULT",
            "messageId": f"result_{secrets.token_hex(8)}",
            "toolCallId": call_id,
            "content": text,
            "role": "tool",
        }
        if state:
            event["metadata"] = {"pagehand": {"state": state}}
        out.append(event)

    # Questions

    def _approval(self, chunk: ToolApprovalRequest, out: list[JsonObject]) -> None:
        self._ask(chunk.tool_call_id, chunk.approval_id, "tool_call", _APPROVAL, chunk.reason)

    def _data(self, chunk: Data, out: list[JsonObject]) -> None:
        if chunk.name != "tool-call-suspended" or not isinstance(chunk.data, dict):
            out.append({"type": "CUSTOM", "name": chunk.name, "value": chunk.data})
            return
        data = chunk.data
        call_id, schema = str(data.get("toolCallId")), data.get("resumeSchema")
        interrupt_id = f"{SUSPENDED}{data.get('runId')}"
        self._ask(call_id, interrupt_id, "input_required", schema, None)
        payload = data.get("suspendPayload")
        if payload is not None:
            self._interrupts[-1]["metadata"]["pagehand"]["suspendPayload"] = payload

    def _ask(
        self, call_id: str, interrupt_id: str, reason: str, schema: Any, message: str | None
    ) -> None:
        self._pending.pop(call_id, None)
        name, arguments = self._told.get(call_id, ("", {}))
        told = {"toolName": name, "args": arguments}
        interrupt: JsonObject = {
            "id": interrupt_id,
            "reason": reason,
            "toolCallId": call_id,
            "metadata": {"pagehand": told},
        }
        if message:
            interrupt["message"] = message
        if isinstance(schema, dict):
            interrupt["responseSchema"] = schema
        self._interrupts.append(interrupt)


def _thought_end(message_id: str) -> list[JsonObject]:
    kinds = ("REASONING_MESSAGE_END", "REASONING_END")
    return [{"type": kind, "messageId": message_id} for kind in kinds]


def _signed(message_id: str, metadata: JsonObject) -> JsonObject:
    value = {"entityId": message_id, "encryptedValue": dumps(metadata, "metadata")}
    return {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", **value}


_HANDLERS: dict[type[Chunk], Callable[[AgUiWriter, Any, list[JsonObject]], None]] = {
    StartStep: AgUiWriter._border,
    FinishStep: AgUiWriter._border,
    Error: AgUiWriter._error,
    Abort: AgUiWriter._abort,
    Finish: AgUiWriter._finish,
    TextStart: AgUiWriter._text,
    TextDelta: AgUiWriter._text,
    TextEnd: AgUiWriter._text,
    ReasoningStart: AgUiWriter._thought,
    ReasoningDelta: AgUiWriter._thought,
    ReasoningEnd: AgUiWriter._thought,
    ToolInputStart: AgUiWriter._call_start,
    ToolInputDelta: AgUiWriter._call_delta,
    ToolInputAvailable: AgUiWriter._call,
    ToolInputError: AgUiWriter._call,
    ToolOutputAvailable: AgUiWriter._output,
    ToolOutputError: AgUiWriter._output_error,
    ToolOutputDenied: AgUiWriter._denied,
    ToolApprovalRequest: AgUiWriter._approval,
    Data: AgUiWriter._data,
}
