"""The confirmation in the real element: in each mode, and above whatever the page lays over it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser.support.fake_server import FakeServer, called, said, stream

TOOLS = """
from pagehand import Toolkit

toolkit = Toolkit()

@toolkit.tool("save-note", risk="moderate", requires_confirmation=True)
def save_note(text: str) -> str:
    "Keeps a note."
    return "kept"
"""
COVER = """<div style="position: fixed; inset: 0; z-index: 2147483647; background: white;
pointer-events: none; opacity: 0.9">a sheet of the page</div>"""


@pytest.mark.parametrize("mode", ["inline", "side", "modal"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 700)], ids=["wide", "narrow"])
def test_a_confirmation_can_be_answered_wherever_the_panel_stands(
    fake_server: FakeServer,
    page: Page,
    open_page: Callable[..., Page],
    mode: str,
    size: tuple[int, int],
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    tools = fake_server.file("tools.py", TOOLS)
    fake_server.answer(
        stream(called(("c1", "save-note", {"text": "milk"}))), stream(said("It is kept."))
    )
    open_page(fake_server.page(f'<page-hand toolkit="{tools}" mode="{mode}"></page-hand>{COVER}'))
    if not page.locator("page-hand textarea").is_visible():
        page.locator("[data-part=launcher]").click()
    page.locator("page-hand textarea").fill("Save it")
    page.keyboard.press("Enter")
    dialog = page.locator("[data-part=confirmation]")
    expect(dialog).to_be_visible(timeout=20_000)
    box = dialog.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= size[0]
    assert box["y"] + box["height"] <= size[1]
    dialog.locator("[data-action=confirm][aria-disabled=false]").click()
    expect(page.locator("[data-role=assistant]")).to_contain_text("It is kept.")
