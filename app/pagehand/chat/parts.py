"""The parts of a message, all but the tool calls (`chat.tool_part`).

A part counts its changes in `revision`: views compare numbers, never objects. `to_wire`
gives the JSON of a UIMessage part: a key that is not set is absent, never null.
Source of the keys: AI SDK 7, `UIMessage`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pagehand.chat.text import GrowingText

if TYPE_CHECKING:
    from pagehand.wire.chunks import JsonObject


class Part:
    """What all parts have in common."""

    __slots__ = ("revision",)

    type: str = ""

    def __init__(self) -> None:
        self.revision = 0

    def to_wire(self) -> JsonObject:
        """The part as it travels."""
        return {"type": self.type}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.to_wire()!r}>"


class _ProsePart(Part):
    """Streamed prose. `state` is `streaming`, `done`, or None for text that was never streamed.

    `interrupted` is ours alone and never travels: the text was cut off, not finished.
    """

    __slots__ = ("_text", "extra", "interrupted", "provider_metadata", "state")

    def __init__(
        self,
        text: str = "",
        state: str | None = None,
        provider_metadata: JsonObject | None = None,
        extra: JsonObject | None = None,
    ) -> None:
        super().__init__()
        self._text = GrowingText(text)
        self.state = state
        self.provider_metadata = provider_metadata
        self.extra = extra
        self.interrupted = False

    @property
    def text(self) -> str:
        """The whole text so far; joined on reading."""
        return self._text.value()

    @property
    def length(self) -> int:
        """How many characters `text` has, without joining it."""
        return self._text.length

    def since(self, offset: int) -> str:
        """The text after its first `offset` characters, for views that append."""
        return self._text.since(offset)

    def append(self, delta: str) -> None:
        """Add a piece."""
        self._text.append(delta)
        self.revision += 1

    def close(self, *, interrupted: bool = False) -> None:
        """No more will come. Closing twice does nothing."""
        if self.state != "streaming":
            return
        self._text.close()
        self.state = "done"
        self.interrupted = interrupted
        self.revision += 1

    def reopen(self) -> None:
        """Go on with a text that was cut off."""
        self.state = "streaming"
        self.interrupted = False
        self.revision += 1

    def to_wire(self) -> JsonObject:
        """The part as it travels."""
        wire: JsonObject = {**(self.extra or {}), "type": self.type, "text": self.text}
        if self.state is not None:
            wire["state"] = self.state
        if self.provider_metadata is not None:
            wire["providerMetadata"] = self.provider_metadata
        return wire


class TextPart(_ProsePart):
    """Words for the person. `citations` is what the server sent with the text's end."""

    __slots__ = ("citations",)

    type = "text"

    def __init__(
        self,
        text: str = "",
        state: str | None = None,
        provider_metadata: JsonObject | None = None,
        citations: list[Any] | None = None,
        extra: JsonObject | None = None,
    ) -> None:
        super().__init__(text, state, provider_metadata, extra)
        self.citations = citations

    def to_wire(self) -> JsonObject:
        """The part as it travels."""
        wire = super().to_wire()
        if self.citations is not None:
            wire["citations"] = self.citations
        return wire


class ReasoningPart(_ProsePart):
    """The model's own thoughts. `id` is the stream's, some servers want it back."""

    __slots__ = ("id",)

    type = "reasoning"

    def __init__(
        self,
        text: str = "",
        state: str | None = None,
        provider_metadata: JsonObject | None = None,
        id: str | None = None,
        extra: JsonObject | None = None,
    ) -> None:
        super().__init__(text, state, provider_metadata, extra)
        self.id = id

    def to_wire(self) -> JsonObject:
        """The part as it travels."""
        wire = super().to_wire()
        if self.id is not None:
            wire["id"] = self.id
        return wire


class StepStartPart(Part):
    """The border between two steps."""

    __slots__ = ()

    type = "step-start"


