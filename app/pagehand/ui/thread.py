"""The conversation as a person sees it: messages in order, and what stands after the last one.

News from the chat only marks what is stale; everything stale is drawn together in the next
animation frame. A message is found by its id and compares its own parts, so a delta costs the
same after one message and after a thousand. Of a long history the end is drawn first, the rest
in the frames after it.
"""

from __future__ import annotations

from typing import Any

from pagehand.browser.dom import Listeners, frame
from pagehand.html import button
from pagehand.ui.actions import MessageActions
from pagehand.ui.announcer import Announcer
from pagehand.ui.follow import FollowBottom
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon
from pagehand.ui.log import LogButton
from pagehand.ui.message import MessageView
from pagehand.ui.tail import Tail
from pagehand.ui.view import ViewContext

_BATCH = 30  # messages of a long history drawn per frame


class ThreadView:
    """Draws a chat into the shell and keeps it drawn.

    Args:
        shell: The frame in the page (`browser.element.Shell`).
        chat: The conversation (`chat.Chat`).
        engine: Runs its calls (`engine.Engine`).
        toolkit: Knows the tools by name.
    """

    def __init__(self, shell: Any, chat: Any, engine: Any, toolkit: Any) -> None:
        self._shell = shell
        self._chat = chat
        self._engine = engine
        self._views: dict[str, MessageView] = {}
        self._order: list[str] = []
        self._stale: set[str] = {"list", "status", "notice", "engine"}
        self._dirty: set[str] = set()
        self._dirty_calls: set[str] = set()
        self._closed = False
        self._status = ""
        self._confirmations: Any = None
        announcer = Announcer(shell.thread)
        self.context = ViewContext(shell, chat, engine, toolkit, announcer, self._schedule)
        self._to_end = _to_end_button()
        self._tail = Tail(self.context)
        self._log = LogButton(shell, engine)
        self._place()
        self._follow = FollowBottom(shell.thread, shell.messages, self._end_in_sight)
        self._actions = MessageActions(self.context, self._views)
        self._listeners = Listeners()
        self._listeners.on(self._to_end, "click", lambda event: self._follow.to_end())
        self._unsubscribe = [
            chat.subscribe(self._chat_changed),
            engine.subscribe(self._call_changed),
        ]
        self._paint()

    def refresh(self) -> None:
        """Draws everything anew, for another language."""
        for view in self._views.values():
            view.close()
        self._views.clear()
        self._order = []
        self.context.templates.clear()
        self._tail.clear()
        self._log.refresh()
        if self._confirmations is not None:
            self._confirmations.sync([])  # not answered: it is asked again in the other language
        self._to_end.setAttribute("aria-label", say("thread.to_end"))
        self._stale = {"list", "status", "notice", "engine"}
        self._paint()
        self._actions.refresh()

    def close(self) -> None:
        """Stops watching, frees every callback, and leaves the shell as it was."""
        self._closed = True
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        for view in self._views.values():
            view.close()
        self._close_confirmations()
        self._listeners.close()
        self._actions.close()
        self._follow.close()
        self._tail.close()
        self._log.close()
        self.context.announcer.close()
        self._to_end.remove()

    # News

    def _chat_changed(self, change: Any) -> None:
        if change.kind == "message" and change.message_id is not None:
            self._dirty.add(change.message_id)
        else:
            self._stale.add(change.kind)
        self._schedule()

    def _call_changed(self, tool_call_id: str | None) -> None:
        self._stale.add("engine")
        if tool_call_id is not None:
            self._dirty_calls.add(tool_call_id)
        self._schedule()

    def _schedule(self) -> None:
        if not self._closed:
            frame(self._paint)

    # Drawing

    def _paint(self) -> None:
        if self._closed:
            return
        stale, self._stale = self._stale, set()
        dirty, self._dirty = self._dirty, set()
        calls, self._dirty_calls = self._dirty_calls, set()
        if "list" in stale:
            self._sync_list()
        for message_id in dirty:
            self._update(message_id)
        for call_id in calls:
            for call in self.context.calls.get(call_id, ()):
                call.refresh()
        if "status" in stale:
            self._sync_status()
        self._tail.paint(stale)
        if "engine" in stale:
            self._sync_confirmations()

    def _update(self, message_id: str) -> None:
        view = self._views.get(message_id)
        message = _find(self._chat.messages, message_id)
        if view is not None and message is not None:
            view.update(message)

    def _sync_list(self) -> None:
        messages = self._chat.messages
        ids = [message.id for message in messages]
        wanted = set(ids)
        for gone in [id for id in self._views if id not in wanted]:
            self._views.pop(gone).close()
        kept = [id for id in self._order if id in wanted]
        if ids[: len(kept)] != kept:
            self._reorder(ids)
        grown = ids[-1:] != self._order[-1:] and bool(messages) and messages[-1].role == "user"
        self._order = ids
        self._draw_missing(messages)
        self._shell.set_talking(bool(messages))
        if grown:
            self._follow.to_end()

    def _reorder(self, ids: list[str]) -> None:
        for id in ids:
            if id in self._views:
                self._insert(self._views[id].element)

    def _draw_missing(self, messages: list[Any]) -> None:
        """Draws messages that have no view yet: from the end, a batch at a time."""
        before = self._tail.element
        room = _BATCH
        for message in reversed(messages):
            view = self._views.get(message.id)
            if view is None:
                if room == 0:
                    self._stale.add("list")
                    self._schedule()
                    return
                room -= 1
                view = self._views[message.id] = MessageView(self.context, message)
                self._insert(view.element, before)
            before = view.element

    def _insert(self, element: Any, before: Any = None) -> None:
        self._shell.messages.insertBefore(element, before or self._tail.element)

    def _sync_status(self) -> None:
        status, before = self._chat.status, self._status
        self._status = status
        running = status in ("submitted", "streaming")
        self.context.announcer.busy(running)
        if before in ("submitted", "streaming") and status == "ready":
            self._announce_answer()
        elif status == "submitted":
            self.context.announcer.say(say("say.answering"))

    def _announce_answer(self) -> None:
        messages = self._chat.messages
        if messages and messages[-1].role == "assistant":
            spoken = [part for part in messages[-1].parts if type(part).__name__ == "TextPart"]
            text = spoken[-1].text if spoken else ""
            self.context.announcer.read(text.strip())

    def _sync_confirmations(self) -> None:
        if self._confirmations is None and not self._engine.confirmations:
            return
        if self._confirmations is None:
            from pagehand.ui.confirmation import ConfirmationDialog

            self._confirmations = ConfirmationDialog(self.context)
        self._confirmations.sync(self._engine.confirmations)

    def _close_confirmations(self) -> None:
        if self._confirmations is not None:
            self._confirmations.close()
            self._confirmations = None

    def _place(self) -> None:
        self._shell.messages.append(self._tail.element)
        body = self._shell.thread.parentNode
        body.append(self._to_end)
        body.append(self.context.announcer.element)

    def _end_in_sight(self, in_sight: bool) -> None:
        self._to_end.hidden = in_sight


def _find(messages: list[Any], message_id: str) -> Any:
    for message in reversed(messages):
        if message.id == message_id:
            return message
    return None


def _to_end_button() -> Any:
    label = say("thread.to_end")
    return button(
        icon("arrow-down", 18),
        class_="ph-to-end",
        data_part="to-end",
        aria_label=label,
        title=label,
        hidden=True,
    )
