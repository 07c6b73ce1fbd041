"""Fixtures for tests that drive a real Chromium.

- `page`: a fresh context. A request outside this machine is refused and fails the test, and so
  does an error nobody caught, in JavaScript or in Python. `page.problems` may be cleared by a
  test that causes errors on purpose; `allow_outside(...)` answers an outside address with a stub.
- `fake_server`: pages and a scripted `/chat` (support/fake_server.py).
- `site_url`: the real backend with the demo model; `script_backend(text)`: one with a script.
- `open_page(url)`: goes there and waits until the assistant is ready.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect, sync_playwright

from browser.support.backend import Backend
from browser.support.element import Assistant
from browser.support.fake_server import FakeServer
from browser.support.floor import Floor
from browser.support.gallery import Gallery
from browser.support.watch import Watch
from browser.views.driver import Stage
from pagehand.testing import pagehand_browser, pagehand_page, pagehand_static

__all__ = ["pagehand_browser", "pagehand_page", "pagehand_static"]  # the kit's fixtures, ours too

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]

# The machine may be busy with other tests: what comes, comes; only what never comes fails.
expect.set_options(timeout=20_000)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright's loop would be in the way of asynchronous tests.

    One that fails is tried once more, as browser runners do: two cores that others share may stall
    a page for longer than any patience. The summary names each such test (RERUN), so that a test
    that fails now and then is seen; none may stay there.
    """
    items.sort(key=_needs_browser)
    for item in items:
        if _needs_browser(item):
            item.add_marker(pytest.mark.flaky(reruns=1))


def _needs_browser(item: pytest.Item) -> bool:
    """Whether a test drives a browser: by its mark, or by a fixture, ours or the testing kit's."""
    fixtures = {"browser", "pagehand_browser"}.intersection(getattr(item, "fixturenames", ()))
    return bool(fixtures) or item.get_closest_marker("browser") is not None


@pytest.fixture(scope="session")
def vendored() -> None:
    """Makes sure that static/vendor holds what the pages load."""
    done = subprocess.run(
        [sys.executable, "scripts/vendor.py"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    if done.returncode:
        pytest.fail(f"scripts/vendor.py failed:\n{done.stdout}{done.stderr}")


@pytest.fixture(scope="session")
def browser(vendored: None) -> Iterator[Browser]:
    sys.path.insert(0, str(ROOT / "scripts"))
    import chromium

    with sync_playwright() as playwright:
        program = chromium.find()
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def watch(context: BrowserContext) -> Iterator[Watch]:
    watch = Watch(context)
    yield watch
    assert not watch.outside, f"requests left this machine: {watch.outside}"
    assert not watch.problems, "uncaught errors:\n" + "\n".join(watch.problems)


@pytest.fixture
def page(context: BrowserContext, watch: Watch) -> Page:
    return context.new_page()


@pytest.fixture
def allow_outside(context: BrowserContext, watch: Watch) -> Callable[[str], None]:
    """`allow_outside("https://example.com/")`: that address shows a stub instead of failing."""

    def allow(start: str) -> None:
        def answer(route: Route) -> None:
            route.fulfill(status=200, content_type="text/html", body="<title>stub</title>stub")

        watch.allowed.append(start)
        context.route(lambda url: url.startswith(start), answer)

    return allow


@pytest.fixture
def fake_server(vendored: None) -> Iterator[FakeServer]:
    server = FakeServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def site_url(vendored: None) -> Iterator[str]:
    backend = Backend(model="demo")
    yield backend.url
    backend.close()


@pytest.fixture
def script_backend(vendored: None, tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """`script_backend(script)`: a backend that plays this script; returns its address."""
    started: list[Backend] = []

    def start(script: str) -> str:
        file = tmp_path / f"script-{len(started)}.json"
        file.write_text(script, encoding="utf-8")
        started.append(Backend(model=f"script:{file}"))
        return started[-1].url

    yield start
    for backend in started:
        backend.close()


@pytest.fixture
def open_page(page: Page) -> Callable[..., Page]:
    """`open_page(url)`: goes there and waits until the assistant is ready."""

    def open_(url: str, selector: str = "page-hand") -> Page:
        page.goto(url)
        Assistant(page, selector).wait_ready()
        return page

    return open_


@pytest.fixture(scope="session")
def stage_page(browser: Browser) -> Iterator[Stage]:
    stage = Stage(browser)
    yield stage
    stage.close()


@pytest.fixture
def stage(stage_page: Stage) -> Iterator[Stage]:
    """The views with a conversation played by hand (views/); fresh for each test."""
    stage_page.reset()
    yield stage_page
    assert not stage_page.problems, "\n".join(stage_page.problems)


@pytest.fixture(scope="session")
def floor_page(browser: Browser) -> Iterator[Floor]:
    floor = Floor(browser)
    yield floor
    floor.close()


@pytest.fixture
def floor(floor_page: Floor) -> Iterator[Floor]:
    """The page tools on small pages that are exchanged without a load (support/floor.py)."""
    floor_page.watch.problems.clear()
    yield floor_page
    assert not floor_page.watch.outside, floor_page.watch.outside
    assert not floor_page.watch.problems, "\n".join(floor_page.watch.problems)


@pytest.fixture(scope="session")
def gallery_page(browser: Browser) -> Iterator[Gallery]:
    gallery = Gallery(browser)
    yield gallery
    gallery.close()


@pytest.fixture
def gallery(gallery_page: Gallery) -> Iterator[Gallery]:
    """One page in which tests draw what real frameworks make (tests/peers/frameworks)."""
    gallery_page.watch.problems.clear()
    yield gallery_page
    assert not gallery_page.watch.problems, "\n".join(gallery_page.watch.problems)
    assert not gallery_page.watch.outside
