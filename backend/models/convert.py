"""Our history as Pydantic AI's messages.

What a tool returned goes to the model as text, always: an object that looks like a file or
an address is still only what a page said.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from typing import Any

from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)

from backend.history import Message, is_call, steps_of
from backend.parts import Part
from pagehand.wire.jsontext import dumps

_DENIED = "The person denied this call. It did not run."


def to_messages(
    messages: list[Message],
    instructions: str,
    *,
    provider: str,
    remote_files: bool,
    resumes: bool = False,
) -> list[ModelMessage]:
    """The history for one request.

    Args:
        messages: Canonical messages.
        instructions: The system prompt, first.
        provider: Whose reasoning may be sent back.
        remote_files: Whether the provider fetches https addresses itself. We never do.
        resumes: Whether a call of the last step is about to run, so that nothing is asked yet.
    """
    out: list[ModelMessage] = []
    if instructions:
        out.append(ModelRequest([SystemPromptPart(instructions)]))
    for message in messages:
        if message["role"] == "assistant":
            for step in steps_of(message["parts"]):
                out.extend(_step(step, provider))
        elif message["role"] == "system":
            texts = [part["text"] for part in message["parts"] if part["type"] == "text"]
            out.append(ModelRequest([SystemPromptPart("\n".join(texts))]))
        else:
            out.append(ModelRequest([UserPromptPart(_said(message["parts"], remote_files))]))
    if not resumes and (not out or isinstance(out[-1], ModelResponse)):
        # The last word was the assistant's own: providers want to be spoken to.
        out.append(ModelRequest([UserPromptPart("Go on.")]))
    return out


def _step(parts: list[Part], provider: str) -> list[ModelMessage]:
    """One step: what the model said and asked for, then what the calls gave."""
    said: list[ModelResponsePart] = []
    given: list[ModelRequestPart] = []
    for part in parts:
        if part["type"] == "text":
            said.append(TextPart(part["text"]))
        elif part["type"] == "reasoning":
            said.extend(_thinking(part, provider))
        elif is_call(part):
            name, call_id = part["type"].removeprefix("tool-"), part["toolCallId"]
            said.append(ToolCallPart(name, part["input"], call_id))
            if part["state"] != "approval-responded":  # that one is about to run
                given.append(_outcome(name, call_id, part))
    out: list[ModelMessage] = [ModelResponse(said)] if said else []
    return [*out, ModelRequest(given)] if given else out


def _outcome(name: str, call_id: str, part: Part) -> ToolReturnPart:
    state = part["state"]
    if state == "output-available":
        output = part["output"]
        text = output if isinstance(output, str) else dumps(output)
        return ToolReturnPart(name, text, call_id)
    if state == "output-denied":
        reason = part.get("approval", {}).get("reason", "")
        return ToolReturnPart(name, f"{_DENIED} {reason}".strip(), call_id, outcome="denied")
    return ToolReturnPart(name, part.get("errorText", ""), call_id, outcome="failed")


def _thinking(part: Part, provider: str) -> list[ThinkingPart]:
    """Reasoning goes back only to who signed it; others would take it for a text."""
    metadata = part.get("providerMetadata", {}).get(provider)
    signature = metadata.get("signature") if isinstance(metadata, dict) else None
    if not isinstance(signature, str):
        return []
    return [ThinkingPart(part["text"], signature=signature, provider_name=provider)]


def _said(parts: list[Part], remote_files: bool) -> str | list[UserContent]:
    """What the user said: plain text where that is all, as many servers take no other form."""
    contents = [_content(part, remote_files) for part in parts]
    texts = [content for content in contents if isinstance(content, str)]
    return "\n".join(texts) if len(texts) == len(contents) else contents


def _content(part: Part, remote_files: bool) -> UserContent:
    if part["type"] == "text":
        return str(part["text"])
    url, media_type = part["url"], part["mediaType"]
    if url.startswith("data:"):
        return _data(part, url, media_type)
    if remote_files and url.startswith("https://") and media_type.startswith("image/"):
        return ImageUrl(url)
    return f"[file at {url[:500]}]"


def _data(part: Part, url: str, media_type: str) -> UserContent:
    head, _, body = url.partition(",")
    try:
        data = b64decode(body, validate=True) if head.endswith(";base64") else body.encode()
        if media_type.startswith("text/"):
            return f"[file {part.get('filename', '')}]\n{data.decode('utf-8', 'replace')}"
    except (binascii.Error, ValueError):
        return "[a file that cannot be read]"
    return BinaryContent(data, media_type=media_type)


def metadata_of(part: ThinkingPart, provider: str) -> dict[str, Any] | None:
    """What must come back with a piece of reasoning, or None."""
    return {provider: {"signature": part.signature}} if part.signature else None
