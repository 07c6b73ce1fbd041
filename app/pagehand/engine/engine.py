"""Runs the calls of one step and tells what came of each.

    engine = Engine(toolkit)
    engine.start([Call("call_1", "greet", {"name": "Ada"})], sink)

Every call goes through the same steps (see `pipeline`), runs at most once per
id, and ends with exactly one outcome. Nothing here knows a page: clocks,
dialogs, abort signals and consoles are ports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.engine.clock import Clock
from pagehand.engine.handle import CallHandle

if TYPE_CHECKING:
    from asyncio import Task
    from collections.abc import Callable, Iterable, Sequence

    from pagehand.engine.confirmation import Confirmation, ConfirmationQueue
    from pagehand.engine.execution import Execution
    from pagehand.engine.lanes import Lanes
    from pagehand.engine.outcome import Call, CallSink, Outcome
    from pagehand.engine.records import Log
    from pagehand.engine.rules import Rules
    from pagehand.engine.streaming import Streams
    from pagehand.toolkit.context import ToolContext
    from pagehand.toolkit.toolkit import Toolkit

_LOG_LIMIT = 500
_STOPPED = "The call was stopped before it ended."


class Engine:
    """Runs calls.

    Args:
        toolkit: The tools.
        confirm: Told of each question when it is asked; views may also read
            `confirmations` after a change. With neither, questions are refused at once.
        clock: Time.
        make_abort: Makes a pair of an abort signal and the function that sets it off.
        report: Told what an author should see: tracebacks, wrong definitions.
        respond: Takes the answer to a server's approval gate: call id, response.
        resume: Takes the answer to a suspended run of the server's: call id, answer.
        settings: As `Toolkit.configure` takes them; they go before the toolkit's own.

    Attributes:
        log_limit: Records the log keeps; set it before the first call.
        paused: The person's switch. While it is on, calls are refused at once with
            a sentence that says so; what already runs goes on.
    """

    def __init__(
        self,
        toolkit: Toolkit,
        *,
        confirm: Callable[[Confirmation], None] | None = None,
        clock: Clock | None = None,
        make_abort: Callable[[], tuple[Any, Callable[[], None]]] | None = None,
        report: Callable[[str], None] | None = None,
        respond: Callable[[str, dict[str, Any]], Any] | None = None,
        resume: Callable[[str, Any], Any] | None = None,
        **settings: Any,
    ) -> None:
        self.toolkit = toolkit
        self.clock = clock or Clock()
        self.log_limit = _LOG_LIMIT
        self.respond_port = respond
        self.resume_port = resume
        self._confirm = confirm
        self._settings = settings
        self._make_abort = make_abort
        self._report = report
        self._paused = False
        self._executions: dict[str, Execution] = {}
        self._handles: dict[str, CallHandle] = {}
        self._listeners: list[Callable[[str], None]] = []
        self._tasks: set[Task[None]] = set()
        self._queue: ConfirmationQueue | None = None
        self._lanes: Lanes | None = None
        self._rules: Rules | None = None
        self._log: Log | None = None
        self._streams: Streams | None = None

    # What a conversation asks of it

    def declarations(self) -> dict[str, dict[str, Any]]:
        """What the backend is told; see `Toolkit.declarations`."""
        return self.toolkit.declarations()

    def knows(self, name: str) -> bool:
        """Whether calls of that name are answered in this page."""
        tool = self.toolkit.get(name)
        return tool is not None and tool.kind in ("frontend", "human", "stub")

    def is_terminal(self, name: str) -> bool:
        """Whether a result of that tool needs no further word of the model."""
        tool = self.toolkit.get(name)
        return tool is not None and tool.terminal

    def is_eager(self, name: str) -> bool:
        """Whether a call may start before its step has ended: only what asks nobody."""
        tool = self.toolkit.get(name)
        return (
            tool is not None
            and tool.eager
            and tool.kind == "frontend"
            and tool.risk == "safe"
            and tool.requires_confirmation is False
        )

    def start(
        self,
        calls: Iterable[Call],
        sink: CallSink,
        messages: Sequence[dict[str, Any]] | Callable[[], Sequence[dict[str, Any]]] = (),
    ) -> None:
        """Starts calls in the given order and returns at once.

        A call that was started before is not run again: when it has ended, its
        outcome is told once more; when it still runs, it is told to this sink.

        Args:
            calls: The calls of one step, in document order.
            sink: Where outcomes go; `settled` is called once per call.
            messages: The conversation for `ctx.messages`, or a function that gives it.
        """
        for call in calls:
            known = self._executions.get(call.tool_call_id)
            if known is not None and _same(known.call, call) and not known.withdrawn:
                known.sink = sink
                if known.outcome is not None:
                    sink.settled(call.tool_call_id, known.outcome)
            else:
                if known is not None:
                    known.stop("Another call took over this call's id.", cancelled=True)
                self._start(call, sink, messages)

    def feed(self, tool_call_id: str, tool_name: str, text: str) -> None:
        """Tells of arguments that are arriving, for tools with `stream_call`.

        `start` ends the stream; so does `cancel`.
        """
        tool = self.toolkit.get(tool_name)
        if tool is None or tool.stream_call is None or tool_call_id in self._executions:
            return
        if self._streams is None:
            from pagehand.engine.streaming import Streams

            self._streams = Streams(self)
        self._streams.feed(tool_call_id, tool, text)

    def cancel(self, ids: Iterable[str] | None = None, reason: str = _STOPPED) -> None:
        """Stops calls (all that run, without `ids`); their outcome is a Failure with the reason.

        Functions are cancelled where they wait; a result that still comes is dropped.
        """
        wanted = list(self._executions) if ids is None else list(ids)
        for tool_call_id in wanted:
            execution = self._executions.get(tool_call_id)
            if execution is not None:
                execution.stop(reason, cancelled=True)
            if self._streams is not None:
                self._streams.stop(tool_call_id)
        if ids is None and self._streams is not None:
            self._streams.stop_all()

    def handle(self, tool_call_id: str) -> CallHandle | None:
        """The live `call` object of a call, or None when nothing is known of it."""
        return self._handles.get(tool_call_id)

    def show(self, part: Any) -> CallHandle:
        """The live `call` object for a message's tool part, brought up to date with it.

        For drawing calls that this engine did not start: streaming, restored, or
        run elsewhere. A call that runs here knows better than its part.
        """
        handle = self._handles.get(part.tool_call_id)
        if handle is None:
            handle = CallHandle(self, part.tool_call_id, part.tool_name)
            self._handles[part.tool_call_id] = handle
        if part.tool_call_id not in self._executions:
            handle.sync(part)
        return handle

    @property
    def running(self) -> list[str]:
        """The ids of calls that have not ended."""
        return [key for key, value in self._executions.items() if value.outcome is None]

    @property
    def log(self) -> list[dict[str, Any]]:
        """What happened to each call: plain JSON, oldest first, secrets masked."""
        return self._log.all() if self._log is not None else []

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

    def forget(self) -> None:
        """A new conversation: stops what runs, forgets calls, permissions and turns."""
        self.cancel()
        self._executions.clear()
        self._handles.clear()
        if self._rules is not None:
            self._rules.policy.forget()

    async def invoke(
        self,
        name: str,
        arguments: dict[str, Any],
        tool_call_id: str | None = None,
        messages: Sequence[dict[str, Any]] | Callable[[], Sequence[dict[str, Any]]] = (),
    ) -> Outcome:
        """Runs one call outside a conversation, through the same steps, and waits for it."""
        from pagehand.engine.starting import invoke

        return await invoke(self, name, arguments, tool_call_id, messages)

    # What executions and handles ask of it

    @property
    def rules(self) -> Rules:
        """The settings in force."""
        if self._rules is None:
            from pagehand.engine.rules import Rules

            self._rules = Rules(self.toolkit, self.clock, self._settings)
        return self._rules

    def timeout_of(self, tool: Any) -> float | None:
        """Seconds a tool may run; people may take their time unless the tool says otherwise."""
        if tool.timeout is not None or tool.kind == "human":
            return tool.timeout  # type: ignore[no-any-return]
        return self.rules.timeout

    def turn_of(self, context: ToolContext) -> str:
        """What names the current turn: the last message of the person."""
        for message in reversed(context.messages):
            if message.get("role") == "user":
                return str(message.get("id", ""))
        return ""

    def make_abort(self) -> tuple[Any, Callable[[], None]]:
        """An abort signal and what sets it off."""
        if self._make_abort is not None:
            return self._make_abort()
        from pagehand.engine.execution import AbortFlag

        flag = AbortFlag()
        return flag, flag.abort

    def report(self, text: str) -> None:
        """Tells the author."""
        if self._report is not None:
            self._report(text)

    async def ask(self, confirmation: Confirmation) -> str:
        """Asks the person; see `ConfirmationQueue`."""
        from pagehand.engine.confirmation import ConfirmationQueue
        from pagehand.errors import CallRefusedError

        if self._confirm is None and not self._listeners:
            raise CallRefusedError("Nothing on this page can ask the person, so nothing was done.")
        if self._queue is None:
            self._queue = ConfirmationQueue(self.clock, self._tell)
        self._queue.seconds = self.rules.confirm_seconds
        return await self._queue.ask(confirmation, self._confirm or _shown_by_views)

    def changed(self, handle: CallHandle) -> None:
        """A call changed: views draw it again."""
        handle.revision += 1
        self._tell(handle.tool_call_id)

    def settled(self, execution: Execution, outcome: Outcome) -> None:
        """A call ended."""
        execution.sink.settled(execution.call.tool_call_id, outcome)
        self.changed(execution.handle)

    def answer(self, handle: CallHandle, value: Any) -> bool:
        """Takes a card's answer; it settles before this returns."""
        execution = self._executions.get(handle.tool_call_id)
        return execution is not None and execution.answer(value)

    def refuse(self, handle: CallHandle, text: str) -> bool:
        """Takes a card's error; it settles before this returns."""
        execution = self._executions.get(handle.tool_call_id)
        return execution is not None and execution.refuse(text)

    def resume(self, handle: CallHandle, payload: Any) -> bool:
        """Answers `ctx.human`, or a suspended run of the server's."""
        execution = self._executions.get(handle.tool_call_id)
        if execution is not None:
            return execution.resume(payload)
        if self.resume_port is None or (handle.interrupt or {}).get("type") != "suspend":
            return False
        self.resume_port(handle.tool_call_id, payload)
        return True

    def respond(self, handle: CallHandle, response: dict[str, Any]) -> Any:
        """Passes the answer to a server's approval gate on."""
        if handle.gate != "open" or self.respond_port is None:
            raise LookupError(f"no approval gate is open for {handle.tool_call_id}")
        return self.respond_port(handle.tool_call_id, response)

    def _start(self, call: Call, sink: CallSink, messages: Any) -> None:
        from pagehand.engine.starting import begin

        if self._streams is not None:
            self._streams.close(call.tool_call_id)
        handle = self._handles.get(call.tool_call_id)
        if handle is None or handle.ended_at is not None:
            handle = CallHandle(self, call.tool_call_id, call.tool_name)
            self._handles[call.tool_call_id] = handle
        if self._lanes is None or self._log is None:
            from pagehand.engine.lanes import Lanes
            from pagehand.engine.records import Log

            self._lanes, self._log = Lanes(), Log(self.log_limit)
        execution = begin(self, call, sink, handle, self._log, self._lanes, messages)
        self._executions[call.tool_call_id] = execution
        self.changed(handle)
        if execution.task is not None:
            self._tasks.add(execution.task)
            execution.task.add_done_callback(self._tasks.discard)

    def _tell(self, tool_call_id: str) -> None:
        for listener in list(self._listeners):
            listener(tool_call_id)


def _same(one: Call, other: Call) -> bool:
    return (
        one.tool_name == other.tool_name
        and one.message_id == other.message_id
        and one.step == other.step
    )


def _shown_by_views(confirmation: Confirmation) -> None:
    """Views that subscribed read `confirmations` themselves."""
