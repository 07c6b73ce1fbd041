"""What the engine's tests share: a sink that remembers, and turns of the loop."""

from __future__ import annotations

import asyncio
from typing import Any

from pagehand.engine.clock import ManualClock
from pagehand.engine.engine import Engine
from pagehand.engine.outcome import Call, Outcome
from pagehand.toolkit.toolkit import Toolkit


class Sink:
    """Remembers what it is told, in order."""

    def __init__(self) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.order: list[str] = []
        self.shown: list[tuple[str, Any]] = []

    def settled(self, tool_call_id: str, outcome: Outcome) -> None:
        assert tool_call_id not in self.outcomes, "settled twice"
        self.outcomes[tool_call_id] = outcome
        self.order.append(tool_call_id)

    def progress(self, tool_call_id: str, value: Any) -> None:
        self.shown.append((tool_call_id, value))


class Bench:
    """An engine with its toolkit, sink and clock."""

    def __init__(self, **settings: Any) -> None:
        self.toolkit = Toolkit()
        self.sink = Sink()
        self.clock = ManualClock()
        self.reports: list[str] = []
        self.engine = Engine(self.toolkit, clock=self.clock, report=self.reports.append, **settings)
        self._count = 0

    def start(self, name: str, arguments: Any = None, **more: Any) -> str:
        """Starts one call and returns its id."""
        self._count += 1
        tool_call_id = more.pop("tool_call_id", f"c{self._count}")
        messages = more.pop("messages", ())
        self.engine.start([Call(tool_call_id, name, arguments, **more)], self.sink, messages)
        return tool_call_id

    async def run(self, name: str, arguments: Any = None, **more: Any) -> Outcome:
        """Starts one call and waits for its end."""
        tool_call_id = self.start(name, arguments, **more)
        await turns()
        return self.sink.outcomes[tool_call_id]

    def record(self) -> dict[str, Any]:
        """The newest log record."""
        return self.engine.log[-1]


async def turns(count: int = 20) -> None:
    """Lets everything that is ready run."""
    for _ in range(count):
        await asyncio.sleep(0)
