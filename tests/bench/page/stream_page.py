"""The page's end of the stream benchmark; runs after stream_play.py in the same namespace."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from pagehand.browser.fetch import FetchTransport

if TYPE_CHECKING:
    from bench.stream_play import play


class Fetched(FetchTransport):
    """The page's own transport; the clock starts when the answer's head is there."""

    __slots__ = ("began",)

    async def open(self, request: Any, abort: Any) -> Any:
        """Asks, and starts the clock."""
        response = await super().open(request, abort)
        self.began = time.perf_counter()
        return response


async def fetched(messages: str, number: int, address: str) -> float:
    """The fastest of some plays."""
    said = json.loads(messages)
    return min([await play(Fetched(lambda: address), said) for _ in range(number)])
