"""One part of a message, in any form clients are known to send, into its canonical form.

Canonical are the UIMessage parts of the AI SDK, of which the models read five kinds:

    {"type": "text", "text": ...}
    {"type": "reasoning", "text": ..., "providerMetadata"?: ...}
    {"type": "file", "mediaType": ..., "url": ..., "filename"?: ...}
    {"type": "step-start"}
    {"type": "tool-NAME", "toolCallId": ..., "state": ..., "input": {...}, ...}

Unknown keys are ignored and unknown parts skipped: the AI SDK adds both with every release.
What a tool returned is data. It is carried as it came and never looked into.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from pagehand.errors import MalformedEventError
from pagehand.wire.jsontext import loads

Part = dict[str, Any]

_SETTLED = ("output-available", "output-error", "output-denied")
_APPROVAL = ("approval-requested", "approval-responded")
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_WRAPPED = ("text", "json", "error-text", "error-json", "content")
"""The `type`s of `{type, value}` around a result in the AI SDK's model messages."""


def read_part(raw: Part) -> Part | None:
    """The canonical part, or None for one that models have no use for."""
    kind = raw.get("type")
    if not isinstance(kind, str):
        return None
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(raw)
    if kind.startswith("tool-"):
        return tool_part(raw, kind.removeprefix("tool-"))
    return None


def _text(raw: Part) -> Part | None:
    text = raw.get("text")
    return {"type": "text", "text": text} if isinstance(text, str) and text else None


def _reasoning(raw: Part) -> Part | None:
    text = raw.get("text", raw.get("reasoning"))
    if not isinstance(text, str):
        return None
    part: Part = {"type": "reasoning", "text": text}
    if isinstance(raw.get("providerMetadata"), dict):
        part["providerMetadata"] = raw["providerMetadata"]
    return part


def _file(raw: Part) -> Part | None:
    media_type = _string(raw, "mediaType", "mimeType") or "application/octet-stream"
    url = _string(raw, "url", "data")
    if not url:
        return None
    part: Part = {"type": "file", "mediaType": media_type, "url": _as_url(url, media_type)}
    if name := _string(raw, "filename", "name"):
        part["filename"] = name
    return part


def _image(raw: Part) -> Part | None:
    image = raw.get("image", raw.get("image_url", raw.get("url")))
    if isinstance(image, dict):
        image = image.get("url")
    if not isinstance(image, str):
        return None
    media_type = _string(raw, "mediaType", "mimeType")
    if not media_type:
        declared = image[5:].partition(";")[0] if image.startswith("data:") else ""
        media_type = declared or "image/png"
    return _file({"url": image, "mediaType": media_type})


def _step_start(_: Part) -> Part:
    return {"type": "step-start"}


def _dynamic_tool(raw: Part) -> Part:
    return tool_part(raw, raw.get("toolName"))


def _tool_call(raw: Part) -> Part:
    """A call in the content form; assistant-ui keeps its result in the same part."""
    call: Part = {"toolCallId": raw.get("toolCallId"), "input": _arguments(raw)}
    if "result" in raw or "output" in raw:
        call.update(result_of(raw))
    return tool_part(call, raw.get("toolName"))


def _tool_invocation(raw: Part) -> Part | None:
    """AI SDK 4: the call inside `toolInvocation`, with state partial-call, call or result."""
    call = raw.get("toolInvocation")
    return _tool_call(call) if isinstance(call, dict) else None


_READERS: Mapping[str, Callable[[Part], Part | None]] = {
    "text": _text,
    "input_text": _text,
    "output_text": _text,
    "reasoning": _reasoning,
    "file": _file,
    "image": _image,
    "image_url": _image,
    "step-start": _step_start,
    "dynamic-tool": _dynamic_tool,
    "tool-call": _tool_call,
    "tool-invocation": _tool_invocation,
    "tool-result": lambda raw: None,  # collected by the message reader
}


def tool_part(raw: Part, name: object) -> Part:
    """A call in the UIMessage form, in whatever state it was left.

    A state that is missing or unknown follows from what is there: an output, an error, or
    nothing, which leaves the call open.
    """
    state = raw.get("state")
    if state not in _SETTLED and state not in _APPROVAL:
        if "errorText" in raw:
            state = "output-error"
        elif "output" in raw:
            state = "output-available"
        else:
            state = "input-streaming" if state == "input-streaming" else "input-available"
    given = raw.get("input")
    part: Part = {
        "type": f"tool-{tool_name(name)}",
        "toolCallId": _call_id(raw.get("toolCallId")),
        "state": state,
        "input": as_input(raw.get("rawInput") if given is None else given),
    }
    if state == "output-available":
        part["output"] = raw.get("output")
    elif state == "output-error":
        part["errorText"] = as_text(raw.get("errorText")) or "The call failed."
    answer = raw.get("approval")
    approval = answer if isinstance(answer, dict) else {}
    if state in _APPROVAL or (approval and state == "output-denied"):
        part["approval"] = {
            "id": as_text(approval.get("id")),
            "approved": approval.get("approved") is True,
            "reason": as_text(approval.get("reason"))[:1_000],
        }
    return part


def result_of(raw: Part) -> Part:
    """The outcome in a `tool-result`: keys of a settled call.

    `result` is the value itself. `output` is the model messages' form, where the value sits
    in `{type, value}`; anything else there is the value itself.
    """
    if "result" in raw:
        value, kind = raw["result"], ""
    else:
        value, kind = raw.get("output"), ""
        if isinstance(value, dict) and value.get("type") == "execution-denied":
            return {"state": "output-denied"}
        if isinstance(value, dict) and value.get("type") in _WRAPPED and "value" in value:
            value, kind = value["value"], value["type"]
    if kind.startswith("error-") or raw.get("isError") is True:
        return {"state": "output-error", "errorText": as_text(value)}
    return {"state": "output-available", "output": value}


def tool_name(name: object) -> str:
    """A name every provider takes; one that breaks the rule is bent, as Mastra does."""
    return _bent(name[:200]) if isinstance(name, str) else "_"


@lru_cache(1_000)  # a history names the same few tools in each of its calls
def _bent(name: str) -> str:
    text = _NOT_A_NAME.sub("_", name)[:63]
    return text if text[:1].isalpha() or text[:1] == "_" else f"_{text}"[:63]


def as_input(value: object) -> dict[str, Any]:
    """Arguments as the object that providers insist on."""
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        try:
            parsed = loads(value)
        except MalformedEventError:
            return {"text": value} if value else {}
        return parsed if isinstance(parsed, dict) else {"value": parsed}
    return {} if value is None else {"value": value}


def as_text(value: object) -> str:
    """A text as it is; anything else as JSON; null as nothing."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _arguments(raw: Part) -> object:
    for key in ("input", "args", "arguments", "argsText"):
        if raw.get(key) is not None:
            return raw[key]
    return {}


def _call_id(value: object) -> str:
    if isinstance(value, str):
        return value[:200]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _string(raw: Part, *keys: str) -> str:
    for key in keys:
        value = raw.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def _as_url(text: str, media_type: str) -> str:
    """A bare base64 text becomes the data URL it stands for."""
    head = text[:12].lower()
    if head.startswith(("data:", "http://", "https://", "blob:")):
        return text
    return f"data:{media_type};base64,{text}"
