"""Connections that are being closed while their client takes nothing of what is left to send.

The server waits for such a client without end: a closing connection is closed only when its
buffer is empty. So who stops reading would keep a socket for ever, and hold up the shutdown.
"""

from __future__ import annotations

from asyncio import WriteTransport
from collections.abc import Iterable


class Lingering:
    """Cuts them off.

    Args:
        patience: Seconds in which a client must take something; 0: for ever.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._seen: dict[WriteTransport, tuple[int, float]] = {}
        """How much was left to send, and since when."""

    def sweep(self, transports: Iterable[WriteTransport], now: float) -> None:
        """Look at all open connections; cut off those that have waited long enough."""
        before, self._seen = self._seen, {}
        if not self._patience:
            return
        for transport in transports:
            if not transport.is_closing():
                continue
            left = transport.get_write_buffer_size()
            was, since = before.get(transport, (left, now))
            if left != was:
                since = now
            if now - since >= self._patience:
                transport.abort()
            else:
                self._seen[transport] = left, since