class _RecordPart(Part):
    """A part that arrives whole. `keys` maps attributes to keys of the wire."""

    __slots__ = ("extra", "provider_metadata")

    keys: ClassVar[dict[str, str]] = {}

    def __init__(self, extra: JsonObject | None = None, **values: Any) -> None:
        super().__init__()
        self.extra = extra
        self.provider_metadata: JsonObject | None = values.pop("provider_metadata", None)
        for name in self.keys:
            setattr(self, name, values.pop(name, None))
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")

    def to_wire(self) -> JsonObject:
        """The part as it travels."""
        wire: JsonObject = {**(self.extra or {}), "type": self.type}
        for name, key in self.keys.items():
            value = getattr(self, name)
            if value is not None:
                wire[key] = value
        if self.provider_metadata is not None:
            wire["providerMetadata"] = self.provider_metadata
        return wire


class FilePart(_RecordPart):
    """A file; `url` is often a data URL."""

    __slots__ = ("filename", "media_type", "url")

    type = "file"
    keys: ClassVar = {"media_type": "mediaType", "url": "url", "filename": "filename"}

    media_type: str
    url: str
    filename: str | None


class SourceUrlPart(_RecordPart):
    """A web page the answer stands on."""

    __slots__ = ("source_id", "title", "url")

    type = "source-url"
    keys: ClassVar = {"source_id": "sourceId", "url": "url", "title": "title"}

    source_id: str
    url: str
    title: str | None


class SourceDocumentPart(_RecordPart):
    """A document the answer stands on."""

    __slots__ = ("filename", "media_type", "source_id", "title")

    type = "source-document"
    keys: ClassVar = {
        "source_id": "sourceId",
        "media_type": "mediaType",
        "title": "title",
        "filename": "filename",
    }

    source_id: str
    media_type: str
    title: str
    filename: str | None


class DataPart(Part):
    """Data of the application. Parts of one name and id are one part: later data replaces it.

    `shown` is what is to be seen: `data`, or newer transient data, which is never kept. A part
    that is `transient` altogether does not travel.
    """

    __slots__ = ("_shown", "data", "id", "name", "transient")

    def __init__(
        self, name: str, data: Any, id: str | None = None, *, transient: bool = False
    ) -> None:
        super().__init__()
        self.name = name
        self.data = data
        self.id = id
        self.transient = transient
        self._shown: tuple[Any] | None = None

    @property
    def shown(self) -> Any:
        """What is to be seen now."""
        return self.data if self._shown is None else self._shown[0]

    def show(self, data: Any) -> None:
        """Transient data takes the place of what is seen."""
        self._shown = (data,)

    def replace(self, data: Any) -> None:
        """New data, to be kept."""
        self.data = data
        self.transient = False
        self._shown = None

    @property
    def type(self) -> str:  # type: ignore[override]
        """`data-NAME`."""
        return f"data-{self.name}"

    def to_wire(self) -> JsonObject:
        """The part as it travels."""
        wire: JsonObject = {"type": self.type}
        if self.id is not None:
            wire["id"] = self.id
        wire["data"] = self.data
        return wire


def card_id(data: Any) -> str | None:
    """The id inside the data of a card (`{_tag, id, state}`), for senders that put it there."""
    if not isinstance(data, dict) or not isinstance(data.get("_tag"), str):
        return None
    id = data.get("id")
    return id if isinstance(id, str) else None


class OtherPart(Part):
    """A part kept as it came: `custom`, `reasoning-file`, `steering-message`, the unknown."""

    __slots__ = ("raw",)

    def __init__(self, raw: JsonObject) -> None:
        super().__init__()
        self.raw = raw

    @property
    def type(self) -> str:  # type: ignore[override]
        """The part's own type."""
        return str(self.raw.get("type", ""))

    def to_wire(self) -> JsonObject:
        """The part as it travels."""
        return dict(self.raw)
