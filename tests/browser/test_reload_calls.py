"""Calls that a reload cut off: what runs again by itself, and what waits for the person (B4)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pagehand.testing import AssistantPage, PendingCall

pytestmark = pytest.mark.browser

TOOLKIT = '''
import asyncio
import js
from pagehand import Toolkit

toolkit = Toolkit()

async def second_time(name: str) -> int:
    """Never ends on the first page; counts on the next."""
    runs = int(js.sessionStorage.getItem(name) or 0) + 1
    js.sessionStorage.setItem(name, str(runs))
    if runs == 1:
        await asyncio.Event().wait()
    return runs

@toolkit.tool("look", idempotent=True)
async def look() -> int:
    """Reads."""
    return await second_time("look")

@toolkit.tool("change")
async def change() -> int:
    """Changes."""
    return await second_time("change")

@toolkit.tool("erase", idempotent=True, risk="dangerous")
async def erase() -> int:
    """Erases."""
    return await second_time("erase")
'''


@pytest.fixture
def shop(pagehand_page: Callable[..., AssistantPage], tmp_path: Path) -> AssistantPage:
    (tmp_path / "shop.py").write_text(TOOLKIT, encoding="utf-8")
    return pagehand_page(tmp_path / "shop.py")


def ids(shop: AssistantPage, *names: str) -> list[PendingCall]:
    found = shop.model.calls(*((name, {}) for name in names))
    return [PendingCall(shop, *pair) for pair in zip(found, names, strict=True)]


def runs(shop: AssistantPage, name: str) -> int:
    stored = shop.page.evaluate("name => sessionStorage.getItem(name)", name)
    return int(stored or 0)


def test_b4_after_a_reload_only_what_may_runs_again_by_itself(shop: AssistantPage) -> None:
    look, change, erase = ids(shop, "look", "change", "erase")
    shop.element.evaluate("element => element.send('Go.')")
    erase.confirm()
    for name in ("look", "change", "erase"):
        shop.page.wait_for_function("name => sessionStorage.getItem(name) === '1'", arg=name)
    shop.page.reload()
    shop.wait_ready()
    expect(look.card).to_have_attribute("data-state", "output-available")
    assert runs(shop, "look") == 2
    change.press("run")
    expect(change.card).to_have_attribute("data-state", "output-available")
    assert runs(shop, "erase") == 1
    erase.press("skip")
    assert look.result().output == 2
    assert (change.result().output, erase.result().state) == (2, "output-error")
    assert len(shop.requests) == 2  # one continuation, when the last of them was settled
