"""The engine's log: one plain JSON record per call, bounded, with secrets masked.

engine.log[-1]["steps"]   # [{"step": "find", "verdict": "ok", "ms": 0.0}, ...]
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pagehand.engine.clock import Clock
    from pagehand.engine.outcome import Call

_LONGEST_VALUE = 4000
_FEW, _SHORT = 20, 90
_AT_A_GLANCE = 8000  # characters; what is short at a glance is shorter


class Record:
    """What is known about one call, growing while it runs."""

    __slots__ = ("_begun", "_clock", "data")

    def __init__(self, number: int, call: Call, clock: Clock) -> None:
        self._clock = clock
        self._begun = clock.monotonic()
        self.data: dict[str, Any] = {
            "number": number,
            "tool_call_id": call.tool_call_id,
            "tool_name": call.tool_name,
            "message_id": call.message_id,
            "step": call.step,
            "started_at": clock.now(),
            "state": "running",
            "steps": [],
        }

    def step(self, name: str, verdict: str, since: float) -> None:
        """Notes how a step went; `since` is when it began."""
        spent = round((self._clock.monotonic() - since) * 1000, 3)
        self.data["steps"].append({"step": name, "verdict": verdict, "ms": spent})

    def note(self, **facts: Any) -> None:
        """Adds facts; values must be JSON."""
        self.data.update(facts)

    def close(self, state: str) -> None:
        """Marks the end."""
        self.data["state"] = state
        self.data["duration_ms"] = round((self._clock.monotonic() - self._begun) * 1000, 3)


class Log:
    """The last records."""

    def __init__(self, limit: int) -> None:
        self._records: deque[Record] = deque(maxlen=limit)
        self._count = 0

    def open(self, call: Call, clock: Clock) -> Record:
        """Begins a record."""
        self._count += 1  # a first record with a higher number tells that earlier ones are gone
        record = Record(self._count, call, clock)
        self._records.append(record)
        return record

    def all(self) -> list[dict[str, Any]]:
        """Plain copies, oldest first."""
        return [dict(record.data, steps=list(record.data["steps"])) for record in self._records]


def loggable(value: Any, *, masked: bool = False) -> Any:
    """A JSON value as the log keeps it: masked (if it is not yet), and cut when it is very long."""
    if not masked:
        from pagehand.engine.secrets import mask

        value = mask(value).value
    if is_short(value):
        return value
    from pagehand.wire.jsontext import dumps

    text = dumps(value)
    if len(text) > _LONGEST_VALUE:
        return f"{text[:_LONGEST_VALUE]}... ({len(text)} characters)"
    return value


def excess(value: Any, most: int) -> int:
    """How many characters a JSON value has, if these are more than `most`; else 0."""
    if most > _AT_A_GLANCE and is_short(value):
        return 0
    from pagehand.wire.jsontext import dumps

    size = len(dumps(value))
    return size if size > most else 0


def is_short(value: Any) -> bool:
    """Whether it is short at a glance, which most values are: writing it out would tell surely."""
    if isinstance(value, dict) and len(value) <= _FEW:
        return all(len(key) <= _SHORT and _is_brief(item) for key, item in value.items())
    return _is_brief(value)


def _is_brief(value: Any) -> bool:
    return len(value) <= _SHORT if isinstance(value, str) else not isinstance(value, (dict, list))
