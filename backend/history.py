"""The `messages` of a request, in any of the forms clients send, as one clean history.

The result is what every model reads: UIMessages of the roles user, assistant and system,
with the parts of `backend.parts`; each call once, each result in the part of its call, and
no call left open. A call that nobody answered is marked interrupted, so that the model
does not wait for it, and is named in the log.

Forms that are taken: UIMessages of AI SDK 4 to 7; `content` as string or array; `role:
tool` with `parts` or `content` of `tool-result`, or OpenAI's `tool_call_id`; assistant
parts of type `tool-call`; OpenAI's `tool_calls`.
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from backend.parts import Part, as_text, read_part, result_of, tool_part
from backend.refusals import RefusalError
from backend.settings import Settings

Message = dict[str, Any]

INTERRUPTED = "The call was interrupted before it had a result. It may not have run."
NOT_ANSWERED = "Nobody approved or denied the call. It did not run."
_MAX_ANSWERS = 64
_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
_OPEN = ("input-streaming", "input-available", "approval-requested", "approval-responded")


@dataclass(slots=True)
class History:
    """What was said and done so far.

    `messages` are canonical. `message_id` is the id of the assistant's message that the
    answer continues, when `continues` says so. `answers` are the parts of the last step
    whose approval was answered and that wait for what follows from it. `interrupted` are
    the ids of calls that were left without a result.
    """

    messages: list[Message]
    continues: bool = False
    message_id: str | None = None
    answers: list[Part] = field(default_factory=list)
    interrupted: list[str] = field(default_factory=list)

    def calls(self) -> Iterator[Part]:
        """Every call, oldest first."""
        for message in self.messages:
            yield from (part for part in message["parts"] if is_call(part))

    def since_user(self) -> list[Message]:
        """The assistant's messages after the user's last one."""
        start = len(self.messages)
        while start and self.messages[start - 1]["role"] == "assistant":
            start -= 1
        return self.messages[start:]

    def rounds(self) -> int:
        """In how many steps since the user's last message calls were made."""
        return sum(
            any(is_call(part) for part in step)
            for message in self.since_user()
            for step in steps_of(message["parts"])
        )


def is_call(part: Part) -> bool:
    """Whether a canonical part is a tool call."""
    return bool(part["type"].startswith("tool-"))


def steps_of(parts: list[Part]) -> list[list[Part]]:
    """The parts between step starts."""
    steps: list[list[Part]] = [[]]
    for part in parts:
        if part["type"] == "step-start":
            steps.append([])
        else:
            steps[-1].append(part)
    return steps


def read_history(body: dict[str, Any], settings: Settings) -> History:
    """Read `messages`, and what `trigger` and `messageId` say about them.

    Raises:
        RefusalError: 400, with the first fault.
    """
    raw = body.get("messages")
    if not isinstance(raw, list) or not raw:
        raise RefusalError(400, "messages must be a list with at least one message.")
    if len(raw) > settings.max_messages:
        raise RefusalError(
            400, f"There are more than {settings.max_messages:,} messages. Send fewer."
        )
    reader = _Reader(settings)
    for index, message in enumerate(raw):
        reader.read(index, message)
    if not any(message["parts"] for message in reader.messages):
        raise RefusalError(400, "The messages are empty: at least one needs a text.")
    return _settle(History(reader.messages), body)


