"""The composer's Python half: what is sent goes to the chat, what is not is kept as a draft.

Keys, growing and the look of the buttons are the shell's (static/composer.js), because they
work before Python does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pagehand.browser.dom import Listeners
from pagehand.browser.storage import Storage

if TYPE_CHECKING:
    from pagehand.browser.element import Shell


class Composer:
    """Keeps the draft of one element over reloads.

    Args:
        shell: The frame in the page.
        thread: Gives the name the draft is kept under; an empty name keeps nothing.
    """

    __slots__ = ("_drafts", "_listeners", "_shell", "_thread")

    def __init__(self, shell: Shell, thread: Callable[[], str]) -> None:
        self._shell = shell
        self._thread = thread
        self._drafts = Storage("sessionStorage", "pagehand:draft:")
        self._listeners = Listeners()
        self._listeners.on(shell.textarea, "input", lambda event: self.keep())
        self._restore()

    def close(self) -> None:
        """Keeps the draft once more and lets go of the textarea."""
        self.keep()
        self._listeners.close()

    def keep(self) -> None:
        """Writes down what stands in the field; call it after a send, too."""
        name = self._thread()
        if not name:
            return
        text = str(self._shell.textarea.value)
        if text:
            self._drafts.set(name, text)
        else:
            self._drafts.remove(name)

    def _restore(self) -> None:
        """Puts the draft back, unless something was typed or sent while Python started."""
        name = self._thread()
        early = self._shell.textarea.value or self._shell.root.hasAttribute("data-pending")
        if name and not early:
            draft = self._drafts.get(name)
            if draft:
                self._shell.set_text(draft)
