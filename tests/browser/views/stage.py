"""Plays a conversation to the views: the real messages, reducer and engine, a chat without a net.

`chat` is what the views watch. `feed(...)` sends chunks of one response through the real
reducer; `call(...)` starts the engine on the calls of the last message, as the chat would.
"""

from __future__ import annotations

import itertools
from typing import Any

import js
import pagehand_shell

from pagehand import html
from pagehand.browser import dom
from pagehand.browser.element import Shell
from pagehand.chat.gates import Gate
from pagehand.chat.messages import Message, message_from_wire, user_message
from pagehand.chat.reducer import apply
from pagehand.chat.state import ResponseState
from pagehand.engine.clock import ManualClock
from pagehand.engine.engine import Engine
from pagehand.engine.outcome import Call, Failure
from pagehand.errors import ToolError
from pagehand.toolkit.toolkit import Toolkit
from pagehand.ui.i18n import set_language
from pagehand.ui.thread import ThreadView
from pagehand.wire.codec import decode_chunk


class Change:
    def __init__(self, kind: str, message_id: str | None = None) -> None:
        self.kind, self.message_id = kind, message_id


class FakeChat:
    """What `chat.Chat` shows to views, driven by hand."""

    def __init__(self) -> None:
        self.status = "ready"
        self.following = False
        self.messages: list[Message] = []
        self.error: Any = None
        self.notices: list[Any] = []
        self.queued: list[Any] = []
        self.pending_choices: list[Any] = []
        self.asked: list[tuple[Any, ...]] = []
        self.answers: list[Any] = []
        self._subscribers: list[Any] = []
        self._ids = itertools.count(1)
        self.state: ResponseState | None = None

    def subscribe(self, fn: Any) -> Any:
        self._subscribers.append(fn)
        return lambda: self._subscribers.remove(fn)

    def tell(self, kind: str, message_id: str | None = None) -> None:
        for fn in tuple(self._subscribers):
            fn(Change(kind, message_id))

    def say(self, text: str) -> None:
        self.messages.append(user_message(f"u{next(self._ids)}", text))
        self.set_status("submitted")
        self.tell("list")

    def set_status(self, status: str) -> None:
        self.status = status
        shell.set_status(status)
        self.tell("status")

    def answer(self, id: str | None = None) -> None:
        message = Message(id or f"a{next(self._ids)}", "assistant")
        self.messages.append(message)
        self.state = ResponseState(message)
        self.set_status("streaming")
        self.tell("list")

    def feed(self, *chunks: dict[str, Any]) -> None:
        assert self.state is not None
        for chunk in chunks:
            apply(self.state, decode_chunk(chunk))
        self.tell("message", self.state.message.id)

    def load(self, wire: list[dict[str, Any]]) -> None:
        self.messages = [message_from_wire(item) for item in wire]
        self.tell("list")

    # What views ask for

    async def retry(self) -> None:
        self.asked.append(("retry",))
        self.error = None
        self.set_status("ready")

    async def regenerate(self, message_id: str | None = None) -> None:
        self.asked.append(("regenerate", message_id))

    async def edit(self, message_id: str, text: str) -> None:
        self.asked.append(("edit", message_id, text))

    async def continue_anyway(self) -> None:
        self.asked.append(("continue",))

    def respond_to_approval(self, tool_call_id: str, response: dict[str, Any]) -> None:
        part = find(tool_call_id)
        answer = Gate(part.question or {}).answer(response)
        self.asked.append(("approval", (part.question or {}).get("id"), answer["approved"]))
        self.answers.append(answer)
        part.respond(**answer)
        self.tell("message", self.messages[-1].id)

    def resume_call(self, tool_call_id: str, answer: Any) -> None:
        part = find(tool_call_id)
        part.suspension.check(answer)
        self.answers.append(answer)
        part.suspension.take(answer)
        part.revision += 1
        self.tell("message", self.messages[-1].id)

    def add_tool_error(self, tool_call_id: str, error_text: str) -> None:
        self.asked.append(("error", tool_call_id, error_text))
        find(tool_call_id).finish_error(error_text)
        self.tell("message", self.messages[-1].id)


class Sink:
    """Writes outcomes into the last message, as the chat does."""

    def settled(self, tool_call_id: str, outcome: Any) -> None:
        part = find(tool_call_id)
        if isinstance(outcome, Failure):
            part.finish_error(outcome.error_text)
            part.cancelled = outcome.cancelled
        else:
            part.finish_output(outcome.value)
        chat.tell("message", chat.messages[-1].id)

    def progress(self, tool_call_id: str, value: Any) -> None:
        find(tool_call_id).finish_output(value, preliminary=True)
        chat.tell("message", chat.messages[-1].id)


def find(tool_call_id: str) -> Any:
    return next(p for m in chat.messages for p in m.tool_parts() if p.tool_call_id == tool_call_id)


def text(value: str, id: str = "t1") -> list[dict[str, Any]]:
    """The chunks of one whole text."""
    return [
        {"type": "text-start", "id": id},
        {"type": "text-delta", "id": id, "delta": value},
        {"type": "text-end", "id": id},
    ]


def asks(id: str, name: str, input: Any) -> dict[str, Any]:
    """The chunk of one complete call."""
    return {"type": "tool-input-available", "toolCallId": id, "toolName": name, "input": input}


def run(*ids: str) -> None:
    """Starts calls of the last message, as at the end of a step."""
    parts = [find(id) for id in ids]
    calls = [Call(p.tool_call_id, p.tool_name, p.input, p.args_text) for p in parts]
    engine.start(calls, Sink(), [])


def mount() -> None:
    global view  # noqa: PLW0603 - the stage has one view
    view = ThreadView(shell, chat, engine, toolkit)


def reset(language: str = "en", **engine_options: Any) -> None:
    """An empty stage with everything new, and the views mounted."""
    global chat, engine, toolkit  # noqa: PLW0603
    if view is not None:
        engine.cancel()
        view.close()
    set_language(language)
    toolkit = Toolkit()
    engine = Engine(toolkit, **engine_options)
    chat = FakeChat()
    engine.resume_port = chat.resume_call
    shell.set_status("ready")
    mount()


def paint() -> None:
    """Draws now what would be drawn in the next frame."""
    dom._painter._run()


shell = Shell(pagehand_shell.shellOf(js.document.querySelector("stage-host")))
toolkit = Toolkit()
engine = Engine(toolkit)
chat = FakeChat()
view: Any = None
reset()
__all__ = ["ManualClock", "ToolError", "html"]
