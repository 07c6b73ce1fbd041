"""The rules by which an AI SDK 7 server accepts posted messages, as a checker.

Written from the table of part keys by state of `validateUIMessages`; the real validator runs
in tests/peers.
"""

from __future__ import annotations

from typing import Any

_OPTIONAL = {
    "title": str,
    "toolMetadata": dict,
    "providerExecuted": bool,
    "callProviderMetadata": dict,
    "resultProviderMetadata": dict,
    "preliminary": bool,
    "providerMetadata": dict,
    "filename": str,
}
_STATES: dict[str, tuple[set[str], set[str]]] = {
    "input-streaming": (set(), {"output", "errorText", "approval"}),
    "input-available": ({"input"}, {"output", "errorText", "approval"}),
    "approval-requested": ({"input", "approval"}, {"output", "errorText"}),
    "approval-responded": ({"input", "approval"}, {"output", "errorText"}),
    "output-available": ({"input", "output"}, {"errorText"}),
    "output-error": ({"errorText"}, {"output"}),
    "output-denied": ({"input", "approval"}, {"output", "errorText"}),
}
_PLAIN: dict[str, dict[str, type]] = {
    "text": {"text": str},
    "reasoning": {"text": str},
    "step-start": {},
    "file": {"mediaType": str, "url": str},
    "reasoning-file": {"mediaType": str, "url": str},
    "source-url": {"sourceId": str, "url": str},
    "source-document": {"sourceId": str, "mediaType": str, "title": str},
    "custom": {"kind": str},
    "steering-message": {"id": str, "parts": list},
}


def problems(messages: list[dict[str, Any]]) -> list[str]:
    """What a server would refuse, in sentences; empty when it takes all."""
    found: list[str] = []
    for message in messages:
        where = f"message {message.get('id')!r}"
        if not isinstance(message.get("id"), str):
            found.append(f"{where}: no id")
        if message.get("role") not in ("system", "user", "assistant"):
            found.append(f"{where}: role {message.get('role')!r}")
        parts = message.get("parts")
        if not isinstance(parts, list):
            found.append(f"{where}: no parts")
            continue
        if not parts and message["role"] != "assistant":
            found.append(f"{where}: empty")
        if "metadata" in message and message["metadata"] is None:
            found.append(f"{where}: metadata is null")
        for part in parts:
            found += [f"{where}, {part.get('type')}: {text}" for text in _part(part)]
    return found


def dangling(messages: list[dict[str, Any]]) -> list[str]:
    """Calls that would reach a model without an outcome.

    The step that answers an approval is the server's to go on with.
    """
    found: list[str] = []
    for index, message in enumerate(messages):
        last = index == len(messages) - 1
        for step in _steps(message["parts"]):
            states = {part.get("state") for part in step}
            if last and "approval-responded" in states:
                continue
            found += [
                part["toolCallId"]
                for part in step
                if part.get("state")
                in (
                    "input-streaming",
                    "input-available",
                    "approval-requested",
                    "approval-responded",
                )
            ]
    return found


def _steps(parts: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    steps: list[list[dict[str, Any]]] = [[]]
    for part in parts:
        if part["type"] == "step-start":
            steps.append([])
        elif "toolCallId" in part:
            steps[-1].append(part)
    return steps


def _part(part: dict[str, Any]) -> list[str]:
    kind = part.get("type", "")
    found = [
        f"{key} is {part[key]!r}"
        for key, type_ in _OPTIONAL.items()
        if key in part and not isinstance(part[key], type_)
    ]
    if kind.startswith("data-"):
        return found + ([] if "data" in part else ["no data"])
    if kind == "dynamic-tool" or kind.startswith("tool-"):
        return found + _tool(part)
    needed = _PLAIN.get(kind)
    if needed is None:
        return [*found, "unknown type"]
    found += [f"no {key}" for key, type_ in needed.items() if not isinstance(part.get(key), type_)]
    if "state" in part and part["state"] not in ("streaming", "done"):
        found.append(f"state {part['state']!r}")
    return found


def _tool(part: dict[str, Any]) -> list[str]:
    found = []
    if not isinstance(part.get("toolCallId"), str):
        found.append("no toolCallId")
    if part["type"] == "dynamic-tool" and not isinstance(part.get("toolName"), str):
        found.append("no toolName")
    state = part.get("state", "")
    if state not in _STATES:
        return [*found, f"state {state!r}"]
    must, must_not = _STATES[state]
    found += [f"{state} without {key}" for key in must if key not in part]
    found += [f"{state} with {key}" for key in must_not if key in part]
    if "errorText" in part and not isinstance(part["errorText"], str):
        found.append("errorText is no text")
    if "rawInput" in part and state == "input-streaming" and not isinstance(part["rawInput"], str):
        found.append("rawInput is no text")
    if "approval" in part:
        found += _approval(state, part["approval"])
    return found


def _approval(state: str, approval: Any) -> list[str]:
    if not isinstance(approval, dict) or not isinstance(approval.get("id"), str):
        return ["approval without id"]
    approved = approval.get("approved")
    rules = {
        "approval-requested": "approved" not in approval and "reason" not in approval,
        "approval-responded": isinstance(approved, bool),
        "output-available": approved is True,
        "output-error": approved is True,
        "output-denied": approved is False,
    }
    if not rules.get(state, False):
        return [f"{state} with approval {approval!r}"]
    if "reason" in approval and not isinstance(approval["reason"], str):
        return ["approval with a reason that is no text"]
    return []
