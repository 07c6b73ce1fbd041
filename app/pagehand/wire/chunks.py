"""The chunks of the AI SDK UI Message Stream: one class for each thing that can arrive.

A class lists its fields once, with the wire's names in snake_case. From that one list
come its constructor (positional or by name), its comparison, and both directions of
`wire.codec`. The annotation is the rule of the field:

    str, bool, list, dict   the key must be there and hold that
    Json                    the key must be there; any JSON value, `None` is JSON's null
    ... = None              the key may be absent; `None` means absent and never travels as null

There are no generated methods and no dataclasses here: two dozen of them would cost a page
some 10 ms at start. `None` defaults stay on the class, so decoding sets only what arrived.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias, dataclass_transform

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list of JSON, dict of str to JSON."""

JsonObject: TypeAlias = dict[str, Any]


class Field:
    """One field of a chunk: its attribute, its key on the wire, and what it must hold.

    `kind` is the Python type to expect, or None for any JSON value.
    """

    __slots__ = ("key", "kind", "name", "required")

    def __init__(self, name: str, annotation: str, *, required: bool) -> None:
        head, *rest = name.split("_")
        self.name = name
        self.key = head + "".join(word.title() for word in rest)
        self.kind = _KINDS[annotation.removesuffix(" | None")]
        self.required = required


_KINDS: dict[str, type | None] = {
    "str": str,
    "bool": bool,
    "JsonObject": dict,
    "list[JsonObject]": list,
    "Json": None,
}


CHUNK_TYPES: dict[str, type[Chunk]] = {}
"""The class of each type on the wire; `data` stands for every `data-NAME`, "" for the unknown."""


@dataclass_transform()
class Chunk:
    """The base of all chunks. `type` is the wire's name for it."""

    type: ClassVar[str] = ""
    fields: ClassVar[tuple[Field, ...]] = ()
    _names: ClassVar[tuple[str, ...]] = ()
    _least: ClassVar[int] = 0

    def __init_subclass__(cls, type: str) -> None:
        cls.type = type
        cls.fields = tuple(
            Field(name, annotation, required=not hasattr(cls, name))
            for name, annotation in cls.__annotations__.items()
        )
        cls._names = tuple(field.name for field in cls.fields)
        cls._least = max((n for n, f in enumerate(cls.fields, 1) if f.required), default=0)
        CHUNK_TYPES[type] = cls

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not kwargs and self._least <= len(args) <= len(self._names):
            self.__dict__.update(zip(self._names, args, strict=False))
            return
        fields = self.fields
        if len(args) > len(fields):
            raise TypeError(f"{type(self).__name__} takes {len(fields)} values, got {len(args)}")
        values = dict(zip((field.name for field in fields), args, strict=False))
        if twice := values.keys() & kwargs.keys():
            raise TypeError(f"{type(self).__name__} got {', '.join(sorted(twice))} twice")
        values.update(kwargs)
        for field in fields:
            if field.required and field.name not in values:
                raise TypeError(f"{type(self).__name__} needs {field.name}")
        if extra := values.keys() - {field.name for field in fields}:
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(extra))}")
        self.__dict__.update(values)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in self.fields)

    __hash__ = None  # type: ignore[assignment]  # chunks hold lists and dicts

    def __repr__(self) -> str:
        values = ((f.name, getattr(self, f.name)) for f in self.fields)
        inner = ", ".join(f"{name}={value!r}" for name, value in values if value is not None)
        return f"{type(self).__name__}({inner})"


# The message and its steps


class Start(Chunk, type="start"):
    """The answer begins. `message_id` is the id the assistant's message has on the server."""

    message_id: str | None = None
    message_metadata: Json | None = None


class StartStep(Chunk, type="start-step"):
    """A step begins: one call of the model and what follows from it."""


class FinishStep(Chunk, type="finish-step"):
    """The step has ended."""


class ResetStep(Chunk, type="reset-step"):
    """The step is tried again: what it showed so far is void."""


class Finish(Chunk, type="finish"):
    """The answer has ended.

    `finish_reason` is one of stop, length, content-filter, tool-calls, error, interrupted, other.
    """

    finish_reason: str | None = None
    message_metadata: Json | None = None


class MessageMetadata(Chunk, type="message-metadata"):
    """Something about the message, to be merged into its metadata."""

    message_metadata: Json


class Abort(Chunk, type="abort"):
    """The server stopped before the end."""

    reason: str | None = None


class Error(Chunk, type="error"):
    """Something failed on the server. Further chunks may follow (Mastra)."""

    error_text: str


# Text and reasoning


class TextStart(Chunk, type="text-start"):
    """A text opens. Ids are unique inside one step only."""

    id: str
    provider_metadata: JsonObject | None = None


class TextDelta(Chunk, type="text-delta"):
    """A piece of an open text."""

    id: str
    delta: str
    provider_metadata: JsonObject | None = None


class TextEnd(Chunk, type="text-end"):
    """A text closes."""

    id: str
    citations: list[JsonObject] | None = None
    provider_metadata: JsonObject | None = None


