"""The embedded demo model behind the port."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from backend.history import Message
from backend.models.port import Declaration
from pagehand.wire.chunks import Chunk


class DemoModel:
    """Needs no key and no network; see `pagehand.demo.model`."""

    name = "demo"

    def __init__(self, delay: float = 0.0) -> None:
        self._delay = delay

    def step(self, messages: list[Message], tools: dict[str, Declaration]) -> AsyncGenerator[Chunk]:
        """One step of the demo model."""
        from pagehand.demo.model import answer

        return answer(messages, tools, delay=self._delay)
