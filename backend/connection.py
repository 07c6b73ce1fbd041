"""One HTTP response that a stream is written to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic

from starlette.types import Message, Receive, Send

from pagehand.wire.sse import encode_comment

_CONTENT_TYPE = (b"content-type", b"text/event-stream")
_KEEP_ALIVE = encode_comment("keep-alive")


class GoneError(Exception):
    """Nobody reads any more."""


class Connection:
    """One HTTP response being streamed.

    Args:
        receive: Tells when the client leaves.
        send: Takes the bytes.
        left: Called once when the client has left.
    """

    def __init__(self, receive: Receive, send: Send, left: Callable[[], None]) -> None:
        self.sent = monotonic()
        self._send = send
        self._left = left
        self._receive = receive
        self._watcher = asyncio.ensure_future(self._watch())
        self._beating: asyncio.Future[None] | None = None
        self._under_way = 0
        self._since = 0.0

    async def open(self, headers: Mapping[str, str]) -> None:
        """Send the status, 200, and the headers, with the content type of an event stream.

        Raises:
            GoneError: The client has left.
        """
        pairs = [_CONTENT_TYPE, *((n.encode(), v.encode()) for n, v in headers.items())]
        await self._tell({"type": "http.response.start", "status": 200, "headers": pairs})

    async def write(self, data: bytes) -> None:
        """Send bytes, after a beat that is still on its way.

        Raises:
            GoneError: The client has left.
        """
        if self._beating is not None:
            await self._after_beat()
        await self._tell({"type": "http.response.body", "body": data, "more_body": True})

    async def complete(self, last: bytes = b"") -> None:
        """End the response properly; without this the server breaks the connection off.

        Raises:
            GoneError: The client has left.
        """
        if self._beating is not None:
            await self._after_beat()
        await self._tell({"type": "http.response.body", "body": last, "more_body": False})

    def beat(self, take: Callable[[], bytes] = lambda: _KEEP_ALIVE) -> None:
        """Send a comment, or the bytes that this gives, unless something is on its way.

        They are taken only when they are sent: until then something else may take them along.
        """
        if not self.beating and not self._under_way:
            self._beating = asyncio.ensure_future(self._beat(take))

    @property
    def beating(self) -> bool:
        """Whether the last beat is still on its way."""
        return self._beating is not None and not self._beating.done()

    def stalled(self, now: float, patience: float) -> bool:
        """Whether the client has taken nothing for so long, while something is being sent."""
        return bool(self._under_way) and 0 < patience <= now - self._since

    def close(self) -> None:
        """Stop watching and beating."""
        self._watcher.cancel()
        if self._beating is not None:
            self._beating.cancel()

    async def _after_beat(self) -> None:
        while self._beating is not None and not self._beating.done():
            await asyncio.wait((self._beating,))
        self._beating = None

    async def _beat(self, take: Callable[[], bytes]) -> None:
        data = take()
        if data:
            with suppress(GoneError):
                await self._tell({"type": "http.response.body", "body": data, "more_body": True})

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._left()

    async def _tell(self, message: Message) -> None:
        self.sent = monotonic()
        if not self._under_way:
            self._since = self.sent
        self._under_way += 1
        try:
            await self._send(message)
        except OSError:
            raise GoneError from None
        finally:
            self._under_way -= 1
            if self._under_way:
                self._since = monotonic()
