"""The reducer's handlers for tool calls.

Three rules hold everywhere, and the AI SDK's own client breaks each of them:
one part per call id and step, whatever `dynamic` says; a state never moves backwards; an
outcome goes to the newest unfinished call of that id, never to an old, finished one.
"""

from __future__ import annotations

from typing import Any

from pagehand.chat.parts import DataPart
from pagehand.chat.state import ResponseState
from pagehand.chat.tool_part import (
    APPROVAL_REQUESTED,
    APPROVAL_RESPONDED,
    INPUT_AVAILABLE,
    INPUT_STREAMING,
    OUTPUT_ERROR,
    RANK,
    ToolPart,
)
from pagehand.wire import chunks

AnyInput = chunks.ToolInputStart | chunks.ToolInputAvailable | chunks.ToolInputError


def input_start(state: ResponseState, chunk: chunks.ToolInputStart) -> None:
    """A call opens."""
    part = _call(state, chunk)
    if part.state != INPUT_STREAMING:
        state.warn("a call that was complete was opened again; the second opening was skipped")
        return
    if part.args_text:
        part.restart_args()
    part.input_encoding = chunk.input_encoding
    state.touch(part)


def input_delta(state: ResponseState, chunk: chunks.ToolInputDelta) -> None:
    """A piece of the arguments: nothing here depends on what came before."""
    part = state.calls.get(chunk.tool_call_id)
    if part is None:
        # No name yet, so no part: the text waits for the call that claims it.
        state.orphan_args.setdefault(chunk.tool_call_id, []).append(chunk.input_text_delta)
        return
    if part.state != INPUT_STREAMING:
        state.warn("arguments that came after the end of their call were skipped")
        return
    part.append_args(chunk.input_text_delta)
    state.message.revision += 1


def input_available(state: ResponseState, chunk: chunks.ToolInputAvailable) -> None:
    """The arguments are complete."""
    part = _call(state, chunk)
    if part.state == APPROVAL_RESPONDED and part.approved and not part.finished:
        # Sent again after its approval: the call is ours to run now.
        part.released = True
    elif part.rank <= RANK[INPUT_AVAILABLE]:
        part.state = INPUT_AVAILABLE
        part.set_input(chunk.input)
    else:
        return
    state.touch(part)
    _apply_early(part)
    earlier = state.earlier_outcome(part)
    if earlier is not None and not part.finished:
        part.take_outcome(earlier)
    if part.runnable:
        state.unfinished[part.tool_call_id] = part


def input_error(state: ResponseState, chunk: chunks.ToolInputError) -> None:
    """The arguments cannot be used."""
    part = _call(state, chunk)
    if part.finished:
        return
    part.state = OUTPUT_ERROR
    part.set_input(chunk.input)
    part.finish_error(chunk.error_text)
    _drop(state, part)


def output_available(state: ResponseState, chunk: chunks.ToolOutputAvailable) -> None:
    """The server ran the call."""
    part = _open_call(state, chunk.tool_call_id)
    if part is None:
        return
    _complete_input(part)
    part.finish_output(chunk.output, preliminary=chunk.preliminary is True)
    _note_result(part, chunk)
    _drop(state, part)


def output_error(state: ResponseState, chunk: chunks.ToolOutputError) -> None:
    """The server ran the call and it failed."""
    part = _open_call(state, chunk.tool_call_id)
    if part is None:
        return
    if part.state == INPUT_STREAMING:
        part.keep_partial_input()
    part.finish_error(chunk.error_text)
    _note_result(part, chunk)
    _drop(state, part)


def output_denied(state: ResponseState, chunk: chunks.ToolOutputDenied) -> None:
    """The call was denied and never ran."""
    part = _open_call(state, chunk.tool_call_id)
    if part is None:
        return
    _complete_input(part)
    part.finish_denied()
    _drop(state, part)


