"""Is this answer a UI message stream? If not, what is it?

A login page, a JSON error or another protocol's stream often comes with status 200. Read as
a UI message stream each gives no message and no error, so the reader looks before it reads.
The content type alone decides nothing: servers and proxies set it wrong in both directions.
"""

from __future__ import annotations

from pagehand.errors import MalformedEventError, NotAStreamError
from pagehand.wire.jsontext import loads, well_formed

HEAD_LIMIT = 65_536
"""Bytes to keep at most while it is not clear yet what an answer is."""

_BOM = b"\xef\xbb\xbf"
_FIELDS = (b"", b"data", b"event", b"id", b"retry")  # a comment is a field without a name
_HEAD_SHOWN = 200
_MESSAGE_SHOWN = 500


def check_response(
    status: int, content_type: str, first_bytes: bytes, *, complete: bool = False
) -> bool:
    """Look at the first bytes of an answer with a success status.

    Args:
        status: HTTP status, for the text of the error.
        content_type: The header's value, or "".
        first_bytes: What came so far.
        complete: Nothing more will come.

    Returns:
        True when these are events, False when too little came to tell.

    Raises:
        NotAStreamError: It is something else; `kind` says what, `head` how it begins.
    """
    head = first_bytes.removeprefix(_BOM).lstrip(b" \t\r\n")
    line, *rest = head.replace(b"\r", b"\n").split(b"\n", 1)
    name, colon, _ = line.partition(b":")
    if name in _FIELDS and (colon or (name and (rest or complete))):
        return True
    if not complete and len(first_bytes) < HEAD_LIMIT and _may_change(first_bytes, line, rest):
        return False
    raise _error(status, content_type, head)


_PROTOCOLS = {
    "ui": ("the AI SDK UI Message Stream", 'set protocol="ui-message-stream"'),
    "ag-ui": ("the AG-UI protocol", 'set protocol="ag-ui"'),
    "mastra-native": ("Mastra's own agent stream", "use a chat route of @mastra/ai-sdk"),
}


def check_event(event: object, wanted: str = "ui") -> None:
    """Look at the JSON of a stream's first event.

    Args:
        event: As parsed.
        wanted: The protocol that is read here, as `protocol_of` names it.

    Raises:
        NotAStreamError: It belongs to another protocol.
    """
    kind = protocol_of(event)
    if kind == wanted:
        return
    name, hint = _PROTOCOLS[kind]
    raise NotAStreamError(
        kind,
        f"The server speaks {name}, not {_PROTOCOLS[wanted][0]}: {hint}.",
        head=str(event)[:_HEAD_SHOWN],
    )


def protocol_of(event: object) -> str:
    """Which protocol an event belongs to: `ag-ui`, `mastra-native`, or `ui` for all else."""
    if not isinstance(event, dict):
        return "ui"
    event_type = event.get("type")
    if "runId" in event and "from" in event:
        return "mastra-native"
    if isinstance(event_type, str) and event_type.isupper():
        return "ag-ui"
    return "ui"


def _may_change(first_bytes: bytes, line: bytes, rest: list[bytes]) -> bool:
    """Whether more bytes may still make a stream of this, or a better error."""
    if line[:1] in (b"{", b"[") or _BOM.startswith(first_bytes):
        return True
    return not rest and any(field.startswith(line) for field in _FIELDS)


def _error(status: int, content_type: str, head: bytes) -> NotAStreamError:
    text = well_formed(head.decode(errors="replace")).replace("\x00", "\ufffd")
    kind, sentence = _judge(text, content_type.lower())
    message = f"The server answered {status}, but {sentence}"
    return NotAStreamError(kind, message, content_type=content_type, head=text[:_HEAD_SHOWN])


def _judge(text: str, content_type: str) -> tuple[str, str]:
    if not text:
        return "empty", "with an empty body instead of a stream."
    if text.startswith("<"):
        return "html", "with a web page instead of a stream. Is the endpoint's address right?"
    if text[0] in "{[":
        return _judge_json(text)
    if "html" in content_type:
        return "html", "with a web page instead of a stream. Is the endpoint's address right?"
    return "text", f"with plain text instead of a stream: {text[:_HEAD_SHOWN]}"


def _judge_json(text: str) -> tuple[str, str]:
    first, _, _ = text.replace("\x1e", "\n").partition("\n")
    try:
        value = loads(text)
    except MalformedEventError:
        try:
            value = loads(first)  # a stream of JSON lines or records
        except MalformedEventError:
            return "json", "with JSON instead of a stream."
    kind = protocol_of(value)
    if kind != "ui":
        return kind, f"with JSON lines of another protocol ({kind}) instead of a stream of events."
    found = error_message(value)
    return "json", f"with JSON instead of a stream{': ' + found if found else '.'}"


def error_message(value: object) -> str:
    """The sentence for people in a JSON error body, or "".

    Knows `message`, `error`, `detail`, `errorText`, `title`, each as text, as an object that
    holds one of them, or as a list whose first item does.
    """
    for _ in range(4):
        if isinstance(value, str):
            return value[:_MESSAGE_SHOWN]
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            keys = ("message", "error", "detail", "errorText", "title", "msg")
            value = next((value[key] for key in keys if value.get(key)), None)
    return ""
