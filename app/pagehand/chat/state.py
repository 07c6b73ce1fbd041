"""What the reducer knows while one response comes in.

state = ResponseState(Message("a1", "assistant"))
for chunk in reader.feed(data):
    apply(state, chunk)
state.message.parts
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.chat.parts import Part, ReasoningPart, StepStartPart, TextPart
from pagehand.chat.tool_part import INPUT_STREAMING, ToolPart

if TYPE_CHECKING:
    from pagehand.chat.messages import Message
    from pagehand.wire.chunks import Data


class ResponseState:
    """The message a response writes into, and what is open in it.

    Attributes:
        message: The message; its parts before `base` belong to earlier responses.
        base: Where this response's own parts begin.
        started: True since the first content came.
        id_fixed: True when the message keeps the id it has, whatever `start` says.
        resumed: True when a running answer is taken up, which is sent again from its beginning.
        replay: True until that stream's first `start`, when there is something to replace.
        texts, reasonings: The open prose by stream id.
        calls: The tool calls of the current step by call id.
        ghosts: Calls shown before a replay, to be taken up again with what we know of them.
        orphan_args: Argument text of calls whose start never came.
        unfinished: Calls that are complete and wait for the end of their step.
        ready: Calls whose step has ended, in order; the chat takes them out.
        data: Data chunks for the `on_data` hook; the chat takes them out.
        warnings: One sentence for each kind of thing that was skipped.
    """

    __slots__ = (
        "aborted",
        "base",
        "calls",
        "data",
        "error_text",
        "finish_reason",
        "finished",
        "ghosts",
        "id_fixed",
        "message",
        "orphan_args",
        "ready",
        "reasonings",
        "replay",
        "resumed",
        "started",
        "texts",
        "unfinished",
        "warnings",
    )

    def __init__(
        self,
        message: Message,
        *,
        id_fixed: bool = False,
        resumed: bool = False,
        base: int | None = None,
    ) -> None:
        self.message = message
        self.base = len(message.parts) if base is None else base
        self.started = False
        self.id_fixed = id_fixed
        self.resumed = resumed
        self.replay = resumed and self.base < len(message.parts)
        self.finished = False
        self.aborted = False
        self.error_text: str | None = None
        self.finish_reason: str | None = None
        self.texts: dict[str, TextPart] = {}
        self.reasonings: dict[str, ReasoningPart] = {}
        self.calls: dict[str, ToolPart] = {}
        self.ghosts: dict[tuple[int, str], ToolPart] = {}
        self.orphan_args: dict[str, list[str]] = {}
        self.unfinished: dict[str, ToolPart] = {}
        self.ready: list[ToolPart] = []
        self.data: list[Data] = []
        self.warnings: list[str] = []
        self.seed_calls()

    def seed_calls(self) -> None:
        """Take up the calls of the message's last step, as a continuation may go on with them."""
        self.calls = {
            part.tool_call_id: part for part in self.message.tool_parts(self.message.last_step())
        }

    def warn(self, text: str) -> None:
        """Note that something was skipped; each sentence once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def push(self, part: Part) -> None:
        """Add a part."""
        self.message.parts.append(part)
        self.message.revision += 1
        self.started = True

    def touch(self, part: Part) -> None:
        """Count a change of a part."""
        part.revision += 1
        self.message.revision += 1
        self.started = True

    def take_ready(self) -> list[ToolPart]:
        """The calls that may run now and were not taken before."""
        ready, self.ready = self.ready, []
        return [part for part in ready if part.runnable]

    def take_data(self) -> list[Data]:
        """The data chunks since the last time."""
        data, self.data = self.data, []
        return data

    def end_step(self) -> None:
        """Calls announced so far may run: their step has ended."""
        if self.unfinished:
            self.ready.extend(self.unfinished.values())
            self.unfinished.clear()

    def begin_step(self) -> None:
        """Put the border of a new step. It shows with the next content."""
        self.message.parts.append(StepStartPart())
        self.message.revision += 1
        self.calls = {}

    def reset_for_replay(self) -> None:
        """Empty what this response wrote; its calls come back with what we know of them."""
        self.replay = False
        message, step = self.message, self.message.step_number(self.base)
        for part in message.parts[self.base :]:
            if isinstance(part, ToolPart):
                self.ghosts[(step, part.tool_call_id)] = part
            elif isinstance(part, StepStartPart):
                step += 1
        del message.parts[self.base :]
        message.revision += 1
        self.texts, self.reasonings, self.orphan_args = {}, {}, {}
        self.seed_calls()

    def claim_ghost(self, call_id: str) -> ToolPart | None:
        """The call as it was before the replay, if it was there in this step."""
        if not self.ghosts:
            return None
        step = self.message.step_number(len(self.message.parts))
        part = self.ghosts.pop((step, call_id), None)
        if part is not None and (part.interrupted or part.state == INPUT_STREAMING):
            part.reopen()
        return part

    def earlier_outcome(self, part: ToolPart) -> ToolPart | None:
        """The same call with its outcome, in a message that is taken up again.

        Where a response began is a guess after a reload; no call may run twice because of it.
        """
        if not self.resumed:
            return None
        for other in self.message.tool_parts():
            same = (other.tool_call_id, other.tool_name) == (part.tool_call_id, part.tool_name)
            if other is not part and same and other.finished and other.input == part.input:
                return other
        return None

    def find_call(self, call_id: str) -> ToolPart | None:
        """The call an outcome belongs to.

        The current step's first, else the newest unfinished one, else the newest.
        """
        part = self.calls.get(call_id)
        if part is not None:
            return part
        same = [p for p in self.message.tool_parts() if p.tool_call_id == call_id]
        unfinished = [p for p in same if not p.finished]
        found = unfinished or same
        return found[-1] if found else None

    def find_approval(self, approval_id: str) -> ToolPart | None:
        """The call that asked with this approval id; the newest one."""
        for part in reversed(self.message.tool_parts()):
            if part.approval is not None and part.approval.get("id") == approval_id:
                return part
        return None


def merge_metadata(old: Any, new: Any) -> Any:
    """Deep-merge plain objects; everything else replaces. Keys that could poison are skipped."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    merged = dict(old)
    for key, value in new.items():
        if key in ("__proto__", "constructor", "prototype"):
            continue
        merged[key] = merge_metadata(merged.get(key), value)
    return merged
