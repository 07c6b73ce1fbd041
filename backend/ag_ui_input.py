"""AG-UI's `RunAgentInput` as a turn: the same history, declarations and answers as `/chat` reads.

AG-UI has a message for each word of the agent, each thought and each result. Ours has one for
an answer, with steps in it; so these are put together first, and the reader of `/chat`, with
all its limits, reads the outcome.
Source: AG-UI 1.0, `RunAgentInput` and messages; retired `binary` parts are taken too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from backend.chat import Door
from backend.history import read_history
from backend.models.port import Turn
from backend.parts import Part
from backend.refusals import RefusalError
from pagehand.errors import DeclarationError, MalformedEventError
from pagehand.wire.declarations import Declarations
from pagehand.wire.jsontext import loads

SUSPENDED = "suspended:"
"""How the id of an interrupt begins that waits for data, not for a yes or no."""

_LONGEST_ID = 200
_MEDIA = ("image", "audio", "video", "document", "binary")


@dataclass(slots=True)
class Run:
    """One accepted run: its id and its turn."""

    id: str
    turn: Turn


def read_run(body: dict[str, Any], door: Door, principal: str, client: str) -> Run:
    """The run that a body asks for.

    Raises:
        RefusalError: 400.
    """
    if "threadId" not in body and "id" in body:
        raise RefusalError(400, 'This address speaks AG-UI: set protocol="ag-ui", or ask at /chat.')
    thread_id, run_id = _id(body, "threadId"), _id(body, "runId")
    raw = _list(body, "messages")
    if len(raw) > door.settings.max_messages:
        raise RefusalError(
            400, f"There are more than {door.settings.max_messages:,} messages. Send fewer."
        )
    reader = _Reader()
    for index, message in enumerate(raw):
        reader.read(f"messages[{index}]", message)
    resume = _resume(_list(body, "resume"), reader)
    messages = [*_context(_list(body, "context")), *reader.messages]
    turn = Turn(
        read_history({"messages": messages}, door.settings),
        _tools(_list(body, "tools"), door),
        client=client,
        chat_id=thread_id,
        principal=principal,
        resume=resume,
    )
    return Run(run_id, turn)


def _id(body: dict[str, Any], key: str) -> str:
    value = body.get(key)
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_ID:
        raise RefusalError(400, f"{key} must be a text of 1 to {_LONGEST_ID} characters.")
    return value


def _list(body: dict[str, Any], key: str) -> list[Any]:
    value = body.get(key)
    if value is None and key != "messages":
        return []
    if not isinstance(value, list):
        raise RefusalError(400, f"{key} must be a list.")
    return value


def _tools(raw: list[Any], door: Door) -> Declarations:
    """The declarations, in the form and by the rules of `/chat`."""
    named: dict[str, Any] = {}
    most = door.settings.max_tools
    if len(raw) > most:
        raise RefusalError(400, f"tools holds {len(raw)} tools; at most {most} may be declared")
    for index, tool in enumerate(raw):
        if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
            raise RefusalError(400, f"tools[{index}] must be an object with a name.")
        if tool["name"] in named:
            raise RefusalError(400, f"tools[{index}] has the name of a tool before it.")
        named[tool["name"]] = {key: value for key, value in tool.items() if key != "name"}
    try:
        return door.declared.read({"tools": named})
    except DeclarationError as error:
        raise RefusalError(400, str(error)) from None


def _context(raw: list[Any]) -> list[Part]:
    """What the application wants the model to know, as a system message."""
    lines: list[str] = []
    for index, entry in enumerate(raw):
        good = isinstance(entry, dict) and all(
            isinstance(entry.get(key), str) for key in ("description", "value")
        )
        if not good:
            raise RefusalError(
                400, f"context[{index}] must be an object with the texts description and value."
            )
        lines.append(f"{entry['description']}: {entry['value']}")
    return [{"role": "system", "content": "\n".join(lines)}] if lines else []


class _Reader:
    """Puts AG-UI's messages together to UIMessages."""

    def __init__(self) -> None:
        self.messages: list[Part] = []
        self.calls: dict[str, Part] = {}
        self._thinking = False  # the present step has only thoughts so far

    def read(self, where: str, raw: object) -> None:
        """Take one message."""
        if not isinstance(raw, dict):
            raise RefusalError(400, f"{where} must be an object with id, role and content.")
        role = raw.get("role")
        if role in ("user", "system", "developer"):
            parts = list(_content(where, raw.get("content")))
            self.messages.append({"id": raw.get("id"), "role": role, "parts": parts})
        elif role == "assistant":
            self._said(where, raw)
        elif role == "reasoning":
            self._step(raw)
            self._parts.append(_thought(raw))
            self._thinking = True
        elif role == "tool":
            self._result(where, raw)
        elif role != "activity":
            raise RefusalError(
                400,
                f"{where}.role must be user, assistant, system, developer, tool, reasoning or "
                "activity.",
            )

    @property
    def _parts(self) -> list[Part]:
        parts: list[Part] = self.messages[-1]["parts"]
        return parts

    def _step(self, raw: Part) -> None:
        """Begin a step, in the answer that is being told or in a new one."""
        if not self.messages or self.messages[-1]["role"] != "assistant":
            self.messages.append({"id": raw.get("id"), "role": "assistant", "parts": []})
        if not self._thinking:
            self._parts.append({"type": "step-start"})
        self._thinking = False

    def _said(self, where: str, raw: Part) -> None:
        self._step(raw)
        if raw.get("content") is not None:
            self._parts.extend(_content(where, raw["content"]))
        calls = raw.get("toolCalls")
        if calls is not None and not isinstance(calls, list):
            raise RefusalError(400, f"{where}.toolCalls must be a list.")
        for call in calls or ():
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict) or not isinstance(call.get("id"), str):
                raise RefusalError(
                    400, f"Every call of {where} must be an object with id and function."
                )
            part = {
                "type": "dynamic-tool",
                "toolName": function.get("name"),
                "toolCallId": call["id"],
                "state": "input-available",
                "input": function.get("arguments"),
            }
            self.calls.setdefault(call["id"], part)
            self._parts.append(part)

    def _result(self, where: str, raw: Part) -> None:
        call_id = raw.get("toolCallId")
        if not isinstance(call_id, str):
            raise RefusalError(400, f"{where}.toolCallId must be a text.")
        call = self.calls.get(call_id)
        text = "".join(part.get("text", "") for part in _content(where, raw.get("content")))
        if call is None or call["state"] != "input-available":
            return  # nobody asked, or it was answered: a provider would refuse it
        if isinstance(raw.get("error"), str):
            call.update(state="output-error", errorText=raw["error"] or text)
        else:
            call.update(state="output-available", output=_value(text))