def approval_request(state: ResponseState, chunk: chunks.ToolApprovalRequest) -> None:
    """The server asks a person first."""
    part = _open_call(state, chunk.tool_call_id)
    if part is None:
        return
    old = part.approval or {}
    if part.rank >= RANK[APPROVAL_REQUESTED] and old.get("id") == chunk.approval_id:
        return
    _complete_input(part)
    approval: dict[str, Any] = {**(chunk.rest or {}), "id": chunk.approval_id}
    for key, value in (
        ("descriptor", chunk.approval_descriptor),
        ("inputSchemaInput", chunk.input_schema_input),
        ("requestReason", chunk.reason),
        ("isAutomatic", chunk.is_automatic or None),
        ("signature", chunk.signature),
    ):
        if value is not None:
            approval[key] = value
    part.ask(approval)
    _drop(state, part)


def pause(state: ResponseState, data: DataPart) -> None:
    """Data that may tell of a run that waits for a person."""
    part = state.message.pause(data)
    if part is not None:
        _drop(state, part)


def approval_response(state: ResponseState, chunk: chunks.ToolApprovalResponse) -> None:
    """The server tells how the question was answered."""
    part = state.find_approval(chunk.approval_id)
    if part is None:
        state.warn("the answer to an approval nobody asked for was skipped")
        return
    if part.finished:
        return
    part.respond(chunk.approved, chunk.reason)
    if chunk.provider_executed is not None:
        part.provider_executed = chunk.provider_executed
    if chunk.provider_metadata is not None:
        part.call_provider_metadata = chunk.provider_metadata
    _drop(state, part)


def _call(state: ResponseState, chunk: AnyInput) -> ToolPart:
    """The part of a call of the current step, made when it is new."""
    part = state.calls.get(chunk.tool_call_id)
    if part is None:
        part = state.claim_ghost(chunk.tool_call_id)
        if part is None:
            part = ToolPart(chunk.tool_name, chunk.tool_call_id, dynamic=chunk.dynamic is True)
        for text in state.orphan_args.pop(chunk.tool_call_id, ()):
            part.append_args(text)
        state.calls[chunk.tool_call_id] = part
        state.push(part)
    elif part.interrupted:
        part.reopen()
    if part.rank <= RANK[INPUT_AVAILABLE]:
        _describe(part, chunk)
    return part


def _describe(part: ToolPart, chunk: AnyInput) -> None:
    # A repaired call may have another name than it started with.
    part.tool_name = chunk.tool_name
    if chunk.title is not None:
        part.title = chunk.title
    if chunk.tool_metadata is not None:
        part.tool_metadata = chunk.tool_metadata
    if chunk.provider_executed is not None:
        part.provider_executed = chunk.provider_executed
    if chunk.provider_metadata is not None:
        part.call_provider_metadata = chunk.provider_metadata


def _open_call(state: ResponseState, call_id: str) -> ToolPart | None:
    """The unfinished call of this id, or None, noted."""
    part = state.find_call(call_id)
    if part is None:
        state.warn("the outcome of a call that was never announced was skipped")
        return None
    if part.finished and not part.cancelled:
        state.warn("a second outcome of a finished call was skipped")
        return None
    return part


def _complete_input(part: ToolPart) -> None:
    """An outcome before the arguments were complete: keep what could be read."""
    if part.has_input or part.state != INPUT_STREAMING:
        return
    value = part.input
    part.set_input({} if value is None else value)


def _note_result(
    part: ToolPart, chunk: chunks.ToolOutputAvailable | chunks.ToolOutputError
) -> None:
    if chunk.provider_executed is not None:
        part.provider_executed = chunk.provider_executed
    if chunk.provider_metadata is not None:
        part.result_provider_metadata = chunk.provider_metadata
    if chunk.tool_metadata is not None:
        part.tool_metadata = chunk.tool_metadata


def _apply_early(part: ToolPart) -> None:
    """An outcome that was given while the arguments still streamed in."""
    if part.early is None:
        return
    kind, value = part.early
    if kind == "output":
        part.finish_output(value)
    else:
        part.finish_error(value)


def _drop(state: ResponseState, part: ToolPart) -> None:
    """The call is not ours to run (any more)."""
    state.unfinished.pop(part.tool_call_id, None)
    state.touch(part)
