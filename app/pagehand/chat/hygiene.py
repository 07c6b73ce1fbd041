"""What we post: history that any AI SDK server accepts and any model provider can use.

The messages themselves are not changed; what cannot travel is left out or settled in the
copy. Source of the rules: AI SDK 7, `validateUIMessages` and `convertToModelMessages`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pagehand.chat import parts as kinds
from pagehand.chat.closing import NO_OUTCOME
from pagehand.chat.messages import Message
from pagehand.chat.parts import Part
from pagehand.chat.tool_part import (
    APPROVAL_RESPONDED,
    INPUT_AVAILABLE,
    INPUT_STREAMING,
    OUTPUT_AVAILABLE,
    OUTPUT_DENIED,
    OUTPUT_ERROR,
    ToolPart,
)
from pagehand.wire.chunks import JsonObject

_KNOWN_OTHERS: dict[str, dict[str, type]] = {
    "custom": {"kind": str},
    "reasoning-file": {"mediaType": str, "url": str},
    "steering-message": {"id": str, "parts": list},
}


def history_to_post(messages: Sequence[Message]) -> list[JsonObject]:
    """The wire form of a conversation, fit to be sent.

    Messages that would be empty are left out: no server needs them and some models refuse them.
    """
    posted: list[JsonObject] = []
    last = len(messages) - 1
    for index, message in enumerate(messages):
        wire = _message(message, is_last=index == last)
        if wire is not None:
            posted.append(wire)
    return posted


def _message(message: Message, *, is_last: bool) -> JsonObject | None:
    parts: list[JsonObject] = []
    solid = False
    seen: set[str] = set()
    open_step = message.last_step() if is_last and _answers_approval(message) else None
    for index, part in enumerate(message.parts):
        if isinstance(part, kinds.StepStartPart):
            seen = set()
            wire: JsonObject | None = part.to_wire()
        elif isinstance(part, ToolPart):
            if part.tool_call_id in seen:
                continue
            seen.add(part.tool_call_id)
            wire = _tool(part, open_step=open_step is not None and index >= open_step)
            solid = solid or wire is not None
        elif isinstance(part, kinds.DataPart) and part.transient:
            continue
        else:
            wire = _plain(part)
            solid = solid or wire is not None
        if wire is not None:
            parts.append(without_nulls(wire))
    if not solid or not message.id:
        return None
    posted: JsonObject = {"id": message.id, "role": message.role}
    if message.metadata is not None:
        posted["metadata"] = message.metadata
    posted["parts"] = parts
    return posted


def without_nulls(part: JsonObject) -> JsonObject:
    """The part without optional keys that hold null, which validators refuse."""
    return {k: v for k, v in part.items() if v is not None or k in ("input", "output", "data")}


def _prose(part: kinds.TextPart | kinds.ReasoningPart) -> JsonObject | None:
    if not part.length and part.provider_metadata is None:
        return None
    wire = part.to_wire()
    if wire.get("state") not in (None, "done"):
        wire["state"] = "done"
    return wire


def _whole(*needed: str) -> Callable[[Any], JsonObject | None]:
    def check(part: Part) -> JsonObject | None:
        wire = part.to_wire()
        return wire if all(isinstance(wire.get(key), str) for key in needed) else None

    return check


def _other(part: kinds.OtherPart) -> JsonObject | None:
    needed = _KNOWN_OTHERS.get(part.type)
    if needed is None:
        return None
    wire = part.to_wire()
    if "url" in needed and not _is_absolute(wire.get("url")):
        return None
    return wire if all(isinstance(wire.get(k), t) for k, t in needed.items()) else None


def _file(part: kinds.FilePart) -> JsonObject | None:
    return _whole("mediaType", "url")(part) if _is_absolute(part.url) else None


def _is_absolute(url: object) -> bool:
    """False for an address that only this page can resolve: a server fails on it, every time."""
    scheme, colon, _ = url.partition(":") if isinstance(url, str) else ("", "", "")
    return bool(colon) and scheme.replace("+", "").replace("-", "").replace(".", "").isalnum()


_PLAIN: dict[type[Part], Callable[[Any], JsonObject | None]] = {
    kinds.TextPart: _prose,
    kinds.ReasoningPart: _prose,
    kinds.FilePart: _file,
    kinds.SourceUrlPart: _whole("sourceId", "url"),
    kinds.SourceDocumentPart: _whole("sourceId", "mediaType", "title"),
    kinds.DataPart: kinds.DataPart.to_wire,
    kinds.OtherPart: _other,
}


def _plain(part: Part) -> JsonObject | None:
    return _PLAIN[type(part)](part)


def _answers_approval(message: Message) -> bool:
    step = message.tool_parts(message.last_step())
    return any(
        part.state == APPROVAL_RESPONDED
        or (part.suspension is not None and part.suspension.answered and not part.finished)
        for part in step
    )


def _tool(part: ToolPart, *, open_step: bool) -> JsonObject | None:
    """A call as it may travel; None when the model is better off without it.

    In the step that answers an approval the server's own calls stay open: it goes on with them.
    """
    goes_on = open_step and part.state in (APPROVAL_RESPONDED, INPUT_AVAILABLE)
    wire = part.to_wire()
    wire.pop("pagehand", None)
    if not part.finished and not goes_on and part.state != OUTPUT_AVAILABLE:
        if part.state == INPUT_STREAMING or part.provider_executed:
            # Arguments that never became complete; a provider's own call that broke off.
            return None
        _settle(wire, part)
    _approval(wire)
    return wire


def _settle(wire: JsonObject, part: ToolPart) -> None:
    """A call that nobody answers any more must not dangle."""
    if part.approved is False:
        wire["state"] = OUTPUT_DENIED
    else:
        wire["state"] = OUTPUT_ERROR
        wire["errorText"] = NO_OUTCOME


def _approval(wire: JsonObject) -> None:
    approval, state = wire.get("approval"), wire["state"]
    if state == OUTPUT_DENIED:
        # A denial without its question cannot be validated: give it one.
        base = approval if isinstance(approval, dict) and approval.get("id") else None
        wire["approval"] = without_nulls(
            {**(base or {"id": wire["toolCallId"]}), "approved": False}
        )
    elif state == APPROVAL_RESPONDED:
        wire["approval"] = without_nulls(approval or {})
    elif isinstance(approval, dict) and approval.get("approved") is True:
        wire["approval"] = without_nulls(approval)
    else:
        wire.pop("approval", None)