def _content(where: str, content: object) -> Iterator[Part]:
    """The parts of a content: a text, or a list of parts."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise RefusalError(400, f"{where}.content must be a text or a list of parts.")
    for part in content:
        if not isinstance(part, dict):
            raise RefusalError(400, f"Every part of {where} must be an object with a type.")
        if part.get("type") == "text" and isinstance(part.get("text"), str):
            yield {"type": "text", "text": part["text"]}
        elif part.get("type") in _MEDIA:
            yield from _file(part)


def _file(part: Part) -> Iterator[Part]:
    """A medium with bytes or an address; a provider's own handle is nothing to us."""
    source = part.get("source")
    if not isinstance(source, dict):
        kind = "data" if isinstance(part.get("data"), str) else "url"
        source = {"type": kind, "value": part.get(kind), "mimeType": part.get("mimeType")}
    value, media_type = source.get("value"), source.get("mimeType")
    if source.get("type") not in ("data", "url") or not isinstance(value, str):
        return
    if not isinstance(media_type, str):
        media_type = f"{part['type']}/*" if part["type"] in ("image", "audio", "video") else ""
    metadata = part.get("metadata")
    name = metadata.get("filename") if isinstance(metadata, dict) else part.get("filename")
    url = f"data:{media_type};base64,{value}" if source["type"] == "data" else value
    yield {"type": "file", "mediaType": media_type, "url": url, "filename": name}


def _thought(raw: Part) -> Part:
    """A reasoning; what its provider signed comes back in `encryptedValue`."""
    text = raw.get("content")
    part: Part = {"type": "reasoning", "text": text if isinstance(text, str) else ""}
    signed = raw.get("encryptedValue")
    if isinstance(signed, str):
        with suppress(MalformedEventError):  # another server's need not be ours to read
            part["providerMetadata"] = loads(signed)
    return part


def _value(text: str) -> Any:
    """A result that was written out as text, as what it was."""
    if text[:1] in ("{", "["):
        with suppress(MalformedEventError):
            return loads(text)
    return text


def _resume(raw: list[Any], reader: _Reader) -> tuple[str, Any] | None:
    """Write the answers to interrupts into their calls; the data that a suspended run waits for.

    Whether an answer is good is for who asked to see: its id is signed.
    """
    resumed: tuple[str, Any] | None = None
    for index, entry in enumerate(raw):
        where = f"resume[{index}]"
        status = entry.get("status") if isinstance(entry, dict) else None
        if status not in ("resolved", "cancelled") or not isinstance(entry.get("interruptId"), str):
            raise RefusalError(
                400, f"{where} needs an interruptId and the status resolved or cancelled."
            )
        interrupt, payload = entry["interruptId"], entry.get("payload")
        if interrupt.startswith(SUSPENDED):
            if status == "resolved":
                resumed = (interrupt.removeprefix(SUSPENDED), payload)
            continue
        call = _asked_call(interrupt, reader)
        if call is None:
            raise RefusalError(
                400, f"{where} answers a call that is not open in messages. Send them whole."
            )
        approved, reason = _answer(where, status, payload)
        call["state"] = "approval-responded"
        call["approval"] = {"id": interrupt, "approved": approved, "reason": reason}
    return resumed


def _asked_call(interrupt: str, reader: _Reader) -> Part | None:
    """The open call that an approval id names: `CALL.EXPIRY.MAC`, perhaps with `RUN::` ahead."""
    subject = interrupt.rpartition(".")[0].rpartition(".")[0]
    # Not by looking through all calls: thousands of answers may come to thousands of calls.
    for call_id in (subject, subject.partition("::")[2], subject.rpartition("::")[2]):
        call = reader.calls.get(call_id) if call_id else None
        if call is not None and call["state"] == "input-available":
            return call
    return None


def _answer(where: str, status: str, payload: Any) -> tuple[bool, str]:
    if status == "cancelled":
        return False, "The person did not decide."
    given = payload if isinstance(payload, dict) else {}
    if not isinstance(given.get("approved"), bool):
        raise RefusalError(400, f"{where}.payload must be an object with approved: true or false.")
    if given.get("editedArgs") is not None:
        raise RefusalError(
            400, f"{where}.payload holds editedArgs: a call is approved as it is, or not at all."
        )
    reason = given.get("reason")
    return given["approved"], reason if isinstance(reason, str) else ""
