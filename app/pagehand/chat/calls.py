"""Between the conversation and the engine: calls go out, outcomes come back into the message.

An outcome finds its part by the call's id within the batch it was started in, so ids that a
server uses again in a later step do not meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pagehand.chat import closing, notices
from pagehand.chat.continuation import Continuation
from pagehand.chat.conversation import Conversation
from pagehand.chat.gates import CANCELLED, OPEN
from pagehand.chat.messages import Message
from pagehand.chat.tool_part import INPUT_STREAMING, ToolPart
from pagehand.engine.outcome import Call, Output

if TYPE_CHECKING:
    from typing import Protocol

    from pagehand.engine.outcome import CallSink, Outcome
    from pagehand.wire.chunks import JsonObject

    class CallEngine(Protocol):
        """What the chat needs of `pagehand.engine.engine.Engine`.

        `is_terminal`, `is_eager`, `feed` and `toolkit` are used when they are there.
        """

        def declarations(self) -> dict[str, JsonObject]:
            """What the server is told about the tools of this page."""
            ...

        def knows(self, name: str) -> bool:
            """True for a tool that this page runs, or whose card answers."""
            ...

        def start(
            self, calls: list[Call], sink: CallSink, messages: Callable[[], list[JsonObject]]
        ) -> None:
            """Run calls; returns at once. `messages` gives the conversation to a tool that asks."""
            ...

        def cancel(self, ids: Sequence[str] | None = ..., reason: str = ...) -> None:
            """Stop calls, or all of them."""
            ...

        def forget(self) -> None:
            """Another conversation begins."""
            ...

        def handle(self, tool_call_id: str) -> Any:
            """The live object of a call, or None."""
            ...

        def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
            """Be told of changes of a call."""
            ...


class CallDesk:
    """Keeps the calls of this page: those that run, and those that wait for a word.

    Args:
        engine: Runs them.
        continuation: Counts runs, refuses the one too many.
        conversation: Holds the messages, shows the notices.
        settled: Called with the message and the part after an outcome was written;
            `late` tells that the call had been cancelled before.
    """

    def __init__(
        self,
        engine: CallEngine,
        continuation: Continuation,
        conversation: Conversation,
        settled: Callable[[Message, ToolPart, bool], None],
    ) -> None:
        self._engine = engine
        self._continuation = continuation
        self._conversation = conversation
        self._settled = settled
        self._out: dict[ToolPart, Message] = {}
        self._held: list[ToolPart] = []
        self._gated: list[ToolPart] = []
        self._choices: list[ToolPart] = []
        self._dropped: set[ToolPart] = set()
        self._fed: dict[ToolPart, int] = {}
        self._feed = getattr(engine, "feed", None)
        self._is_eager = getattr(engine, "is_eager", lambda name: False)
        self._toolkit = getattr(engine, "toolkit", {})

    # What is where

    def ours(self, part: ToolPart) -> bool:
        """True for a call that this page answers."""
        return not part.provider_executed and self._engine.knows(part.tool_name)

    def runs_elsewhere(self, part: ToolPart) -> bool:
        """True for a call of a tool that this page knows, but only shows."""
        return not self.ours(part) and self._toolkit.get(part.tool_name) is not None

    def eager(self, part: ToolPart) -> bool:
        """True for a call that need not wait for the end of its step."""
        return self.ours(part) and self._is_eager(part.tool_name)

    @property
    def out(self) -> bool:
        """True while any call has no outcome yet."""
        return bool(self._out)

    @property
    def working(self) -> bool:
        """True while a call runs that waits for no person."""
        return any(self._status(part) != "requires-action" for part in self._out)

    def is_out(self, part: ToolPart) -> bool:
        """True while the engine has this call."""
        return part in self._out

    @property
    def choices(self) -> list[ToolPart]:
        """Calls of a loaded conversation that were never answered: run or skip them."""
        self._choices = [part for part in self._choices if part.runnable]
        return list(self._choices)

    @property
    def held(self) -> bool:
        """True when calls were not run because they repeat too often."""
        return any(part.runnable for part in self._held)

    # Running

    def run(self, message: Message, parts: list[ToolPart]) -> None:
        """Run calls of one message, each once; a call repeated too often is held."""
        new: list[ToolPart] = []
        waiting = {*self._out, *self._held, *self._gated, *self._choices}
        for part in parts:
            if part in waiting or not part.runnable:
                continue
            if self._continuation.may_run(part):
                new.append(part)
            else:
                self._held.append(part)
                limit = self._continuation.max_repeats
                self._conversation.note(notices.repeats(part.tool_name, limit))
        for batch in _once_each(new):
            self._start(message, batch)

    def follow(self, parts: Iterable[ToolPart]) -> None:
        """Tell the engine of arguments that have arrived, for tools that read along."""
        if self._feed is None:
            return
        for part in parts:
            seen, length = self._fed.get(part, -1), part.args_length
            streams = length or part.state == INPUT_STREAMING
            if length > seen and streams and not part.finished and self.ours(part):
                self._feed(part.tool_call_id, part.tool_name, part.args_since(max(seen, 0)))
                self._fed[part] = length

    def gate(self, parts: list[ToolPart]) -> None:
        """Do not run these: an approval stands beside them, and their results would be lost."""
        new = [part for part in parts if part not in self._out and part not in self._gated]
        if new:
            self._gated.extend(new)
            self._conversation.note(notices.calls_held())

    def stop_gated(self, parts: Iterable[ToolPart]) -> None:
        """Calls that run and are asked an approval for: they stop, what they give is dropped."""
        for part in parts:
            if part in self._out and part.gate == OPEN:
                del self._out[part]
                self._dropped.add(part)
                self._engine.cancel([part.tool_call_id], "An approval is asked for first.")
                self._dropped.discard(part)

    def settle_gated(self, message: Message) -> None:
        """The approvals are answered: tell the model that these calls did not run."""
        gated, self._gated = self._gated, []
        for part in gated:
            if not part.finished:
                part.finish_error(closing.HELD_FOR_APPROVAL)
                message.revision += 1
        self._conversation.drop_notices("calls-held")

    def run_held(self, message: Message) -> None:
        """Run the calls that were held, the person wants it."""
        held, self._held = self._held, []
        self.run(message, held)

    def offer(self, message: Message) -> None:
        """Make the unanswered calls of a loaded message a choice."""
        step = message.tool_parts(message.last_step())
        open_calls = [part for part in step if part.runnable and self.ours(part)]
        if any(part.suspension is not None and part.asks_person for part in step):
            self.gate(open_calls)
        else:
            self._choices = open_calls

    def take_choices(self, ids: Sequence[str] | None) -> list[ToolPart]:
        """The chosen calls; they are no choice any more."""
        chosen = [p for p in self.choices if ids is None or p.tool_call_id in ids]
        self._choices = [part for part in self._choices if part not in chosen]
        return chosen

    def cancel(self, reason: str) -> None:
        """Stop all calls. What they still give is recorded as late."""
        self._held, self._gated, self._choices = [], [], []
        self._fed.clear()
        if self._out:
            out, self._out = self._out, {}
            self._engine.cancel([part.tool_call_id for part in out], reason)

    def forget(self) -> None:
        """Another conversation takes the place of this one."""
        self._engine.forget()

    def answered_elsewhere(self, part: ToolPart, reason: str) -> None:
        """The part has its outcome from somebody else; the engine need not go on."""
        if self._out.pop(part, None) is not None:
            self._engine.cancel([part.tool_call_id], reason)

    def _start(self, message: Message, parts: list[ToolPart]) -> None:
        self._out.update((part, message) for part in parts)
        turn = next((m.id for m in reversed(self._conversation.messages) if m.role == "user"), "")
        calls = [
            Call(
                part.tool_call_id,
                part.tool_name,
                part.input,
                part.args_text,
                message.id,
                message.step_number(message.parts.index(part)),
                (part.kept or {}).get("asked"),
                turn=turn,
            )
            for part in parts
        ]
        self._engine.start(calls, _Batch(self, message, parts), self._past)

    def _past(self) -> list[JsonObject]:
        return [message.to_wire() for message in self._conversation.messages]

    def _status(self, part: ToolPart) -> str:
        handle = self._engine.handle(part.tool_call_id)
        return str(getattr(handle, "status", "running"))

    def _ran(self, part: ToolPart) -> list[float] | None:
        """When the engine began the call and when it ended, if it did."""
        handle = self._engine.handle(part.tool_call_id)
        began = getattr(handle, "started_at", None)
        ended = getattr(handle, "ended_at", None)
        return None if began is None or ended is None else [began, ended]

    # Outcomes

    def settle(self, message: Message, part: ToolPart, outcome: Outcome) -> None:
        """Write an outcome."""
        self._out.pop(part, None)
        if part in self._dropped:
            return
        late = part.cancelled
        if part.finished and not late:
            return
        part.note(asked=None, card=getattr(outcome, "kept", None), ran=self._ran(part))
        message.revision += 1
        if late and not isinstance(outcome, Output):
            # It was cancelled and ended: nothing new to tell.
            return
        write_outcome(part, outcome)
        self._settled(message, part, late)

    def progress(self, message: Message, part: ToolPart, value: Any) -> None:
        """Show an intermediate result."""
        if part.finished:
            return
        part.finish_output(value, preliminary=True)
        message.revision += 1
        self._conversation.touched(message)

    def asked(self, message: Message, part: ToolPart, note: JsonObject) -> None:
        """Keep what a running tool asked the person, for after a reload."""
        part.note(asked=note)
        message.revision += 1
        self._conversation.touched(message)


class _Batch:
    """The engine's sink for the calls started together."""

    def __init__(self, desk: CallDesk, message: Message, parts: list[ToolPart]) -> None:
        self._desk = desk
        self._message = message
        self._parts = {part.tool_call_id: part for part in parts}

    def settled(self, tool_call_id: str, outcome: Outcome) -> None:
        """An outcome."""
        part = self._parts.get(tool_call_id)
        if part is not None:
            self._desk.settle(self._message, part, outcome)

    def progress(self, tool_call_id: str, value: Any) -> None:
        """An intermediate result."""
        part = self._parts.get(tool_call_id)
        if part is not None:
            self._desk.progress(self._message, part, value)

    def asked(self, tool_call_id: str, note: JsonObject) -> None:
        """What a tool asked the person."""
        part = self._parts.get(tool_call_id)
        if part is not None:
            self._desk.asked(self._message, part, note)


def _once_each(parts: list[ToolPart]) -> list[list[ToolPart]]:
    """The calls in batches that hold each id once: a server may use one again in a later step."""
    batches: list[dict[str, ToolPart]] = []
    for part in parts:
        free = next((batch for batch in batches if part.tool_call_id not in batch), None)
        if free is None:
            batches.append(free := {})
        free[part.tool_call_id] = part
    return [list(batch.values()) for batch in batches]


def write_outcome(part: ToolPart, outcome: Outcome) -> None:
    """Put an outcome into a part; one that comes before its arguments are complete waits."""
    well = isinstance(outcome, Output)
    value = outcome.value if isinstance(outcome, Output) else outcome.error_text
    if part.state == INPUT_STREAMING:
        part.early = ("output" if well else "error", value)
        part.revision += 1
        return
    # The outcome overtook the question.
    part.close_gate(CANCELLED)
    if well:
        part.finish_output(value)
    else:
        part.finish_error(value)
