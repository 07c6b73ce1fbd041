"""The turns of a conversation: requests, their ends, the calls, and whether it goes on.

Everything happens on one event loop. State changes only in plain functions, between two
awaits, so there is one serial path and no lock.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pagehand.chat import closing, history
from pagehand.chat.calls import CallDesk, write_outcome
from pagehand.chat.continuation import Continuation
from pagehand.chat.conversation import Conversation
from pagehand.chat.endings import Endings
from pagehand.chat.exchange import FAILED, FINISHED, NOTHING, STOPPED, End
from pagehand.chat.failed import FailedRequest
from pagehand.chat.hooks import Finished, Hooks
from pagehand.chat.messages import Message
from pagehand.chat.recovery import Recovery
from pagehand.chat.request import RESUME, SUBMIT, RequestSettings, TurnOptions
from pagehand.chat.runner import Plan, Runner
from pagehand.chat.server_questions import ServerQuestions
from pagehand.chat.state import ResponseState
from pagehand.chat.tool_part import ToolPart
from pagehand.errors import ChatError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagehand.chat.calls import CallEngine
    from pagehand.chat.transport import Transport
    from pagehand.engine.clock import Clock
    from pagehand.engine.outcome import Outcome
    from pagehand.wire.stream import Codec


class Turns:
    """Runs the conversation.

    Attributes:
        status: `ready`, `submitted`, `streaming` or `error`.
        options: What the current turn carries.
        last_end: How the last request ended.
        followed: The status of another tab's chat that is only shown here; None in general.
    """

    def __init__(
        self,
        conversation: Conversation,
        transport: Transport,
        engine: CallEngine,
        settings: RequestSettings,
        clock: Clock,
        *,
        hooks: Hooks,
        continuation: Continuation,
        stall_after: float,
        codec: Codec | None,
    ) -> None:
        self.status = "ready"
        self.options = TurnOptions()
        self.last_end: End | None = None
        self.followed: str | None = None
        self.continuation = continuation
        self.desk = CallDesk(engine, continuation, conversation, self._call_settled)
        self.runner = Runner(
            conversation,
            transport,
            settings,
            clock,
            on_batch=self._batch,
            on_end=self._ended,
            stall_after=stall_after,
            codec=codec,
        )
        self._conversation = conversation
        self._hooks = hooks
        self._failed = FailedRequest(conversation, self.desk.ours, clock)
        self.recovery = Recovery(self, conversation, self._failed, clock)
        self.questions = ServerQuestions(self, conversation, clock)
        self._endings = Endings(conversation, self.desk, continuation, self.questions, self._failed)
        self._told = self.status
        self._held = False
        self._waiters: list[asyncio.Future[None]] = []
        self._unsubscribe = engine.subscribe(self._engine_changed)

    @property
    def busy(self) -> bool:
        """True while something goes on by itself, or is not ours to begin."""
        return self.followed is not None or self.status in ("submitted", "streaming")

    @property
    def error(self) -> ChatError | None:
        """Why the last request failed."""
        return self._conversation.error

    # Requests

    def request(self, plan: Plan) -> asyncio.Task[None]:
        """Make a request; whatever was wrong before is forgotten."""
        conversation = self._conversation
        conversation.error = None
        self._failed.forget()
        conversation.drop_notices()
        if plan.message is not None:
            plan.message.interrupted = False
        task = self.runner.start(plan)
        self.refresh()
        return task

    def go_on(self, message: Message, **body: Any) -> asyncio.Task[None]:
        """Continue an assistant's message; `body` goes with this one request."""
        self.continuation.note_sent(message)
        said = self.options
        options = TurnOptions(said.headers, {**said.body, **body}, said.metadata) if body else said
        return self.request(Plan(SUBMIT, options, message=message, message_id=message.id))

    def begin(self, options: TurnOptions) -> None:
        """A person spoke: counters and options of the turn before are forgotten."""
        self.options = options
        self.continuation.begin_turn()

    def send_next(self) -> asyncio.Task[None] | None:
        """Send the first message that waits."""
        conversation = self._conversation
        if not conversation.queue:
            return None
        entry = conversation.queue.pop(0)
        self.settle_pending(closing.CANCELLED_BY_MESSAGE)
        conversation.messages.append(entry.message)
        self.begin(entry.options)
        conversation.changed("list", entry.message.id)
        return self.request(Plan(SUBMIT, entry.options))

    def retry_plan(self) -> Plan | None:
        """The failed request, made ready to be sent again; None when there is none."""
        plan = self._failed.take()
        if plan is not None:
            self.continuation.go_on()
            with self._quiet():
                self.desk.cancel(closing.BROKEN_OFF)
        return plan

    # While an answer comes

    def _batch(self, state: ResponseState) -> None:
        self._conversation.error = None
        self._hooks.data(state.take_data())
        self.desk.follow(state.calls.values())
        self.desk.stop_gated(state.calls.values())
        if state.error_text is None and not state.aborted:
            self._run_ready(state)
        self.refresh()

    def _run_ready(self, state: ResponseState) -> None:
        """Run calls whose step has ended, and those that need not wait for it.

        Names we do not know may still get an outcome from the server.
        """
        ready = [part for part in state.take_ready() if self.desk.ours(part)]
        ready += [part for part in state.unfinished.values() if self.desk.eager(part)]
        if ready:
            self.desk.run(state.message, ready)

    def _ended(self, plan: Plan, state: ResponseState, end: End) -> None:
        self.last_end = end
        if end.kind == NOTHING:
            self.refresh()
            return
        with self._quiet():
            self._endings.close(plan, state, end)
        self._hooks.warn(end.warnings)
        # The hooks see the final status; others are told once it is clear what comes next.
        self.status = self._find_status()
        if end.error is not None:
            self._hooks.error(end.error)
        done = Finished(state.message, self._conversation.messages, end, state.finish_reason)
        self._hooks.finish(done)
        if end.kind != STOPPED:
            self.decide(after=state.finish_reason if end.kind == FINISHED else None)
        if end.resumable and end.disconnected and end.kind == FAILED:
            self.recovery.begin(anew=plan.trigger != RESUME)

    # Calls

    def _call_settled(self, message: Message, part: ToolPart, late: bool) -> None:
        self._conversation.touched(message)
        if not late:
            self.continuation.note_answer(part)
        self.decide()

    def answer(self, tool_call_id: str, outcome: Outcome) -> None:
        """Somebody outside the engine gives a call its outcome; a second one does nothing.

        Raises:
            ChatError: There is no such call.
        """
        messages = self._conversation.messages
        found = history.find_pending(messages, tool_call_id)
        if found is None:
            if not history.has_call(messages, tool_call_id):
                raise ChatError(f"There is no call with the id {tool_call_id!r}.")
            return
        message, part = found
        with self._quiet():
            write_outcome(part, outcome)
            message.touch()
            self.desk.answered_elsewhere(part, "answered elsewhere")
            self.continuation.note_answer(part)
        self._conversation.touched(message)
        self.decide()

    def _engine_changed(self, tool_call_id: str) -> None:
        self._conversation.changed("engine")
        self.refresh()
        self.drain()

    # What comes next

    def decide(self, *, after: str | None = None) -> None:
        """Go on by itself, or tell why not; called whenever a step may have become complete."""
        if self._held or self.followed is not None:
            # A call that ended at once: the end of the response decides. Or somebody else does.
            return
        conversation = self._conversation
        free = self.runner.status is None and conversation.error is None
        if free and self.questions.send_given():
            return
        if free and not self._waiting():
            send, notice = self.continuation.decide(conversation.messages, after=after)
            if notice is not None:
                conversation.note(notice)
            if send:
                self.go_on(conversation.messages[-1])
                return
        self.refresh()
        self.drain()

    def _waiting(self) -> bool:
        """True while the engine still has a call of the last step: the step is not complete."""
        message = history.last_assistant(self._conversation.messages)
        return message is not None and any(
            self.desk.is_out(part) for part in message.tool_parts(message.last_step())
        )

    def drain(self) -> None:
        """Send what waits, when nothing goes on and no person is asked for anything."""
        quiet = self.status == "ready" and self.followed is None and self.runner.status is None
        if quiet and not self._held and not self.person_is_asked():
            self.send_next()

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        """Several things end at once: what comes next is not decided in the middle of it."""
        before, self._held = self._held, True
        try:
            yield
        finally:
            self._held = before

    def person_is_asked(self) -> bool:
        """True while a call has no outcome yet, or the server waits for a person's word."""
        last = history.last_assistant(self._conversation.messages)
        parts = last.tool_parts() if last is not None else []
        return self.desk.out or any(part.asks_person for part in parts)

    def settle_pending(self, text: str) -> None:
        """The person moves on: no call stays without an outcome."""
        for message in self._conversation.messages:
            if closing.cancel_pending([message], text):
                self._conversation.touched(message)
        self.questions.forget()
        with self._quiet():
            self.desk.cancel(text)

    def halt(self, text: str, *, there: bool = True) -> asyncio.Task[None] | None:
        """End everything that goes on, at once; gives what is left to wait for.

        Args:
            text: What cancelled calls say.
            there: Whether a server that goes on with an answer by itself is told as well.
        """
        with self._quiet():
            task = self.runner.stop(there=there)
            last = history.last_assistant(self._conversation.messages)
            if last is not None and any(part.pending for part in last.tool_parts()):
                self.continuation.block(last)
            self.settle_pending(text)
        self._failed.forget()
        return task

    def leave(self, *, there: bool = True) -> None:
        """End everything: another conversation takes the place of this one.

        Args:
            there: As for `halt`.
        """
        with self._quiet():
            self.halt(closing.CANCELLED_BY_STOP, there=there)
            self.desk.forget()
        self.begin(TurnOptions())

    def close(self) -> None:
        """End everything for good; what calls still give moves nothing any more."""
        self._held = True
        self.halt(closing.CANCELLED_BY_STOP, there=False)
        self.recovery.close()
        self.questions.close()
        self._unsubscribe()

    def refresh(self) -> None:
        """Find out the status, tell of its change, wake those who wait for quiet."""
        self.status = self._find_status()
        if self.status != self._told:
            self._told = self.status
            self._conversation.changed("status")
        if not self.busy:
            waiters, self._waiters = self._waiters, []
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)

    def _find_status(self) -> str:
        running = self.followed or self.runner.status
        if running is not None:
            return running
        if self._conversation.error is not None:
            return "error"
        return "streaming" if self.desk.working else "ready"

    async def idle(self) -> None:
        """Wait until nothing goes on by itself any more."""
        while True:
            task = self.runner.task
            if task is not None:
                await asyncio.wait([task])
            elif self.busy:
                waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiters.append(waiter)
                await waiter
            else:
                return

    async def wait_for(self, task: asyncio.Task[None] | None) -> None:
        """Wait for a request; whoever gives up waiting does not end it."""
        if task is not None:
            await asyncio.shield(task)
            self._hooks.raise_first()
