"""Messages and the way from the wire to them and back.

    part = {"type": "text", "text": "Hi"}
    message = message_from_wire({"id": "u1", "role": "user", "parts": [part]})
    message.parts[0].text          # "Hi"
    message.to_wire()              # the same JSON again

`revision` counts every change of the message or of one of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pagehand.chat.parts import (
    DataPart,
    FilePart,
    OtherPart,
    Part,
    ReasoningPart,
    SourceDocumentPart,
    SourceUrlPart,
    StepStartPart,
    TextPart,
)
from pagehand.chat.suspensions import read_pause
from pagehand.chat.tool_part import INPUT_STREAMING, OUTPUT_ERROR, RANK, ToolPart
from pagehand.wire.chunks import JsonObject

__all__ = [
    "DataPart",
    "FilePart",
    "Message",
    "OtherPart",
    "Part",
    "ReasoningPart",
    "SourceDocumentPart",
    "SourceUrlPart",
    "StepStartPart",
    "TextPart",
    "ToolPart",
    "message_from_wire",
    "messages_from_wire",
    "part_from_wire",
    "user_message",
]

_ROLES = ("system", "user", "assistant")


class Message:
    """One message: `role` is system, user or assistant; `metadata` any JSON or None.

    `interrupted` is ours alone: the answer was cut off or stopped.
    """

    __slots__ = ("id", "interrupted", "metadata", "parts", "revision", "role")

    def __init__(
        self, id: str, role: str, parts: Iterable[Part] = (), metadata: Any = None
    ) -> None:
        self.id = id
        self.role = role
        self.parts: list[Part] = list(parts)
        self.metadata = metadata
        self.revision = 0
        self.interrupted = False

    def to_wire(self) -> JsonObject:
        """The UIMessage."""
        wire: JsonObject = {"id": self.id, "role": self.role}
        if self.metadata is not None:
            wire["metadata"] = self.metadata
        wire["parts"] = [
            part.to_wire()
            for part in self.parts
            if not (isinstance(part, DataPart) and part.transient)
        ]
        return wire

    @property
    def text(self) -> str:
        """The words of all its text parts, a blank line between them."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, TextPart))

    def last_step(self) -> int:
        """Index of the first part after the last step border; 0 without one."""
        for index in range(len(self.parts) - 1, -1, -1):
            if self.parts[index].__class__ is StepStartPart:
                return index + 1
        return 0

    def step_number(self, index: int) -> int:
        """How many step borders stand before the part at `index`."""
        return sum(part.__class__ is StepStartPart for part in self.parts[:index])

    def tool_parts(self, start: int = 0) -> list[ToolPart]:
        """The tool calls from the part at `start` on."""
        return [part for part in self.parts[start:] if isinstance(part, ToolPart)]

    def pause(self, part: DataPart) -> ToolPart | None:
        """Put a server's pause beside its call, the newest unfinished one of its id.

        Returns:
            The call, or None when the data is no pause or there is no such call.
        """
        pause = read_pause(part)
        if pause is None:
            return None
        for call in reversed(self.tool_parts()):
            if call.tool_call_id == pause.data["toolCallId"] and not call.finished:
                if not pause.approval or call.approval is None:
                    pause.take_over(call.suspension)
                    call.suspension = pause
                return call
        return None

    def touch(self) -> None:
        """Count a change."""
        self.revision += 1

    def __repr__(self) -> str:
        return f"<Message {self.to_wire()!r}>"


def user_message(id: str, text: str, files: Sequence[Any] = (), metadata: Any = None) -> Message:
    """What a person says; files come before the words.

    Args:
        id: Its id.
        text: May be empty when there are files.
        files: `FilePart` objects or file parts in wire form (`mediaType`, `url`, `filename`).
        metadata: Any JSON.
    """
    parts: list[Part] = [_file(file) for file in files]
    if text or not parts:
        parts.append(TextPart(text))
    return Message(id, "user", parts, metadata)


def messages_from_wire(wire: Sequence[Any], ids: Callable[[], str]) -> list[Message]:
    """Read UIMessages; a missing id, or one that is used twice, is replaced by a new one."""
    messages = [message_from_wire(item) for item in wire if isinstance(item, dict)]
    seen: set[str] = set()
    for message in messages:
        if not message.id or message.id in seen:
            message.id = ids()
        seen.add(message.id)
    return messages


def message_from_wire(wire: JsonObject) -> Message:
    """Read one UIMessage; a `content` string counts as its one text part."""
    role = wire.get("role")
    parts: list[Part] = []
    raw_parts = wire.get("parts")
    if isinstance(raw_parts, list):
        parts = [part_from_wire(raw) for raw in raw_parts if isinstance(raw, dict)]
    elif isinstance(wire.get("content"), str):
        parts = [TextPart(wire["content"])]
    message = Message(
        str(wire.get("id") or ""),
        role if role in _ROLES else "user",
        parts,
        wire.get("metadata"),
    )
    for part in parts:
        if isinstance(part, DataPart):
            message.pause(part)
    return message


