"""Our backend against bare Starlette that writes the same bytes, side by side.

Rate of short answers, memory of open streams, and the time to the first token while streams
open. Both sides take turns under the same uvicorn, in many short rounds, and the round whose
ratio is the median counts: a busy machine slows both sides of a round. Server and clients have a
core each where there are two.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.backend_load import Crowd, rate
from bench.report import Row, compare

HERE = Path(__file__).resolve().parent
SIDES = ("ours", "bare")
CONNECTIONS, SECONDS, TURNS = 32, 0.5, 15
STREAMS, A_SECOND, CROWDS = 400, 250.0, 5


Round = dict[str, float]
"""What was measured of each side, one right after the other."""


def run() -> list[Row]:
    """Measures both sides in turns."""
    with _one_core(client=True):
        pace, work = _rates()
        memory, first = _crowds()
    rows = [
        _row("five-delta answer, 32 at once", pace, 1 / 0.75, "us"),
        _row("first token at 250 new streams/s, p95", first, 2.0),
    ]
    if all(all(each.values()) for each in work):
        rows.append(_row("five-delta answer, CPU time", work, None, "us"))
    if all(all(each.values()) for each in memory):
        rows.append(_row("memory of one of 400 streams", memory, 1.6, "KB"))
    return rows


def _row(name: str, rounds: list[Round], limit: float | None, unit: str = "ms") -> Row:
    """The round in the middle, by its ratio."""
    ordered = sorted(rounds, key=lambda each: each["ours"] / each["bare"])
    middle = ordered[len(ordered) // 2]
    return compare(name, middle["ours"], middle["bare"], limit, unit)


def _rates() -> tuple[list[Round], list[Round]]:
    """Microseconds a short answer takes, and of those the server's CPU time."""
    pace: list[Round] = []
    work: list[Round] = []
    with _server("ours") as ours, _server("bare") as bare:
        for turn in range(TURNS):
            took: Round = {}
            used: Round = {}
            sides = [("ours", ours), ("bare", bare)]
            for side, server in sides if turn % 2 else reversed(sides):
                before = server.cpu()
                took[side] = asyncio.run(rate(server.port, CONNECTIONS, SECONDS))
                used[side] = (server.cpu() - before) / SECONDS * took[side]
            pace.append(took)
            work.append(used)
    return pace, work


def _crowds() -> tuple[list[Round], list[Round]]:
    """Kilobytes of an open stream, and milliseconds to the first token (95 of 100 are sooner)."""
    memory: list[Round] = []
    first: list[Round] = []
    for turn in range(CROWDS):
        grown: Round = {}
        p95: Round = {}
        for side in SIDES if turn % 2 else reversed(SIDES):
            with _server(side) as server:
                times, grown[side] = asyncio.run(_crowd(server))
            p95[side] = sorted(times)[int(len(times) * 0.95)]
        memory.append(grown)
        first.append(p95)
    return memory, first


async def _crowd(server: _Server) -> tuple[list[float], float]:
    await rate(server.port, 8, 0.5)  # what a first answer loads does not count
    crowd, before = Crowd(), server.resident()
    times = await crowd.open(server.port, STREAMS, A_SECOND)
    await asyncio.sleep(1.5)  # a token more on each
    grown = server.resident() - before
    crowd.close()
    return times, grown / STREAMS


class _Server:
    """One side in a process of its own."""

    def __init__(self, side: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "backend_server.py"), side],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self._files = Path(f"/proc/{self._process.pid}")

    def cpu(self) -> float:
        """Seconds of CPU time so far; 0 where the system does not tell."""
        try:
            fields = (self._files / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> float:
        """Kilobytes in memory; 0 where the system does not tell."""
        try:
            lines = (self._files / "status").read_text().splitlines()
        except OSError:
            return 0.0
        return next(float(line.split()[1]) for line in lines if line.startswith("VmRSS"))

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def _server(side: str) -> Iterator[_Server]:
    with _one_core(client=False):
        server = _Server(side)  # inherits the core
    try:
        yield server
    finally:
        server.close()


@contextmanager
def _one_core(*, client: bool) -> Iterator[None]:
    """Keeps this process, and those it starts, on the clients' core or on the servers'."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    cores = sorted(_CORES or before)
    os.sched_setaffinity(0, {cores[-1] if client else cores[0]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


_CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
