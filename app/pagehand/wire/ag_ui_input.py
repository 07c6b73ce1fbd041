"""The conversation as AG-UI's `RunAgentInput`: what the page posts with `protocol="ag-ui"`.

    run_input(messages, tools, thread_id="c1", run_id="r1")

One message of ours holds what several of theirs say: a message for the words and calls of each
step, a tool message for each result, a reasoning message ahead. Ids that the server gave come
back as it gave them (`wire.ag_ui` keeps them in the parts); what never had one gets one that
stays the same in every request.
Source: AG-UI 1.0, `RunAgentInput` and messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pagehand.wire.ag_ui_ending import answers, open_interrupts
from pagehand.wire.ag_ui_events import ENCRYPTED, HELPER_RUN, STATE
from pagehand.wire.chunks import Json, JsonObject
from pagehand.wire.jsontext import dumps

VERSION = "1.0"

_MEDIA = ("image", "audio", "video")
_PARTS = ("text", "image", "audio", "video", "document")
_OUTCOMES = ("output-available", "output-error", "output-denied")
_DENIED = "The person denied this call. It did not run."
_ANSWER_KEYS = ("runId", "toolCallId", "resumeData")
"""What the chat adds to the body to resume a run; here `resume` says it."""


def run_input(
    messages: Sequence[JsonObject],
    tools: Mapping[str, JsonObject],
    *,
    thread_id: str,
    run_id: str,
    forwarded: Mapping[str, Any] | None = None,
) -> JsonObject:
    """The body of a request.

    Args:
        messages: The conversation as UIMessages, fit to be sent.
        tools: The declarations by name: `description` and `inputSchema`.
        thread_id: The conversation's id.
        run_id: An id no request had before.
        forwarded: What else the server's program is to know.
    """
    said = list(messages)
    resume = answers(open_interrupts(said), said)
    asked = {entry["interruptId"] for entry in resume}
    writer = _Writer(_gated(said, asked))
    for message in said:
        writer.write(message)
    body: JsonObject = {
        "threadId": thread_id,
        "runId": run_id,
        "protocolVersion": VERSION,
        "state": writer.state,
        "messages": writer.messages,
        "tools": [
            {"name": name, "description": tool["description"], "parameters": tool["inputSchema"]}
            for name, tool in tools.items()
        ],
        "context": [],
        "forwardedProps": {k: v for k, v in (forwarded or {}).items() if k not in _ANSWER_KEYS},
    }
    if resume:
        body["resume"] = resume
    return body


def _gated(messages: list[JsonObject], asked: set[str]) -> set[str]:
    """Ids of calls whose interrupt is answered now: their results are the server's to give."""
    return {
        str(interrupt.get("toolCallId"))
        for interrupt in open_interrupts(messages)
        if interrupt["id"] in asked
    }


class _Writer:
    """Collects AG-UI messages."""

    def __init__(self, gated: set[str]) -> None:
        self.messages: list[JsonObject] = []
        self.state: Json = {}
        self._gated = gated
        self._encrypted: dict[str, JsonObject] = {}

    def write(self, message: JsonObject) -> None:
        """Add one UIMessage."""
        parts = message.get("parts", [])
        self._encrypted = {}
        for part in parts:
            self._note(part)
        if message["role"] == "assistant":
            for step in _Steps(message["id"], self._encrypted).of(parts):
                self._write_step(step)
        elif message["role"] == "system":
            text = "\n".join(part["text"] for part in parts if part.get("type") == "text")
            self.messages.append({"id": message["id"], "role": "system", "content": text})
        else:
            content = _user_content(parts)
            self.messages.append({"id": message["id"], "role": "user", "content": content})

    def _note(self, part: JsonObject) -> None:
        kind, data = part.get("type"), part.get("data")
        if kind == f"data-{STATE}":
            self.state = data
        elif kind == f"data-{ENCRYPTED}" and isinstance(data, dict):
            self._encrypted[str(data.get("entityId"))] = {
                key: value for key, value in data.items() if key.startswith("encryptedValue")
            }

    def _write_step(self, step: _Step) -> None:
        self.messages += step.thoughts
        if step.texts or step.calls:
            message: JsonObject = {"id": step.id, "role": "assistant"}
            if step.texts:
                message["content"] = "".join(step.texts)
            if step.calls:
                message["toolCalls"] = [self._call(part) for part in step.calls]
            self.messages.append(step.tag({**message, **self._encrypted.get(step.id, {})}))
        for part in step.calls:
            if part["state"] in _OUTCOMES and part["toolCallId"] not in self._gated:
                self.messages.append(step.tag(_tool_message(part)))

    def _call(self, part: JsonObject) -> JsonObject:
        call_id = part["toolCallId"]
        function = {"name": _tool_name(part), "arguments": _arguments(part)}
        call = {"id": call_id, "type": "function", "function": function}
        return {**call, **self._encrypted.get(call_id, {})}


