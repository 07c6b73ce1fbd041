"""AG-UI events into the chunks of the UI message stream: one decoder for each answer.

    reader = ChunkReader(codec=decoder_for(body))     # body: the RunAgentInput that was posted
    for chunk in reader.feed(data): ...

AG-UI is a second codec into the same state: what it has and the UI stream has not is kept in
the message's parts, under `ag-ui` in their provider metadata (ids of the server's messages) or
as data parts (`ag-ui-state`, `ag-ui-interrupts`, `ag-ui-encrypted`, `ag-ui-activity`), from
where `wire.ag_ui_input` takes it for the next request.
Source: AG-UI 1.0, events, verification and reducer. More lenient than the reference: what is
out of order is passed over, and only a call that cannot be trusted ends the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pagehand.errors import MalformedEventError
from pagehand.wire.ag_ui_calls import Calls, parsed
from pagehand.wire.ag_ui_ending import INTERRUPTS, Ending, Interrupt
from pagehand.wire.ag_ui_events import ACTIVITY, ENCRYPTED, STATE, Expander
from pagehand.wire.ag_ui_patch import apply_patch
from pagehand.wire.ag_ui_prose import Prose, Steps
from pagehand.wire.ag_ui_snapshot import snapshot_events
from pagehand.wire.chunks import Abort, Chunk, Data, Error, Finish, Json, JsonObject, Start
from pagehand.wire.codec import Warn
from pagehand.wire.sniff import check_event

_NO_TEXT = "The server reported an error without a text."
_VERSION = (1, 0)


class AgUiDecoder:
    """The codec of one answer, for `ChunkReader(codec=...)`.

    Args:
        tools: Names of the tools that were offered: their calls are this page's.
        state: The agent's state as it was sent.
        calls: Calls of the conversation without a result: id to name and arguments.
        sent: Ids of all messages and calls that were sent.
        resuming: The request answered interrupts.
    """

    def __init__(
        self,
        *,
        tools: Iterable[str] = (),
        state: Json = None,
        calls: Mapping[str, tuple[str, Json]] | None = None,
        sent: Iterable[str] = (),
        resuming: bool = False,
    ) -> None:
        self._state = {} if state is None else state
        self._sent = frozenset(sent)
        self._resuming = resuming
        steps = Steps()
        self._prose = Prose(steps)
        self._calls = Calls(steps, tools, calls or {}, self._sent)
        self._expander = Expander()
        self._activities: dict[str, JsonObject] = {}
        self._first = True
        self._failed = False

    def __call__(self, event: JsonObject, warn: Warn) -> list[Chunk]:
        """Read one event.

        Raises:
            MalformedEventError: It cannot be read and may be passed over.
            NotAStreamError: The first event belongs to another protocol.
        """
        kind = event.get("type")
        if not isinstance(kind, str) or not kind:
            raise MalformedEventError("An event without a type")
        if self._first:
            self._first = False
            check_event(event, "ag-ui")
        if self._failed and kind != "RUN_STARTED":
            return []
        out: list[Chunk] = []
        try:
            self._play(self._expander.expand(event, warn), out, warn)
        except MalformedEventError as error:
            if not kind.startswith(("TOOL_CALL_", "RUN_")):
                raise
            # A call must never run on half of what it should have been told.
            self._failed = True
            out.append(Error(f"The server sent something that cannot be read. {error}"))
        return out

    def _play(self, events: list[JsonObject], out: list[Chunk], warn: Warn) -> None:
        for event in events:
            handler = _HANDLERS.get(event["type"])
            if handler is not None:
                handler(self, event, out, warn)

    # The run

    def _run_started(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        self._failed = False
        if _is_newer(event.get("protocolVersion")):
            warn("The server speaks a newer version of AG-UI; what is new in it is passed over.")
        out.append(Start())

    def _run_error(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        self._failed = True
        message = event.get("message")
        out.append(Error(message if isinstance(message, str) and message else _NO_TEXT))

    def _run_finished(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        ending = Ending(event)
        if ending.cancelled:
            out += [Abort("The run was cancelled."), Finish("other")]
            return
        for raw in ending.interrupts:
            self._calls.ask(Interrupt(raw), out)
        if not ending.interrupts:
            self._calls.settle(ending.pending, out)
        if ending.interrupts or self._resuming:
            out.append(Data(INTERRUPTS, ending.interrupts, "interrupts"))
        waits = bool(ending.interrupts) or self._calls.left
        reason = ending.reason or ("tool-calls" if waits else "stop")
        out.append(Finish(reason, ending.metadata))

    # Words and calls

    def _begin(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        role = self._prose.begin(event)
        if role is not None:
            warn(f"A message of the role {role[:20]!r} was passed over.")

    def _words(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        self._prose.add(event, out)

    def _end(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        self._prose.end(event, out)

    def _encrypted(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        keys = ("subtype", "entityId", "encryptedValue", "encryptedValueType")
        value = {key: event[key] for key in keys if isinstance(event.get(key), str)}
        out.append(Data(ENCRYPTED, value, event["entityId"]))

    def _call_start(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        self._calls.start(event, out)

    def _call_args(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        if not self._calls.add(event, out):
            warn("Arguments of a call that is not open were passed over.")

    def _call_end(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        self._calls.end(event["toolCallId"], out)

    def _call_result(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        self._calls.result(event, out)

    def _messages_snapshot(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        known = self._sent | self._prose.said | self._calls.ids()
        waiting = self._calls.ids(waiting=True)
        self._play(snapshot_events(event.get("messages"), known, waiting), out, warn)

    # What belongs to the application

    def _state_snapshot(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        self._state = event.get("snapshot")
        out.append(Data(STATE, self._state, "state"))

    def _state_delta(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        self._state = apply_patch(self._state, event.get("delta"))
        out.append(Data(STATE, self._state, "state"))

    def _activity_snapshot(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        if event.get("replace") is not False or event["messageId"] not in self._activities:
            activity = {"activityType": event["activityType"], "content": event.get("content")}
            self._show(event["messageId"], activity, out)

    def _activity_delta(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        activity = self._activities.get(event["messageId"])
        if activity is None:
            warn("A change of an activity that is not there was passed over.")
            return
        content = apply_patch(activity["content"], event.get("patch"))
        self._show(event["messageId"], {**activity, "content": content}, out)

    def _show(self, message_id: str, activity: JsonObject, out: list[Chunk]) -> None:
        self._activities[message_id] = activity
        out.append(Data(ACTIVITY, activity, message_id))

    def _custom(self, event: JsonObject, out: list[Chunk], warn: Warn) -> None:
        out.append(Data(event["name"], event.get("value"), transient=True))


_Handler = Callable[[AgUiDecoder, JsonObject, list[Chunk], Warn], None]

_HANDLERS: dict[str, _Handler] = {
    "RUN_STARTED": AgUiDecoder._run_started,
    "RUN_FINISHED": AgUiDecoder._run_finished,
    "RUN_ERROR": AgUiDecoder._run_error,
    "TEXT_MESSAGE_START": AgUiDecoder._begin,
    "TEXT_MESSAGE_CONTENT": AgUiDecoder._words,
    "TEXT_MESSAGE_END": AgUiDecoder._end,
    "REASONING_MESSAGE_START": AgUiDecoder._begin,
    "REASONING_MESSAGE_CONTENT": AgUiDecoder._words,
    "REASONING_MESSAGE_END": AgUiDecoder._end,
    "REASONING_ENCRYPTED_VALUE": AgUiDecoder._encrypted,
    "TOOL_CALL_START": AgUiDecoder._call_start,
    "TOOL_CALL_ARGS": AgUiDecoder._call_args,
    "TOOL_CALL_END": AgUiDecoder._call_end,
    "TOOL_CALL_RESULT": AgUiDecoder._call_result,
    "STATE_SNAPSHOT": AgUiDecoder._state_snapshot,
    "STATE_DELTA": AgUiDecoder._state_delta,
    "ACTIVITY_SNAPSHOT": AgUiDecoder._activity_snapshot,
    "ACTIVITY_DELTA": AgUiDecoder._activity_delta,
    "CUSTOM": AgUiDecoder._custom,
    "MESSAGES_SNAPSHOT": AgUiDecoder._messages_snapshot,
}
"""Events that are not here (steps, raw ones, spans, sub-agents' own) change nothing."""


def decoder_for(body: JsonObject) -> AgUiDecoder:
    """The decoder of the answer to this `RunAgentInput`."""
    calls: dict[str, tuple[str, Json]] = {}
    sent: set[str] = set()
    for message in body.get("messages", ()):
        sent.add(message.get("id", ""))
        calls.pop(message.get("toolCallId", ""), None)
        for call in message.get("toolCalls", ()):
            sent.add(call["id"])
            calls[call["id"]] = (call["function"]["name"], parsed(call["function"]["arguments"]))
    return AgUiDecoder(
        tools=[tool["name"] for tool in body.get("tools", ())],
        state=body.get("state"),
        calls=calls,
        sent=sent,
        resuming=bool(body.get("resume")),
    )


def _is_newer(version: Any) -> bool:
    if version is None:
        return False
    try:
        major, minor = map(int, str(version).split("."))
    except ValueError:
        return True
    return (major, minor) > _VERSION
