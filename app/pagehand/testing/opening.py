"""Opening a page for a test: where our files are, which Chromium, what is in the page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagehand.testing.page import AssistantPage, TestingError
from pagehand.testing.server import KitServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_PAGE = """<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>
<script type="module" src="/static/pagehand.js"></script></head>
<body>{body}<page-hand {attributes}></page-hand></body></html>"""


def find_static(named: Path | None = None) -> Path:
    """The folder that holds pagehand.js and the built vendor/.

    Args:
        named: The one to use; without it the one of the repository that this module is in.

    Raises:
        TestingError: It is not there or not built; the text says what to do.
    """
    static = named or Path(__file__).resolve().parents[3] / "static"
    if not (static / "pagehand.js").is_file():
        raise TestingError(
            f"no pagehand.js in {static}. Install pagehand from its folder with `pip install -e`, "
            "or name the static folder of a built site: `pagehand_static = path/to/static` in the "
            "pytest section of pyproject.toml."
        )
    if not (static / "vendor" / "manifest.json").is_file():
        raise TestingError(f"{static}/vendor is not built: run `make vendor` in {static.parent}.")
    return static


@contextmanager
def launch() -> Iterator[Browser]:
    """A headless Chromium: PAGEHAND_CHROMIUM, one on the PATH, or Playwright's own.

    Raises:
        TestingError: Playwright is missing.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise TestingError("Playwright is missing: pip install playwright") from None
    found = (shutil.which(name) for name in _PROGRAMS)
    program = os.environ.get("PAGEHAND_CHROMIUM") or next((name for name in found if name), None)
    # Chromium's sandbox does not run as root, which is what tests in containers often are.
    flags = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        yield browser
        browser.close()


@contextmanager
def open_toolkit(
    browser: Browser,
    static: Path,
    toolkit: Path | None,
    *,
    html: str = "",
    site: Path | None = None,
    path: str = "/",
    lang: str = "en",
    attributes: dict[str, str] | None = None,
    timeout: float = 30.0,
    **context: Any,
) -> Iterator[AssistantPage]:
    """A page with a toolkit in it, ready.

    Args:
        browser: A Chromium.
        static: Our static files; see `find_static`.
        toolkit: The Python file that defines `toolkit`; its folder is served beside it.
        html: What the tools work on: markup before the element in the page's body.
        site: A folder of the integrator's own pages instead, served at `/`; the page at `path`
            holds its own `<page-hand>` and loads `/static/pagehand.js`.
        path: The page's path.
        lang: The page's language.
        attributes: More attributes of the element, such as `{"mode": "side"}`.
        timeout: Seconds that a step of the test may take.
        context: Passed to Playwright's `new_context`, such as `locale` or `viewport`.

    Raises:
        TestingError: The page did not start; the text is the element's own.
    """
    server = KitServer(static)
    try:
        if site is not None:
            server.folders["/"] = site
        else:
            given = {"toolkit": _place(server, toolkit), "endpoint": "/chat", "thread": "test"}
            server.pages[path] = _page(html, lang, {**given, **(attributes or {})})
        opened = browser.new_context(**context)
        try:
            page = opened.new_page()
            assistant = AssistantPage(page, server.model, timeout=timeout)
            page.goto(server.url + path)
            assistant.wait_ready()
            yield assistant
        finally:
            opened.close()
    finally:
        server.close()


def _place(server: KitServer, toolkit: Path | None) -> str:
    if toolkit is None:
        return ""
    if not toolkit.is_file():
        raise TestingError(f"there is no toolkit file {toolkit}")
    server.folders["/toolkit/"] = toolkit.parent
    return f"/toolkit/{toolkit.name}"


def _page(body: str, lang: str, attributes: dict[str, str]) -> str:
    told = {name: value for name, value in attributes.items() if value}
    written = " ".join(f'{name}="{escape(value)}"' for name, value in told.items())
    return _PAGE.format(lang=escape(lang), title="test", body=body, attributes=written)
