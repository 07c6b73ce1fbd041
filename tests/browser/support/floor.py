"""Many small pages in one: the page's Python is started once, and only the body is exchanged.

    floor.show("<button>Save</button>")
    floor.call("click", target="Save")

For pages that live by their elements alone; what needs a load, a policy or an address of its own
takes the `Workbench`. A page's scripts run when it is shown; they must not listen on the document.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from browser.support.fake_server import FakeServer
from browser.support.watch import Watch
from browser.support.workbench import PREPARE, Workbench

REPORTS = Path(__file__).resolve().parents[1] / "pages" / "reports"

_SWAP = """([html, lang]) => {
  document.documentElement.lang = lang;
  document.title = "floor";
  history.replaceState(null, "", location.pathname);
  document.body.replaceChildren(document.createRange().createContextualFragment(html));
  scrollTo(0, 0);
}"""


class Floor(Workbench):
    """One page whose body changes.

    Attributes:
        watch: Errors and requests to the outside; checked after each test.
    """

    def __init__(self, browser: Browser) -> None:
        self._server = FakeServer()
        self._context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 800})
        self._context.set_default_timeout(20_000)
        self.watch = Watch(self._context)
        super().__init__(self._context.new_page(), self._server)
        super().show("<p>floor</p>")

    def show(self, html: str, *, lang: str = "en", **options: Any) -> None:
        """Shows a body; fresh tools with these options."""
        self.page.evaluate(_SWAP, [html, lang])
        self.python(PREPARE)
        self.python(f"set_up({json.dumps(json.dumps(options))})")

    def report(self, name: str, **options: Any) -> None:
        """Shows a page of pages/reports."""
        self.show((REPORTS / f"{name}.html").read_text(encoding="utf-8"), **options)

    def text(self, selector: str) -> str:
        """What an element shows."""
        return self.page.locator(selector).inner_text()

    def close(self) -> None:
        """Ends page and server."""
        self._context.close()
        self._server.close()
