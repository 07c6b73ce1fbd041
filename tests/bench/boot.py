"""From navigation to ready: our page against a page with Pyodide as npm and PyPI ship it.

And how soon the composer is there, against the first paint of a page without the assistant: a bare
page beside the element alone, the same site beside index.html.

Both come from one server, with the same compression and caching, into the same browser. "First"
is a fresh profile; "later" the same profile after two visits of three seconds, in a new browser
process. Visits of the pages take turns, so that a busy machine slows all of them.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, Playwright, sync_playwright

from bench.report import Row, compare
from bench.static_server import StaticServer
from scripts import chromium
from scripts.node import find_node
from scripts.vendoring.compress import compress_all
from scripts.vendoring.lock import read_lock

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "vendor"
ROUNDS = 5
STAY = 3000
PATIENCE = 60_000
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

BARE = "<!doctype html><html lang=en><title>bare</title><h1>Bare</h1><p>Nothing but this.</p>"
OWN = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>own door</title>'
    '<script type="module" src="/static/pagehand.js"></script>'
    '<h1>A page</h1><page-hand endpoint="/chat" thread=""></page-hand>'
)
STOCK = """<!doctype html><html lang="en"><meta charset="utf-8"><title>stock</title>
<script type="module">
import {{ loadPyodide }} from "/stock/pyodide.mjs";
const pyodide = await loadPyodide({{ indexURL: "/stock/" }});
await pyodide.loadPackage({wheels}, {{ messageCallback() {{}} }});
pyodide.runPython(`
import sys, pyrsistent_as_rpds.pure
sys.modules["rpds"] = pyrsistent_as_rpds.pure
import pydantic, jsonschema
class Order(pydantic.BaseModel):
    number: int
Order.model_validate({{"number": "3"}})
`);
console.debug("bench ready " + performance.now());
</script><h1>A page</h1>"""

# The composer is there when its text area can be typed into and something was painted.
WATCH = """
addEventListener("pagehand:ready", () => console.debug("bench ready " + performance.now()));
let there = 0, told = false;
const tell = () => {
  const painted = performance.getEntriesByName("first-paint")[0]?.startTime;
  if (told || painted === undefined || (document.querySelector("page-hand") && !there)) return;
  told = true;
  console.debug("bench shown " + Math.max(there, painted));
};
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (options) {
  const root = attach.call(this, options);
  const observer = new MutationObserver(() => {
    const field = root.querySelector('[data-part="composer"] textarea');
    if (there || !field?.checkVisibility({ visibilityProperty: true })) return;
    there = performance.now();
    observer.disconnect();
    tell();
  });
  const all = { childList: true, subtree: true, attributes: true };
  if (this.localName === "page-hand") observer.observe(root, all);
  return root;
};
new PerformanceObserver(tell).observe({ type: "paint", buffered: true });
"""


@dataclass
class Visits:
    """What was measured on one page."""

    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


def run() -> list[Row]:
    """Measures all pages in turns."""
    with _server() as server, sync_playwright() as playwright:
        pages = {
            "stock": f"{server.url}/stock.html",
            "own": f"{server.url}/own.html",
            "index": f"{server.url}/index.html",
        }
        visits = {name: Visits() for name in pages}
        paints: dict[str, list[float]] = {"own": [], "index": []}
        for _ in range(ROUNDS):
            paints["own"].append(_shown(playwright, f"{server.url}/bare.html"))
            paints["index"].append(_shown(playwright, f"{server.url}/plain.html"))
            for name, url in pages.items():
                _round(playwright, server, url, visits[name])
    return _rows(visits, {name: statistics.median(told) for name, told in paints.items()})


def _rows(visits: dict[str, Visits], paints: dict[str, float]) -> list[Row]:
    rows: list[Row] = []
    stock = visits["stock"]
    for name, told in (("own", "element alone"), ("index", "index.html")):
        ours = visits[name]
        median = statistics.median
        rows += [
            compare(f"{told}, first visit to ready", median(ours.first), median(stock.first), 0.45),
            compare(f"{told}, later visit to ready", median(ours.later), median(stock.later), 0.4),
            compare(
                f"{told}, bytes of a first visit",
                median(ours.sizes) / 1e6,
                median(stock.sizes) / 1e6,
                0.7,
                "MB",
            ),
            compare(
                f"{told}, composer against first paint without",
                median(ours.shown),
                paints[name],
                1.5,
            ),
        ]
    return rows


def _round(playwright: Playwright, server: StaticServer, url: str, visits: Visits) -> None:
    profile = tempfile.mkdtemp(prefix="bench-profile-")
    try:
        server.reset()
        ready, shown = _visit(playwright, profile, url, STAY)
        visits.first.append(ready)
        if shown is not None:
            visits.shown.append(shown)
        visits.sizes.append(server.sent)
        _visit(playwright, profile, url, STAY)
        visits.later.append(_visit(playwright, profile, url, 0)[0])
    finally:
        shutil.rmtree(profile, ignore_errors=True)


def _visit(playwright: Playwright, profile: str, url: str, stay: int) -> tuple[float, float | None]:
    """Opens the page in a new browser process; returns the times of ready and of the composer."""
    with _browser(playwright, profile) as context:
        page = context.new_page()
        told: dict[str, float] = {}

        def listen(text: str) -> None:
            if text.startswith("bench "):
                _, name, value = text.split()
                told.setdefault(name, float(value))

        page.on("console", lambda message: listen(message.text))
        with page.expect_console_message(
            lambda message: message.text.startswith("bench ready"), timeout=PATIENCE
        ):
            page.goto(url, wait_until="commit")
        if stay:
            page.wait_for_timeout(stay)
        return told["ready"], told.get("shown")


def _shown(playwright: Playwright, url: str) -> float:
    profile = tempfile.mkdtemp(prefix="bench-profile-")
    try:
        with _browser(playwright, profile) as context:
            page = context.new_page()
            with page.expect_console_message(
                lambda message: message.text.startswith("bench shown"), timeout=PATIENCE
            ) as told:
                page.goto(url, wait_until="commit")
            return float(told.value.text.split()[-1])
    finally:
        shutil.rmtree(profile, ignore_errors=True)


@contextlib.contextmanager
def _browser(playwright: Playwright, profile: str) -> Iterator[BrowserContext]:
    context = playwright.chromium.launch_persistent_context(
        profile, executable_path=chromium.find(), args=FLAGS
    )
    context.add_init_script(WATCH)
    yield context
    context.close()


@contextlib.contextmanager
def _server() -> Iterator[StaticServer]:
    stock = _stock_folder()
    wheels = [f"/stock/{path.name}" for path in sorted(stock.glob("*.whl"))]
    pages = {
        "/bare.html": BARE,
        "/plain.html": _without_assistant((ROOT / "index.html").read_text(encoding="utf-8")),
        "/own.html": OWN,
        "/stock.html": STOCK.format(wheels=wheels),
    }
    server = StaticServer({"/stock/": stock, "/": ROOT}, pages)
    yield server
    server.close()


def _without_assistant(page: str) -> str:
    """The same page with no script and no assistant in it: what its first paint takes by itself."""
    page = re.sub(r"<script[^>]*>.*?</script>|<link rel=\"modulepreload\"[^>]*>", "", page)
    return re.sub(r"<page-hand[^>]*>.*?</page-hand>", "", page, flags=re.DOTALL)


def _stock_folder() -> Path:
    """Pyodide and the wheels just as they come, with the text and the wasm compressed as ours."""
    lock = read_lock(ROOT / "vendor.lock.json")
    folder = CACHE / "stock"
    folder.mkdir(exist_ok=True)
    pyodide = lock["pyodide"]
    engine = CACHE / "unpacked" / f"{pyodide.folder}-{pyodide.sha256[:12]}"
    names = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
    for name in (*names, "python_stdlib.zip"):
        shutil.copyfile(engine / name, folder / name)
    compress_all([folder / name for name in names], CACHE / "br", find_node())
    for package in lock.of("pypi"):
        shutil.copyfile(CACHE / "packages" / package.file, folder / package.file)
    return folder
