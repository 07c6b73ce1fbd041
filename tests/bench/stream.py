"""Our reading of long streams against the AI SDK's own client, on the same recorded bytes.

The AI SDK runs in Node, as fast as it can (tests/peers/aisdk/bench.mjs); ours under CPython and
in Chromium's Pyodide, through the page's own `fetch` transport. The sides take turns, and each
counts its fastest round: a busy machine slows both. Two loads come from a real server that writes
each event by itself: both sides fetch them.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench import stream_load, stream_play
from bench.report import Row, compare
from bench.static_server import StaticServer
from bench.stream_server import StreamServer
from peers.peer import find_node, install
from scripts import chromium

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
AISDK = ROOT / "tests" / "peers" / "aisdk"
TURNS = 3

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>stream</title>
<script type="module">
import { startRuntime } from "/static/runtime.js";
window.python = await startRuntime({});
document.documentElement.dataset.ready = "yes";
</script>"""

FETCH = """(file) => {
  window.fetch = async () => {
    const { bytes, size } = window.load;
    let at = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, (at += size)));
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}"""


@dataclass(frozen=True)
class Load:
    """What is read: the bytes, how many of them at once, after how many messages, how often.

    With `served` they come from a server, event by event, and each side reads what has arrived.
    """

    data: bytes
    size: int = stream_load.READ
    messages: int = 0
    rounds: int = 3
    served: bool = False


LOADS = {
    "text": Load(stream_load.text(20_000)),
    "argument": Load(stream_load.argument(200_000, 5_000), rounds=1),
    "fresh": Load(stream_load.text(2_000), rounds=10),
    "seasoned": Load(stream_load.text(2_000), messages=1_000, rounds=10),
    "served-text": Load(stream_load.text(20_000), served=True),
    "served-argument": Load(stream_load.argument(200_000, 5_000), rounds=1, served=True),
}
SLOW = ("argument", "served-argument")
Player = Callable[[str], float]


def run() -> list[Row]:
    """Measures all loads on all sides, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        for name, load in LOADS.items():
            (Path(folder) / name).write_bytes(load.data)
        server = StreamServer({name: load.data for name, load in LOADS.items()})
        with _aisdk(Path(folder), server.url) as aisdk, _chromium(Path(folder), server.url) as page:
            best = _in_turns({"aisdk": aisdk, "page": page, "cpython": _cpython})
        server.close()
    return _rows(best)


def _in_turns(sides: dict[str, Player]) -> dict[tuple[str, str], float]:
    """The fastest rounds, by load and side."""
    best: dict[tuple[str, str], float] = {}
    for turn in range(TURNS):
        for name, load in LOADS.items():
            for side, player in sides.items():
                if turn and side == "aisdk" and name in SLOW:
                    continue  # it takes seconds, and is far away from the limit
                if load.served and side == "cpython":
                    continue  # it has no fetch of ours
                took = player(name)
                best[name, side] = min(took, best.get((name, side), took))
    return best


def _rows(best: dict[tuple[str, str], float]) -> list[Row]:
    rows: list[Row] = []
    for side, told in (("page", "Pyodide"), ("cpython", "CPython")):

        def against(name: str, load: str, limit: float, side: str = side) -> Row:
            return compare(name, best[load, side], best[load, "aisdk"], limit)

        rows += [
            against(f"{told}: 20,000 text deltas", "text", 1.0),
            against(f"{told}: 200 KB argument in 5,000 deltas", "argument", 0.1),
            compare(
                f"{told}: 2,000 deltas after 1,000 messages, after none",
                best["seasoned", side],
                best["fresh", side],
                1.1,
            ),
        ]
        if side == "page":
            rows += [
                against(f"{told}, event by event from a server: 20,000 deltas", "served-text", 1.0),
                against(f"{told}, event by event: 200 KB argument", "served-argument", 0.1),
            ]
    return rows


def _cpython(name: str) -> float:
    load = LOADS[name]
    messages = stream_load.history(load.messages)
    work = stream_play.rounds(load.data, load.size, messages, load.rounds)
    with ThreadPoolExecutor(1) as thread:  # this one has Playwright's event loop
        return thread.submit(asyncio.run, work).result()


@contextmanager
def _aisdk(folder: Path, served: str) -> Iterator[Player]:
    node = find_node()
    install(AISDK, node)
    process = subprocess.Popen(
        [node.program, "bench.mjs"],
        cwd=AISDK,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def play(name: str) -> float:
        assert process.stdin is not None
        assert process.stdout is not None
        load = LOADS[name]
        job: dict[str, Any] = {
            "file": str(folder / name),
            "size": load.size,
            "messages": stream_load.history(load.messages),
            "rounds": load.rounds,
            "url": f"{served}/{name}" if load.served else None,
        }
        process.stdin.write(json.dumps(job) + "\n")
        process.stdin.flush()
        return float(process.stdout.readline())

    yield play
    process.stdin.close()
    process.wait(10)
    process.stdout.close()


@contextmanager
def _chromium(folder: Path, served: str) -> Iterator[Player]:
    server = StaticServer({"/static/": ROOT / "static", "/load/": folder}, {"/page.html": PAGE})
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto(f"{server.url}/page.html")
        page.wait_for_selector("html[data-ready]", timeout=60_000, state="attached")
        for name in ("stream_play.py", "page/stream_page.py"):
            python = (HERE / name).read_text(encoding="utf-8")
            page.evaluate(
                "async python => void (await window.python.runPythonAsync(python))", python
            )
        yield lambda name: _play_in(page, name, served)
        browser.close()
    server.close()


def _play_in(page: Page, name: str, served: str) -> float:
    load = LOADS[name]
    page.evaluate(
        """async ([name, size, fetching]) => {
            window.realFetch ??= window.fetch;
            window.fetch = window.realFetch;
            if (!size) return;
            const answer = await window.realFetch(`/load/${name}`);
            window.load = { bytes: new Uint8Array(await answer.arrayBuffer()), size };
            eval(fetching)();
        }""",
        [name, 0 if load.served else load.size, FETCH],
    )
    messages = json.dumps(stream_load.history(load.messages))
    took: float = page.evaluate(
        "code => window.python.runPythonAsync(code)",
        f"await fetched({messages!r}, {load.rounds}, {served + '/' + name!r})",
    )
    return took
