"""The two questions of the AI SDK that decide whether a conversation may go on by itself.

Only `chat.continuation` asks them: a true answer is necessary, never sufficient.
Source: AI SDK 7, `lastAssistantMessageIsCompleteWithToolCalls` and
`lastAssistantMessageIsCompleteWithApprovalResponses`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pagehand.chat.messages import Message
from pagehand.chat.parts import Part, TextPart
from pagehand.chat.tool_part import (
    APPROVAL_RESPONDED,
    OUTPUT_AVAILABLE,
    OUTPUT_DENIED,
    OUTPUT_ERROR,
    ToolPart,
)


def complete_with_tool_calls(messages: Sequence[Message]) -> bool:
    """True when the last step's calls all have a final result or error.

    Calls of the provider do not count; prose after the last call must be closed.
    """
    parts = _last_step(messages)
    calls = [
        (index, part)
        for index, part in enumerate(parts)
        if isinstance(part, ToolPart) and not part.provider_executed
    ]
    if not calls or not all(_has_result(part) for _, part in calls):
        return False
    after = parts[calls[-1][0] + 1 :]
    return all(part.state == "done" for part in after if isinstance(part, TextPart))


def complete_with_approval_responses(messages: Sequence[Message]) -> bool:
    """True when an approval of the last step was answered and nothing there is undecided.

    A call that the server runs without asking does not count: it may wait behind an approval.
    """
    calls = [
        part
        for part in _last_step(messages)
        if isinstance(part, ToolPart) and not (part.provider_executed and part.approval is None)
    ]
    return any(part.state == APPROVAL_RESPONDED for part in calls) and all(
        part.state in (APPROVAL_RESPONDED, OUTPUT_DENIED) or _has_result(part) for part in calls
    )


def _has_result(part: ToolPart) -> bool:
    return part.state == OUTPUT_ERROR or (part.state == OUTPUT_AVAILABLE and not part.preliminary)


def _last_step(messages: Sequence[Message]) -> list[Part]:
    if not messages or messages[-1].role != "assistant":
        return []
    message = messages[-1]
    return message.parts[message.last_step() :]
