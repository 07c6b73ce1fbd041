"""What a call left for its card: there after a reload, in another tab, and from the list (B10)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from pagehand.testing import AssistantPage

pytestmark = pytest.mark.browser

TOOLKIT = '''
import asyncio
from pagehand import Toolkit
from pagehand.html import p
from pagehand.toolkit.result import ToolResponse

toolkit = Toolkit()

def card(call):
    if call.state != "output-available":
        return p("Drawing")
    drawn = (call.artifact or {}).get("svg") or "no picture"
    return p(f"{drawn}, {len(call.result)} rows", class_="chart")

@toolkit.tool("chart", render=card, to_model_output=lambda rows: f"{len(rows)} rows drawn")
async def chart(long: bool = False) -> ToolResponse:
    """Draws a chart; it takes a while."""
    await asyncio.sleep(0.3)
    return ToolResponse([3, 1, 2], artifact={"svg": "a circle", "points": "." * (long * 200_000)})

@toolkit.tool("figure", render=card)
def figure() -> ToolResponse:
    """Leaves something for its card that is no JSON."""
    return ToolResponse([1], artifact=object())
'''

_CARD = """call => {
  const time = call.querySelector(".ph-tool-time");
  return [call.querySelector(".chart").textContent, time.textContent, time.title];
}"""


@pytest.fixture
def shop(pagehand_page: Callable[..., AssistantPage], tmp_path: Path) -> AssistantPage:
    (tmp_path / "shop.py").write_text(TOOLKIT, encoding="utf-8")
    return pagehand_page(tmp_path / "shop.py")


def call_of(page: Page) -> Locator:
    return page.locator("page-hand [data-tool-call-id]")


def card(page: Page) -> list[str]:
    """What the card shows, how long it says that it took, and when it says that it began."""
    expect(call_of(page).locator(".chart")).to_be_visible()
    seen: list[str] = call_of(page).evaluate(_CARD)
    return seen


def test_b10_the_card_is_the_same_after_a_reload_in_a_tab_and_from_the_list(
    shop: AssistantPage,
) -> None:
    assert shop.call("chart").output == "3 rows drawn"
    seen = card(shop.page)
    assert seen[0] == "a circle, 3 rows"
    assert seen[1].endswith("ms")
    assert int(seen[1].split()[0]) >= 300
    assert ":" in seen[2]

    shop.page.reload()
    shop.wait_ready()
    assert card(shop.page) == seen

    other = shop.page.context.new_page()
    other.goto(shop.page.url)
    assert card(other) == seen
    other.close()

    shop.part("new-chat").click()
    expect(call_of(shop.page)).to_have_count(0)
    shop.part("threads").click()
    shop.part("thread-list").locator(".ph-thread-title").click()
    assert card(shop.page) == seen

    shop.model.says("Done.")
    shop.say("And now?")
    posted = json.dumps(shop.requests)
    assert len(shop.requests) == 3
    assert "3 rows drawn" in posted
    for secret in ("a circle", '"pagehand"', '"ran"'):
        assert secret not in posted


@pytest.mark.parametrize(
    ("name", "arguments", "now", "later", "why"),
    [
        ("chart", {"long": True}, "a circle, 3 rows", "no picture, 3 rows", "not kept: it has 2"),
        ("figure", {}, "no picture, 1 rows", "no picture, 1 rows", "left out: artifact: a"),
    ],
)
def test_b10_what_cannot_be_kept_is_told_in_the_log_and_the_card_draws_without_it(
    shop: AssistantPage, name: str, arguments: dict[str, Any], now: str, later: str, why: str
) -> None:
    heard: list[str] = []
    shop.page.on("console", lambda message: heard.append(message.text))
    assert shop.call(name, **arguments).state == "output-available"
    assert card(shop.page)[0] == now
    assert shop.log[-1]["artifact_note"].startswith(why)
    assert any(why in text for text in heard)
    shop.part("log-button").click()
    drawer = shop.part("log")
    drawer.locator("summary").first.click()
    expect(drawer.locator(".ph-log-details")).to_contain_text(why)
    shop.page.reload()
    shop.wait_ready()
    assert card(shop.page)[0] == later
