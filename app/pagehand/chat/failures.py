"""From what went wrong to a `ChatError` with a sentence for people."""

from __future__ import annotations

from collections.abc import AsyncIterator

from pagehand.chat.transport import Response
from pagehand.errors import (
    AnswerFormatError,
    ChatError,
    HttpStatusError,
    MalformedEventError,
    NotAStreamError,
    PagehandError,
    RequestError,
    ServerStreamError,
)
from pagehand.wire.jsontext import loads

_BODY_LIMIT = 65_536
_TEXT_SHOWN = 300

_STATUS_SENTENCES = {
    400: "The server refused the request.",
    401: "The server asks for a sign-in.",
    403: "The server does not allow this.",
    404: "There is no assistant at this address.",
    405: "The assistant's address does not take messages.",
    408: "The server waited too long.",
    413: "The conversation is too large for the server.",
    429: "The server is getting too many requests.",
    502: "The server behind the address does not answer.",
    503: "The server is not available just now.",
    504: "The server behind the address did not answer in time.",
}


async def status_error(response: Response) -> HttpStatusError:
    """The error of an answer with an error status; reads a limited part of its body."""
    text = (await _read(response.body)).decode("utf-8", "replace").strip()
    return HttpStatusError(
        _message(text) or _sentence(response.status),
        status=response.status,
        retry_after=retry_after(response.headers.get("retry-after")),
    )


def _sentence(status: int) -> str:
    known = _STATUS_SENTENCES.get(status)
    if known is None:
        kind = "The server failed." if status >= 500 else "The server refused the request."
        return f"{kind} (HTTP {status})"
    return f"{known} (HTTP {status})"


def _message(text: str) -> str:
    if not text or text[0] == "<":
        return ""
    if text[0] not in '{["':
        return text[:_TEXT_SHOWN]
    from pagehand.wire.sniff import error_message

    try:
        return error_message(loads(text))
    except MalformedEventError:
        return text[:_TEXT_SHOWN]


async def _read(body: AsyncIterator[bytes]) -> bytes:
    data = b""
    try:
        async for piece in body:
            data += piece
            if len(data) >= _BODY_LIMIT:
                break
    except ChatError:
        # The status alone is worth telling.
        pass
    return data[:_BODY_LIMIT]


def retry_after(header: str | None) -> float | None:
    """The seconds a `Retry-After` header asks for; it may also hold a date."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    import time
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None


def stream_error(error_text: str) -> ServerStreamError:
    """The error of an `error` chunk; servers often put a JSON object into its text."""
    text = error_text.strip()
    if text.startswith("{"):
        try:
            value = loads(text)
        except MalformedEventError:
            value = None
        if isinstance(value, dict) and isinstance(value.get("message"), str) and value["message"]:
            text = value["message"]
    error = ServerStreamError(text or "The server reported an error.")
    if text != error_text:
        error.add_note(error_text)
    return error


def chat_error(error: Exception) -> ChatError:
    """Any failure of a turn as a `ChatError`."""
    if isinstance(error, ChatError):
        return error
    if isinstance(error, NotAStreamError):
        found: ChatError = AnswerFormatError(str(error))
    elif isinstance(error, PagehandError):
        found = RequestError(str(error))
    else:
        found = ChatError(f"Something in this page failed: {type(error).__name__}: {error}")
    found.__cause__ = error
    return found
