"""A pytest plugin that tests a toolkit where it runs: in a page, in headless Chromium.

    def test_find_orders(pagehand_page):
        page = pagehand_page("my_tools.py")
        assert page.call("find-orders", status="pending").output == [{"id": "A1"}]

Installed with `pip install "/path/to/pagehand[testing]"` the fixtures are simply there;
docs/testing.md shows all of them. Nothing here is part of a page: the packed app leaves it out.

Fixtures:
    pagehand_page: Opens a page with a toolkit file in it; see `open_toolkit`.
    pagehand_browser: The Chromium, one for all tests; a fixture `browser` (pytest-playwright's)
        is used instead where there is one.
    pagehand_static: The folder of our static files; option `pagehand_static` of pytest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pagehand.testing.opening import find_static, launch, open_toolkit
from pagehand.testing.page import AssistantPage, CallResult, PendingCall, TestingError
from pagehand.testing.script import ScriptedModel

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = [
    "AssistantPage",
    "CallResult",
    "PendingCall",
    "ScriptedModel",
    "TestingError",
    "open_toolkit",
    "pagehand_browser",
    "pagehand_page",
    "pagehand_static",
    "pytest_addoption",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the setting."""
    parser.addini(
        "pagehand_static",
        "The folder with pagehand.js and vendor/ to test with, such as dist/static of `make site`.",
        default="",
    )


@pytest.fixture(scope="session")
def pagehand_static(pytestconfig: pytest.Config) -> Path:
    """The folder of our static files.

    Raises:
        TestingError: There is none, or it is not built; the text says what to do.
    """
    try:
        named = str(pytestconfig.getini("pagehand_static"))
    except ValueError:  # no plugin, only its fixtures were imported
        named = ""
    return find_static(pytestconfig.rootpath / named if named else None)


@pytest.fixture(scope="session")
def pagehand_browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Chromium. Playwright allows one start per thread, so a `browser` that is there is used."""
    try:
        browser: Browser = request.getfixturevalue("browser")
    except pytest.FixtureLookupError:
        with launch() as browser:
            yield browser
    else:
        yield browser


@pytest.fixture
def pagehand_page(
    pagehand_browser: Browser, pagehand_static: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., AssistantPage]]:
    """`pagehand_page(toolkit, ...)`: opens a page with that toolkit and waits until it is ready.

    A relative path is looked for beside the test's own file. See `open_toolkit` for the rest.
    """
    with ExitStack() as stack:

        def open_(toolkit: str | Path, **options: Any) -> AssistantPage:
            file = request.path.parent / toolkit
            page = open_toolkit(pagehand_browser, pagehand_static, file, **options)
            return stack.enter_context(page)

        yield open_
