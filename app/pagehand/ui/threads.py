"""Several conversations under one name: "new", and the button that opens the list of them.

The list itself (`ui.thread_list`) is fetched when it is first opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.browser.dom import Listeners
from pagehand.html import button
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pagehand.browser.element import Shell
    from pagehand.browser.idb import TextStore
    from pagehand.chat.threads import Record, Threads
    from pagehand.ui.keeper import Keeper
    from pagehand.ui.thread_list import ThreadList


class ThreadSwitch:
    """The two buttons of the header.

    Args:
        shell: The frame in the page.
        chat: The conversation that is shown.
        keeper: Keeps it.
        store: Keeps the others.
        spawn: Runs something beside and reports its error.
        refused: Called with a conversation that the browser did not take when it was put away.
    """

    def __init__(
        self,
        shell: Shell,
        chat: Any,
        keeper: Keeper,
        store: TextStore,
        spawn: Callable[[Coroutine[Any, Any, Any]], None],
        refused: Callable[[Record], None],
    ) -> None:
        self._shell = shell
        self._chat = chat
        self._keeper = keeper
        self._store = store
        self._spawn = spawn
        self._refused = refused
        self._list: ThreadList | None = None
        self._following = False
        self._button = button(
            icon("past", 20),
            class_="ph-icon-button",
            data_part="threads",
            aria_haspopup="dialog",
            aria_expanded=False,
        )
        shell.new_chat.parentNode.insertBefore(self._button, shell.new_chat)
        self._listeners = Listeners()
        self._listeners.on(self._button, "click", self._clicked)
        self._listeners.on(shell.new_chat, "click", lambda event: self._spawn(self.new()))
        self.refresh()

    def refresh(self) -> None:
        """Brings the button in line with the name and the language; a list that is open closes."""
        self.dismiss()
        label = say("threads.title")
        self._button.setAttribute("aria-label", label)
        self._button.title = label
        self._button.hidden = not self._keeper.name

    def follow(self, following: bool) -> None:
        """Somebody else leads the conversation: it is not switched from here."""
        self._following = following
        self._button.disabled = following
        self._shell.new_chat.disabled = following
        if following:
            self.dismiss()

    async def new(self) -> None:
        """Begins another conversation; this one goes into the list."""
        if self._following:
            return
        self.dismiss()
        if self._keeper.name:
            await self._threads().new()
        else:
            self._chat.clear()
        self._shell.textarea.focus()

    def dismiss(self) -> None:
        """Closes the list."""
        shown, self._list = self._list, None
        if shown is not None:
            shown.close()
            self._button.setAttribute("aria-expanded", "false")

    def close(self) -> None:
        """Takes the button out of the header."""
        self.dismiss()
        self._listeners.close()
        self._button.remove()

    def _threads(self) -> Threads:
        from pagehand.browser.shelf import Shelf
        from pagehand.chat.threads import Threads

        return Threads(self._keeper, Shelf(self._store, self._keeper.name, self._refused))

    def _clicked(self, event: Any) -> None:
        if self._list is not None:
            self.dismiss()
        else:
            self._spawn(self._open())

    async def _open(self) -> None:
        from pagehand.ui.thread_list import ThreadList

        await self._shell.dress("threads")
        if self._list is not None or self._following:
            return
        shown = ThreadList(self._shell, self._chat, self._threads(), self._left)
        self._list = shown
        self._button.setAttribute("aria-expanded", "true")
        await shown.begin()

    def _left(self, back: bool) -> None:
        """The person is done with the list: on to the button, or to the conversation chosen."""
        self.dismiss()
        (self._button if back else self._shell.textarea).focus()
