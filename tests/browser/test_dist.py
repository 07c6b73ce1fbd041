"""dist/ as somebody puts it up: under a path of a plain static host, the endpoint elsewhere."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser.support.backend import Backend
from browser.support.element import Assistant
from scripts.site import ROOT, build_site

pytestmark = pytest.mark.browser


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A host that knows files and nothing else."""

    def log_message(self, format: str, *args: object) -> None:
        """A test's output is not a server log."""


@pytest.fixture(scope="module")
def host(vendored: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A static host with dist/ under a path: its address, and the folder."""
    folder = tmp_path_factory.mktemp("host")
    site = folder / "shop" / "desk"
    site.parent.mkdir()
    build_site(ROOT, site)
    handler = partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", site
        server.shutdown()


def test_the_main_path_with_the_endpoint_on_another_origin(
    page: Page,
    context: BrowserContext,
    host: tuple[str, Path],
    open_page: Callable[..., Page],
    allow_outside: Callable[[str], None],
) -> None:
    url, site = host
    allow_outside("https://example.com/")
    backend = Backend(model="demo", allowed_origins=url)
    try:
        index = (site / "index.html").read_text(encoding="utf-8")
        assert index.count('endpoint="/chat"') == 1
        elsewhere = index.replace('endpoint="/chat"', f'endpoint="{backend.url}/chat"')
        (site / "elsewhere.html").write_text(elsewhere, encoding="utf-8")
        open_page(f"{url}/shop/desk/elsewhere.html?lang=zh")
        assistant = Assistant(page)
        assistant.say("帮我打开 https://example.com")
        card = assistant.call("jump-url-tool")
        with context.expect_page() as opened:
            card.locator('[data-action="confirm"]').click()
        opened.value.wait_for_load_state()
        assert opened.value.url == "https://example.com/"
        expect(card).to_have_attribute("data-state", "output-available")
        expect(assistant.answers.last).to_contain_text("已为你打开 https://example.com")
        assistant.wait_status("ready")
    finally:
        backend.close()


def test_without_an_endpoint_the_built_in_model_answers(
    page: Page, host: tuple[str, Path], open_page: Callable[..., Page]
) -> None:
    """A static host answers a POST with 501; the page says so and goes on by itself."""
    open_page(f"{host[0]}/shop/desk/index.html")
    assistant = Assistant(page)
    assistant.say("Who am I?")
    expect(assistant.call("get-user-info-tool")).to_have_attribute("data-state", "output-available")
    assistant.wait_status("ready")
    expect(assistant.part("notice")).to_contain_text("built-in")
