"""AG-UI's `MESSAGES_SNAPSHOT` as the events it stands for.

What the page shows is what it was told as it came, so a snapshot only adds: messages of the
present turn that were never streamed, and results that are still missing. Earlier turns, and
changes of what stands there already, are left alone.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from pagehand.wire.ag_ui_events import HELPER_RUN, Event


def snapshot_events(messages: Any, known: Set[str], waiting: Set[str]) -> list[Event]:
    """The events for what is new in a snapshot.

    Args:
        messages: The snapshot, whatever it holds.
        known: Ids of messages and calls that stand in the conversation.
        waiting: Ids of calls without a result.
    """
    found = [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []
    last = max((index for index, m in enumerate(found) if m.get("role") == "user"), default=-1)
    events: list[Event] = []
    calls: set[str] = set()
    for message in found[last + 1 :]:
        role, message_id = message.get("role"), message.get("id")
        if not isinstance(message_id, str):
            continue
        if role == "tool":
            if message.get("toolCallId") in waiting | calls:
                events.append({**message, "type": "TOOL_CALL_RESULT", "messageId": message_id})
        elif role in ("assistant", "reasoning"):
            if message_id not in known:
                kind = "TEXT_MESSAGE" if role == "assistant" else "REASONING_MESSAGE"
                events += _prose(message, kind)
            events += _calls(message, known, calls)
    return events


def _prose(message: Event, kind: str) -> list[Event]:
    content = message.get("content")
    if not isinstance(content, str) or not content:
        return []
    same = {key: message[key] for key in (HELPER_RUN,) if key in message}
    same["messageId"] = message["id"]
    return [
        {**same, "type": f"{kind}_START"},
        {**same, "type": f"{kind}_CONTENT", "delta": content},
        {**same, "type": f"{kind}_END"},
    ]


def _calls(message: Event, known: Set[str], new: set[str]) -> list[Event]:
    events: list[Event] = []
    calls = message.get("toolCalls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(call.get("id"), str):
            continue
        name, arguments = function.get("name"), function.get("arguments")
        if call["id"] in known or not isinstance(name, str) or not isinstance(arguments, str):
            continue
        new.add(call["id"])
        same = {key: message[key] for key in (HELPER_RUN,) if key in message}
        same["toolCallId"] = call["id"]
        start = {"toolCallName": name, "parentMessageId": message["id"]}
        events += [
            {**same, "type": "TOOL_CALL_START", **start},
            {**same, "type": "TOOL_CALL_ARGS", "delta": arguments},
            {**same, "type": "TOOL_CALL_END"},
        ]
    return events
