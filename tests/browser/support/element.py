"""Finding the parts of a `<page-hand>` and waiting for what it does."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page

BOOT_LIMIT = 60_000


class Assistant:
    """One `<page-hand>` in a page."""

    def __init__(self, page: Page, selector: str = "page-hand") -> None:
        self.page = page
        self.element = page.locator(selector)
        self.selector = selector

    def part(self, name: str) -> Locator:
        """The element with that `data-part`."""
        return self.element.locator(f'[data-part="{name}"]')

    @property
    def textarea(self) -> Locator:
        """The field people type in."""
        return self.element.locator('[data-part="composer"] textarea')

    @property
    def answers(self) -> Locator:
        """The assistant's messages."""
        return self.element.locator('[data-message-id][data-role="assistant"]')

    @property
    def questions(self) -> Locator:
        """The person's messages."""
        return self.element.locator('[data-message-id][data-role="user"]')

    def call(self, name: str) -> Locator:
        """The calls of a tool."""
        return self.element.locator(f'[data-tool-call-id][data-tool-name="{name}"]')

    def get(self, name: str) -> Any:
        """A property of the element."""
        return self.element.evaluate("(element, name) => element[name]", name)

    def say(self, text: str) -> None:
        """Types a message and sends it with Enter."""
        self.textarea.fill(text)
        self.textarea.press("Enter")

    def wait_status(self, *wanted: str, timeout: float = 15_000) -> None:
        """Waits until the element's `status` is one of these."""
        self.page.wait_for_function(
            "([selector, wanted]) => wanted.includes(document.querySelector(selector)?.status)",
            arg=[self.selector, list(wanted)],
            timeout=timeout,
        )

    def wait_ready(self) -> None:
        """Waits for the start; fails with the element's own words if it failed."""
        self.wait_status("ready", "error", timeout=BOOT_LIMIT)
        error = self.get("error")
        # An answer that the reload cut off is no failure of the start.
        whole = error is None or error["code"] == "interrupted"
        assert whole, (error, self.part("boot-error").text_content())


def record_events(page: Page) -> None:
    """Keeps every `pagehand:*` event from now on, readable with `events(page)`."""
    page.add_init_script(
        """window.__events = [];
        for (const type of ["ready", "status", "message", "toolcall", "error"]) {
          addEventListener(`pagehand:${type}`, (event) =>
            __events.push([type, JSON.parse(JSON.stringify(event.detail ?? null))]));
        }"""
    )


def events(page: Page, type: str | None = None) -> list[Any]:
    """The details of the events of one type, or pairs of type and detail."""
    seen: list[list[Any]] = page.evaluate("window.__events")
    return [detail for kind, detail in seen if kind == type] if type else seen