def part_from_wire(raw: JsonObject) -> Part:
    """Read one part; a part that cannot be understood is kept as it is."""
    kind = raw.get("type")
    if not isinstance(kind, str):
        return OtherPart(dict(raw))
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(raw) or OtherPart(dict(raw))
    if kind.startswith("data-"):
        identifier = raw.get("id")
        return DataPart(kind[5:], raw.get("data"), _text_or_none(identifier))
    if kind.startswith("tool-"):
        return _read_tool(raw, kind[5:], dynamic=False) or OtherPart(dict(raw))
    return OtherPart(dict(raw))


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _extra(raw: JsonObject, known: Iterable[str]) -> JsonObject | None:
    extra = {k: v for k, v in raw.items() if k not in known and v is not None}
    return extra or None


_PROSE_KEYS = ("type", "text", "state", "providerMetadata", "citations", "id")


def _read_text(raw: JsonObject) -> Part | None:
    if not isinstance(raw.get("text"), str):
        return None
    state, metadata = _text_or_none(raw.get("state")), raw.get("providerMetadata")
    extra = _extra(raw, _PROSE_KEYS)
    return TextPart(raw["text"], state, metadata, raw.get("citations"), extra)


def _read_reasoning(raw: JsonObject) -> Part | None:
    if not isinstance(raw.get("text"), str):
        return None
    state, metadata = _text_or_none(raw.get("state")), raw.get("providerMetadata")
    extra = _extra(raw, _PROSE_KEYS)
    return ReasoningPart(raw["text"], state, metadata, _text_or_none(raw.get("id")), extra)


def _record(cls: type[FilePart | SourceUrlPart | SourceDocumentPart]) -> Callable[[Any], Part]:
    def read(raw: JsonObject) -> Part:
        values = {name: raw.get(key) for name, key in cls.keys.items()}
        known = ("type", "providerMetadata", *cls.keys.values())
        extra = _extra(raw, known)
        return cls(extra=extra, provider_metadata=raw.get("providerMetadata"), **values)

    return read


def _read_dynamic(raw: JsonObject) -> Part | None:
    name = raw.get("toolName")
    return _read_tool(raw, name, dynamic=True) if isinstance(name, str) else None


_TOOL_KEYS = {
    "type", "toolName", "toolCallId", "state", "input", "output", "errorText", "rawInput",
    "approval", "preliminary", "inputEncoding", "title", "providerExecuted", "toolMetadata",
    "callProviderMetadata", "resultProviderMetadata", "pagehand",
}  # fmt: skip


def _read_tool(raw: JsonObject, name: str, *, dynamic: bool) -> ToolPart | None:
    call_id, state = raw.get("toolCallId"), raw.get("state")
    if not isinstance(call_id, str) or state not in RANK:
        return None
    part = ToolPart(name, call_id, str(state), dynamic=dynamic)
    part.extra = _extra(raw, _TOOL_KEYS)
    part.title = _text_or_none(raw.get("title"))
    part.provider_executed = raw.get("providerExecuted")
    part.tool_metadata = raw.get("toolMetadata")
    part.call_provider_metadata = raw.get("callProviderMetadata")
    part.result_provider_metadata = raw.get("resultProviderMetadata")
    approval = raw.get("approval")
    part.approval = dict(approval) if isinstance(approval, dict) else None
    kept = raw.get("pagehand")
    part.kept = dict(kept) if isinstance(kept, dict) else None
    part.output = raw.get("output")
    part.preliminary = raw.get("preliminary") is True
    if state == OUTPUT_ERROR:
        part.error_text = _text_or_none(raw.get("errorText"))
    _read_input(part, raw)
    return part


def _read_input(part: ToolPart, raw: JsonObject) -> None:
    raw_input = raw.get("rawInput")
    if part.state == INPUT_STREAMING:
        part.input_encoding = _text_or_none(raw.get("inputEncoding"))
        if isinstance(raw_input, str):
            part.append_args(raw_input)
            part.revision = 0
        return
    if "input" in raw:
        part.set_input(raw["input"])
    if part.state == OUTPUT_ERROR:
        part.raw_input = raw_input


def _file(file: Any) -> Part:
    if isinstance(file, FilePart):
        return file
    return part_from_wire({"type": "file", **file})


_READERS: dict[str, Callable[[JsonObject], Part | None]] = {
    "text": _read_text,
    "reasoning": _read_reasoning,
    "step-start": lambda raw: StepStartPart(),
    "file": _record(FilePart),
    "source-url": _record(SourceUrlPart),
    "source-document": _record(SourceDocumentPart),
    "dynamic-tool": _read_dynamic,
}