class _Step:
    """What becomes one assistant message, with what stands ahead of it and behind it."""

    def __init__(self, id: str, helper: str | None) -> None:
        self.id = id
        self.helper = helper
        self.thoughts: list[JsonObject] = []
        self.texts: list[str] = []
        self.calls: list[JsonObject] = []

    def tag(self, message: JsonObject) -> JsonObject:
        """The message with the sub-agent it belongs to."""
        return message if self.helper is None else {**message, HELPER_RUN: self.helper}


class _Steps:
    """Divides the parts of an assistant's message into theirs."""

    def __init__(self, message_id: str, encrypted: Mapping[str, JsonObject]) -> None:
        self._id = message_id
        self._encrypted = encrypted
        self._steps: list[_Step] = []
        self._count = 0
        self._border = True

    def of(self, parts: list[JsonObject]) -> list[_Step]:
        """The steps, in order."""
        for part in parts:
            kind = part.get("type")
            note = _note_of(part)
            if kind == "step-start":
                self._border = True
            elif kind == "reasoning":
                self._thought(part, note)
            elif kind == "text" and part.get("text"):
                self._step(note, note.get("messageId")).texts.append(part["text"])
            elif "toolCallId" in part and "state" in part:
                parent, call_id = note.get("parentMessageId"), part["toolCallId"]
                self._step(note, parent, call_id=call_id).calls.append(part)
        self._lone_thoughts()
        return self._steps

    def _step(self, note: JsonObject, their_id: str | None, *, call_id: str | None = None) -> _Step:
        """The step a part belongs to: the present one while nothing divides them.

        A message that only holds calls is known by its first call, if its server named none.
        """
        last = self._steps[-1] if self._steps else None
        helper = note.get(HELPER_RUN)
        bare = last is not None and not last.texts and not last.calls
        if last is not None and not self._border and last.helper == helper:
            same = their_id is None or their_id == last.id
            if (same and (call_id is not None or not last.calls)) or bare:
                if bare:
                    last.id = their_id or call_id or last.id
                return last
        self._border = False
        return self._begin(their_id or call_id or self._new_id(), helper)

    def _begin(self, step_id: str, helper: str | None) -> _Step:
        """A new step; a server that goes on in a message of before gives us one more of its id."""
        used = {step.id for step in self._steps}
        if step_id in used:
            step_id = f"{step_id}-{len(self._steps)}"
        self._steps.append(_Step(step_id, helper))
        return self._steps[-1]

    def _thought(self, part: JsonObject, note: JsonObject) -> None:
        """A reasoning stands directly ahead of what followed it."""
        last = self._steps[-1] if self._steps else None
        helper = note.get(HELPER_RUN)
        if note.get("role") == "assistant":
            # Words of a sub-agent, which the page shows like a thought.
            step = self._step(note, note.get("messageId"))
            step.texts.append(part.get("text", ""))
            return
        bare = last is not None and not last.texts and not last.calls and not self._border
        if not bare or last is None or last.helper != helper:
            self._border = False
            last = self._begin(self._new_id(), helper)
        thought_id = note.get("messageId") or f"{self._id}-thought-{len(self._steps)}"
        thought: JsonObject = {"id": thought_id, "role": "reasoning"}
        thought |= {"content": part.get("text", ""), **self._encrypted.get(thought_id, {})}
        last.thoughts.append(last.tag(thought))

    def _new_id(self) -> str:
        self._count += 1
        return self._id if self._count == 1 else f"{self._id}-{self._count}"

    def _lone_thoughts(self) -> None:
        """Encrypted thoughts without words, which no part shows, must come back too."""
        known = {thought["id"] for step in self._steps for thought in step.thoughts}
        known |= {step.id for step in self._steps}
        known |= {part["toolCallId"] for step in self._steps for part in step.calls}
        for entity, value in self._encrypted.items():
            if entity not in known and self._steps:
                thought = {"id": entity, "role": "reasoning", "content": "", **value}
                self._steps[-1].thoughts.append(thought)


