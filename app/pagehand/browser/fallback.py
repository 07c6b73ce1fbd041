"""The demo model in place of a server, for a page that a static host serves.

With `fallback="demo"`, a host that cannot answer POST at all (404, 405 or 501 on the first
request) is replaced by the built-in model, and the page says so. Any later failure is a
failure like every other: a server that answered once is a server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from pagehand.chat.transport import Response

if TYPE_CHECKING:
    from pagehand.chat.transport import ChatRequest, Transport
    from pagehand.engine.abort import Abort

_NO_SERVER = frozenset({404, 405, 501})
_HEADERS = {"content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1"}


class FallbackTransport:
    """Asks a server, or the demo model where there is none.

    Args:
        server: The transport to the server.
        allowed: Says at each first request whether the fallback is wanted.
        tell: Called once, when the demo model takes over.
    """

    __slots__ = ("_allowed", "_demo", "_server", "_server_known", "_tell")

    def __init__(
        self, server: Transport, *, allowed: Callable[[], bool], tell: Callable[[], None]
    ) -> None:
        self._server = server
        self._allowed = allowed
        self._tell = tell
        self._demo = False
        self._server_known = False

    async def open(self, request: ChatRequest, abort: Abort) -> Response:
        """As the server's `open`."""
        if self._demo:
            return self._answer(request)
        response = await self._server.open(request, abort)
        if request.method != "POST":
            return response
        if response.status in _NO_SERVER and not self._server_known and self._allowed():
            await _drain(response)
            self._demo = True
            self._tell()
            return self._answer(request)
        self._server_known = True
        return response

    def forget(self) -> None:
        """Asks the server again next time, because its address has changed."""
        self._demo = self._server_known = False

    def _answer(self, request: ChatRequest) -> Response:
        if request.method != "POST":
            return Response(204, {}, _nothing())
        from pagehand.demo.stream import stream

        request.codec = None  # whatever the server would have spoken, the model speaks ours
        answer = stream(list(request.messages), dict(request.tools))
        return Response(200, dict(_HEADERS), answer)


async def _nothing() -> AsyncIterator[bytes]:
    pieces: tuple[bytes, ...] = ()
    for piece in pieces:
        yield piece


async def _drain(response: Response) -> None:
    """Reads what is left, so that the connection is given back."""
    async for _ in response.body:
        pass
