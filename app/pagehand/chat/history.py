"""Finding and cutting in the list of messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pagehand.chat.messages import Message
from pagehand.chat.parts import StepStartPart
from pagehand.chat.tool_part import APPROVAL_RESPONDED, ToolPart
from pagehand.errors import ChatError


def index_of(messages: Sequence[Message], message_id: str) -> int:
    """Where a message is.

    Raises:
        ChatError: There is none of this id.
    """
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].id == message_id:
            return index
    raise ChatError(f"There is no message with the id {message_id!r}.")


def last_assistant(messages: Sequence[Message]) -> Message | None:
    """The last message, if the assistant wrote it."""
    return messages[-1] if messages and messages[-1].role == "assistant" else None


def kept_by_regenerate(messages: Sequence[Message], message_id: str | None) -> int:
    """How many messages stay in front of an answer that is made anew.

    Raises:
        ChatError: No such message, or no message of the person's would be left to answer.
    """
    index = len(messages) - 1 if message_id is None else index_of(messages, message_id)
    keep = index if index >= 0 and messages[index].role == "assistant" else index + 1
    if not any(message.role == "user" for message in messages[:keep]):
        raise ChatError("There is no message to answer.")
    return keep


def find_pending(messages: Sequence[Message], tool_call_id: str) -> tuple[Message, ToolPart] | None:
    """The newest call of this id that has no outcome yet."""
    for message in reversed(messages):
        for part in reversed(message.tool_parts()):
            if part.tool_call_id == tool_call_id and not part.finished:
                return message, part
    return None


def find_call(messages: Sequence[Message], tool_call_id: str) -> tuple[Message, ToolPart] | None:
    """The newest call of this id."""
    for message in reversed(messages):
        for part in reversed(message.tool_parts()):
            if part.tool_call_id == tool_call_id:
                return message, part
    return None


def has_call(messages: Sequence[Message], tool_call_id: str) -> bool:
    """True when any message holds a call of this id."""
    return find_call(messages, tool_call_id) is not None


def find_approval(messages: Sequence[Message], approval_id: str) -> tuple[Message, ToolPart] | None:
    """The newest call that asked with this approval id."""
    for message in reversed(messages):
        for part in reversed(message.tool_parts()):
            if part.question is not None and part.question.get("id") == approval_id:
                return message, part
    return None


def is_open(message: Message) -> bool:
    """True for an answer that a running stream may go on with."""
    return message.interrupted or any(
        part.state == APPROVAL_RESPONDED
        or (part.provider_executed is True and not part.finished)
        or (part.suspension is not None and part.suspension.answered and not part.finished)
        for part in message.tool_parts()
    )


def response_base(message: Message, ours: Callable[[ToolPart], bool]) -> int:
    """Index of the first part of the message's last response.

    A response ended wherever a call of ours was answered, or an approval was: the parts after
    that step belong to the next one.

    Args:
        message: An assistant message.
        ours: Tells whether this page answered a call.
    """
    base = 0
    answered = False
    for index, part in enumerate(message.parts):
        if isinstance(part, ToolPart):
            answered = answered or (part.finished and (ours(part) or part.approved is not None))
        elif isinstance(part, StepStartPart):
            if answered:
                base = index
            answered = False
    return len(message.parts) if answered else base


def retry_point(message: Message, base: int, ours: Callable[[ToolPart], bool]) -> int:
    """Where to cut a failed response so that no result of ours is lost.

    That is `base`, or the end of the last step's calls that this page has answered.
    """
    for index in range(len(message.parts) - 1, base - 1, -1):
        part = message.parts[index]
        if isinstance(part, ToolPart) and ours(part) and _has_outcome(part):
            keep = index + 1
            while keep < len(message.parts) and isinstance(message.parts[keep], ToolPart):
                keep += 1
            return keep
    return base


def _has_outcome(part: ToolPart) -> bool:
    return part.finished and not part.cancelled and not part.interrupted
