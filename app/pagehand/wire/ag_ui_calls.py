"""The tool calls of an AG-UI run: whose each is, and what has become of it.

Calls of tools that were offered are this page's; all others are the server's own. Nothing of
ours runs before the run has ended, because only then it is clear what the server left to us.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pagehand.errors import MalformedEventError
from pagehand.wire.ag_ui_ending import Interrupt
from pagehand.wire.ag_ui_prose import Steps
from pagehand.wire.chunks import (
    Chunk,
    Json,
    JsonObject,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)
from pagehand.wire.jsontext import loads

NO_RESULT = "The server gave no result for this call."
NOT_WANTED = "The server does not wait for the result of this call."

_PLACEHOLDER = "Forwarded to client"
"""What some servers answer in the place of a client that has not answered yet."""


class _Call:
    """A call as far as it came.

    `mine`: it is for this page to run. `old`: it stands in an earlier answer already.
    """

    def __init__(self, name: str, *, mine: bool, old: bool = False, input: Json = None) -> None:
        self.name = name
        self.mine = mine
        self.old = old
        self.input = input
        self.pieces: list[str] = []
        self.ended = False
        self.answered = False

    @property
    def open(self) -> bool:
        """Complete, and without a result."""
        return self.ended and not self.answered


class Calls:
    """The calls of a run.

    Args:
        steps: Where they stand.
        tools: Names of the tools that were offered.
        old: Calls of earlier answers without a result: id to name and arguments.
        sent: Ids of all calls that were sent.
    """

    def __init__(
        self,
        steps: Steps,
        tools: Iterable[str],
        old: Mapping[str, tuple[str, Json]],
        sent: Iterable[str],
    ) -> None:
        self._steps = steps
        self._tools = frozenset(tools)
        self._sent = frozenset(sent)
        self._old = {
            call_id: _Call(name, mine=name in self._tools, old=True, input=value)
            for call_id, (name, value) in old.items()
        }
        self._calls: dict[str, _Call] = {}

    def ids(self, *, waiting: bool = False) -> set[str]:
        """All that are known, or those without a result."""
        calls = {**self._old, **self._calls}
        return {i for i, call in calls.items() if not waiting or not call.answered}

    @property
    def left(self) -> bool:
        """Whether something is left for this page to run."""
        return any(call.mine and call.open for call in self._calls.values())

    def start(self, event: JsonObject, out: list[Chunk]) -> None:
        """A call opens; opening it again changes nothing."""
        call_id, name, parent = event["toolCallId"], event["toolCallName"], _parent(event)
        if call_id in self._calls:
            return
        self._steps.note_helper(event, call_id)
        if call_id in self._old:
            self._calls[call_id] = self._old[call_id]
            return
        mine = name in self._tools and call_id not in self._steps.helpers
        call = self._calls[call_id] = _Call(name, mine=mine)
        if call_id in self._sent:
            call.old = call.answered = True  # told again, and answered long ago
            return
        self._steps.open(out, parent)
        self._steps.add(call, parent)
        note = self._steps.note(call_id, "parentMessageId", parent)
        out.append(
            ToolInputStart(
                call_id,
                name,
                provider_executed=None if mine else True,
                provider_metadata=note if note["ag-ui"] else None,
            )
        )

    def add(self, event: JsonObject, out: list[Chunk]) -> bool:
        """Arguments come. False if no call is open for them."""
        call = self._calls.get(event["toolCallId"])
        if call is None or call.ended:
            return False
        call.pieces.append(event["delta"])
        if not call.old:
            out.append(ToolInputDelta(event["toolCallId"], event["delta"]))
        return True

    def end(self, call_id: str, out: list[Chunk]) -> None:
        """The arguments are complete."""
        call = self._calls.get(call_id)
        if call is None or call.ended:
            return
        call.ended = True
        text = "".join(call.pieces)
        if not call.old:
            call.input = parsed(text)
            executed = None if call.mine else True
            out.append(
                ToolInputAvailable(call_id, call.name, call.input, provider_executed=executed)
            )
        elif text:
            call.input = parsed(text)

    def result(self, event: JsonObject, out: list[Chunk]) -> None:
        """The server ran a call.

        Raises:
            MalformedEventError: The content is neither a text nor a list.
        """
        call_id, content = event["toolCallId"], event.get("content")
        if not isinstance(content, str | list):
            raise MalformedEventError("A TOOL_CALL_RESULT event whose content is no text or list")
        call = self._calls.get(call_id) or self._old.get(call_id)
        if call is not None:
            if call.mine and content == _PLACEHOLDER:
                return
            self.end(call_id, out)
            call.answered = True
        message_id = event.get("messageId")
        note = {"ag-ui": {"messageId": message_id}} if isinstance(message_id, str) else None
        state = _told_state(event)
        if state == "output-denied":
            out.append(ToolOutputDenied(call_id))
        elif state == "output-error":
            text = content if isinstance(content, str) else NO_RESULT
            out.append(ToolOutputError(call_id, text, provider_metadata=note))
        else:
            out.append(ToolOutputAvailable(call_id, _value(content), provider_metadata=note))

    def ask(self, interrupt: Interrupt, out: list[Chunk]) -> None:
        """The run waits for a person's word about a call."""
        call_id = interrupt.call_id
        call = self._calls.get(call_id)
        if call is None and call_id not in self._old:
            # The server held the call itself back.
            self._steps.open(out)
            out.append(ToolInputAvailable(call_id, interrupt.tool_name, interrupt.arguments))
        elif call is not None and not call.mine:
            self.end(call_id, out)
            out.append(ToolInputAvailable(call_id, call.name, call.input, False))
        if call is not None:
            call.answered = True  # or will be, by the resumed run
        out.append(interrupt.ask())

    def settle(self, pending: list[str], out: list[Chunk]) -> None:
        """Say of each call without a result whose it is: the run has ended.

        Args:
            pending: Ids of those the server says it waits for; empty if it does not say.
            out: Takes the chunks.
        """
        for call_id, call in self._calls.items():
            if call.old or not call.open:
                continue
            if not call.mine and call_id in pending:
                call.mine = True
                out.append(ToolInputAvailable(call_id, call.name, call.input, False))
            elif not call.mine or (pending and call_id not in pending):
                call.answered = True
                out.append(ToolOutputError(call_id, NOT_WANTED if call.mine else NO_RESULT))
        again = [i for i, call in self._calls.items() if call.old and call.mine and call.open]
        for call_id in pending or again:
            old = self._old.get(call_id)
            if old is not None and not old.answered:
                # Approved, and ours to run now.
                old.mine = old.ended = True
                self._calls[call_id] = old
                out.append(ToolInputAvailable(call_id, old.name, old.input))


def parsed(text: str) -> Json:
    """Arguments; their text if it is no JSON, for whoever tells the model."""
    if not text.strip():
        return {}
    return _loaded(text)


def _value(content: str | list[Any]) -> Json:
    """What a result stands for: a structure that was written out as text, or the text."""
    if isinstance(content, str) and content[:1] in ("{", "["):
        return _loaded(content)
    return content


def _loaded(text: str) -> Json:
    try:
        return loads(text)
    except MalformedEventError:
        return text


def _parent(event: JsonObject) -> str | None:
    parent = event.get("parentMessageId")
    return parent if isinstance(parent, str) else None


def _told_state(event: JsonObject) -> str:
    """The state our own backend tells beside a result that is no success."""
    metadata = event.get("metadata")
    told = metadata.get("pagehand") if isinstance(metadata, dict) else None
    return str(told.get("state", "")) if isinstance(told, dict) else ""
