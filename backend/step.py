"""One step of a model as it comes: its calls checked, named uniquely, and kept as parts."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from backend.arguments import canonical, first_fault
from backend.history import History, is_call
from backend.models.port import Declaration, ModelError
from backend.parts import Part, as_text, tool_name
from pagehand.errors import MalformedEventError
from pagehand.wire.chunks import (
    Chunk,
    Error,
    Finish,
    ReasoningDelta,
    ReasoningEnd,
    TextDelta,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputError,
    ToolInputStart,
)
from pagehand.wire.jsontext import loads


class Step:
    """Takes the chunks of one step and gives back what may be sent.

    Args:
        history: All that was said, with the answer so far in its last message.
        tools: What was offered to the model.
        max_repeats: How often one call may be asked for since the user spoke.
    """

    def __init__(
        self, history: History, tools: Mapping[str, Declaration], max_repeats: int
    ) -> None:
        self.reason = "stop"
        self.usage: dict[str, int] = {}
        self.calls: list[Part] = []
        """The calls that can be run, in order."""
        self.named: list[tuple[str, str]] = []
        """The id each call came with, and the one it has here, in the order of the calls."""
        self.faulty: dict[str, str] = {}
        """What is wrong with the calls that cannot be run, by their id here."""
        self.outcomes = 0
        self.repeated = False
        self._tools = tools
        self._max_repeats = max_repeats
        self._used = {part["toolCallId"] for part in history.calls()}
        self._history = history
        self._asked: dict[str, int] | None = None  # counted when the first call comes
        self._ids: dict[str, str] = {}
        self._texts: dict[tuple[str, str], list[str]] = {}
        self._parts: list[Part] = []

    def take(self, chunk: Chunk) -> Iterable[Chunk]:
        """Take a chunk from the model; return what goes to the client.

        Raises:
            ModelError: The model itself reported an error.
        """
        kind = type(chunk)
        if kind is TextDelta:
            assert isinstance(chunk, TextDelta)
            self._add_text("text", chunk.id, chunk.delta)
            return (chunk,)
        take = _TAKES.get(kind)
        return (chunk,) if take is None else take(self, chunk)

    def parts(self) -> list[Part]:
        """The canonical parts of the step."""
        for part in self._parts:
            if isinstance(part.get("text"), list):
                part["text"] = "".join(part["text"])
        return [part for part in self._parts if part.get("text") != ""]

    def _add_text(self, kind: str, text_id: str, delta: str) -> None:
        pieces = self._texts.get((kind, text_id))
        if pieces is None:
            pieces = self._texts[(kind, text_id)] = []
            self._parts.append({"type": kind, "text": pieces})
        pieces.append(delta)

    def _reason(self, chunk: Any) -> tuple[Chunk, ...]:
        self._add_text("reasoning", chunk.id, chunk.delta)
        return (chunk,)

    def _end_reasoning(self, chunk: Any) -> tuple[Chunk, ...]:
        pieces = self._texts.pop(("reasoning", chunk.id), None)
        if chunk.provider_metadata and pieces is not None:
            part = next(p for p in self._parts if p.get("text") is pieces)
            part["providerMetadata"] = chunk.provider_metadata
        return (chunk,)

    def _start_call(self, chunk: Any) -> tuple[Chunk, ...]:
        return (_copy(chunk, tool_call_id=self._new_id(chunk.tool_call_id)),)

    def _write_call(self, chunk: Any) -> tuple[Chunk, ...]:
        return (_copy(chunk, tool_call_id=self._ids.get(chunk.tool_call_id, "")),)

    def _new_id(self, given: str) -> str:
        """The id a call gets here: the provider's own while nobody else has it."""
        call_id = given if given and given not in self._used else f"call_{secrets.token_hex(8)}"
        self._used.add(call_id)
        self._ids[given] = call_id
        return call_id

    def _end_call(self, chunk: Any) -> tuple[Chunk, ...]:
        return (self._call(chunk),)

    def _call(self, chunk: ToolInputAvailable | ToolInputError) -> Chunk:
        given = chunk.tool_call_id
        call_id = self._ids.pop(given, None)
        if call_id is None:
            call_id = self._new_id(given)
            del self._ids[given]
        arguments = parsed(chunk.input)
        self.named.append((given, call_id))
        if chunk.provider_executed:
            return _copy(chunk, tool_call_id=call_id)
        if isinstance(chunk, ToolInputError):
            fault = chunk.error_text
        else:
            fault = self._fault(chunk.tool_name, arguments)
        part: Part = {
            "type": f"tool-{tool_name(chunk.tool_name)}",
            "toolCallId": call_id,
            "state": "output-error" if fault else "input-available",
            "input": arguments if isinstance(arguments, dict) else {"text": as_text(arguments)},
        }
        self._parts.append(part)
        if fault:
            self.faulty[call_id] = part["errorText"] = fault
            return ToolInputError(call_id, chunk.tool_name, chunk.input, fault)
        self.calls.append(part)
        return _copy(chunk, tool_call_id=call_id, input=arguments)

    def _fault(self, name: str, arguments: object) -> str:
        """Why a call must not be announced; empty if it may."""
        if name not in self._tools:
            known = ", ".join(self._tools) or "none"
            return f"There is no tool of that name. The tools are: {known}."
        if not isinstance(arguments, dict):
            return "The arguments must be one JSON object, complete and valid."
        if fault := first_fault(self._tools[name]["inputSchema"], arguments):
            return f"{fault} Nothing was run. Call the tool again with arguments that fit."
        if self._asked is None:
            self._asked = asked_calls(self._history)
        key = call_key(name, arguments)
        self._asked[key] = self._asked.get(key, 0) + 1
        if self._asked[key] > self._max_repeats:
            self.repeated = True
            return (
                f"This call was made {self._max_repeats} times already with the same arguments. "
                "Use the results you have."
            )
        return ""

    def _finish(self, chunk: Any) -> tuple[Chunk, ...]:
        self.reason = chunk.finish_reason or "stop"
        if isinstance(chunk.message_metadata, dict):
            usage = chunk.message_metadata.get("usage", {})
            self.usage = {key: int(n) for key, n in usage.items() if isinstance(n, int)}
        return ()

    def _fail(self, chunk: Any) -> tuple[Chunk, ...]:
        raise ModelError(chunk.error_text)


