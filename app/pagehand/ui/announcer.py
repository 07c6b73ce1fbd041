"""Tells screen readers what happened, once, in words.

The thread itself is a log that does not speak (`aria-live="off"`), because text that streams
in would be read in splinters. Instead a hidden status line says what matters: that an answer
began, that it is complete, and that something waits for the person. Browsers that can read a
text out without an element for it (`ariaNotify`) read the answer itself.
"""

from __future__ import annotations

from typing import Any

from pagehand.html import div
from pagehand.ui.i18n import text as say

_LONGEST = 600  # characters of an answer read out by itself; the rest is in the log


class Announcer:
    """One polite status line."""

    def __init__(self, thread: Any) -> None:
        self.element = div(class_="ph-visually-hidden", role="status", data_part="status")
        self._thread = thread
        thread.setAttribute("aria-live", "off")

    def say(self, text: str) -> None:
        """Has a text read at the next pause."""
        self.element.textContent = text

    def read(self, text: str) -> None:
        """Says that an answer is complete and, where the browser can, reads it."""
        self.say(say("say.ready"))
        notify = getattr(self._thread, "ariaNotify", None)
        if notify and text:
            cut = text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"
            notify(cut)

    def busy(self, busy: bool) -> None:
        """Marks the log as unfinished while an answer streams."""
        self._thread.setAttribute("aria-busy", "true" if busy else "false")

    def close(self) -> None:
        """Takes the line away."""
        self.element.remove()
