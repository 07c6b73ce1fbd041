"""What the engine itself costs a call in the page: from finding the tool to the settled result.

A tool with five parameters checked by pydantic, run without a confirmation, in Chromium's
Pyodide through `Engine.start`, the way the conversation goes. The same under CPython for
comparison.
"""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import sync_playwright

from bench import engine_play
from bench.report import Row
from bench.static_server import StaticServer
from scripts import chromium

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
CALLS = 400
LIMIT = 2.0  # milliseconds, as issue 4 asks

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>engine</title>
<script type="module">
import { optionalPackages, startRuntime } from "/static/runtime.js";
window.python = await startRuntime({});
await optionalPackages();
document.documentElement.dataset.ready = "yes";
</script>"""


def run() -> list[Row]:
    """Measures both."""
    with ThreadPoolExecutor(1) as thread:  # Playwright's event loop is in this one
        here = thread.submit(asyncio.run, engine_play.medians(CALLS)).result()
    there = _in_page()

    def told(name: str, value: float, limit: float | None = None) -> Row:
        return Row(name, value, None, value, limit, "ms")

    return [
        told("Pyodide: a call, from find to settle", there["inside"], LIMIT),
        told("Pyodide: the same with the loop's turns", there["whole"]),
        told("Pyodide: each of 100 calls at once", there["many"]),
        told("CPython: a call, from find to settle", here["inside"]),
    ]


def _in_page() -> dict[str, float]:
    server = StaticServer({"/static/": ROOT / "static"}, {"/page.html": PAGE})
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto(f"{server.url}/page.html")
        page.wait_for_selector("html[data-ready]", timeout=60_000, state="attached")
        source = (HERE / "engine_play.py").read_text(encoding="utf-8")
        found: str = page.evaluate(
            """async ([source, calls]) => {
                await window.python.runPythonAsync(source);
                return window.python.runPythonAsync(
                    `import json; json.dumps(await medians(${calls}))`);
            }""",
            [source, CALLS],
        )
        browser.close()
    server.close()
    read: dict[str, float] = json.loads(found)
    return read
