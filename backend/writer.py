"""Chunks to bytes, in an order every client of the UI Message Stream can read.

The writer is told what an agent yields and knows what is open, so whatever happens in the
agent the stream keeps the rules that the AI SDK's reducer insists on:

- every delta stands between its start and its end, and everything open is closed before the
  step ends, before an error, and before `finish`;
- texts and reasoning stand inside a step; what settles an earlier call may stand before it;
- `finish` always comes, with a reason, and after it `[DONE]` and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from json.encoder import encode_basestring

from pagehand.wire.chunks import (
    Abort,
    Chunk,
    Error,
    Finish,
    FinishStep,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    Start,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
    ToolApprovalRequest,
    ToolApprovalResponse,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputError,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)
from pagehand.wire.codec import encode_chunk
from pagehand.wire.jsontext import dumps, well_formed
from pagehand.wire.sse import encode_event

DONE = encode_event("[DONE]")
HEADERS = {
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "x-vercel-ai-ui-message-stream": "v1",
}
_BEFORE_STEP = (
    ToolInputAvailable,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
    ToolApprovalResponse,
)
"""What may stand before the first step: it belongs to calls of the message so far."""
_TOOL = frozenset(
    (*_BEFORE_STEP, ToolInputStart, ToolInputDelta, ToolInputError, ToolApprovalRequest)
)
_CONTROL = frozenset((StartStep, FinishStep, Error, Abort, Finish))

_TEXT = (TextStart, TextDelta, TextEnd)
_REASONING = (ReasoningStart, ReasoningDelta, ReasoningEnd)

_START_STEP, _FINISH_STEP = StartStep(), FinishStep()


class StreamWriter:
    """Writes one answer.

    Args:
        message_id: The id for `start`; None leaves it out, as a continuation of a message
            without an id must (a new id would make clients show a second message).
    """

    headers: Mapping[str, str] = HEADERS
    """What the answer's HTTP headers say about the form of the stream."""

    def __init__(self, message_id: str | None = None) -> None:
        self.finished = False
        self.failed = False
        self.calls: list[str] = []
        """Names of the calls announced, in order."""
        self._message_id = message_id
        self._started = False
        self._in_step = False
        self._texts: dict[str, None] = {}
        self._reasonings: dict[str, None] = {}
        self._arguments: set[str] = set()

    def write(self, chunk: Chunk) -> bytes:
        """The bytes for a chunk: with what must stand before it, or none if it has no place."""
        if type(chunk) is TextDelta and chunk.id in self._texts and not chunk.provider_metadata:
            # The path nearly every chunk takes; the same bytes as `_encode` makes, sooner.
            body = f'"id":{encode_basestring(chunk.id)},"delta":{encode_basestring(chunk.delta)}'
            return f'data: {{"type":"text-delta",{well_formed(body)}}}\n\n'.encode()
        if self.finished:
            return b""
        out: list[Chunk] = []
        if not self._started:
            self._started = True
            given = chunk.message_metadata if isinstance(chunk, Start) else None
            out.append(Start(message_id=self._message_id, message_metadata=given))
        if not isinstance(chunk, Start):
            self._place(chunk, out)
        data = b"".join(map(_encode, out))
        return data + DONE if self.finished else data

    def fail(self, text: str) -> bytes:
        """The bytes that end the stream with an error that a person may read."""
        return self.write(Error(text)) + self.write(Finish("error"))

    def end(self) -> bytes:
        """The bytes that end a stream whose agent forgot to."""
        return self.write(Finish("error" if self.failed else "other"))

    def _place(self, chunk: Chunk, out: list[Chunk]) -> None:
        kind = type(chunk)
        if kind in _CONTROL:
            self._control(chunk, out)
        elif kind in _TOOL:
            self._tool(chunk, out)
        else:
            self._content(chunk, out)

    def _control(self, chunk: Chunk, out: list[Chunk]) -> None:
        if self._texts or self._reasonings:
            self._close(out)
        self._arguments.clear()
        if isinstance(chunk, Error | Abort):
            self.failed = self.failed or isinstance(chunk, Error)
            out.append(chunk)
            return
        if self._in_step:
            out.append(_FINISH_STEP)
        self._in_step = isinstance(chunk, StartStep)
        if isinstance(chunk, StartStep):
            out.append(chunk)
        elif isinstance(chunk, Finish):
            self.finished = True
            reason = "error" if self.failed else chunk.finish_reason or "stop"
            out.append(Finish(reason, chunk.message_metadata))

    def _close(self, out: list[Chunk]) -> None:
        out.extend(TextEnd(text_id) for text_id in self._texts)
        out.extend(ReasoningEnd(text_id) for text_id in self._reasonings)
        self._texts.clear()
        self._reasonings.clear()

    def _tool(self, chunk: Chunk, out: list[Chunk]) -> None:
        if isinstance(chunk, ToolInputDelta):
            if chunk.tool_call_id in self._arguments:
                out.append(chunk)
            return
        if not isinstance(chunk, _BEFORE_STEP):
            self._open_step(out)
        if isinstance(chunk, ToolInputStart):
            self._arguments.add(chunk.tool_call_id)
        elif isinstance(chunk, ToolInputAvailable | ToolInputError):
            # A delta after this would move the call back to `input-streaming`.
            self._arguments.discard(chunk.tool_call_id)
            self.calls.append(chunk.tool_name)
        out.append(chunk)

    def _content(self, chunk: Chunk, out: list[Chunk]) -> None:
        self._open_step(out)
        if isinstance(chunk, _TEXT):
            _thread(chunk, self._texts, TextStart, TextEnd, out)
        elif isinstance(chunk, _REASONING):
            _thread(chunk, self._reasonings, ReasoningStart, ReasoningEnd, out)
        else:
            out.append(chunk)

    def _open_step(self, out: list[Chunk]) -> None:
        if not self._in_step:
            self._in_step = True
            out.append(_START_STEP)


