"""How far a call is, in one word for the look and one phrase for the person. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SETTLED = frozenset({"done", "failed", "denied", "cancelled"})
NEEDS_PERSON = frozenset({"waiting", "approval"})

_ELSEWHERE = frozenset({"backend", "provider", "external"})


def look_of(part: Any, handle: Any, kind: str | None) -> tuple[str, str]:
    """What a call looks like.

    Args:
        part: The call in the message (`chat.tool_part.ToolPart`).
        handle: The engine's handle, or None if the engine never saw the call.
        kind: The tool's kind, or None if it is not ours.

    Returns:
        One of `preparing`, `running`, `waiting`, `approval`, `progress`, `done`, `failed`,
        `denied`, `cancelled`, and the key of the phrase in `ui.words`.
    """
    reader = _BY_STATE.get(part.state)
    if reader is not None:
        return reader(part)
    if part.state == "output-available":
        return ("progress", "tool.preliminary") if part.preliminary else ("done", _key(part))
    if part.asks_person and part.question is not None:
        return "approval", "tool.approval-requested"
    if part.asks_person or (handle is not None and handle.status == "requires-action"):
        return "waiting", "tool.waiting"
    if kind == "human":
        return "waiting", "tool.waiting"
    if part.provider_executed or kind is None or kind in _ELSEWHERE:
        return "running", "tool.elsewhere"
    return "running", _key(part)


def _key(part: Any) -> str:
    return f"tool.{part.state}"


def _error(part: Any) -> tuple[str, str]:
    if part.gate == "expired":
        return "cancelled", "approval.expired"
    return ("cancelled", "tool.cancelled") if part.cancelled else ("failed", _key(part))


def _answered(part: Any) -> tuple[str, str]:
    if part.approved:
        return "running", "tool.approval-granted"
    return "denied", "tool.approval-denied"


def _plain(look: str) -> Callable[[Any], tuple[str, str]]:
    return lambda part: (look, _key(part))


_BY_STATE: dict[str, Callable[[Any], tuple[str, str]]] = {
    "input-streaming": _plain("preparing"),
    "approval-requested": _plain("approval"),
    "approval-responded": _answered,
    "output-error": _error,
    "output-denied": _plain("denied"),
}
