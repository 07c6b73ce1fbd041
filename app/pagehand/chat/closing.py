"""Closing what a response left open, and settling calls that will get no outcome.

Nothing may stay `streaming` on the screen for ever, and no call may travel without an
outcome: model providers refuse a history that holds one.
"""

from __future__ import annotations

from collections.abc import Iterable

from pagehand.chat.gates import CANCELLED, EXPIRED
from pagehand.chat.messages import Message
from pagehand.chat.parts import ReasoningPart, TextPart
from pagehand.chat.tool_part import INPUT_STREAMING, ToolPart

ARGUMENTS_CUT_OFF = "The call was cut off before its arguments were complete; it did not run."
CANCELLED_BY_STOP = "The user stopped the assistant; the call was cancelled."
CANCELLED_BY_MESSAGE = "The user sent a new message instead; the call was cancelled."
BROKEN_OFF = "The answer broke off before this call had a result."
ABORTED_BY_SERVER = "The server ended the answer before this call had a result."
SKIPPED = "The user chose not to run this call."
HELD_FOR_APPROVAL = (
    "The call was not run because another call of the same step waited for an approval. "
    "Ask for it again if it is still needed."
)
NO_OUTCOME = "The call got no result."
APPROVAL_EXPIRED = "Nobody answered the approval in time; the call did not run."


def close_open_parts(message: Message, base: int = 0, *, interrupted: bool) -> None:
    """Close prose and half-sent calls from the part at `base` on.

    Args:
        message: The message.
        base: Where the response began.
        interrupted: False when the stream ended well and only forgot to close them.
    """
    changed = False
    for part in message.parts[base:]:
        if not _is_open(part):
            continue
        changed = True
        if isinstance(part, TextPart | ReasoningPart):
            part.close(interrupted=interrupted)
        elif isinstance(part, ToolPart):
            part.keep_partial_input()
            part.finish_error(ARGUMENTS_CUT_OFF)
            part.interrupted = True
    if interrupted and not message.interrupted:
        message.interrupted = changed = True
    if changed:
        message.revision += 1


def has_open_parts(message: Message) -> bool:
    """True when prose or arguments are still expected."""
    return any(_is_open(part) for part in message.parts)


def _is_open(part: object) -> bool:
    if isinstance(part, TextPart | ReasoningPart):
        return part.state == "streaming"
    return isinstance(part, ToolPart) and part.state == INPUT_STREAMING


def cancel_call(part: ToolPart, text: str) -> None:
    """Settle a call without an outcome: an error the model can read, or the denial it had."""
    if part.finished:
        return
    if part.state == INPUT_STREAMING:
        part.keep_partial_input()
    if part.approved is False:
        part.finish_denied()
        return
    part.close_gate(CANCELLED)
    part.finish_error(text)
    part.cancelled = True


def expire_call(part: ToolPart) -> None:
    """The time for an answer is over: the call will not run."""
    part.close_gate(EXPIRED)
    part.finish_error(APPROVAL_EXPIRED)
    part.cancelled = True


def break_off(parts: Iterable[ToolPart], text: str) -> None:
    """Settle the calls of an answer that broke off; a replay may open them again."""
    for part in parts:
        if part.pending:
            cancel_call(part, text)
            part.interrupted = True


def cancel_pending(messages: Iterable[Message], text: str) -> list[str]:
    """Settle every call without an outcome; gives their ids."""
    cancelled: list[str] = []
    for message in messages:
        pending = [part for part in message.tool_parts() if part.pending]
        for part in pending:
            cancel_call(part, text)
        if pending:
            message.revision += 1
            cancelled.extend(part.tool_call_id for part in pending)
    return cancelled
