"""What the chat's tests share: short ways to make messages, streams, engines and time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from chat.validator import dangling, problems
from pagehand.chat.chat import Chat
from pagehand.chat.messages import Message, ToolPart, message_from_wire
from pagehand.chat.reducer import apply_all
from pagehand.chat.scripted import Answer, ScriptedTransport, answer
from pagehand.chat.state import ResponseState
from pagehand.engine.clock import ManualClock
from pagehand.engine.outcome import Call, Failure, Output
from pagehand.wire import chunks


def reduce(*batch: chunks.Chunk, into: Message | None = None, **options: Any) -> ResponseState:
    """The state after these chunks."""
    state = ResponseState(into or Message("a1", "assistant"), **options)
    apply_all(state, batch)
    return state


def parts(state: ResponseState) -> list[dict[str, Any]]:
    """The message's parts in wire form."""
    wire: list[dict[str, Any]] = state.message.to_wire()["parts"]
    return wire


def tool(state: ResponseState, index: int = 0) -> ToolPart:
    """A tool part of the message."""
    return state.message.tool_parts()[index]


def assistant(*wire_parts: dict[str, Any], id: str = "a1") -> Message:
    """An assistant's message."""
    return message_from_wire({"id": id, "role": "assistant", "parts": list(wire_parts)})


def user(text: str = "Hello", id: str = "u1") -> Message:
    """A person's message."""
    part = {"type": "text", "text": text}
    return message_from_wire({"id": id, "role": "user", "parts": [part]})


def call(
    state: str, name: str = "open", id: str = "c1", *, dynamic: bool = False, **more: Any
) -> dict[str, Any]:
    """A tool part in wire form, with the keys its state must have."""
    part: dict[str, Any] = {"toolCallId": id, "state": state}
    part["type"] = "dynamic-tool" if dynamic else f"tool-{name}"
    if dynamic:
        part["toolName"] = name
    if state != "input-streaming":
        part["input"] = {}
    if state == "output-available":
        part["output"] = None
    if state == "output-error":
        part["errorText"] = "It failed."
    return {**part, **more}


STEP = {"type": "step-start"}


def said(text: str, id: str = "t1") -> list[chunks.Chunk]:
    """A whole text."""
    return [chunks.TextStart(id), chunks.TextDelta(id, text), chunks.TextEnd(id)]


def asked(tool: str, id: str = "c1", **arguments: Any) -> chunks.ToolInputAvailable:
    """A complete call."""
    return chunks.ToolInputAvailable(id, tool, arguments)


class Handle:
    """A stand-in for the engine's live call."""

    def __init__(self) -> None:
        self.status = "running"


class FakeEngine:
    """An engine in the test's hands.

    `tools` maps names to a value, to a function of the input, or to `WAIT` for calls that the
    test settles itself (`settle`), or to `PERSON` for calls that wait for a person.
    """

    WAIT = object()
    PERSON = object()

    def __init__(self, **tools: Any) -> None:
        self.tools = {name.replace("_", "-"): tool for name, tool in tools.items()}
        self.started: list[Call] = []
        self.cancelled: list[tuple[list[str], str]] = []
        self.forgotten = 0
        self.sinks: dict[str, Any] = {}
        self.handles: dict[str, Handle] = {}
        self._listeners: list[Callable[[str], object]] = []

    def declarations(self) -> dict[str, dict[str, Any]]:
        return {
            name: {"description": name, "inputSchema": {"type": "object"}} for name in self.tools
        }

    def knows(self, name: str) -> bool:
        return name in self.tools

    def start(self, calls: list[Call], sink: Any, messages: Any) -> None:
        for each in calls:
            self.started.append(each)
            self.sinks[each.tool_call_id] = sink
            self.handles[each.tool_call_id] = Handle()
            tool = self.tools.get(each.tool_name)
            if each.tool_name not in self.tools:
                sink.settled(each.tool_call_id, Failure(f"There is no tool {each.tool_name!r}."))
            elif tool is self.PERSON:
                self.handles[each.tool_call_id].status = "requires-action"
            elif tool is not self.WAIT:
                value = tool(each.input) if callable(tool) else tool
                outcome = value if isinstance(value, Failure) else Output(value)
                asyncio.get_running_loop().call_soon(sink.settled, each.tool_call_id, outcome)

    def settle(self, call_id: str, value: Any) -> None:
        """The call ends."""
        outcome = value if isinstance(value, Failure) else Output(value)
        self.sinks[call_id].settled(call_id, outcome)

    def cancel(self, ids: Sequence[str] | None = None, reason: str = "") -> None:
        self.cancelled.append((list(ids or ()), reason))
        for id in ids or ():
            self.sinks[id].settled(id, Failure(reason, cancelled=True))
            self.tell(id)

    def forget(self) -> None:
        self.forgotten += 1

    def handle(self, tool_call_id: str) -> Handle | None:
        return self.handles.get(tool_call_id)

    def subscribe(self, fn: Callable[[str], object]) -> Callable[[], None]:
        self._listeners.append(fn)
        return lambda: self._listeners.remove(fn)

    def tell(self, call_id: str) -> None:
        """A call changed."""
        for fn in tuple(self._listeners):
            fn(call_id)


class World:
    """A chat with everything around it in the test's hands."""

    def __init__(self, *answers: Answer, engine: FakeEngine | None = None, **options: Any) -> None:
        numbers = count(1)
        self.transport = ScriptedTransport(*answers)
        self.engine = engine or FakeEngine()
        self.clock = ManualClock()
        self.chat = Chat(
            self.transport,
            self.engine,
            chat_id="chat",
            clock=self.clock,
            ids=lambda: f"id{next(numbers)}",
            **options,
        )
        self.statuses: list[str] = []
        self.chat.subscribe(self._note)

    def _note(self, change: Any) -> None:
        if change.kind == "status":
            self.statuses.append(self.chat.status)

    async def say(self, text: str = "Hello") -> None:
        """Send, and wait until nothing goes on by itself."""
        await self.chat.send(text)
        await self.chat.idle()

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return self.transport.bodies

    @property
    def last(self) -> Message:
        return self.chat.messages[-1]

    @property
    def codes(self) -> list[str]:
        return [notice.code for notice in self.chat.notices]


async def turns(number: int = 20) -> None:
    """Let the event loop go round."""
    for _ in range(number):
        await asyncio.sleep(0)


WAIT = FakeEngine.WAIT
PERSON = FakeEngine.PERSON


def wants(*calls: Any, **options: Any) -> Answer:
    """An answer that ends with calls."""
    return answer(*calls, **{"message_id": "m1", "finish": "tool-calls", **options})


def outputs(world: World) -> list[Any]:
    """The results in the last message."""
    return [part.output for part in world.last.tool_parts()]


def accepted(world: World) -> bool:
    """True when a server takes everything that was posted."""
    return accepted_bodies(world.bodies)


def accepted_bodies(bodies: list[dict[str, Any]]) -> bool:
    """True when a server takes all of these."""
    return all(not problems(b["messages"]) and not dangling(b["messages"]) for b in bodies)


def texts(world: World) -> list[str]:
    """The words of all messages."""
    return [message.text for message in world.chat.messages]
