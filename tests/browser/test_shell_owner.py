"""One owner per kept conversation: a second element reads along (two tabs: test_tabs.py)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, said, stream

pytestmark = pytest.mark.browser

REMARK = '[data-part=notice][data-code="elsewhere"]'


def remark(assistant: Assistant) -> None:
    expect(assistant.element.locator(REMARK)).to_contain_text("open in another tab")


def test_a_second_element_follows_the_first_and_takes_over(
    page: Page, fake_server: FakeServer
) -> None:
    fake_server.answer(stream(said("One")), stream(said("Two", message_id="a2")))
    page.goto(fake_server.page('<page-hand id="a"></page-hand><page-hand id="b"></page-hand>'))
    both = [Assistant(page, "#a"), Assistant(page, "#b")]
    for each in both:
        each.wait_ready()
    page.locator(REMARK).first.wait_for()
    owner, guest = sorted(both, key=lambda each: each.element.locator(REMARK).count())
    assert owner.element.locator(REMARK).count() == 0
    remark(guest)
    owner.say("I own")
    expect(owner.answers).to_have_text("One")
    expect(guest.answers).to_have_text("One")
    guest.say("Now I do")
    expect(guest.answers).to_have_text(["One", "Two"])
    expect(owner.answers).to_have_text(["One", "Two"])
    remark(owner)

    guest.element.evaluate("element => element.remove()")
    expect(page.locator(REMARK)).to_have_count(0)
    assert [body["id"] for body in fake_server.requests] == [fake_server.requests[0]["id"]] * 2


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
