"""The page tools on big pages: Chromium, Pyodide, the real engine around each call.

A page of 20,000 elements is read and searched, a table of 10,000 rows is queried. Each figure is
the median of some calls after a first one that is not counted: it loads the tools' own modules.
"""

from __future__ import annotations

import json
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from bench.report import Row
from browser.conftest import FLAGS
from browser.support.fake_server import FakeServer
from browser.support.workbench import Workbench
from scripts import chromium

ROUNDS = 7
BUDGET = {"characters": 10_000_000}

MANY = """<title>many</title><main id="main"></main><script>
// 2,000 cards of ten elements: headings, texts, links, fields, boxes, lists.
const cards = Array.from({ length: 2000 }, (_, n) => `<section aria-label="Card ${n}">
  <h2>Title ${n}</h2><p>Some words about thing ${n}, and <b>more</b>.</p>
  <a href="/thing/${n}">Open ${n}</a>
  <label>Amount ${n} <input value="${n}"></label><label><input type="checkbox"> Take ${n}</label>
  <button>Save ${n}</button></section>`);
document.getElementById("main").innerHTML = cards.join("");
</script>"""

TABLE = """<title>table</title><table id="orders"><caption>Orders</caption>
<thead><tr><th>No<th>Customer<th>Total<th>Day<th>Paid</tr></thead><tbody></tbody></table><script>
const names = ["Ada", "Mei", "Zoë", "Ivo", "Ole"];
const two = (n) => String(n).padStart(2, "0");
document.querySelector("tbody").innerHTML = Array.from({ length: 10000 }, (_, n) => `<tr><td>${n}
  <td>${names[n % 5]} ${n % 97}<td>€ ${(n * 7919 % 100000 / 100).toFixed(2)}
  <td>2026-${two(n % 12 + 1)}-${two(n % 28 + 1)}<td>${n % 3 ? "yes" : "no"}`).join("");
</script>"""

TIMED = """
from js import performance

async def timed(name, arguments, rounds):
    taken = []
    for _ in range(rounds + 1):
        start = performance.now()
        outcome = await engine.invoke(name, json.loads(arguments))
        taken.append(performance.now() - start)
    if hasattr(outcome, "error_text"):
        raise RuntimeError(outcome.error_text)
    return json.dumps([taken[1:], outcome.value])
"""


def run() -> list[Row]:
    """Measures the three tools."""
    server = FakeServer()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
            bench = Workbench(browser.new_page(), server)
            rows = _many(bench) + _table(bench)
            browser.close()
    finally:
        server.close()
    return rows


def _many(bench: Workbench) -> list[Row]:
    bench.show(MANY, budget=BUDGET)
    count = bench.page.evaluate("document.querySelectorAll('body *').length")
    assert count >= 20_000, count
    plain, read = _timed(bench, "read_page")
    assert read["data"]["left_out"]
    whole, read = _timed(bench, "read_page", max_chars=60_000)
    assert len(read["data"]["outline"]) > 50_000
    found, hit = _timed(bench, "find_in_page", text="Title 1999")
    assert hit["data"]["total"] == 1
    return [
        Row("tools: snapshot of 20,000 elements", plain, None, plain, 300, "ms"),
        Row("tools: the same, in 60,000 characters", whole, None, whole, 300, "ms"),
        Row("tools: find_in_page in 20,000 elements", found, None, found, 50, "ms"),
    ]


def _table(bench: Workbench) -> list[Row]:
    bench.show(TABLE, budget=BUDGET)
    where = [{"column": "Customer", "operator": "contains", "value": "zoe"}]
    asked = {"target": "Orders", "where": where, "sortBy": "Total", "sortOrder": "desc"}
    took, result = _timed(bench, "query_data", **asked)
    assert result["data"]["matched"] == 2_000, result
    return [Row("tools: query of 10,000 table rows", took, None, took, 500, "ms")]


def _timed(bench: Workbench, tool: str, **arguments: Any) -> tuple[float, dict[str, Any]]:
    bench.python(TIMED)
    text = json.dumps(json.dumps(arguments))
    taken, value = json.loads(bench.python(f"await timed({tool!r}, {text}, {ROUNDS})"))
    return median(taken), value
