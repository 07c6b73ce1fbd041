"""What goes wrong in a browser context, seen from outside."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext

LOCAL_HOSTS = {"127.0.0.1", "localhost", "[::1]", ""}
UNCAUGHT = ("Traceback (most recent call last)", "Unhandled exception in event loop")


class Watch:
    """What went wrong in a context, seen from outside."""

    def __init__(self, context: BrowserContext) -> None:
        self.problems: list[str] = []
        self.outside: list[str] = []
        self.allowed: list[str] = []
        self.console: list[str] = []
        context.on("console", lambda message: self._said(message.text))
        context.on("weberror", lambda error: self.problems.append(str(error.error)))
        context.on("request", lambda request: self._asked(request.url))

    def _said(self, text: str) -> None:
        self.console.append(text)
        if any(mark in text for mark in UNCAUGHT):
            self.problems.append(text)

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        local = parts.scheme not in {"http", "https"} or (parts.hostname or "") in LOCAL_HOSTS
        if not local and not url.startswith(tuple(self.allowed)):
            self.outside.append(url)
