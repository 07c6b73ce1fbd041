"""Runs the calls of one step and tells what came of each.

    engine = Engine(toolkit)
    engine.start([Call("call_1", "greet", {"name": "Ada"})], sink)

Every call goes through the same steps (see `pipeline`), runs at most once per
id, and ends with exactly one outcome.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pagehand.engine.environment import Environment
from pagehand.engine.handle import CallHandle
from pagehand.toolkit.definition import DECLARED_KINDS

if TYPE_CHECKING:
    from asyncio import Task
    from collections.abc import Callable, Iterable, Sequence

    from pagehand.engine.clock import Clock
    from pagehand.engine.confirmation import Confirmation
    from pagehand.engine.execution import Execution
    from pagehand.engine.lanes import Lanes
    from pagehand.engine.outcome import Call, CallSink, Outcome
    from pagehand.engine.records import Log
    from pagehand.engine.streaming import Streams
    from pagehand.toolkit.toolkit import Toolkit

_LOG_LIMIT = 500
_STOPPED = "The call was stopped before it ended."


class Engine(Environment):
    """Runs calls.

    Args:
        toolkit: The tools.
        confirm, clock, make_abort, report, settings: As for `Environment`.
        respond: Takes the answer to a server's approval gate: call id, response.
        resume: Takes the answer to a suspended run of the server's: call id, answer.

    Attributes:
        log_limit: Records the log keeps; set it before the first call.
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
        super().__init__(
            toolkit,
            confirm=confirm,
            clock=clock,
            make_abort=make_abort,
            report=report,
            settings=settings,
        )
        self.log_limit = _LOG_LIMIT
        self.respond_port = respond
        self.resume_port = resume
        self._executions: dict[str, Execution] = {}
        self._handles: dict[str, CallHandle] = {}
        self._tasks: set[Task[None]] = set()
        self._lanes: Lanes | None = None
        self._log: Log | None = None
        self._streams: Streams | None = None

    # What a conversation asks of it

    def declarations(self) -> dict[str, dict[str, Any]]:
        """What the backend is told; see `Toolkit.declarations`."""
        return self.toolkit.declarations()

    def knows(self, name: str) -> bool:
        """Whether calls of that name are answered in this page."""
        tool = self.toolkit.get(name)
        return tool is not None and tool.kind in DECLARED_KINDS

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

            self._streams = Streams(self.report)
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
        """Runs one call outside a conversation, through the same steps, and waits for it.

        Giving up the wait stops the call.
        """
        from pagehand.engine.outcome import Call
        from pagehand.engine.starting import Waiting

        if tool_call_id is None:
            tool_call_id = f"local_{os.urandom(6).hex()}"
        waiting = Waiting()
        self.start([Call(tool_call_id, name, arguments, outside=True)], waiting, messages)
        try:
            return await waiting.outcome
        finally:
            if not waiting.outcome.done() or waiting.outcome.cancelled():
                self.cancel([tool_call_id])

    # What handles ask of it

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


def _same(one: Call, other: Call) -> bool:
    return (
        one.tool_name == other.tool_name
        and one.message_id == other.message_id
        and one.step == other.step
    )
