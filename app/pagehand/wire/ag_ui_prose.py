"""The words of an AG-UI run, and where its steps begin.

A message becomes a text when its first words come: some servers open one for each step and
say nothing in it. What a sub-agent says is no answer to the person and is shown as reasoning.
"""

from __future__ import annotations

from typing import Protocol

from pagehand.wire.ag_ui_events import HELPER_RUN
from pagehand.wire.chunks import (
    Chunk,
    FinishStep,
    JsonObject,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
)


class Answerable(Protocol):
    """A call, as far as steps care."""

    answered: bool


class Steps:
    """Where the steps of a run begin.

    A step of ours is one call of the model. AG-UI does not tell where one begins, so: where
    content follows the results of all calls so far.

    Attributes:
        helpers: Id of a message or call to the run of the sub-agent it belongs to.
    """

    def __init__(self) -> None:
        self.helpers: dict[str, str] = {}
        self._open = False
        self._calls: list[Answerable] = []
        self._parent: str | None = None

    def open(self, out: list[Chunk], parent: str | None = None) -> None:
        """Content comes: begin a step if it belongs to a new one."""
        if self._open:
            same = parent is not None and parent == self._parent
            if same or not self._calls or not all(call.answered for call in self._calls):
                return
            out.append(FinishStep())
        self._open = True
        self._calls = []
        self._parent = None
        out.append(StartStep())

    def add(self, call: Answerable, parent: str | None) -> None:
        """A call belongs to the open step."""
        self._calls.append(call)
        self._parent = parent

    def note_helper(self, event: JsonObject, key: str) -> None:
        """Remember whose message or call this is; later events of it need not say so."""
        run = event.get(HELPER_RUN)
        if isinstance(run, str):
            self.helpers.setdefault(key, run)

    def note(self, key: str, name: str, value: str | None) -> JsonObject:
        """What a part keeps for the way back."""
        note: JsonObject = {} if value is None else {name: value}
        if key in self.helpers:
            note[HELPER_RUN] = self.helpers[key]
        return {"ag-ui": note}


class Prose:
    """The messages and thoughts of a run.

    Attributes:
        said: Ids of those that had words.
    """

    def __init__(self, steps: Steps) -> None:
        self.said: set[str] = set()
        self._steps = steps
        self._open: set[tuple[bool, str]] = set()  # whether it is a thought, and its id
        self._hidden: set[str] = set()  # ids of messages that are nobody's to see

    def begin(self, event: JsonObject) -> str | None:
        """A message opens. Returns its role if it is not to be shown, as a user's is not."""
        self._steps.note_helper(event, event["messageId"])
        role = event.get("role")
        if event["type"].startswith("TEXT") and role not in (None, "assistant"):
            self._hidden.add(event["messageId"])
            return str(role)
        return None

    def add(self, event: JsonObject, out: list[Chunk]) -> None:
        """Words come; a message that was never opened is opened by them."""
        message_id, delta = event["messageId"], event["delta"]
        self._steps.note_helper(event, message_id)
        if not delta or message_id in self._hidden:
            return
        thought = self._is_thought(event)
        if (thought, message_id) not in self._open:
            self._open.add((thought, message_id))
            self.said.add(message_id)
            self._steps.open(out)
            note = self._steps.note(message_id, "messageId", message_id)
            if thought and event["type"].startswith("TEXT"):
                note["ag-ui"]["role"] = "assistant"
            out.append((ReasoningStart if thought else TextStart)(message_id, note))
        out.append((ReasoningDelta if thought else TextDelta)(message_id, delta))

    def end(self, event: JsonObject, out: list[Chunk]) -> None:
        """A message closes."""
        key = self._is_thought(event), event["messageId"]
        if key in self._open:
            self._open.remove(key)
            out.append((ReasoningEnd if key[0] else TextEnd)(key[1]))

    def _is_thought(self, event: JsonObject) -> bool:
        return not event["type"].startswith("TEXT") or event["messageId"] in self._steps.helpers
