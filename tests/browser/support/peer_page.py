"""The repository's own page with a real server of another origin behind it, and what it posts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import ROOT, FakeServer
from pagehand.wire.declarations import read_declarations
from peers.peer import Peer

PATIENCE = 30_000
"""Milliseconds that an answer may take: two processes and a browser share the machine."""


class PeerPage:
    """The page, and the server behind it.

    Args:
        open_page: The fixture.
        files: Serves the page.
        peer: Answers it.
        path: The server's route.
    """

    def __init__(
        self, open_page: Callable[..., Page], files: FakeServer, peer: Peer, path: str = "/chat"
    ) -> None:
        page = (ROOT / "index.html").read_text(encoding="utf-8")
        assert 'endpoint="/chat"' in page
        page = page.replace('endpoint="/chat"', f'endpoint="{peer.url}{path}"')
        files.pages["/peer.html"] = ("text/html", page.encode())
        self.assistant = Assistant(open_page(f"{files.url}/peer.html"))
        self.peer = peer
        self._path = path

    @property
    def page(self) -> Page:
        """The browser's page."""
        return self.assistant.page

    def bodies(self) -> list[dict[str, Any]]:
        """What the page posted."""
        return self.peer.bodies(self._path)

    def say(self, text: str, shows: str = "") -> None:
        """Says something, and waits until the last answer shows these words and all is quiet."""
        self.assistant.say(text)
        if shows:
            self.shows(shows)

    def shows(self, text: str) -> None:
        """Waits until the last answer holds these words and all is quiet."""
        expect(self.assistant.answers.last).to_contain_text(text, timeout=PATIENCE)
        self.assistant.wait_status("ready", timeout=PATIENCE)

    def answers(self, number: int) -> None:
        """Waits until there are so many answers."""
        expect(self.assistant.answers).to_have_count(number, timeout=PATIENCE)

    def call_is(self, name: str, state: str) -> None:
        """Waits until the last call of a tool has this state."""
        call = self.assistant.call(name).last
        expect(call).to_have_attribute("data-state", state, timeout=PATIENCE)

    def approval(self, action: str) -> None:
        """Answers the one open question of the server: `approve` or `deny`."""
        self.assistant.part("approval").locator(f'[data-action="{action}"]').click(timeout=PATIENCE)

    def error(self, text: str) -> None:
        """Waits until the error is shown, with these words."""
        expect(self.assistant.part("error")).to_contain_text(re.compile(text), timeout=PATIENCE)

    def retry(self) -> None:
        """Clicks on "retry"."""
        self.assistant.part("error").locator('[data-action="retry"]').click()

    def reload(self) -> None:
        """Loads the page anew; what was kept must be there again."""
        self.page.reload()
        self.assistant.wait_ready()


def calls_in(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The tool parts of a posted message."""
    return [
        part
        for part in message["parts"]
        if part["type"].startswith("tool-") or part["type"] == "dynamic-tool"
    ]


def states_in(message: dict[str, Any]) -> dict[str, str]:
    """Tool names and the states of their calls."""
    return {part["type"].removeprefix("tool-"): part["state"] for part in calls_in(message)}


def check_bodies(first: dict[str, Any], second: dict[str, Any]) -> None:
    """What must hold for a question and its continuation."""
    for body in (first, second):
        assert "tools" not in body
        assert read_declarations(body).keys() >= {"jump-url-tool", "get-user-info-tool"}
        for tool in body["clientTools"].values():
            assert tool.keys() == {"description", "inputSchema"}
    assert first["clientTools"] == second["clientTools"]
    assert first["id"] == second["id"]
    assert [message["role"] for message in first["messages"]] == ["user"]
    assert [message["role"] for message in second["messages"]] == ["user", "assistant"]
    assert first["messages"][0] == second["messages"][0]
