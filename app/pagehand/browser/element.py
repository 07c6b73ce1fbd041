"""The shell of one `<page-hand>`, as Python sees it.

The shell itself is JavaScript (static/shell.js), so that it is there before Python. This
wraps its parts and keeps the one line between both: a single function that the element calls
with a verb and plain values, and that answers in JSON.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from typing import Any

import js
from pyodide.ffi import JsException, create_once_callable, create_proxy

from pagehand.browser.tongue import kept
from pagehand.errors import PageError, PagehandError
from pagehand.wire.jsontext import dumps

Verb = Callable[..., Any]
AttributeListener = Callable[[str, str | None], None]


class Shell:
    """The frame that views draw in.

    Attributes:
        element: The `<page-hand>` itself.
        root: The element in the shadow root that holds everything.
        panel, thread, messages, notices, overlay: Where the views draw.
        composer, textarea, send, stop: The composer's parts.
        pause, new_chat: Buttons of the header.
    """

    __slots__ = (
        "_attribute_listeners",
        "_js",
        "_proxy",
        "_verbs",
        "composer",
        "element",
        "messages",
        "new_chat",
        "notices",
        "overlay",
        "panel",
        "pause",
        "root",
        "send",
        "stop",
        "textarea",
        "thread",
    )

    def __init__(self, shell: Any) -> None:
        self._js = shell
        self._proxy: Any = None
        self._verbs: dict[str, Verb] = {}
        self._attribute_listeners: list[AttributeListener] = []
        self.element = shell.element
        self.root = shell.root
        self.panel = shell.panel
        self.thread = shell.thread
        self.messages = shell.messages
        self.notices = shell.notices
        self.overlay = shell.overlay
        self.composer = shell.composer
        self.textarea = shell.textarea
        self.send = shell.send
        self.stop = shell.stop
        self.pause = shell.pause
        self.new_chat = shell.newChat

    @property
    def lang(self) -> str:
        """The language to speak: `zh-CN` or `en`."""
        return str(self._js.lang)

    def attribute(self, name: str, default: str = "") -> str:
        """The element's attribute as it is now, without blanks around it."""
        value = self._js.attribute(name)
        return default if value is None else str(value).strip()

    def style(self, name: str) -> Any:
        """Fetches a sheet that only some views need, once; None when it is there already.

        Returns:
            The `<link>`, which tells `load` or `error`.
        """
        links = list(self.element.shadowRoot.querySelectorAll('link[rel="stylesheet"]'))
        if not links or any(str(link.href).endswith(f"/{name}.css") for link in links):
            return None
        link = js.document.createElement("link")
        link.rel = "stylesheet"
        link.href = js.URL.new(f"{name}.css", links[-1].href).href
        links[-1].after(link)
        return link

    async def dress(self, name: str) -> None:
        """Fetches such a sheet and waits until it is there, or cannot be had."""
        link = self.style(name)
        if link is None:
            return
        there = asyncio.Event()
        link.onload = link.onerror = create_once_callable(lambda event: there.set())
        await there.wait()

    def reveal(self) -> None:
        """Opens the panel if it is closed: the person is asked something."""
        if not self._js.panelControl.open:
            self._js.panelControl.toggle(True)

    @property
    def kept(self) -> str | None:
        """The conversation, as JSON, that an element without a `thread` left with last time."""
        kept = self._js.kept()
        return None if kept is None else str(kept)

    def fail(self, error: BaseException) -> None:
        """The start failed: shows why, with a way to try again."""
        if isinstance(error, JsException):
            self._js.fail(error)
            return
        told = js.Error.new("".join(traceback.format_exception(error)))
        told.code = "python"
        self._js.fail(told)

    def on_attribute(self, fn: AttributeListener) -> Callable[[], None]:
        """Calls `fn(name, value)` when an attribute changes; returns what ends that."""
        self._attribute_listeners.append(fn)
        return lambda: self._attribute_listeners.remove(fn)

    def emit(self, type: str, detail: Any = None) -> None:
        """Tells the host page, as a bubbling event whose detail is plain JSON."""
        self._js.emit(type, dumps(detail))

    def set_status(self, status: str) -> None:
        """Shows the chat's status; also emits `pagehand:status` when it changed."""
        self._js.setStatus(status)

    def set_talking(self, talking: bool) -> None:
        """Says whether there are messages; without any, the welcome shows."""
        self._js.setTalking(talking)

    def set_text(self, text: str) -> None:
        """Writes into the composer and sizes it."""
        self._js.composerControl.setText(text)

    def set_paused(self, paused: bool) -> None:
        """Shows on the pause switch whether the tools are paused."""
        self._js.setPaused(paused)

    @property
    def wanted(self) -> bool:
        """Whether the element still stands in the page."""
        return bool(self._js.wanted)

    @property
    def toolkit_file(self) -> Any:
        """A promise of the toolkit's text that the element began to fetch, or None."""
        return self._js.toolkit

    def host_tools(self) -> list[Any]:
        """The tools that the page's JavaScript has registered so far."""
        return list(self._js.hostTools())

    def claim(self) -> None:
        """Makes sure that nothing else is mounted here.

        Raises:
            PageError: Something is mounted into this element already.
        """
        if self._js.connected:
            raise PageError(
                "something is mounted into this <page-hand> already; mount once per element, or set"
                ' runtime="page" when the page mounts by itself'
            )

    def connect(self, verbs: dict[str, Verb]) -> None:
        """Takes over: from now on the element asks `verbs`."""
        self._verbs = verbs
        self._proxy = create_proxy(kept(self._answer))
        self._js.connect(self._proxy)

    def ready(self) -> None:
        """The assistant can answer: the element becomes `ready` and hands over what was typed."""
        self._js.ready()

    def close(self) -> None:
        """Lets go of the element."""
        self._attribute_listeners.clear()
        if self._proxy is None:
            return
        self._js.disconnect()
        proxy, self._proxy = self._proxy, None
        self._verbs = {}
        # The element may be in the middle of a call through it.
        asyncio.get_event_loop().call_soon(proxy.destroy)

    def _answer(self, verb: str, *values: Any) -> str | None:
        if verb == "attribute":
            for listener in list(self._attribute_listeners):
                listener(*values)
            return None
        try:
            value = self._verbs[verb](*values)
        except PagehandError as error:
            return dumps({"error": str(error)})
        return None if value is None else dumps({"value": value})
