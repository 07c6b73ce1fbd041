"""How often calls may run: token buckets per tool and overall, and a total per turn.

    limits = RateLimits(clock, overall=(60, 60), per_turn=50)
    limits.take(tool, turn=lambda: "m1")   # raises CallRefusedError saying when to try again

All are off unless set: honest form work needs many calls in a short time.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from pagehand.errors import CallRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pagehand.engine.clock import Clock
    from pagehand.toolkit.tool import Tool


class Bucket:
    """So many calls in so many seconds, refilled evenly."""

    def __init__(self, calls: int, seconds: float, clock: Clock) -> None:
        self._size = float(calls)
        self._rate = calls / seconds
        self._clock = clock
        self._level = self._size
        self._at = clock.monotonic()

    def wait(self) -> float:
        """Seconds until one more may run; 0 when it may now."""
        now = self._clock.monotonic()
        self._level = min(self._size, self._level + (now - self._at) * self._rate)
        self._at = now
        # Less than a thousandth short is full: sums of floats are never exact.
        missing = 1.0 - self._level
        return 0.0 if missing <= 0.001 else missing / self._rate

    def take(self) -> None:
        """Uses one."""
        self._level -= 1.0


class RateLimits:
    """The limits of one engine.

    Args:
        clock: Time.
        overall: (calls, seconds) for all tools together, or None.
        per_tool: (calls, seconds) for every tool, or None; a tool's own `limit` goes first.
        tools: (calls, seconds) by tool name; goes before both.
        per_turn: Calls between two messages of the person, or None.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        overall: tuple[int, float] | None = None,
        per_tool: tuple[int, float] | None = None,
        tools: Mapping[str, tuple[int, float]] | None = None,
        per_turn: int | None = None,
    ) -> None:
        self._clock = clock
        self._overall = Bucket(*overall, clock) if overall else None
        self._per_tool = per_tool
        self._tools = dict(tools or {})
        self._per_turn = per_turn
        self._buckets: dict[str, Bucket] = {}
        self._turn = ""
        self._in_turn = 0

    def take(self, tool: Tool, turn: Callable[[], str]) -> None:
        """Uses one call of every limit that applies, or none at all.

        Raises:
            CallRefusedError: Saying which limit, and when to try again.
        """
        if self._per_turn is not None:
            self._count_turn(turn(), self._per_turn)
        own = self._bucket(tool)
        for bucket, whose in ((own, f"{tool.name!r}"), (self._overall, "tool calls")):
            seconds = bucket.wait() if bucket else 0.0
            if seconds > 0:
                raise CallRefusedError(
                    f"Too many calls: the rate limit for {whose} is reached. "
                    f"Try again in {ceil(seconds)} s."
                )
        for bucket in (own, self._overall):
            if bucket:
                bucket.take()
        self._in_turn += 1

    def _count_turn(self, turn: str, most: int) -> None:
        if turn != self._turn:
            self._turn, self._in_turn = turn, 0
        if self._in_turn >= most:
            raise CallRefusedError(
                f"The limit of {most} tool calls per turn is reached. Tell the person "
                "what is done and what is left; they can ask you to go on."
            )

    def _bucket(self, tool: Tool) -> Bucket | None:
        setting = self._tools.get(tool.name) or tool.limit or self._per_tool
        if setting is None:
            return None
        if tool.name not in self._buckets:
            self._buckets[tool.name] = Bucket(*setting, self._clock)
        return self._buckets[tool.name]
