"""The demo model as a whole answer: the bytes a server would send.

The page uses it when there is no server (`fallback="demo"`).
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from typing import Any

from pagehand.demo.model import answer
from pagehand.wire.chunks import Chunk, Finish, FinishStep, Start, StartStep
from pagehand.wire.codec import encode_chunk
from pagehand.wire.jsontext import dumps
from pagehand.wire.sse import encode_event


async def stream(
    messages: list[dict[str, Any]], tools: dict[str, dict[str, Any]], *, delay: float = 0.015
) -> AsyncGenerator[bytes]:
    """Yield a whole UI message stream.

    Args:
        messages: UIMessages in wire form, as posted.
        tools: Name to `{"description", "inputSchema"}`.
        delay: Seconds between the pieces.
    """
    last = messages[-1] if messages else {}
    continued = last.get("role") == "assistant"
    message_id = last.get("id") if continued else f"msg_{os.urandom(8).hex()}"
    yield _encode(Start(message_id=message_id))
    yield _encode(StartStep())
    end = Finish("stop")
    async for chunk in answer(messages, tools, delay=delay):
        if isinstance(chunk, Finish):
            end = chunk
        else:
            yield _encode(chunk)
    yield _encode(FinishStep())
    yield _encode(end)
    yield encode_event("[DONE]")


def _encode(chunk: Chunk) -> bytes:
    return encode_event(dumps(encode_chunk(chunk)))