def _tool_message(part: JsonObject) -> JsonObject:
    note = _note_of(part, "resultProviderMetadata")
    message: JsonObject = {
        "id": note.get("messageId") or f"{part['toolCallId']}-result",
        "role": "tool",
        "toolCallId": part["toolCallId"],
    }
    if part["state"] == "output-available":
        message["content"] = _content(part.get("output"))
    else:
        # Said in the content as well: some servers lose the other.
        approval = part.get("approval")
        reason = approval.get("reason") if isinstance(approval, dict) else None
        denied = f"{_DENIED} {reason or ''}".strip()
        text = part.get("errorText") or ""
        message["content"] = denied if part["state"] == "output-denied" else text
        message["error"] = message["content"]
    return message


def _content(output: Json) -> str | list[JsonObject]:
    """A result as text; a list of content parts as it is."""
    if isinstance(output, str):
        return output
    if isinstance(output, list) and output and all(_is_content(part) for part in output):
        return output
    return dumps(output, "output")


def _is_content(part: Any) -> bool:
    if not isinstance(part, dict) or part.get("type") not in _PARTS:
        return False
    source = part.get("source")
    if part["type"] == "text":
        return isinstance(part.get("text"), str)
    return isinstance(source, dict) and source.get("type") in ("data", "url", "file")


def _arguments(part: JsonObject) -> str:
    """The arguments as text; never empty and always JSON, or the thread ends at them."""
    value = part.get("input")
    return dumps(value if isinstance(value, dict) else {}, "input")


def _tool_name(part: JsonObject) -> str:
    name = part.get("toolName")
    return name if isinstance(name, str) else str(part["type"]).removeprefix("tool-")


def _note_of(part: JsonObject, key: str = "") -> JsonObject:
    """What `wire.ag_ui` keeps in a part."""
    for where in (key,) if key else ("providerMetadata", "callProviderMetadata"):
        metadata = part.get(where)
        note = metadata.get("ag-ui") if isinstance(metadata, dict) else None
        if isinstance(note, dict):
            return note
    return {}


def _user_content(parts: list[JsonObject]) -> str | list[JsonObject]:
    content: list[JsonObject] = []
    for part in parts:
        if part.get("type") == "text":
            content.append({"type": "text", "text": part["text"]})
        elif part.get("type") == "file":
            content.append(_media(part))
    if all(part["type"] == "text" for part in content):
        return "\n\n".join(part["text"] for part in content)
    return content


def _media(part: JsonObject) -> JsonObject:
    kind = part["mediaType"].partition("/")[0]
    media: JsonObject = {"type": kind if kind in _MEDIA else "document"}
    head, comma, data = part["url"].partition(",")
    if head.startswith("data:") and head.endswith(";base64") and comma:
        media["source"] = {"type": "data", "value": data, "mimeType": part["mediaType"]}
    else:
        media["source"] = {"type": "url", "value": part["url"], "mimeType": part["mediaType"]}
    if part.get("filename"):
        media["metadata"] = {"filename": part["filename"]}
    return media
