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

ROUNDS = 20  # calls between two looks at the clock, which a page has made coarse


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
    """Milliseconds a call takes: one after another, and of a hundred at once."""
    toolkit = Toolkit()
    toolkit.tool("place-order", risk="safe")(place_order)
    engine = Engine(toolkit)
    await _batch(engine, "warm", 1)  # the schema is built, modules are loaded
    one = []
    for turn in range(calls // ROUNDS):
        began = time.perf_counter()
        for number in range(ROUNDS):
            await _batch(engine, f"{turn}-{number}", 1)
        one.append((time.perf_counter() - began) * 1000 / ROUNDS)
    many = []
    for turn in range(5):
        began = time.perf_counter()
        await _batch(engine, f"many-{turn}", 100)
        many.append((time.perf_counter() - began) * 1000 / 100)
    return {"one": statistics.median(one), "many": statistics.median(many)}


async def _batch(engine: Engine, name: str, count: int) -> None:
    sink = Sink(count)
    started = [Call(f"{name}-{n}", "place-order", ARGUMENTS, "", "m1", 1) for n in range(count)]
    engine.start(started, sink)
    await sink.done.wait()
