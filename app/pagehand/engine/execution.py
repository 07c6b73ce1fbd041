"""One call on its way through the engine: what it knows, asks, and how it ends.

It is what a `ToolContext` talks to, and it makes sure that a call ends once:
the first outcome counts, a later one is dropped.
"""

from __future__ import annotations

from asyncio import Future, Task, get_running_loop
from typing import TYPE_CHECKING, Any

from pagehand.engine.asked import Asked
from pagehand.engine.outcome import Failure, Output
from pagehand.errors import CallCancelledError, CallError, UnknownToolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.engine.clock import Timer
    from pagehand.engine.confirmation import Confirmation
    from pagehand.engine.environment import Environment
    from pagehand.engine.handle import CallHandle
    from pagehand.engine.lanes import Ticket
    from pagehand.engine.outcome import Call, CallSink, Outcome
    from pagehand.engine.records import Record
    from pagehand.toolkit.arguments import Prepared
    from pagehand.toolkit.context import ToolContext
    from pagehand.toolkit.tool import Tool


class Execution:
    """One call's run. The pipeline's steps read and fill it."""

    def __init__(
        self,
        environment: Environment,
        call: Call,
        tool: Tool | None,
        sink: CallSink,
        handle: CallHandle,
        record: Record,
        context: ToolContext,
    ) -> None:
        self.environment = environment
        self.call = call
        self.tool = tool
        self.sink = sink
        self.handle = handle
        self.record = record
        self.context = context
        self.ticket: Ticket | None = None
        self.task: Task[None] | None = None
        self.arguments: dict[str, Any] = {}
        self.prepared: Prepared | None = None
        self.risk = "safe"
        self.rule = "allow"
        self.answered = False  # on_validation_error gave the result: nothing more to run
        self.value: Any = None
        self.outcome: Outcome | None = None
        self.aborted = False
        self.asked = Asked(call.asked)
        self._answer: Future[Any] | None = None
        self._human: Future[Any] | None = None
        self._signal: tuple[Any, Callable[[], None]] | None = None
        self._deadline: Timer | None = None
        self._left: float | None = None
        self._deadline_at = 0.0
        self._pauses = 0

    @property
    def known_tool(self) -> Tool:
        """The tool.

        Raises:
            UnknownToolError: There is none of the call's name.
        """
        if self.tool is None:
            raise UnknownToolError(self.call.tool_name)
        return self.tool

    @property
    def withdrawn(self) -> bool:
        """Whether it was stopped from outside: who did that may start it again."""
        return isinstance(self.outcome, Failure) and self.outcome.cancelled

    # What a ToolContext asks for

    def abort_signal(self) -> Any:
        """The object that tells of the stop, made when first asked for."""
        if self._signal is None:
            self._signal = self.environment.make_abort()
            if self.aborted:
                self._signal[1]()
        return self._signal[0]

    async def human(self, payload: Any) -> Any:
        """Waits for `resume` on the call's handle; what was answered before a reload counts."""
        from pagehand.toolkit.result import to_wire

        shown = to_wire(payload, "payload")
        if self.asked.knows(shown):
            return self.asked.take()
        if self._human is not None and not self._human.done():
            self._human.set_exception(CallCancelledError("a newer question took its place"))
        waiting: Future[Any] = get_running_loop().create_future()
        self._human = waiting
        self.handle.interrupt = {"type": "human", "payload": shown}
        self._note(self.asked.open(shown))
        self.environment.changed(self.handle)
        self.pause()
        try:
            answer = await waiting
            self._note(self.asked.close(shown, answer))
            return answer
        finally:
            if self._human is waiting:
                self._human = None
                self.handle.interrupt = None
                self.environment.changed(self.handle)
            self.unpause()

    def _note(self, note: dict[str, Any]) -> None:
        tell = getattr(self.sink, "asked", None)
        if tell is not None:
            tell(self.call.tool_call_id, note)

    async def confirm(self, text: str) -> bool:
        """Asks the person with the tool's own words: the first line as the title."""
        from pagehand.engine.question import question_for

        question = question_for(
            self.call, self.known_tool, self.arguments, self.prepared, self.risk, text
        )
        return await self.ask(question) == "granted"

    def progress(self, value: Any) -> None:
        """Shows a preliminary result and tells the sink."""
        if self.outcome is not None:
            return
        from pagehand.toolkit.result import to_wire

        shown = self.masked(to_wire(value, "progress"))
        self.handle.result = shown
        self.handle.is_preliminary = True
        self.environment.changed(self.handle)
        self.sink.progress(self.call.tool_call_id, shown)

    # Waiting for people

    async def ask(self, confirmation: Confirmation) -> str:
        """Puts a question into the queue; the deadline stands still meanwhile."""
        self.handle.asking = True
        self.pause()
        try:
            answer = await self.environment.ask(confirmation)
        finally:
            self.handle.asking = False
            self.unpause()
            self.environment.changed(self.handle)
        self.record.note(confirmation=answer)
        return answer

    async def wait_for_answer(self) -> Any:
        """Waits until a human tool's card answers."""
        self._answer = get_running_loop().create_future()
        self.handle.waiting = True
        self.environment.changed(self.handle)
        try:
            return await self._answer
        finally:
            self.handle.waiting = False

    def answer(self, value: Any) -> bool:
        """Ends a waiting human tool's call with a result, before this returns.

        Raises:
            UnsendableValueError: When the value cannot travel; the call stays open.
        """
        if self._answer is None or self._answer.done() or self.outcome is not None:
            return False
        try:
            self.finish(value)
        except CallError as error:
            self.settle(Failure(str(error)))
        self._answer.set_result(value)
        return True

    def refuse(self, text: str) -> bool:
        """Ends a waiting human tool's call with an error."""
        if self._answer is None or self._answer.done():
            return False
        self.settle(Failure(self.masked(str(text))))
        self._answer.set_result(None)
        return True

    def resume(self, payload: Any) -> bool:
        """Answers `human`; returns whether somebody waited."""
        if self._human is None or self._human.done():
            return False
        self._human.set_result(payload)
        return True

    # Time

    def start_deadline(self, seconds: float | None) -> None:
        """Gives the call so long; waiting for people does not count."""
        self._left = seconds
        self._run_deadline()

    def pause(self) -> None:
        """Stops the deadline's clock; pauses nest."""
        self._pauses += 1
        if self._pauses == 1 and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            self._left = max(0.0, self._deadline_at - self.environment.clock.monotonic())

    def unpause(self) -> None:
        """Lets the deadline's clock go on."""
        self._pauses -= 1
        if self._pauses == 0 and self.outcome is None:
            self._run_deadline()

    def _run_deadline(self) -> None:
        if self._left is None or self._pauses or self._deadline is not None:
            return
        self._deadline_at = self.environment.clock.monotonic() + self._left
        self._deadline = self.environment.clock.call_later(self._left, self._time_is_up)

    def _time_is_up(self) -> None:
        seconds = self.environment.timeout_of(self.known_tool)
        self.stop(f"{self.call.tool_name!r} took longer than {seconds:g} s and was stopped.")

    # The end

    def stop(self, text: str, *, cancelled: bool = False) -> None:
        """Ends the call from outside; what the tool still does is dropped."""
        if self.outcome is not None:
            return
        self.settle(Failure(text, cancelled=cancelled))
        if self.task is not None:
            self.task.cancel()

    def settle(self, outcome: Outcome) -> bool:
        """Ends the call with its outcome; returns False when it has ended already."""
        if self.outcome is not None:
            return False
        self.outcome = outcome
        if isinstance(outcome, Failure):
            self._abort()
        if self._deadline is not None:
            self._deadline.cancel()
        if self.ticket is not None:
            self.ticket.done()
        self._show(outcome)
        self._log(outcome)
        self.sink.settled(self.call.tool_call_id, outcome)
        self.environment.changed(self.handle)
        return True

    def finish(self, value: Any) -> str:
        """Ends the call with what its tool, or the person, gave; says in a word how that went.

        Raises:
            UnsendableValueError: When it cannot travel as JSON.
            CallError: When it tells of a failure or is too long.
        """
        from pagehand.engine.outputs import output_of

        output, note = output_of(value, self.known_tool, self.environment, self.record, self.masked)
        self.settle(output)
        return note

    @property
    def masks(self) -> bool:
        """Whether secrets are taken out of what leaves."""
        return self.environment.rules.mask_secrets and (self.tool is None or self.tool.mask)

    def masked(self, value: Any) -> Any:
        """The value as it may leave: without secrets, unless the settings say otherwise."""
        if not self.masks:
            return value
        from pagehand.engine.secrets import mask

        found = mask(value)
        if found.count:
            self.record.note(masked=self.record.data.get("masked", 0) + found.count)
        return found.value

    def _abort(self) -> None:
        self.aborted = True
        if self._signal is not None:
            self._signal[1]()
        if self._human is not None and not self._human.done():
            self._human.cancel()

    def _show(self, outcome: Outcome) -> None:
        handle = self.handle
        handle.ended_at = self.environment.clock.now()
        handle.interrupt = None
        handle.waiting = handle.asking = handle.is_preliminary = False
        if isinstance(outcome, Output):
            handle.state, handle.result, handle.artifact = (
                "output-available",
                outcome.raw,
                outcome.artifact,
            )
        else:
            handle.state, handle.error_text, handle.is_error = (
                "output-error",
                outcome.error_text,
                True,
            )
            handle.result = None
            handle.cancelled = outcome.cancelled

    def _log(self, outcome: Outcome) -> None:
        from pagehand.engine.records import loggable

        if isinstance(outcome, Output):
            self.record.note(output=loggable(outcome.value, masked=self.masks))
            self.record.close("output-available")
        else:
            self.record.note(error_text=loggable(outcome.error_text))
            self.record.close("cancelled" if outcome.cancelled else "output-error")
