"""AG-UI events in their one plain form: checked, with short forms and old names written out.

    expander = Expander()
    for event in expander.expand(raw, warn): ...

A `..._CHUNK` event stands for a start, a content and, when another thing begins, an end.
`THINKING_...` was the name of reasoning before 1.0. What `expand` gives is only events of
`KNOWN`, with their required keys there.
Source: AG-UI 1.0, events and chunk expansion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from pagehand.errors import MalformedEventError

if TYPE_CHECKING:
    from pagehand.wire.codec import Warn

Event: TypeAlias = dict[str, Any]
"""One event of AG-UI, as it is on the wire."""

HELPER_RUN = "sub" + "agentRunId"
"""The key that names the run of a helping agent: on events, messages and in our notes alike."""

STATE = "ag-ui-state"
ENCRYPTED = "ag-ui-encrypted"
ACTIVITY = "ag-ui-activity"
"""Names of the data parts that keep what the UI stream has no chunk for."""

# type: the keys that must hold a text

KNOWN: dict[str, tuple[str, ...]] = {
    "RUN_STARTED": (),
    "RUN_FINISHED": (),
    "RUN_ERROR": (),
    "STEP_STARTED": (),
    "STEP_FINISHED": (),
    "TEXT_MESSAGE_START": ("messageId",),
    "TEXT_MESSAGE_CONTENT": ("messageId", "delta"),
    "TEXT_MESSAGE_END": ("messageId",),
    "TOOL_CALL_START": ("toolCallId", "toolCallName"),
    "TOOL_CALL_ARGS": ("toolCallId", "delta"),
    "TOOL_CALL_END": ("toolCallId",),
    "TOOL_CALL_RESULT": ("toolCallId",),
    "REASONING_START": (),
    "REASONING_END": (),
    "REASONING_MESSAGE_START": ("messageId",),
    "REASONING_MESSAGE_CONTENT": ("messageId", "delta"),
    "REASONING_MESSAGE_END": ("messageId",),
    "REASONING_ENCRYPTED_VALUE": ("entityId", "encryptedValue"),
    "STATE_SNAPSHOT": (),
    "STATE_DELTA": (),
    "MESSAGES_SNAPSHOT": (),
    "ACTIVITY_SNAPSHOT": ("messageId", "activityType"),
    "ACTIVITY_DELTA": ("messageId",),
    "SUBAGENT_STARTED": (),
    "SUBAGENT_FINISHED": (),
    "SUBAGENT_ERROR": (),
    "CUSTOM": ("name",),
    "RAW": (),
}

_TEXT, _TOOL, _REASONING = "TEXT_MESSAGE", "TOOL_CALL", "REASONING_MESSAGE"

_CHUNKS = {f"{kind}_CHUNK": kind for kind in (_TEXT, _TOOL, _REASONING)}
_ID = {_TEXT: "messageId", _TOOL: "toolCallId", _REASONING: "messageId"}
_CONTENT = {_TEXT: "CONTENT", _TOOL: "ARGS", _REASONING: "CONTENT"}

_OLD = {
    "THINKING_START": "REASONING_START",
    "THINKING_END": "REASONING_END",
    "THINKING_TEXT_MESSAGE_START": "REASONING_MESSAGE_START",
    "THINKING_TEXT_MESSAGE_CONTENT": "REASONING_MESSAGE_CONTENT",
    "THINKING_TEXT_MESSAGE_END": "REASONING_MESSAGE_END",
}

_CLOSES_ALL = ("RUN_", "MESSAGES_SNAPSHOT")
_CLOSES_NONE = ("RAW", "ACTIVITY_", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED")


class Expander:
    """Writes the events of one run out. Remembers what chunks left open, one for each agent."""

    def __init__(self) -> None:
        self._open: dict[str | None, tuple[str, str]] = {}  # sub-agent: kind and id
        self._thoughts = 0

    def expand(self, event: Event, warn: Warn) -> list[Event]:
        """The plain events that this one stands for; none for one of an unknown type.

        Raises:
            MalformedEventError: A key is missing or holds something else than it must.
        """
        kind = str(event.get("type"))
        if kind in _CHUNKS:
            return self._chunk(event, _CHUNKS[kind])
        if kind in _OLD:
            event, kind = self._renamed(event, kind), _OLD[kind]
        needed = KNOWN.get(kind)
        if needed is None:
            warn(f"Events of the unknown type {kind[:40]!r} were passed over.")
            return []
        for key in needed:
            if not isinstance(event.get(key), str):
                raise MalformedEventError(f"A {kind} event whose {key} is missing or no text")
        return [*self._closed_by(event, kind), event]

    def _renamed(self, event: Event, kind: str) -> Event:
        """An event of before 1.0, which knew one thought at a time and gave it no id."""
        if kind == "THINKING_TEXT_MESSAGE_START":
            self._thoughts += 1
        return {**event, "type": _OLD[kind], "messageId": f"thinking-{self._thoughts}"}

    def _closed_by(self, event: Event, kind: str) -> list[Event]:
        """The ends of the chunks that this event closes."""
        if not self._open or kind.startswith(_CLOSES_NONE):
            return []
        if kind.startswith(_CLOSES_ALL):
            return [end for agent in list(self._open) for end in self._close(agent)]
        return self._close(_agent(event))

    def _close(self, agent: str | None) -> list[Event]:
        if agent not in self._open:
            return []
        kind, identifier = self._open.pop(agent)
        return [_tagged({"type": f"{kind}_END", _ID[kind]: identifier}, agent)]

    def _chunk(self, event: Event, kind: str) -> list[Event]:
        agent, identifier = _agent(event), event.get(_ID[kind])
        if identifier is None:
            agent, identifier = self._only(agent, kind)
        if not isinstance(identifier, str):
            raise MalformedEventError(f"A {kind}_CHUNK event whose {_ID[kind]} is no text")
        out: list[Event] = []
        if self._open.get(agent) != (kind, identifier):
            if kind == _TOOL and not isinstance(event.get("toolCallName"), str):
                raise MalformedEventError("A TOOL_CALL_CHUNK event that begins without a name")
            out += self._close(agent)
            self._open[agent] = (kind, identifier)
            start = {key: value for key, value in event.items() if key != "delta"}
            out.append({**start, "type": f"{kind}_START", _ID[kind]: identifier})
        delta = event.get("delta")
        if isinstance(delta, str):
            content = {"type": f"{kind}_{_CONTENT[kind]}", _ID[kind]: identifier, "delta": delta}
            out.append(_tagged(content, agent))
        elif delta is not None:
            raise MalformedEventError(f"A {kind}_CHUNK event whose delta is no text")
        return out

    def _only(self, agent: str | None, kind: str) -> tuple[str | None, str]:
        """What a chunk without an id goes on with: its agent's, else the only one of its kind."""
        mine = self._open.get(agent)
        if mine is not None and mine[0] == kind:
            return agent, mine[1]
        same = [(who, each) for who, (what, each) in self._open.items() if what == kind]
        if agent is not None or len(same) != 1:
            raise MalformedEventError(f"A {kind}_CHUNK event that goes on with nothing")
        return same[0]


def _agent(event: Event) -> str | None:
    """The sub-agent an event belongs to; None for the agent itself."""
    agent = event.get(HELPER_RUN)
    return agent if isinstance(agent, str) else None


def _tagged(event: Event, agent: str | None) -> Event:
    return event if agent is None else {**event, HELPER_RUN: agent}
