"""The log: every call with its steps, in a drawer of the page, as a file, and as `element.log`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from pagehand.testing import AssistantPage, open_toolkit

pytestmark = pytest.mark.browser

TOOLKIT = '''
from pagehand import Toolkit, ToolError
from pagehand.html import button, div

toolkit = Toolkit()

@toolkit.tool("find-orders", category="data")
def find_orders(status: str, limit: int = 20) -> list[dict]:
    """Finds orders."""
    return [{"id": "A1", "status": status, "password": "hunter2-hunter2"}]

@toolkit.tool("fail")
def fail() -> None:
    """Fails."""
    raise ToolError("No stock. Bearer hunter2hunter2hunter2hunter2")

@toolkit.tool("delete", risk="dangerous", title="Delete an order")
def delete(order: str) -> str:
    """Deletes."""
    return order

@toolkit.human("ask", description="Asks.")
def ask(call):
    return div(button("Yes", data_action="confirm", on_click=lambda event: call.add_result(True)))
'''


@pytest.fixture(scope="module")
def shop(
    pagehand_browser: Browser, pagehand_static: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AssistantPage]:
    file = tmp_path_factory.mktemp("log") / "shop.py"
    file.write_text(TOOLKIT, encoding="utf-8")
    with open_toolkit(pagehand_browser, pagehand_static, file, locale="en-GB") as page:
        yield page


@pytest.fixture
def drawer(shop: AssistantPage) -> Iterator[Locator]:
    """The drawer, open; the page's language is English again afterwards."""
    shop.part("log-button").click()
    drawer = shop.part("log")
    expect(drawer.locator('[data-action="close"]')).to_be_focused()
    yield drawer
    shop.element.evaluate("element => element.removeAttribute('lang')")
    if drawer.count():
        drawer.locator('[data-action="close"]').click()


def entry(drawer: Locator, tool: str) -> Locator:
    return drawer.locator(f'[data-log-tool="{tool}"]').first


def test_an_empty_log_says_so(drawer: Locator) -> None:
    expect(drawer).to_contain_text("Nothing yet")
    expect(drawer.locator('[data-action="export"]')).to_be_disabled()


def test_a_call_is_there_with_every_step(shop: AssistantPage) -> None:
    shop.call("find-orders", status="pending", limit="5")
    shop.part("log-button").click()
    drawer = shop.part("log")
    line = entry(drawer, "find-orders")
    expect(line.locator("summary").first).to_contain_text("Find orders")
    expect(line.locator("summary").first).to_contain_text("status: pending, limit: 5")
    line.locator("summary").first.click()
    steps = line.locator(".ph-log-steps > li")
    expect(steps).to_have_count(7)
    expect(steps.nth(2)).to_contain_text("Check the arguments")
    expect(steps.nth(2)).to_contain_text("limit")  # the mended slip is told
    expect(line).to_contain_text("Not needed by the page's rules")
    expect(line).to_contain_text("A1")
    expect(line).not_to_contain_text("hunter2")
    shop.page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    expect(shop.part("log-button")).to_be_focused()


def test_it_is_live_and_tells_who_agreed(shop: AssistantPage, drawer: Locator) -> None:
    asked = shop.start("delete", order="A1")
    line = entry(drawer, "delete")
    expect(line).to_have_attribute("data-log-state", "running")
    asked.confirm().result()
    expect(line).to_have_attribute("data-log-state", "output-available")
    line.locator("summary").first.click()
    expect(line).to_contain_text("You allowed it")
    expect(line).to_contain_text("Delete an order")
    refused = shop.start("delete", order="A2").decline().result()
    assert refused.state == "output-error"
    line = entry(drawer, "delete")
    line.locator("summary").first.click()
    expect(line).to_contain_text("You declined")
    expect(line).to_have_attribute("data-log-state", "output-error")
    expect(line.locator('.ph-log-steps > li[data-ok="false"]')).to_have_count(1)


def test_newest_first_and_failures_without_secrets(shop: AssistantPage, drawer: Locator) -> None:
    shop.call("fail")
    expect(drawer.locator(".ph-log-entry").first).to_have_attribute("data-log-tool", "fail")
    line = entry(drawer, "fail")
    line.locator("summary").first.click()
    expect(line).to_contain_text("No stock.")
    expect(line).not_to_contain_text("hunter2")


def test_it_speaks_chinese(shop: AssistantPage, drawer: Locator) -> None:
    shop.element.evaluate("element => element.setAttribute('lang', 'zh-CN')")
    expect(drawer).to_contain_text("操作记录")
    expect(shop.part("log-button")).to_have_attribute("aria-label", "查看操作记录")


def test_the_conversation_under_it_takes_no_focus(shop: AssistantPage, drawer: Locator) -> None:
    assert shop.part("thread").evaluate("thread => thread.inert") is True
    drawer.locator('[data-action="close"]').click()
    assert shop.part("thread").evaluate("thread => thread.inert") is False


def test_the_export_is_json_lines_as_the_element_tells_them(
    shop: AssistantPage, drawer: Locator
) -> None:
    with shop.page.expect_download() as download:
        drawer.locator('[data-action="export"]').click()
    assert download.value.suggested_filename.endswith(".jsonl")
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert records == shop.log
    assert [record["number"] for record in records] == list(range(1, len(records) + 1))
    assert {"input", "steps", "duration_ms", "state"} <= records[0].keys()
    assert "hunter2" not in "".join(lines)
