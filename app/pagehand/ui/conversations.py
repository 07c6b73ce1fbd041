"""Which conversation an element shows: kept over reloads, one of several, in several tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.browser.dom import Listeners, window
from pagehand.browser.idb import TextStore
from pagehand.browser.storage import Storage
from pagehand.ui.format import one_line
from pagehand.ui.i18n import text as say
from pagehand.ui.keeper import Keeper
from pagehand.ui.threads import ThreadSwitch

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pagehand.browser.element import Shell
    from pagehand.chat.chat import Chat
    from pagehand.chat.threads import Record
    from pagehand.ui.remarks import Remarks
    from pagehand.ui.tabs import Tabs


class Conversations:
    """Keeper, list and tabs of one element.

    Args:
        shell: The frame in the page.
        chat: The conversation that is shown.
        remarks: Where things are told.
        name: Gives the name that conversations are kept under; empty keeps nothing.
        spawn: Runs something beside and reports its error.
    """

    def __init__(
        self,
        shell: Shell,
        chat: Chat,
        remarks: Remarks,
        name: Callable[[], str],
        spawn: Callable[[Coroutine[Any, Any, Any]], None],
    ) -> None:
        self._shell = shell
        self._chat = chat
        self._remarks = remarks
        self._name = name
        self._spawn = spawn
        self._store = TextStore()
        self._keeper = Keeper(self._store, name(), shell.kept, chat, self._refused, self._give_back)
        self._switch: ThreadSwitch | None = None
        self._tabs: Tabs | None = None
        self._listeners = Listeners()
        self._listeners.on(window, "pagehide", lambda event: self._keep_words())

    async def load(self) -> None:
        """Brings back the conversation that is kept under the name of now."""
        name = self._name()
        await (self._keeper.load() if name == self._keeper.name else self._keeper.switch(name))

    def show(self) -> None:
        """Puts the buttons into the header."""
        self._switch = ThreadSwitch(
            self._shell, self._chat, self._keeper, self._store, self._spawn, self._no_room
        )

    async def begin(self) -> None:
        """Finds out about other tabs, and takes up an answer that a reload cut off."""
        from pagehand.ui.tabs import Tabs

        self._tabs = Tabs(self._chat, self._keeper, self._follow, self._take_up)
        await self._tabs.begin()
        await self._go_on()

    async def rename(self) -> None:
        """The element's `thread` has changed."""
        if self._switch is not None:
            self._switch.dismiss()
        async with self._keeper.moving():
            if self._tabs is not None:
                self._tabs.leave()
            await self._keeper.switch(self._name())
            if self._switch is not None:
                self._switch.refresh()
            if self._tabs is not None:
                await self._tabs.begin()
        await self._go_on()

    def refresh(self) -> None:
        """Speaks another language."""
        if self._switch is not None:
            self._switch.refresh()

    def close(self) -> None:
        """Writes what is not yet written, and leaves the name to others.

        What waits in an element that follows goes back to the field, whose draft is kept.
        """
        if self._chat.following and self._chat.queued:
            self._give_back("\n".join(message.text for message in self._chat.queued))
        self._keeper.close()
        self._listeners.close()
        if self._switch is not None:
            self._switch.close()
        if self._tabs is not None:
            self._tabs.close()

    # What is asked from outside; in a tab that follows it goes to the tab that leads

    async def send(self, text: str) -> None:
        """Says something in the person's name."""
        await self._chat.send(text)
        if self._tabs is not None and self._chat.queued:
            self._tabs.please()

    async def stop(self) -> None:
        """Stops what goes on."""
        if self._tabs is not None and self._tabs.following:
            self._tabs.stop()
        await self._chat.stop()

    async def regenerate(self) -> None:
        """Has the last answer made anew."""
        await self._lead()
        await self._chat.regenerate()

    def clear(self) -> None:
        """Forgets the conversation."""
        if self._chat.following or self._name() != self._keeper.name:
            self._spawn(self._clear_there())
        else:
            self._chat.clear()

    async def _clear_there(self) -> None:
        await self._lead()
        self._chat.clear()

    async def _lead(self) -> None:
        async with self._keeper.moving():
            pass  # another `thread` may just be on its way
        if self._tabs is not None:
            await self._tabs.lead()

    async def _go_on(self) -> None:
        if self._keeper.owns:
            await self._take_up()
        elif self._tabs is not None and self._chat.queued:
            self._tabs.please()

    async def _take_up(self) -> None:
        await self._chat.take_up(unfinished=self._keeper.unfinished)
        await self._chat.send_waiting()

    def _keep_words(self) -> None:
        """What waits in a tab that follows is nobody else's: it becomes a draft of this tab."""
        waiting = [message.text for message in self._chat.queued]
        if self._chat.following and waiting and self._name():
            draft = self._with_typed("\n".join(waiting))
            Storage("sessionStorage", "pagehand:draft:").set(self._name(), draft)

    def _give_back(self, words: str) -> None:
        self._shell.set_text(self._with_typed(words))

    def _with_typed(self, words: str) -> str:
        typed = str(self._shell.textarea.value)
        return f"{words}\n{typed}" if typed else words

    # Remarks

    def _follow(self, following: bool) -> None:
        self._shell.root.toggleAttribute("data-following", following)
        self._remarks.drop("elsewhere-asked")
        if following:
            self._remarks.offer("elsewhere", "here", self._use_here)
        else:
            self._remarks.drop("elsewhere")
        if self._switch is not None:
            self._switch.follow(following)

    def _use_here(self) -> None:
        self._remarks.drop("elsewhere")
        self._remarks.add("elsewhere-asked")
        if self._tabs is not None:
            self._tabs.please()

    def _refused(self) -> None:
        self._remarks.add("not-kept")

    def _no_room(self, record: Record) -> None:
        title = one_line(str(record.get("title") or ""), 60) or say("threads.untitled")
        self._remarks.add("no-room", title=title)
