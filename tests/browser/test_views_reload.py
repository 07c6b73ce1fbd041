"""A page left while calls had no answer: the real element, reloaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.support.fake_server import FakeServer, called, said, stream

TOOLS = """
from pagehand import Toolkit
from pagehand.html import button, div, p

toolkit = Toolkit()

@toolkit.tool("wait-long")
async def wait_long(minutes: int) -> str:
    "Waits."
    import asyncio, js
    js.window.localStorage.setItem("runs", js.window.localStorage.getItem("runs") + "x" if
                                   js.window.localStorage.getItem("runs") else "x")
    if js.window.localStorage.getItem("quick"):
        return "waited"
    await asyncio.sleep(minutes * 60)
    return "waited"

@toolkit.human("jump-url-tool", description="Opens.")
def jump(call, url: str):
    return div(p(url), button("Open", data_action="confirm",
                              on_click=lambda event: call.add_result({"success": True})))
"""


def start(server: FakeServer, page: Page, open_page: Callable[..., Page], *calls: Any) -> None:
    tools = server.file("tools.py", TOOLS)
    server.answer(stream(called(*calls)))
    open_page(server.page(f'<page-hand toolkit="{tools}"></page-hand>'))
    page.locator("textarea").fill("Do it")
    page.keyboard.press("Enter")
    expect(page.locator(f'[data-tool-call-id="{calls[0][0]}"]')).to_have_attribute(
        "data-state", "input-available"
    )
    page.wait_for_timeout(1500)  # the conversation is written to the store


def reload(page: Page) -> None:
    page.reload()
    page.evaluate("document.querySelector('page-hand').whenReady()")


def test_a_card_is_there_again_and_takes_its_answer(
    fake_server: FakeServer, page: Page, open_page: Callable[..., Page]
) -> None:
    start(fake_server, page, open_page, ("c1", "jump-url-tool", {"url": "https://example.com"}))
    reload(page)
    fake_server.answer(stream(said("It is open.")))
    page.locator('[data-tool-name="jump-url-tool"] [data-action="confirm"]').click()
    expect(page.locator("[data-role=assistant]")).to_contain_text("It is open.")
    assert len(fake_server.requests) == 2


def test_a_call_is_run_again_only_when_the_person_says_so(
    fake_server: FakeServer, page: Page, open_page: Callable[..., Page]
) -> None:
    start(fake_server, page, open_page, ("c1", "wait-long", {"minutes": 9}))
    reload(page)
    choice = page.locator("[data-part=choice]")
    expect(choice).to_be_visible()
    assert page.evaluate("localStorage.getItem('runs')") == "x"
    choice.locator("[data-action=run]").evaluate("button => button.click()")
    expect(choice).to_be_visible()
    page.evaluate("localStorage.setItem('quick', '1')")
    fake_server.answer(stream(said("Waited enough.")))
    choice.locator("[data-action=run]").click()
    expect(page.locator("[data-role=assistant]")).to_contain_text("Waited enough.")
    assert page.evaluate("localStorage.getItem('runs')") == "xx"


def test_a_skipped_call_is_an_answer_too(
    fake_server: FakeServer, page: Page, open_page: Callable[..., Page]
) -> None:
    start(fake_server, page, open_page, ("c1", "wait-long", {"minutes": 9}))
    reload(page)
    fake_server.answer(stream(said("Never mind.")))
    page.locator("[data-part=choice] [data-action=skip]").click()
    expect(page.locator('[data-tool-call-id="c1"]')).to_have_attribute("data-state", "output-error")
    expect(page.locator("[data-role=assistant]")).to_contain_text("Never mind.")
    assert page.evaluate("localStorage.getItem('runs')") == "x"


ASKING = """
from pagehand import Toolkit, ToolContext
from pagehand.html import button, div, p

toolkit = Toolkit()

def card(call):
    if call.interrupt is None:
        return p(str(call.result))
    question = call.interrupt["payload"]
    return div(p(question), [
        button(word, data_action=word, on_click=lambda event, word=word: call.resume(word))
        for word in ("one", "two")
    ])

async def book(ctx: ToolContext, flight: str) -> list:
    "Books."
    return [await ctx.human(f"Seat on {flight}?"), await ctx.human("Meal?")]

toolkit.tool("book-once", render=card)(book)
toolkit.tool("book-again", render=card, idempotent=True)(book)
"""


@pytest.mark.parametrize(("name", "by_itself"), [("book-once", False), ("book-again", True)])
def test_a_question_in_the_middle_of_a_tool_survives(
    fake_server: FakeServer,
    page: Page,
    open_page: Callable[..., Page],
    name: str,
    by_itself: bool,
) -> None:
    """What was answered is not asked again; what was open is."""
    tools = fake_server.file("tools.py", ASKING)
    fake_server.answer(stream(called(("c1", name, {"flight": "LH1"}))))
    open_page(fake_server.page(f'<page-hand toolkit="{tools}"></page-hand>'))
    page.locator("textarea").fill("Book")
    page.keyboard.press("Enter")
    call = page.locator('[data-tool-call-id="c1"]')
    expect(call).to_contain_text("Seat on LH1?")
    call.locator("[data-action=two]").click()
    expect(call).to_contain_text("Meal?")
    kept = "document.querySelector('page-hand').messages.at(-1).parts.at(-1).pagehand?.asked"
    page.wait_for_function(f"{kept}?.payload === 'Meal?'")
    reload(page)
    if not by_itself:
        choice = page.locator("[data-part=choice]")
        expect(choice).to_contain_text("waiting for your answer")
        choice.locator("[data-action=run]").click()
    expect(call).to_contain_text("Meal?")
    fake_server.answer(stream(said("Booked.")))
    call.locator("[data-action=one]").click()
    expect(page.locator("[data-role=assistant]")).to_contain_text("Booked.")
    (posted,) = [p for p in fake_server.requests[-1]["messages"][-1]["parts"] if "output" in p]
    assert posted["output"] == ["two", "one"]
    assert "pagehand" not in posted
