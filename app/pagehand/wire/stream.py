"""From the bytes of an answer to chunks: events, JSON and codec in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from pagehand.errors import MalformedEventError
from pagehand.wire.chunks import Chunk, Finish, UnknownChunk
from pagehand.wire.codec import Warn, decode_chunk
from pagehand.wire.jsontext import loads
from pagehand.wire.sniff import check_event, check_response
from pagehand.wire.sse import EVENT_LIMIT, SseDecoder

Codec: TypeAlias = Callable[[Any, Warn], list[Chunk]]
"""Reads one event's JSON object. Raises MalformedEventError for what it cannot read."""

_DONE = "[DONE]"
_MAX_WARNINGS = 50


def ui_codec(event: Any, warn: Warn) -> list[Chunk]:
    """The codec of the AI SDK UI Message Stream."""
    return [decode_chunk(event, warn)]


class ChunkReader:
    """Takes the bytes of one answer, gives its chunks.

    What cannot be read is passed over with a sentence in `warnings` (each kind once), and
    the rest is read on; `[DONE]` may stand anywhere.

    Attributes:
        finished: A `finish` chunk came. Without it the answer was cut off or is paused.
        done: The `[DONE]` event came.
        warnings: What was passed over or dropped, in sentences.
    """

    def __init__(
        self,
        *,
        content_type: str = "",
        status: int = 200,
        codec: Codec = ui_codec,
        limit: int = EVENT_LIMIT,
    ) -> None:
        self.finished = False
        self.done = False
        self.warnings: list[str] = []
        self._warned: set[str] = set()
        self._content_type = content_type
        self._status = status
        self._codec = codec
        self._events = SseDecoder(limit)
        self._head: bytes | None = b""  # what came, until it is clear that it is a stream
        self._first = True

    @property
    def comments(self) -> int:
        """Comment lines so far: signs of life between events."""
        return self._events.comments

    def feed(self, data: bytes) -> list[Chunk]:
        """Take the next bytes; return the chunks they complete.

        Raises:
            NotAStreamError: The answer is something else than this codec's stream.
            BufferLimitError: One event outgrew the limit.
        """
        if self._head is not None:
            self._head += data
            if not check_response(self._status, self._content_type, self._head):
                return []
            data, self._head = self._head, None
        return self._read(self._events.feed(data))

    def flush(self) -> list[Chunk]:
        """Take the end of the answer; return the chunks it completes.

        Raises:
            NotAStreamError: As for `feed`; also when nothing came at all.
            BufferLimitError: As for `feed`.
        """
        chunks: list[Chunk] = []
        if self._head is not None:
            check_response(self._status, self._content_type, self._head, complete=True)
            chunks = self._read(self._events.feed(self._head))
            self._head = None
        return chunks + self._read(self._events.flush(), at_end=True)

    def _read(self, events: list[str], *, at_end: bool = False) -> list[Chunk]:
        chunks: list[Chunk] = []
        for text in events:
            if text == _DONE:
                self.done = True
            elif text:
                try:
                    chunks += self._decode(text)
                except MalformedEventError as error:
                    if not at_end:  # there, an event cut in two is no fault of its own
                        kind = error.reason.partition(" (")[0]
                        self._warn(f"An event was passed over. {error}", kind)
        return chunks

    def _decode(self, text: str) -> list[Chunk]:
        event = loads(text)
        if not isinstance(event, dict):
            raise MalformedEventError("An event that is no JSON object", text[:40])
        if self._first:
            self._first = False
            if self._codec is ui_codec:
                check_event(event)
        chunks = self._codec(event, self._warn)
        for chunk in chunks:
            if type(chunk) is Finish:
                self.finished = True
            elif type(chunk) is UnknownChunk:
                self._warn(
                    f"An event of the unknown type {chunk.type[:40]!r} is kept but not shown."
                )
        return chunks

    def _warn(self, sentence: str, kind: str = "") -> None:
        """Note a sentence, unless one of its kind (default: itself) was noted before."""
        if len(self.warnings) < _MAX_WARNINGS and (kind or sentence) not in self._warned:
            self._warned.add(kind or sentence)
            self.warnings.append(sentence)