def _thread(
    chunk: TextStart | TextDelta | TextEnd | ReasoningStart | ReasoningDelta | ReasoningEnd,
    opened: dict[str, None],
    start: type[TextStart | ReasoningStart],
    end: type[TextEnd | ReasoningEnd],
    out: list[Chunk],
) -> None:
    """Add a chunk of a text, with the start it needs; an end of nothing is dropped."""
    known = chunk.id in opened
    if isinstance(chunk, start):
        if known:
            out.append(end(chunk.id))
        opened[chunk.id] = None
    elif isinstance(chunk, end):
        if not known:
            return
        del opened[chunk.id]
    elif not known:
        opened[chunk.id] = None
        out.append(start(chunk.id))
    out.append(chunk)


def _encode(chunk: Chunk) -> bytes:
    """The bytes of a chunk; those that every answer holds are put together by hand."""
    kind = type(chunk)
    if kind is StartStep or kind is FinishStep:
        return _STEPS[chunk.type]
    by_hand = _BY_HAND.get(kind)
    body = by_hand(chunk) if by_hand is not None else None
    if body is not None and body.isascii():
        return f'data: {{"type":"{chunk.type}"{body}}}\n\n'.encode()
    return encode_event(dumps(encode_chunk(chunk)))


def _start(chunk: Chunk) -> str | None:
    assert isinstance(chunk, Start)
    if chunk.message_metadata is not None:
        return None
    message_id = chunk.message_id
    return "" if message_id is None else f',"messageId":{encode_basestring(message_id)}'


def _text_edge(chunk: Chunk) -> str | None:
    assert isinstance(chunk, TextStart | TextEnd)
    return None if chunk.provider_metadata else f',"id":{encode_basestring(chunk.id)}'


def _finish(chunk: Chunk) -> str | None:
    assert isinstance(chunk, Finish)
    if chunk.message_metadata is not None or chunk.finish_reason is None:
        return None
    return f',"finishReason":{encode_basestring(chunk.finish_reason)}'


_BY_HAND: dict[type[Chunk], Callable[[Chunk], str | None]] = {
    Start: _start,
    TextStart: _text_edge,
    TextEnd: _text_edge,
    Finish: _finish,
}
"""What follows `type` in the JSON of a chunk; None where its values are not so simple."""

_STEPS = {
    chunk.type: encode_event(dumps(encode_chunk(chunk))) for chunk in (_START_STEP, _FINISH_STEP)
}
