"""From chunks to a message: a dispatcher over small handlers, one for each chunk type.

`apply` never fails on what a server sends. A delta for an unknown id opens its part, an
outcome for an unknown call is noted in `state.warnings` and skipped, a chunk that would
move a call backwards does nothing.
Source of the rules: AI SDK 7, `processUIMessageStream`; where we differ, the handler says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pagehand.chat import reduce_calls as calls
from pagehand.chat.parts import (
    DataPart,
    FilePart,
    OtherPart,
    ReasoningPart,
    SourceDocumentPart,
    SourceUrlPart,
    TextPart,
    card_id,
)
from pagehand.chat.state import ResponseState, merge_metadata
from pagehand.wire import chunks
from pagehand.wire.codec import encode_chunk

_Handler = Callable[[ResponseState, Any], None]
_Prose = TypeVar("_Prose", TextPart, ReasoningPart)


def apply(state: ResponseState, chunk: chunks.Chunk) -> None:
    """Write one chunk into the state."""
    handler = _HANDLERS.get(chunk.__class__)
    if handler is not None:
        handler(state, chunk)


def apply_all(state: ResponseState, batch: Iterable[chunks.Chunk]) -> None:
    """Write the chunks of one network read."""
    find = _HANDLERS.get
    for chunk in batch:
        handler = find(chunk.__class__)
        if handler is not None:
            handler(state, chunk)


# The message and its steps


def _start(state: ResponseState, chunk: chunks.Start) -> None:
    if state.replay:
        state.reset_for_replay()
    # A continuation keeps the local id (a new one would show the message twice), and a
    # message that is on the screen is never renamed.
    if chunk.message_id and not state.id_fixed:
        state.message.id = chunk.message_id
        state.message.revision += 1
    state.id_fixed = True
    _merge(state, chunk.message_metadata)


def _start_step(state: ResponseState, chunk: chunks.StartStep) -> None:
    state.end_step()
    state.begin_step()


def _finish_step(state: ResponseState, chunk: chunks.FinishStep) -> None:
    # Open texts stay open: merged streams may go on with them.
    state.end_step()


def _reset_step(state: ResponseState, chunk: chunks.ResetStep) -> None:
    state.texts, state.reasonings, state.orphan_args = {}, {}, {}
    state.unfinished.clear()
    parts = state.message.parts
    start = max(state.message.last_step(), state.base)
    if start < len(parts):
        del parts[start:]
        state.message.revision += 1
    state.seed_calls()


def _finish(state: ResponseState, chunk: chunks.Finish) -> None:
    state.finished = True
    state.finish_reason = chunk.finish_reason
    _merge(state, chunk.message_metadata)
    state.end_step()


def _message_metadata(state: ResponseState, chunk: chunks.MessageMetadata) -> None:
    if chunk.message_metadata is not None:
        state.started = True
    _merge(state, chunk.message_metadata)


def _merge(state: ResponseState, metadata: Any) -> None:
    if metadata is not None:
        state.message.metadata = merge_metadata(state.message.metadata, metadata)
        state.message.revision += 1


def _abort(state: ResponseState, chunk: chunks.Abort) -> None:
    state.aborted = True


def _error(state: ResponseState, chunk: chunks.Error) -> None:
    # Not the end: Mastra goes on with finish-step and finish. The first error is the cause.
    if state.error_text is None:
        state.error_text = chunk.error_text


# Text and reasoning


# The two deltas are the hot path: each stands by itself and calls as little as it can.


def _text_start(state: ResponseState, chunk: chunks.TextStart) -> None:
    _begin(state, state.texts, chunk.id, TextPart("", "streaming", chunk.provider_metadata))


def _text_delta(state: ResponseState, chunk: chunks.TextDelta) -> None:
    part = state.texts.get(chunk.id)
    if part is None:
        part = state.texts[chunk.id] = _taken_up(state, TextPart("", "streaming"))
    part.append(chunk.delta)
    if chunk.provider_metadata is not None:
        part.provider_metadata = chunk.provider_metadata
    state.message.revision += 1


def _text_end(state: ResponseState, chunk: chunks.TextEnd) -> None:
    part = state.texts.pop(chunk.id, None)
    if part is not None and chunk.citations is not None:
        part.citations = chunk.citations
    _end(state, part, chunk)


def _reasoning_start(state: ResponseState, chunk: chunks.ReasoningStart) -> None:
    part = ReasoningPart("", "streaming", chunk.provider_metadata, chunk.id)
    _begin(state, state.reasonings, chunk.id, part)


def _reasoning_delta(state: ResponseState, chunk: chunks.ReasoningDelta) -> None:
    part = state.reasonings.get(chunk.id)
    if part is None:
        new = ReasoningPart("", "streaming", None, chunk.id)
        part = state.reasonings[chunk.id] = _taken_up(state, new)
    part.append(chunk.delta)
    if chunk.provider_metadata is not None:
        part.provider_metadata = chunk.provider_metadata
    state.message.revision += 1


def _reasoning_end(state: ResponseState, chunk: chunks.ReasoningEnd) -> None:
    _end(state, state.reasonings.pop(chunk.id, None), chunk)


def _begin(state: ResponseState, open_parts: dict[str, _Prose], id: str, part: _Prose) -> None:
    """An id that is begun again closes the part it named before."""
    before = open_parts.get(id)
    if before is not None:
        before.close()
    open_parts[id] = part
    state.push(part)


def _end(
    state: ResponseState,
    part: TextPart | ReasoningPart | None,
    chunk: chunks.TextEnd | chunks.ReasoningEnd,
) -> None:
    if part is None:
        state.warn(f"a {chunk.type} without its start was skipped")
        return
    if chunk.provider_metadata is not None:
        part.provider_metadata = chunk.provider_metadata
    part.close()
    state.touch(part)


def _taken_up(state: ResponseState, new: _Prose) -> _Prose:
    """A delta without a start: a stream taken up in the middle goes on with its prose."""
    last = state.message.parts[-1] if len(state.message.parts) > state.base else None
    if isinstance(last, type(new)) and _was_cut_off(last, getattr(new, "id", None)):
        last.reopen()
        state.touch(last)
        return last
    state.push(new)
    return new


def _was_cut_off(part: TextPart | ReasoningPart, id: str | None) -> bool:
    return (part.interrupted or part.state == "streaming") and getattr(part, "id", None) == id


# Parts that arrive whole


def _whole(kind: type[FilePart | SourceUrlPart | SourceDocumentPart]) -> _Handler:
    """A chunk that is a part: the part's fields bear the chunk's names.

    A file keeps its name, which the AI SDK drops and people want.
    """

    def handle(state: ResponseState, chunk: Any) -> None:
        values = {name: getattr(chunk, name) for name in kind.keys}
        state.push(kind(provider_metadata=chunk.provider_metadata, **values))

    return handle


def _as_it_came(state: ResponseState, chunk: chunks.Chunk) -> None:
    state.push(OtherPart(encode_chunk(chunk)))


def _data(state: ResponseState, chunk: chunks.Data) -> None:
    state.data.append(chunk)
    id = chunk.id if chunk.id is not None else card_id(chunk.data)
    part = _known_data(state, chunk.name, id)
    if chunk.transient:
        # For the moment only: shown where the part stands, never kept.
        if part is None and card_id(chunk.data) is not None:
            part = DataPart(chunk.name, chunk.data, id, transient=True)
            state.push(part)
        elif part is not None:
            part.show(chunk.data)
            state.touch(part)
        return
    if part is None:
        part = DataPart(chunk.name, chunk.data, id)
        state.push(part)
    else:
        part.replace(chunk.data)
        state.touch(part)
    calls.pause(state, part)


def _known_data(state: ResponseState, name: str, id: str | None) -> DataPart | None:
    if id is None:
        return None
    for part in reversed(state.message.parts):
        if isinstance(part, DataPart) and part.id == id and part.name == name:
            return part
    return None


def _unknown(state: ResponseState, chunk: chunks.UnknownChunk) -> None:
    state.warn(f"chunks of the unknown type {chunk.type!r} were skipped")


_HANDLERS: dict[type[chunks.Chunk], _Handler] = {
    chunks.Start: _start,
    chunks.StartStep: _start_step,
    chunks.FinishStep: _finish_step,
    chunks.ResetStep: _reset_step,
    chunks.Finish: _finish,
    chunks.MessageMetadata: _message_metadata,
    chunks.Abort: _abort,
    chunks.Error: _error,
    chunks.TextStart: _text_start,
    chunks.TextDelta: _text_delta,
    chunks.TextEnd: _text_end,
    chunks.ReasoningStart: _reasoning_start,
    chunks.ReasoningDelta: _reasoning_delta,
    chunks.ReasoningEnd: _reasoning_end,
    chunks.SourceUrl: _whole(SourceUrlPart),
    chunks.SourceDocument: _whole(SourceDocumentPart),
    chunks.File: _whole(FilePart),
    chunks.Custom: _as_it_came,
    chunks.ReasoningFile: _as_it_came,
    chunks.SteeringMessage: _as_it_came,
    chunks.Data: _data,
    chunks.UnknownChunk: _unknown,
    chunks.ToolInputStart: calls.input_start,
    chunks.ToolInputDelta: calls.input_delta,
    chunks.ToolInputAvailable: calls.input_available,
    chunks.ToolInputError: calls.input_error,
    chunks.ToolOutputAvailable: calls.output_available,
    chunks.ToolOutputError: calls.output_error,
    chunks.ToolOutputDenied: calls.output_denied,
    chunks.ToolApprovalRequest: calls.approval_request,
    chunks.ToolApprovalResponse: calls.approval_response,
}
