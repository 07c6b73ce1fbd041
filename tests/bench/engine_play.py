"""Our side of the engine's benchmark: the same code under CPython and in the page."""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Any, Literal

from pydantic import BaseModel

from pagehand.engine.engine import Engine
from pagehand.engine.outcome import Call, Outcome, Output
from pagehand.toolkit.toolkit import Toolkit

GROUPS = 5  # a busy machine slows some of them: the quietest counts


class Address(BaseModel):
    """A nested model, as real tools have them."""

    street: str
    city: str = "Berlin"


def place_order(
    article: str, pieces: int, to: Address, pay_by: Literal["invoice", "card"], note: str = ""
) -> dict[str, Any]:
    """Places an order."""
    return {"article": article, "pieces": pieces, "city": to.city, "by": pay_by, "note": note}


ARGUMENTS = {
    "article": "A-1",
    "pieces": 2,
    "to": {"street": "Ring 1"},
    "pay_by": "card",
    "note": "please ring twice",
}


class Sink:
    """Counts outcomes and wakes whoever waits for all of them."""

    def __init__(self, expected: int) -> None:
        self._left = expected
        self.done = asyncio.Event()

    def settled(self, tool_call_id: str, outcome: Outcome) -> None:
        """One more."""
        assert isinstance(outcome, Output), outcome
        self._left -= 1
        if not self._left:
            self.done.set()

    def progress(self, tool_call_id: str, value: Any) -> None:
        """Nothing here shows progress."""


async def medians(calls: int) -> dict[str, float]:
    """Milliseconds a call takes, each the median of the quietest group of calls.

    `inside` is from finding the tool to the settled result, as the log has it; `whole` also
    holds the loop's turns before and after; `many` is one of a hundred at once.
    """
    toolkit = Toolkit()
    toolkit.tool("place-order", risk="safe")(place_order)
    engine = Engine(toolkit)
    await _batch(engine, "warm", 1)  # the schema is built, modules are loaded
    inside, whole, many = [], [], []
    for group in range(GROUPS):
        took = []
        for number in range(calls // GROUPS):
            took.append(await _batch(engine, f"{group}-{number}", 1))
        last = engine.log[-len(took) :]
        inside.append(statistics.median(record["duration_ms"] for record in last))
        whole.append(statistics.median(took))
        many.append(await _batch(engine, f"many-{group}", 100) / 100)
    return {"inside": min(inside), "whole": min(whole), "many": min(many)}


async def _batch(engine: Engine, name: str, count: int) -> float:
    """Runs so many calls at once; milliseconds until the last is settled."""
    sink = Sink(count)
    started = [Call(f"{name}-{n}", "place-order", ARGUMENTS, "", "m1", 1) for n in range(count)]
    began = time.perf_counter()
    engine.start(started, sink)
    await sink.done.wait()
    return (time.perf_counter() - began) * 1000
