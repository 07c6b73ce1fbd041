"""The port to the server: how a request leaves and bytes come back.

The browser's transport is `pagehand.browser`'s business; tests use `chat.scripted`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from pagehand.errors import ChatError

if TYPE_CHECKING:
    from pagehand.engine.abort import Abort
    from pagehand.wire.chunks import JsonObject
    from pagehand.wire.stream import Codec


class ChatRequest:
    """One request.

    Attributes:
        method: POST, GET to take up a running answer, or DELETE to end it.
        body: The JSON object to post; None for the others.
        headers: Names in lower case; `content-type` is among them for POST.
        endpoint: An address that replaces the transport's own, or None.
        credentials: The `fetch` option, or None.
        chat_id: The conversation.
        messages: What was said, as UIMessages, however the body writes it.
        tools: The declarations by name, the same way.
        codec: Reads the answer's events; None leaves that to the chat.
    """

    __slots__ = (
        "body",
        "chat_id",
        "codec",
        "credentials",
        "endpoint",
        "headers",
        "messages",
        "method",
        "tools",
    )

    def __init__(
        self,
        body: JsonObject | None,
        headers: dict[str, str],
        *,
        method: str = "POST",
        chat_id: str = "",
        endpoint: str | None = None,
        credentials: str | None = None,
        messages: Sequence[JsonObject] = (),
        tools: Mapping[str, JsonObject] | None = None,
        codec: Codec | None = None,
    ) -> None:
        self.method = method
        self.body = body
        self.headers = headers
        self.endpoint = endpoint
        self.credentials = credentials
        self.chat_id = chat_id
        self.messages = messages
        self.tools = tools or {}
        self.codec = codec

    def url(self, endpoint: str) -> str:
        """Where it goes, for a transport whose own address is `endpoint`."""
        address = self.endpoint or endpoint
        return address if self.method == "POST" else resume_url(address, self.chat_id)


class Response:
    """What came back: status, headers with names in lower case, and the bytes as they come."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: AsyncIterator[bytes]) -> None:
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.body = body


class Transport(Protocol):
    """Sends requests."""

    async def open(self, request: ChatRequest, abort: Abort) -> Response:
        """Send, and return when the status is there.

        Iterating over the body must end, by an error or not, soon after `abort` turns.

        Raises:
            NetworkError: No answer, or (from the body) it broke off.
        """
        ...


def resume_url(endpoint: str, chat_id: str) -> str:
    """The address of a running answer: `{endpoint}/{id}/stream`, before any query.

    Raises:
        ChatError: The id would climb out of the path.
    """
    if chat_id in (".", ".."):
        raise ChatError(f"A conversation cannot be called {chat_id!r}.")
    from urllib.parse import quote

    cut = min((i for i in (endpoint.find("?"), endpoint.find("#")) if i >= 0), default=None)
    path, rest = (endpoint, "") if cut is None else (endpoint[:cut], endpoint[cut:])
    return f"{path.removesuffix('/')}/{quote(chat_id, safe='')}/stream{rest}"