_TAKES: dict[type[Chunk], Callable[[Step, Any], tuple[Chunk, ...]]] = {
    ReasoningDelta: Step._reason,
    ReasoningEnd: Step._end_reasoning,
    ToolInputStart: Step._start_call,
    ToolInputDelta: Step._write_call,
    ToolInputAvailable: Step._end_call,
    ToolInputError: Step._end_call,
    Finish: Step._finish,
    Error: Step._fail,
}
"""What happens to a chunk besides being passed on; a text's delta comes too often to look here."""


C = TypeVar("C", bound=Chunk)


def _copy(chunk: C, **changes: Any) -> C:
    """The chunk with other values; the same chunk if nothing differs."""
    if all(getattr(chunk, name) == value for name, value in changes.items()):
        return chunk
    values = {f.name: getattr(chunk, f.name) for f in chunk.fields}
    return type(chunk)(**{**values, **changes})


def parsed(value: object) -> object:
    """Arguments that came as text, parsed if they can be."""
    if not isinstance(value, str):
        return value
    try:
        return loads(value or "{}")
    except MalformedEventError:
        return value


def call_key(name: str, arguments: object) -> str:
    """The same for calls that ask for the same."""
    return f"{name} {canonical(arguments)}"


def asked_calls(history: History) -> dict[str, int]:
    """How often each call was made since the user spoke, by `call_key`."""
    counts: dict[str, int] = {}
    for message in history.since_user():
        for part in message["parts"]:
            if is_call(part):
                key = call_key(part["type"].removeprefix("tool-"), part["input"])
                counts[key] = counts.get(key, 0) + 1
    return counts
