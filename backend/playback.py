"""The HTTP response that plays a recorded answer: from its beginning, then live.

It is one reader among others. When it leaves, the answer goes on (see `backend.recordings`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing

from starlette.types import Receive, Scope, Send

from backend.connection import Connection, GoneError
from backend.streams import OpenStreams
from backend.tapes import LostError

RESUMABLE = "x-pagehand-resumable"
"""The header that says that the answer can be taken up."""


class Playback:
    """The HTTP response that plays a recorded answer.

    Args:
        play: Gives the bytes; `LostError` when they end too soon.
        streams: Looks after it.
        client: What limits are counted by.
        headers: Of the response.
        elsewhere: Whether another process makes the answer.
        counts: Whether it counts against the limits.
        heard_out: Called when the client has had all of it.
    """

    def __init__(
        self,
        play: Callable[[], AsyncGenerator[bytes]],
        streams: OpenStreams,
        client: str,
        headers: Mapping[str, str],
        *,
        elsewhere: bool = False,
        counts: bool = True,
        heard_out: Callable[[], None] = lambda: None,
    ) -> None:
        self.client = client
        self.counts = counts
        self._play = play
        self._streams = streams
        self._headers = {**headers, RESUMABLE: "1"}
        self._elsewhere = elsewhere
        self._heard_out = heard_out
        self._left = False
        self._task: asyncio.Task[object] | None = None
        self._connection: Connection | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Play it to its end, or until the client leaves."""
        self._task = asyncio.current_task()
        connection = self._connection = Connection(receive, send, self._leave)
        self._streams.add(self)
        try:
            await connection.open(self._headers)
            async with aclosing(self._play()) as pieces:
                async for data in pieces:
                    await connection.write(data)
            await connection.complete()
            self._heard_out()
        except (GoneError, LostError):
            pass  # not completing the response makes the server close the connection
        except asyncio.CancelledError:
            if not self._left or self._task is None:
                raise
            self._task.uncancel()
        finally:
            self._task = None
            connection.close()
            self._streams.remove(self)

    def tick(self, now: float) -> None:
        """Keep the connection alive; let a client go that stopped reading."""
        connection, patience = self._connection, self._streams.settings.keep_alive
        if connection is None:
            return
        if connection.stalled(now, self._streams.patience):
            self._leave()
        elif 0 < patience <= now - connection.sent:
            connection.beat()

    def stop(self, why: str) -> None:
        """Break off what another process makes, which will go on; else it ends with its answer."""
        if self._elsewhere:
            self._leave()

    def _leave(self) -> None:
        if not self._left and self._task is not None:
            self._left = True
            self._task.cancel()
