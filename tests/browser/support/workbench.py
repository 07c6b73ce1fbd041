"""Runs single page tools in a real page, without a conversation around them.

    bench = Workbench(page, fake_server)
    bench.open("controls.html")                       # tests/browser/pages/controls.html
    result = bench.call("fill_form_field", fields=[{"name": "Name", "value": "Mei"}])

The page's Python is started once for each test; `confirm` answers every question of the tools,
and `bench.questions` keeps what they asked.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from browser.support.fake_server import FakeServer

PAGES = Path(__file__).resolve().parents[1] / "pages"

PREPARE = """
import json
from pagehand.engine.engine import Engine
from pagehand.tools import page_tools

questions = []
answer = True

def confirm(confirmation):
    questions.append("\\n".join(filter(None, [confirmation.title, confirmation.text])))
    confirmation.answer(answer)

async def call(name, arguments):
    outcome = await engine.invoke(name, json.loads(arguments))
    value = {"failed": outcome.error_text} if hasattr(outcome, "error_text") else outcome.value
    return json.dumps(value, ensure_ascii=False)

def set_up(options):
    global engine
    questions.clear()
    engine = Engine(page_tools(**json.loads(options)), confirm=confirm)
"""

_START = """async () => {
  const { shellOf } = await import("/static/pagehand.js");
  const { startRuntime, optionalPackages } = await import("/static/runtime.js");
  const { registerShells } = await import("/static/boot.js");
  await registerShells(shellOf ?? (() => null));
  window.python = await startRuntime({});
  await optionalPackages();
}"""


class Workbench:
    """One page with the page tools at hand."""

    def __init__(self, page: Page, server: FakeServer) -> None:
        self.page = page
        self.server = server

    def open(self, name: str, **options: Any) -> None:
        """Opens a page of tests/browser/pages and makes the tools with these options."""
        text = (PAGES / name).read_text(encoding="utf-8")
        self.show(text, **options)

    def show(self, html: str, *, lang: str = "en", **options: Any) -> None:
        """Opens a page with this body."""
        head = f'<html lang="{lang}"><meta charset="utf-8"><title>bench</title>'
        whole = html if "<html" in html else f"{head}{html}</html>"
        self.page.goto(self.server.file("bench.html", f"<!doctype html>{whole}"))
        self.page.evaluate(_START)
        self.python(PREPARE)
        self.python(f"set_up({json.dumps(json.dumps(options))})")

    def python(self, code: str) -> Any:
        """Runs Python in the page; what it leaves as its last value comes back."""
        return self.page.evaluate("code => window.python.runPythonAsync(code)", code)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Runs one tool through the engine; `{"failed": text}` when it ended as an error."""
        text = json.dumps(json.dumps(arguments))
        result: dict[str, Any] = json.loads(self.python(f"await call({tool!r}, {text})"))
        return result

    def answer(self, value: bool) -> None:
        """How the tools' questions are answered from now on."""
        self.python(f"answer = {value!r}")

    @property
    def questions(self) -> list[str]:
        """What the tools asked since `open`."""
        asked: list[str] = json.loads(self.python("json.dumps(questions)"))
        return asked

    def value(self, selector: str, name: str = "value") -> Any:
        """A property of an element."""
        return self.page.evaluate(
            "([selector, name]) => document.querySelector(selector)[name]", [selector, name]
        )
