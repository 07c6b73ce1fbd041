"""The log, as a drawer over the conversation: every call, newest first, live while it is open.

It covers the conversation only. Stop, the pause switch and the composer stay in reach, because
a log is read while something is going on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import js

from pagehand.browser.dom import Listeners, frame
from pagehand.html import a, button, div, h3, p, scope, section, span
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon
from pagehand.ui.log_entry import LogEntry
from pagehand.wire.jsontext import dumps


class LogDrawer:
    """Shows an engine's log until it is closed.

    Args:
        shell: The frame in the page.
        engine: Whose log it is.
        leave: Called when the person closes it.
    """

    def __init__(self, shell: Any, engine: Any, leave: Callable[[], None]) -> None:
        self._shell = shell
        self._engine = engine
        self._leave = leave
        self._entries: dict[int, LogEntry] = {}
        self._closed = False
        self._listeners = Listeners()
        with scope() as self._scope:
            self._build()
        self._paint()
        shell.thread.after(self.element)
        shell.thread.inert = True  # it lies under the drawer
        self._unsubscribe = engine.subscribe(lambda tool_call_id: frame(self._paint))
        self._listeners.on(self.element, "keydown", self._key)
        self._dress()

    def close(self) -> None:
        """Takes the drawer away and stops watching."""
        self._closed = True
        self._unsubscribe()
        self._listeners.close()
        self._shell.thread.inert = False
        for entry in self._entries.values():
            entry.close()
        self.element.remove()
        self._scope.close()

    # Drawing

    def _build(self) -> None:
        self._count = span(class_="ph-log-count")
        self._list = div(class_="ph-log-list", role="list", data_part="log-entries")
        self._empty = p(say("log.empty"), class_="ph-log-empty")
        self._export = button(
            say("log.export"),
            class_="ph-button",
            type="button",
            data_action="export",
            title=say("log.export_title"),
            on_click=lambda event: self._save(),
        )
        self._close = button(
            icon("cross", 18),
            class_="ph-icon-button",
            type="button",
            data_action="close",
            aria_label=say("log.close"),
            title=say("log.close"),
            on_click=lambda event: self._leave(),
        )
        self.element = section(
            div(
                h3(say("log.title"), class_="ph-log-title", id="ph-log-title"),
                self._count,
                self._export,
                self._close,
                class_="ph-log-head",
            ),
            div(self._empty, self._list, class_="ph-log-body", tabindex=0),
            class_="ph-log",
            data_part="log",
            role="dialog",
            aria_labelledby="ph-log-title",
        )

    def _dress(self) -> None:
        """Shows the drawer when its own sheet is there, and moves the focus into it."""
        sheet = self._shell.style("log")
        if sheet is None:
            self._close.focus()
            return
        self.element.style.visibility = "hidden"
        for news in ("load", "error"):
            self._listeners.on(sheet, news, lambda event: self._appear())

    def _appear(self) -> None:
        self.element.style.removeProperty("visibility")
        self._close.focus()

    def _paint(self) -> None:
        if self._closed:
            return
        records = self._engine.log
        kept = {record["number"] for record in records}
        for number in [number for number in self._entries if number not in kept]:
            self._entries.pop(number).close()
        for record in records:
            entry = self._entries.get(record["number"])
            if entry is None:
                tool = self._engine.toolkit.get(record["tool_name"])
                entry = LogEntry(record, tool and tool.title, self._shell.lang)
                self._entries[record["number"]] = entry
                self._list.prepend(entry.element)
            else:
                entry.update(record)
        self._empty.hidden = bool(records)
        self._export.disabled = not records
        self._count.textContent = say("log.count", count=len(records)) if records else ""

    # What the person does

    def _key(self, event: Any) -> None:
        if event.key == "Escape" and not event.isComposing:
            event.preventDefault()
            event.stopPropagation()
            self._leave()

    def _save(self) -> None:
        """Hands the whole log over as a file of JSON lines."""
        lines = [dumps(record) for record in self._engine.log]
        parts = js.Array.of("\n".join([*lines, ""]))
        kind = js.Object.fromEntries(js.Array.of(js.Array.of("type", "application/jsonl")))
        address = js.URL.createObjectURL(js.Blob.new(parts, kind))
        stamp = str(js.Date.new().toISOString())[:19].replace(":", "-")
        link = a(hidden=True, download=f"pagehand-log-{stamp}.jsonl")
        link.href = address
        self.element.append(link)
        link.click()
        link.remove()
        js.URL.revokeObjectURL(address)
