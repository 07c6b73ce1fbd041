"""One owner per kept conversation: a second tab or element reads along and does not write."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, called, said, stream

pytestmark = pytest.mark.browser

REMARK = '[data-part=notice][data-code="elsewhere"]'
TOOLS = """
from pagehand import Toolkit

toolkit = Toolkit()

@toolkit.tool("wait-long")
async def wait_long() -> str:
    "Waits."
    import asyncio
    await asyncio.sleep(600)
"""


def remark(assistant: Assistant) -> None:
    expect(assistant.element.locator(REMARK)).to_contain_text("open elsewhere")


def texts(assistant: Assistant) -> list[str]:
    messages = assistant.get("messages")
    return [p["text"] for m in messages for p in m["parts"] if p["type"] == "text"]


def kept(page: Page, word: str) -> None:
    """Waits until the store holds a word."""
    page.wait_for_function(
        """word => new Promise((resolve) => {
          const opening = indexedDB.open("pagehand");
          opening.onsuccess = () => {
            const table = opening.result.transaction("threads").objectStore("threads");
            const reading = table.get("default");
            reading.onsuccess = () => {
              opening.result.close();
              resolve(String(reading.result).includes(word));
            };
          };
        })""",
        arg=word,
    )


def test_a_second_tab_shows_the_conversation_and_leaves_it_alone(
    context: BrowserContext, page: Page, fake_server: FakeServer
) -> None:
    address = fake_server.page(
        f'<page-hand toolkit="{fake_server.file("tools.py", TOOLS)}"></page-hand>'
    )
    fake_server.answer(stream(called(("c1", "wait-long", {}))))
    page.goto(address)
    first = Assistant(page)
    first.wait_ready()
    first.say("From the first")
    expect(first.call("wait-long")).to_have_attribute("data-state", "input-available")
    kept(page, "c1")

    other = context.new_page()
    other.goto(address)
    second = Assistant(other)
    second.wait_ready()
    remark(second)
    expect(second.questions).to_contain_text("From the first")
    expect(second.call("wait-long")).to_have_attribute("data-state", "output-error")
    expect(second.part("choice")).to_have_count(0)
    expect(first.element.locator(REMARK)).to_have_count(0)
    fake_server.answer(stream(said("To the second", message_id="a2")))
    second.say("From the second")
    expect(second.answers.last).to_contain_text("To the second")
    assert len(fake_server.requests) == 2
    assert fake_server.requests[0]["id"] != fake_server.requests[1]["id"]

    page.close()
    other.reload()
    second.wait_ready()
    expect(second.element.locator(REMARK)).to_have_count(0)
    assert texts(second) == ["From the first"]
    expect(second.part("choice")).to_be_visible()


def test_a_second_element_leaves_the_conversation_to_the_first(
    page: Page, fake_server: FakeServer
) -> None:
    fake_server.answer(stream(said("To the owner")), stream(said("To the guest", message_id="a2")))
    page.goto(fake_server.page('<page-hand id="a"></page-hand><page-hand id="b"></page-hand>'))
    both = [Assistant(page, "#a"), Assistant(page, "#b")]
    for each in both:
        each.wait_ready()
    page.locator(REMARK).first.wait_for()
    owner, guest = sorted(both, key=lambda each: each.element.locator(REMARK).count())
    assert owner.element.locator(REMARK).count() == 0
    remark(guest)
    owner.say("I own")
    expect(owner.answers).to_have_text("To the owner")
    guest.say("I visit")
    expect(guest.answers).to_have_text("To the guest")

    owner.element.evaluate("element => element.remove()")
    page.evaluate("document.querySelector('page-hand').setAttribute('thread', 'elsewhere')")
    expect(page.locator(REMARK)).to_have_count(0)
    page.evaluate("document.querySelector('page-hand').setAttribute('thread', 'default')")
    expect(guest.answers).to_have_text("To the owner")
    expect(page.locator(REMARK)).to_have_count(0)


def test_a_moved_element_stays_the_owner(page: Page, fake_server: FakeServer) -> None:
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.wait_ready()
    page.evaluate(
        """async () => {
          const element = document.querySelector("page-hand");
          element.remove();
          await new Promise((resolve) => setTimeout(resolve));
          document.body.append(element);
          await element.whenReady();
        }"""
    )
    assistant.wait_ready()
    expect(page.locator(REMARK)).to_have_count(0)


def test_without_locks_every_element_keeps(page: Page, fake_server: FakeServer) -> None:
    page.add_init_script("delete Navigator.prototype.locks")
    page.goto(fake_server.page('<page-hand id="a"></page-hand><page-hand id="b"></page-hand>'))
    for name in ("#a", "#b"):
        Assistant(page, name).wait_ready()
    assert page.evaluate("'locks' in navigator") is False
    expect(page.locator(REMARK)).to_have_count(0)