class _Reader:
    """Collects canonical messages; results of `role: tool` go to the calls they answer."""

    def __init__(self, settings: Settings) -> None:
        self.messages: list[Message] = []
        self._settings = settings
        self._parts = 0
        self._calls: dict[str, Part] = {}

    def read(self, index: int, raw: object) -> None:
        """Take one message."""
        where = f"messages[{index}]"
        if not isinstance(raw, dict):
            raise RefusalError(400, f"{where} must be an object with role and parts or content.")
        items = self._items(where, raw)
        role = raw.get("role")
        if role == "tool":
            self._read_results(raw, items)
            return
        if not isinstance(role, str) or role not in _ROLES:
            raise RefusalError(400, f"{where}.role must be user, assistant, system or tool.")
        message_id = raw.get("id")
        message: Message = {"role": _ROLES[role], "parts": []}
        if isinstance(message_id, str) and message_id:
            message["id"] = message_id[:200]
        self.messages.append(message)
        for item in items:
            self._read_item(where, item)
        if not self.messages[-1]["parts"] and role != "assistant":
            # A user's or system's message without anything a model can read. An assistant's
            # stays: it was stopped before its first word, and its id may be continued.
            self.messages.pop()

    def _items(self, where: str, raw: Message) -> list[Part]:
        """The parts of a message, whichever key and form they came in."""
        items = raw.get("parts")
        if not isinstance(items, list) or (not items and raw.get("content")):
            items = raw.get("content")
        if isinstance(items, str):
            items = [{"type": "text", "text": items}]
        if items is None:
            items = []
        if not isinstance(items, list):
            raise RefusalError(
                400, f"{where} needs parts (a list) or content (a string or a list)."
            )
        for old in ("toolInvocations", "tool_calls"):
            extra = raw.get(old)
            if isinstance(extra, list) and not any(_is_old_call(item) for item in items):
                items = [*items, *(_from_old_call(call) for call in extra)]
        self._parts += len(items)
        if self._parts > self._settings.max_parts:
            raise RefusalError(400, f"There are more than {self._settings.max_parts:,} parts.")
        return [{"type": "text", "text": i} if isinstance(i, str) else i for i in items if i]

    def _read_item(self, where: str, item: object) -> None:
        if not isinstance(item, dict):
            raise RefusalError(400, f"Every part of {where} must be an object with a type.")
        if item.get("type") == "steering-message":
            self._read_steering(where, item)
            return
        if item.get("type") == "tool-result":
            self._read_results({}, [item])
            return
        part = read_part(item)
        if part is None:
            return
        message = self.messages[-1]
        if is_call(part):
            if message["role"] == "assistant":
                self._add_call(message, part)
        elif message["role"] == "assistant" or part["type"] in ("text", "file"):
            message["parts"].append(part)

    def _read_steering(self, where: str, item: Part) -> None:
        """Words of the user inside an assistant's message: they become a message between."""
        inner = item.get("parts")
        if not isinstance(inner, list):
            return
        self.messages.append({"role": "user", "parts": []})
        for part in inner:
            self._read_item(where, part)
        if not self.messages[-1]["parts"]:
            self.messages.pop()
        self.messages.append({"role": "assistant", "parts": []})

    def _add_call(self, message: Message, part: Part) -> None:
        """Add a call, or merge it into the one with its id: clients repeat themselves."""
        self._check_result(part)
        call_id = part["toolCallId"] = part["toolCallId"] or f"call-unnamed-{len(self._calls)}"
        earlier = self._calls.get(call_id)
        if earlier is None:
            self._calls[call_id] = part
            message["parts"].append(part)
        elif earlier["state"] in _OPEN:
            earlier.update(part)

    def _read_results(self, raw: Message, items: list[Part]) -> None:
        """Results that came in a message of their own."""
        call_id = raw.get("tool_call_id", raw.get("toolCallId"))
        if isinstance(call_id, str):
            texts = [as_text(i.get("text")) for i in items if isinstance(i, dict)]
            items = [{"type": "tool-result", "toolCallId": call_id, "result": "".join(texts)}]
        for item in items:
            if not isinstance(item, dict) or item.get("type") not in ("tool-result", None):
                continue
            found = {"toolCallId": item.get("toolCallId"), **result_of(item)}
            part = tool_part(found, item.get("toolName", raw.get("toolName", raw.get("name"))))
            earlier = self._calls.get(part["toolCallId"])
            if earlier is None:
                if not self.messages or self.messages[-1]["role"] != "assistant":
                    self.messages.append({"role": "assistant", "parts": []})
                self._add_call(self.messages[-1], part)
            elif earlier["state"] in _OPEN:
                self._check_result(part)
                del part["type"], part["input"]
                earlier.update(part)

    def _check_result(self, part: Part) -> None:
        limit = self._settings.max_result
        for key in ("output", "errorText"):
            if key in part and _is_larger(part[key], limit):
                raise RefusalError(
                    400,
                    f"The result of a call is larger than {limit:,} bytes. Let the tool return "
                    "less, for example one page of rows.",
                )


def _is_larger(value: Any, limit: int) -> bool:
    """Whether a result is larger than `limit`, as JSON.

    JSON's own writer takes longer than all else that happens to a result of many small values.
    So they are counted first as `marshal` packs them, which says nearly the same.
    """
    if value is None or isinstance(value, bool | int | float):
        return False
    if not isinstance(value, str):
        if len(marshal.dumps(value, 2)) <= limit:
            return False
        value = json.dumps(value, ensure_ascii=False)
    return len(value) > limit or (
        len(value) * 4 > limit and len(value.encode("utf-8", "surrogatepass")) > limit
    )


def _is_old_call(item: object) -> bool:
    kind = item.get("type") if isinstance(item, dict) else None
    return isinstance(kind, str) and (kind.startswith("tool-") or kind == "dynamic-tool")


def _from_old_call(call: object) -> Part:
    """AI SDK 4's `toolInvocations` and OpenAI's `tool_calls`."""
    if not isinstance(call, dict):
        return {"type": ""}
    function = call.get("function")
    if isinstance(function, dict):
        return {
            "type": "tool-call",
            "toolCallId": call.get("id"),
            "toolName": function.get("name"),
            "args": function.get("arguments"),
        }
    return {**call, "type": "tool-call"}


def _settle(history: History, body: dict[str, Any]) -> History:
    """Say what the answer continues, and close the calls that were left open."""
    messages = history.messages
    last = messages[-1]
    if last["role"] == "assistant":
        history.message_id = last.get("id")
        if body.get("trigger") == "regenerate-message" and len(messages) > 1:
            # The answer is to be given anew: what is there of it goes, its id stays.
            messages.pop()
        else:
            history.continues = True
            history.answers = [
                part
                for part in steps_of(last["parts"])[-1]
                if is_call(part) and part["state"] == "approval-responded"
            ]
    if len(history.answers) > _MAX_ANSWERS:
        raise RefusalError(400, f"More than {_MAX_ANSWERS} approvals are answered at once.")
    waiting = {id(part) for part in history.answers}
    for part in history.calls():
        if part["state"] in _OPEN and id(part) not in waiting:
            history.interrupted.append(part["toolCallId"])
            asked = part["state"] == "approval-requested"
            part["state"] = "output-error"
            part["errorText"] = NOT_ANSWERED if asked else INTERRUPTED
            part.pop("approval", None)
    return history
