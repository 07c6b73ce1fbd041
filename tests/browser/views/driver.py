"""Drives the stage (views/page.html) from a test: Python in the page, and what the page shows."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Browser, Locator, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser.support.fake_server import FakeServer

SETTLE = """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"""


class Stage:
    """One page with the real shell, views and engine, and a conversation played by hand."""

    def __init__(self, browser: Browser, *, headers: dict[str, str] | None = None) -> None:
        self._server = FakeServer()
        self.context = browser.new_context(
            locale="en-US", viewport={"width": 760, "height": 800}, reduced_motion="reduce"
        )
        self.context.set_default_timeout(10_000)
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.context.on("weberror", lambda error: self.problems.append(str(error.error)))
        self.context.on("console", lambda message: self._said(message.text))
        self.page: Page = self.context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        url = f"{self._server.url}/tests/browser/views/page.html"
        if headers:
            self.page.route(
                url,
                lambda route: route.fulfill(
                    response=route.fetch(), headers={**route.fetch().headers, **headers}
                ),
            )
        self.page.goto(url)
        self.page.wait_for_selector("html[data-staged]", state="attached", timeout=60_000)

    def _said(self, text: str) -> None:
        if "Traceback" in text or "Unhandled" in text or "Refused" in text:
            self.problems.append(text)

    def reset(self, language: str = "en", options: str = "") -> None:
        """Empties the stage; `options` are keyword arguments of the engine, as Python text."""
        self.page.set_viewport_size({"width": 760, "height": 800})
        self.run(f"reset({language!r}, {options})")
        self.settle()
        self.problems.clear()
        self.requests.clear()

    def run(self, code: str, **values: Any) -> None:
        """Runs Python in the page; `values` (JSON) are names it may use."""
        self.page.evaluate("code => stage.run(code)", _with(values) + code)

    def ask(self, expression: str) -> Any:
        """The JSON value of a Python expression in the page, after the tasks that wait there."""
        return self.page.evaluate("code => stage.rest().then(() => stage.ask(code))", expression)

    def becomes(self, expression: str, value: Any) -> None:
        """Waits until a Python expression in the page has this JSON value."""
        is_it = "([code, want]) => JSON.stringify(stage.ask(code)) === JSON.stringify(want)"
        try:
            self.page.wait_for_function(is_it, arg=[expression, value])
        except PlaywrightTimeout:
            assert self.ask(expression) == value

    def settle(self) -> None:
        """Waits until what was asked for is drawn."""
        self.page.evaluate(SETTLE)

    def find(self, selector: str) -> Locator:
        """Finds in the shadow root."""
        return self.page.locator("stage-host").locator(selector)

    def in_root(self, body: str, arg: Any = None) -> Any:
        """Runs JavaScript with `root`, the shadow root, and `arg`."""
        code = f"arg => {{ const root = document.querySelector('stage-host').shadowRoot; {body} }}"
        return self.page.evaluate(code, arg)

    def close(self) -> None:
        """Ends the page and its server."""
        self.context.close()
        self._server.close()


def _with(values: dict[str, Any]) -> str:
    lines = [f"{name} = json.loads({json.dumps(json.dumps(v))})" for name, v in values.items()]
    return "\n".join(["import json", *lines, ""])
