"""One assistant in one element: toolkit, engine, chat and views, wired and owned together.

    Toolkit -> Engine -> Chat -> ThreadView
                          |
                FallbackTransport -> FetchTransport -> the endpoint

Attributes of the element are read at each use, so a page may change them at any time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import js
import pagehand_shell

from pagehand.browser.dom import Listeners, document, report, window
from pagehand.browser.fallback import FallbackTransport
from pagehand.browser.fetch import FetchTransport, make_abort
from pagehand.browser.leaving import take_left
from pagehand.chat.chat import Chat
from pagehand.chat.request import PROTOCOLS, UI_STREAM
from pagehand.engine.engine import Engine
from pagehand.toolkit.toolkit import Toolkit
from pagehand.ui.composer import Composer
from pagehand.ui.conversations import Conversations
from pagehand.ui.events import HostEvents, described
from pagehand.ui.i18n import set_language
from pagehand.ui.remarks import Remarks
from pagehand.ui.thread import ThreadView
from pagehand.ui.tool_sources import ToolSources

if TYPE_CHECKING:
    from pagehand.browser.element import Shell
    from pagehand.ui.outside import OutsideCalls

DEFAULT_ENDPOINT = "/chat"
DEFAULT_THREAD = "default"
_IDLE_DELAY = 0.3


class Assistant:
    """What `mount` returns.

    Args:
        shell: The element's shell.
        toolkit: The tools, or None when the element's `toolkit` file brings them.
        headers: Gives more request headers, such as a fresh token, at once or awaited.
        credentials: As `fetch` knows them: `same-origin`, `include`, `omit`.
        chat_options: Further keyword arguments of `Chat`.
    """

    def __init__(
        self,
        shell: Shell,
        toolkit: Toolkit | None,
        *,
        headers: Callable[[], Any] | None = None,
        credentials: str = "same-origin",
        **chat_options: Any,
    ) -> None:
        shell.claim()
        self.shell = shell
        self.toolkit = Toolkit()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ready = self._followed = False
        self._changed_early: set[str] = set()
        set_language(shell.lang)
        self.engine = Engine(
            self.toolkit,
            confirm=_views_ask,
            make_abort=make_abort,
            report=js.console.error,
        )
        fetch = FetchTransport(self._endpoint, headers=headers, credentials=credentials)
        self._transport = FallbackTransport(
            fetch, allowed=lambda: shell.attribute("fallback") == "demo", tell=self._tell_demo
        )
        self.chat = Chat(
            self._transport,
            self.engine,
            tools_field=self._tools_field(),
            on_warning=lambda sentence: js.console.warn(f"pagehand: {sentence}"),
            **chat_options,
        )
        self.engine.respond_port = self.chat.respond_to_approval
        self.engine.resume_port = self.chat.resume_call
        self.view = ThreadView(shell, self.chat, self.engine, self.toolkit)
        self._remarks = Remarks(shell)
        self.chat.protocol = self._protocol()
        self._sources = ToolSources(shell, self.toolkit, toolkit, self._remarks)
        shell.connect(self._verbs())
        self._composer = Composer(shell, self._thread)
        self._conversations = Conversations(
            shell, self.chat, self._remarks, self._thread, self.spawn
        )
        self._events: HostEvents | None = None
        self._outside: OutsideCalls | None = None
        self._unsubscribe = self.chat.subscribe(self._chat_changed)
        self._listeners = Listeners()
        self._listeners.on(shell.pause, "click", self._pause_clicked)
        self._listeners.on(window, "online", lambda event: self._recover())
        self._listeners.on(document, "visibilitychange", lambda event: self._recover())
        shell.on_attribute(self._attribute_changed)

    # Life

    async def start(self) -> None:
        """Brings in tools and history, then tells the element that it is ready.

        What goes wrong is shown in the element, which may ask to start again.
        """
        try:
            await asyncio.gather(self._conversations.load(), self._bring_tools())
            while self._changed_early:
                name = self._changed_early.pop()
                work = self._conversations.load if name == "thread" else self._sources.reload
                await work()
        except Exception as error:  # noqa: BLE001 - shown to the person, whatever it is
            self.shell.fail(error)
            return
        if self.shell.wanted and not self._ready:
            self._become_ready()

    async def _bring_tools(self) -> None:
        """First what a toolkit file may import, then the file."""
        await pagehand_shell.optionalPackages()
        await self._sources.load()

    def _become_ready(self) -> None:
        self._sources.take_host_tools()
        self._events = HostEvents(self.shell, self.chat)
        self._ready = True
        self._conversations.show()
        self.shell.ready()
        self._settle_left()
        self.spawn(self._after_ready())

    def _settle_left(self) -> None:
        """Answers the calls with which the page before this one went away."""
        left = take_left([part.tool_call_id for part in self.chat.pending_choices])
        if not left:
            return
        from pagehand.tools.travel import answer_after_load

        for call_id, note in left.items():
            self.chat.add_tool_output(call_id, answer_after_load(note, self.shell.lang))

    def _chat_changed(self, change: Any) -> None:
        """Gaining the lead from another tab, the calls of this one are open here."""
        if self.chat.following:
            self._followed = True
        elif self._followed and self._ready and change.kind == "list" and not change.loaded:
            self._followed = False
            self._settle_left()

    def close(self) -> list[dict[str, Any]]:
        """Stops everything and frees every callback; returns the conversation."""
        messages = self.chat.dump()
        self._unsubscribe()
        self._conversations.close()
        for task in list(self._tasks):
            task.cancel()
        self.chat.close()
        if self._events is not None:
            self._events.close()
        if self._outside is not None:
            self._outside.close()
        self.view.close()
        self._remarks.close()
        self._composer.close()
        self._listeners.close()
        self._sources.close()
        self.shell.close()
        return messages

    def _leave(self) -> dict[str, Any]:
        return {"id": self.chat.id, "messages": self.close()}

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs something beside, and reports its error should it fail."""
        task = asyncio.get_event_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            error = task.exception()
            if error is not None:
                report(error)

    async def _after_ready(self) -> None:
        """What can wait: an answer that was cut off by a reload, the schemas (maybe pydantic)."""
        await self._conversations.begin()
        await asyncio.sleep(_IDLE_DELAY)
        self._sources.check()
        from pagehand.ui.outside import OutsideCalls

        self._outside = OutsideCalls(self.view.context)

    # What the element asks

    def _verbs(self) -> dict[str, Callable[..., Any]]:
        return {
            "send": self.send,
            "stop": lambda: self.spawn(self._conversations.stop()),
            "regenerate": lambda: self.spawn(self._conversations.regenerate()),
            "clear": self.clear,
            "messages": self.chat.dump,
            "error": self._error,
            "tools": self.toolkit.declarations,
            "log": lambda: list(self.engine.log),
            "register": self._sources.register,
            "unregister": self._sources.unregister,
            "close": self._leave,
            "restart": lambda: self.spawn(self.start()),
        }

    def send(self, text: str) -> None:
        """Says something in the person's name."""
        self._composer.keep()
        self.spawn(self._conversations.send(str(text)))

    def clear(self) -> None:
        """Forgets the conversation."""
        self._conversations.clear()

    def _error(self) -> dict[str, str] | None:
        error = self.chat.error
        if error is None and self._sources.error is not None:
            return {"code": "toolkit", "message": str(self._sources.error)}
        return None if error is None else described(error)

    # Attributes and switches

    def _endpoint(self) -> str:
        return self.shell.attribute("endpoint") or DEFAULT_ENDPOINT

    def _thread(self) -> str:
        return self.shell.attribute("thread", DEFAULT_THREAD)

    def _tools_field(self) -> str:
        """`tools` if the element says so; anything else is the default."""
        return "tools" if self.shell.attribute("tools-field") == "tools" else "clientTools"

    def _protocol(self) -> str:
        """What the endpoint speaks; a name we do not know is told and counts as the default."""
        name = self.shell.attribute("protocol") or UI_STREAM
        if name in PROTOCOLS:
            self._remarks.drop("protocol")
            return name
        self._remarks.add("protocol", name=name)
        return UI_STREAM

    def _attribute_changed(self, name: str, value: str | None = None) -> None:
        if name == "lang":
            set_language(self.shell.lang)
            self.view.refresh()
            self._remarks.refresh()
            self._conversations.refresh()
        elif name == "endpoint":
            self._transport.forget()
        elif name in ("thread", "toolkit") and not self._ready:
            self._changed_early.add(name)  # `start` looks once more before it ends
        elif name == "thread":
            self.spawn(self._conversations.rename())
        elif name == "toolkit":
            self.spawn(self._sources.reload())
        elif name == "protocol":
            self.chat.protocol = self._protocol()
        elif name == "tools-field":
            self.chat.tools_field = self._tools_field()

    def _recover(self) -> None:
        """Online or visible again: an answer that broke off may still be going on."""
        if self._ready and not document.hidden:
            self.spawn(self.chat.recover())

    def _pause_clicked(self, event: Any) -> None:
        """The person's switch; a click that a script makes up, or leads here, changes nothing."""
        from pagehand.ui.trust import is_real_click

        if not is_real_click(event):
            return
        self.engine.paused = not self.engine.paused
        self.shell.set_paused(self.engine.paused)

    # Remarks

    def _tell_demo(self) -> None:
        self._remarks.add("demo", address=self._endpoint())


def _views_ask(confirmation: object) -> None:
    """The views watch the engine's open questions; nothing to do here."""