class ReasoningStart(Chunk, type="reasoning-start"):
    """A piece of the model's reasoning opens."""

    id: str
    provider_metadata: JsonObject | None = None


class ReasoningDelta(Chunk, type="reasoning-delta"):
    """More of an open reasoning."""

    id: str
    delta: str
    provider_metadata: JsonObject | None = None


class ReasoningEnd(Chunk, type="reasoning-end"):
    """A reasoning closes."""

    id: str
    provider_metadata: JsonObject | None = None


# Whole parts


class Custom(Chunk, type="custom"):
    """A part that only one provider knows; `kind` is `provider.type`."""

    kind: str
    provider_metadata: JsonObject | None = None


class SourceUrl(Chunk, type="source-url"):
    """A web page the answer stands on."""

    source_id: str
    url: str
    title: str | None = None
    provider_metadata: JsonObject | None = None


class SourceDocument(Chunk, type="source-document"):
    """A document the answer stands on."""

    source_id: str
    media_type: str
    title: str
    filename: str | None = None
    provider_metadata: JsonObject | None = None


class File(Chunk, type="file"):
    """A file; `url` is often a data URL."""

    url: str
    media_type: str
    filename: str | None = None
    provider_metadata: JsonObject | None = None


class ReasoningFile(Chunk, type="reasoning-file"):
    """A file that belongs to the reasoning."""

    url: str
    media_type: str
    provider_metadata: JsonObject | None = None


class SteeringMessage(Chunk, type="steering-message"):
    """Words of the user put in between two steps."""

    id: str
    parts: list[JsonObject]


class Data(Chunk, type="data"):
    """Data of the application: `data-NAME` on the wire, `name` is NAME.

    With an `id` it replaces the part of the same name and id; `transient` data makes no part.
    """

    name: str
    data: Json
    id: str | None = None
    transient: bool | None = None


# Tool calls


class ToolInputStart(Chunk, type="tool-input-start"):
    """A call opens; its arguments follow. `input_encoding`: json (default) or text."""

    tool_call_id: str
    tool_name: str
    input_encoding: str | None = None
    provider_executed: bool | None = None
    provider_metadata: JsonObject | None = None
    tool_metadata: JsonObject | None = None
    dynamic: bool | None = None
    title: str | None = None


class ToolInputDelta(Chunk, type="tool-input-delta"):
    """A piece of the arguments' text."""

    tool_call_id: str
    input_text_delta: str


class ToolInputAvailable(Chunk, type="tool-input-available"):
    """The arguments are complete. May come without a start."""

    tool_call_id: str
    tool_name: str
    input: Json
    provider_executed: bool | None = None
    provider_metadata: JsonObject | None = None
    tool_metadata: JsonObject | None = None
    dynamic: bool | None = None
    title: str | None = None


class ToolInputError(Chunk, type="tool-input-error"):
    """The arguments cannot be used; `input` is what came."""

    tool_call_id: str
    tool_name: str
    input: Json
    error_text: str
    provider_executed: bool | None = None
    provider_metadata: JsonObject | None = None
    tool_metadata: JsonObject | None = None
    dynamic: bool | None = None
    title: str | None = None


class ToolOutputAvailable(Chunk, type="tool-output-available"):
    """The server ran the call. `preliminary`: a later output replaces this one."""

    tool_call_id: str
    output: Json
    provider_executed: bool | None = None
    provider_metadata: JsonObject | None = None
    tool_metadata: JsonObject | None = None
    dynamic: bool | None = None
    preliminary: bool | None = None


class ToolOutputError(Chunk, type="tool-output-error"):
    """The server ran the call and it failed."""

    tool_call_id: str
    error_text: str
    provider_executed: bool | None = None
    provider_metadata: JsonObject | None = None
    tool_metadata: JsonObject | None = None
    dynamic: bool | None = None


class ToolOutputDenied(Chunk, type="tool-output-denied"):
    """The call was denied and never ran."""

    tool_call_id: str


class ToolApprovalRequest(Chunk, type="tool-approval-request"):
    """The server asks a person before it runs the call. `rest` keeps what else it wrote."""

    approval_id: str
    tool_call_id: str
    approval_descriptor: Json | None = None
    input_schema_input: Json | None = None
    reason: str | None = None
    is_automatic: bool | None = None
    signature: str | None = None
    rest: JsonObject | None = None


class ToolApprovalResponse(Chunk, type="tool-approval-response"):
    """The answer to such a question, as the server took it."""

    approval_id: str
    approved: bool
    reason: str | None = None
    provider_executed: bool | None = None
    provider_metadata: JsonObject | None = None


class UnknownChunk(Chunk, type=""):
    """A chunk of a type this version does not know: kept whole in `raw`, and harmless.

    Its `type`, unlike that of the others, belongs to the object.
    """

    raw: JsonObject

    def __init__(self, type: str, raw: JsonObject) -> None:
        self.__dict__["type"] = type
        self.raw = raw
