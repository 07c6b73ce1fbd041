"""What a running call finds around it: tools, time, settings, the person, the author.

Nothing here knows a page: clocks, dialogs, abort signals and consoles are ports. `Engine` adds
the calls to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.engine.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.engine.confirmation import Confirmation, ConfirmationQueue
    from pagehand.engine.handle import CallHandle
    from pagehand.engine.rules import Rules
    from pagehand.toolkit.tool import Tool
    from pagehand.toolkit.toolkit import Toolkit


class Environment:
    """The surroundings that all calls of one engine share.

    Args:
        toolkit: The tools.
        confirm: Told of each question when it is asked; views may also read
            `confirmations` after a change. With neither, questions are refused at once.
        clock: Time.
        make_abort: Makes a pair of an abort signal and the function that sets it off.
        report: Told what an author should see: tracebacks, wrong definitions.
        settings: As `Toolkit.configure` takes them; they go before the toolkit's own.

    Attributes:
        paused: The person's switch. While it is on, calls are refused at once with
            a sentence that says so; what already runs goes on.

    Raises:
        ToolkitError: For a setting that does not exist, or a value that cannot be.
    """

    def __init__(
        self,
        toolkit: Toolkit,
        *,
        confirm: Callable[[Confirmation], None] | None = None,
        clock: Clock | None = None,
        make_abort: Callable[[], tuple[Any, Callable[[], None]]] | None = None,
        report: Callable[[str], None] | None = None,
        settings: dict[str, Any],
    ) -> None:
        self.toolkit = toolkit
        self.clock = clock or Clock()
        self._confirm = confirm
        self._make_abort = make_abort
        self._report = report
        self._settings = settings
        self._paused = False
        self._listeners: list[Callable[[str], None]] = []
        self._queue: ConfirmationQueue | None = None
        self._rules: Rules | None = None
        if settings:
            from pagehand.toolkit.settings import check_settings

            check_settings(settings)

    @property
    def paused(self) -> bool:
        """The person's switch; see the class."""
        return self._paused

    @paused.setter
    def paused(self, value: bool) -> None:
        if value != self._paused:
            self._paused = value
            self._tell("")

    @property
    def confirmations(self) -> list[Confirmation]:
        """The open questions; the first is the one to show."""
        return list(self._queue.open) if self._queue is not None else []

    def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Calls `listener` with a call's id after each change ("" when it is not about one)."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    @property
    def rules(self) -> Rules:
        """The settings in force."""
        if self._rules is None:
            from pagehand.engine.rules import Rules

            self._rules = Rules(self.toolkit, self.clock, self._settings)
        return self._rules

    def timeout_of(self, tool: Tool) -> float | None:
        """Seconds a tool may run; people may take their time unless the tool says otherwise."""
        if tool.timeout is not None or tool.kind == "human":
            return tool.timeout
        return self.rules.timeout

    def make_abort(self) -> tuple[Any, Callable[[], None]]:
        """An abort signal and what sets it off."""
        if self._make_abort is not None:
            return self._make_abort()
        from pagehand.engine.abort import Abort

        abort = Abort()
        return abort, abort.abort

    def report(self, text: str) -> None:
        """Tells the author."""
        if self._report is not None:
            self._report(text)

    async def ask(self, confirmation: Confirmation) -> str:
        """Asks the person; see `ConfirmationQueue`.

        Raises:
            CallRefusedError: Nobody is there to show the question.
        """
        if self._confirm is None and not self._listeners:
            from pagehand.errors import CallRefusedError

            raise CallRefusedError("Nothing on this page can ask the person, so nothing was done.")
        if self._queue is None:
            from pagehand.engine.confirmation import ConfirmationQueue

            self._queue = ConfirmationQueue(self.clock, self._tell)
        self._queue.seconds = self.rules.confirm_seconds
        return await self._queue.ask(confirmation, self._confirm or _shown_by_views)

    def changed(self, handle: CallHandle) -> None:
        """A call changed: views draw it again."""
        handle.revision += 1
        self._tell(handle.tool_call_id)

    def _tell(self, tool_call_id: str) -> None:
        for listener in list(self._listeners):
            listener(tool_call_id)


def _shown_by_views(confirmation: Confirmation) -> None:
    """Views that subscribed read `confirmations` themselves."""
