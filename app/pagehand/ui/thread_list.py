"""The list of conversations: open one, search, rename, delete and take that back.

Arrow keys go through the list, Enter opens, F2 renames, Delete deletes, Escape closes.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import js

from pagehand.browser.dom import Listeners, report
from pagehand.html import (
    Scope,
    button,
    div,
    input_,
    li,
    p,
    replace_children,
    scope,
    span,
    time_,
    ul,
)
from pagehand.ui.format import one_line
from pagehand.ui.i18n import language
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pagehand.browser.element import Shell
    from pagehand.chat.threads import Record, Threads

_TYPING = 0.15  # seconds after the last key until a search begins
_BUSY = ("submitted", "streaming")
_STEPS = {"ArrowDown": 1, "ArrowUp": -1}


class ThreadList:
    """The list while it is open.

    Args:
        shell: The frame in the page.
        chat: The conversation that is shown.
        threads: All of them.
        left: Called when the person is done; True when nothing was chosen.
    """

    def __init__(
        self, shell: Shell, chat: Any, threads: Threads, left: Callable[[bool], None]
    ) -> None:
        self._shell = shell
        self._chat = chat
        self._threads = threads
        self._left = left
        self._rows = Scope()
        self._gone: Record | None = None
        self._renaming = ""
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._search_task: asyncio.Task[None] | None = None
        self._unsubscribe = chat.subscribe(self._chat_changed)
        self._search = input_(
            type="search",
            class_="ph-threads-search",
            placeholder=say("threads.search"),
            aria_label=say("threads.search"),
        )
        self._list = ul(class_="ph-threads-list", aria_label=say("threads.title"))
        self._note = p(class_="ph-threads-note", role="status")
        self._undo = div(class_="ph-threads-undo", hidden=True)
        self._element = div(
            self._search,
            self._note,
            self._list,
            self._undo,
            class_="ph-threads",
            data_part="thread-list",
            role="dialog",
            aria_label=say("threads.title"),
        )
        self._listeners = Listeners()
        self._listeners.on(self._search, "input", lambda event: self._searched())
        # Before the panel: it would close itself at Escape.
        self._listeners.on(shell.panel, "keydown", self._key, capture=True)
        self._listeners.on(shell.root, "pointerdown", self._pressed, capture=True)

    async def begin(self) -> None:
        """Shows it."""
        self._shell.overlay.append(self._element)
        await self._draw()
        if self._closed:
            return
        first = self._list.querySelector("[aria-current]") or self._list.querySelector(".ph-thread")
        (first or self._search).focus()

    def close(self) -> None:
        """Takes it away and frees every callback."""
        self._closed = True
        self._unsubscribe()
        self._listeners.close()
        for task in list(self._tasks):
            task.cancel()
        self._element.remove()
        # The event that ends it may have more of its listeners to call.
        asyncio.get_event_loop().call_soon(self._rows.close)

    # Drawing

    async def _draw(self) -> None:
        text = str(self._search.value)
        records = await self._threads.search(text)
        if self._closed:
            return
        old = self._rows
        with scope() as self._rows:
            replace_children(self._list, [self._row(record) for record in records])
            self._draw_undo()
        asyncio.get_event_loop().call_soon(old.close)
        self._search.hidden = not (records or text)
        self._say_state(bool(records), text)

    def _say_state(self, found: bool, text: str) -> None:
        if not found:
            note = say("threads.none_found" if text.strip() else "threads.empty")
        else:
            note = say("threads.busy") if self._chat.status in _BUSY else ""
        if str(self._note.textContent) != note:
            self._note.textContent = note
        self._note.hidden = not note

    def _row(self, record: Record) -> Any:
        thread_id = str(record["id"])
        if thread_id == self._renaming:
            return li(self._field(record), class_="ph-thread-row", data_thread_id=thread_id)
        current = thread_id == self._threads.current
        title = title_of(record)
        opener = button(
            span(title, class_="ph-thread-title", dir="auto"),
            _when(float(record.get("updated") or 0)),
            class_="ph-thread",
            data_action="open-thread",
            aria_current="true" if current else None,
            on_click=lambda event: self._run(self._open(thread_id)),
        )
        return li(
            opener,
            self._tool("edit", "threads.rename", title, lambda: self._rename(record)),
            self._tool("bin", "threads.delete", title, lambda: self._delete(record)),
            class_="ph-thread-row",
            data_thread_id=thread_id,
            data_current=current,
        )

    def _tool(self, name: str, key: str, title: str, act: Callable[[], object]) -> Any:
        label = say(key, title=title)
        return button(
            icon(name),
            class_="ph-icon-button ph-thread-tool",
            data_action=key.rpartition(".")[2],
            aria_label=label,
            title=label,
            on_click=lambda event: act(),
        )

    def _field(self, record: Record) -> Any:
        return input_(
            value=str(record.get("title") or ""),
            class_="ph-threads-search ph-thread-field",
            maxlength=200,
            aria_label=say("threads.rename", title=title_of(record)),
            on_blur=lambda event: self._renamed(str(event.target.value)),
        )

    def _draw_undo(self) -> None:
        gone = self._gone
        self._undo.hidden = gone is None
        if gone is None:
            return
        replace_children(
            self._undo,
            span(say("threads.deleted", title=title_of(gone)), role="status"),
            button(
                say("threads.undo"),
                class_="ph-button",
                data_action="undo",
                on_click=lambda event: self._run(self._bring_back()),
            ),
        )

    # Doing

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_event_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            report(error)

    async def _open(self, thread_id: str) -> None:
        if await self._threads.open(thread_id):
            self._left(False)
        else:
            await self._draw()

    def _rename(self, record: Record) -> None:
        self._renaming = str(record["id"])
        self._run(self._show_field())

    async def _show_field(self) -> None:
        await self._draw()
        field = self._list.querySelector(".ph-thread-field")
        if field:
            field.focus()
            field.select()

    def _renamed(self, title: str) -> None:
        thread_id, self._renaming = self._renaming, ""
        if thread_id:
            self._run(self._keep_title(thread_id, title))

    async def _keep_title(self, thread_id: str, title: str) -> None:
        await self._threads.rename(thread_id, title)
        await self._draw()
        self._focus_row(thread_id)

    def _delete(self, record: Record) -> None:
        self._run(self._forget(str(record["id"])))

    async def _forget(self, thread_id: str) -> None:
        rows = [str(row.getAttribute("data-thread-id")) for row in self._list.children]
        self._gone = await self._threads.delete(thread_id)
        await self._draw()
        at = rows.index(thread_id) if thread_id in rows else 0
        rest = [row for row in rows if row != thread_id]
        if rest:
            self._focus_row(rest[min(at, len(rest) - 1)])
        else:
            undo = self._undo.querySelector("button")
            (undo or self._search).focus()

    async def _bring_back(self) -> None:
        gone, self._gone = self._gone, None
        if gone is not None:
            await self._threads.restore(gone)
            await self._draw()
            self._focus_row(str(gone["id"]))

    def _focus_row(self, thread_id: str) -> None:
        row = self._list.querySelector(f'[data-thread-id="{js.CSS.escape(thread_id)}"] .ph-thread')
        if row:
            row.focus()

    # What happens around it

    def _chat_changed(self, change: Any) -> None:
        if change.kind == "status":
            self._say_state(bool(self._list.children.length), str(self._search.value))

    def _searched(self) -> None:
        if self._search_task is not None:
            self._search_task.cancel()
        self._search_task = asyncio.get_event_loop().create_task(self._search_soon())
        self._tasks.add(self._search_task)
        self._search_task.add_done_callback(self._done)

    async def _search_soon(self) -> None:
        await asyncio.sleep(_TYPING)
        await self._draw()

    def _pressed(self, event: Any) -> None:
        """A press elsewhere in the panel closes the list; its button does that by itself."""
        if not event.target.closest('[data-part="thread-list"], [data-part="threads"]'):
            self._left(True)

    def _key(self, event: Any) -> None:
        if event.isComposing or event.keyCode == 229:
            return
        if event.key != "Escape" and not self._element.contains(event.target):
            return
        field = event.target.classList.contains("ph-thread-field")
        row = event.target.closest(".ph-thread-row")
        thread_id = str(row.getAttribute("data-thread-id")) if row else ""
        if event.key == "Escape":
            self._stop(event)
            if field:
                self._renaming = ""
                self._run(self._keep_title(thread_id, ""))
            else:
                self._left(True)
        elif event.key == "Enter" and field:
            self._stop(event)
            self._renamed(str(event.target.value))
        elif event.key in _STEPS and not field:
            self._stop(event)
            self._step(_STEPS[event.key], row)
        elif event.key in ("F2", "Delete") and row and not field:
            self._stop(event)
            name = "rename" if event.key == "F2" else "delete"
            row.querySelector(f'[data-action="{name}"]').click()

    def _step(self, by: int, row: Any) -> None:
        """From the search field down the list and back."""
        stops = [self._search, *self._list.querySelectorAll(".ph-thread")]
        here = row.querySelector(".ph-thread") if row else self._search
        at = next((n for n, stop in enumerate(stops) if stop == here), 0)
        stops[max(0, min(at + by, len(stops) - 1))].focus()

    def _stop(self, event: Any) -> None:
        event.preventDefault()
        event.stopPropagation()


def title_of(record: Record) -> str:
    """What a conversation is called in the list."""
    return one_line(str(record.get("title") or ""), 200) or say("threads.untitled")


def _when(seconds: float) -> Any:
    """The time of the last change: the hour today, else the day."""
    moment = js.Date.new(seconds * 1000)
    now = js.Date.new()
    if moment.toDateString() == now.toDateString():
        text = moment.toLocaleTimeString(
            language(), _options('"hour":"2-digit","minute":"2-digit"')
        )
    else:
        year = "" if moment.getFullYear() == now.getFullYear() else ',"year":"numeric"'
        text = moment.toLocaleDateString(
            language(), _options(f'"month":"short","day":"numeric"{year}')
        )
    return time_(
        text,
        class_="ph-thread-time",
        datetime=moment.toISOString(),
        title=moment.toLocaleString(language()),
    )


def _options(pairs: str) -> Any:
    return js.JSON.parse(f"{{{pairs}}}")
