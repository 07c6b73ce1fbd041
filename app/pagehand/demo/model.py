"""A model without a network: decides by words, always the same way, in English and Chinese."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from pagehand.wire.chunks import (
    Chunk,
    Finish,
    TextDelta,
    TextEnd,
    TextStart,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
)
from pagehand.wire.jsontext import dumps


async def answer(
    messages: list[dict[str, Any]], tools: dict[str, dict[str, Any]], *, delay: float = 0.0
) -> AsyncGenerator[Chunk]:
    text = " ".join(p.get("text", "") for m in messages if m["role"] == "user" for p in m["parts"])
    last = messages[-1] if messages else {"role": "user", "parts": []}
    url = next((w for w in text.split() if w.startswith("http")), "")
    if last["role"] == "user" and url and "jump-url-tool" in tools:
        call = f"call_{len(messages)}"
        yield ToolInputStart(call, "jump-url-tool")
        yield ToolInputDelta(call, dumps({"url": url}))
        await asyncio.sleep(delay)
        yield ToolInputAvailable(call, "jump-url-tool", {"url": url})
        yield Finish("tool-calls")
        return
    yield TextStart("t")
    yield TextDelta("t", f"已为你打开 {url}。" if url else "Hello.")
    yield TextEnd("t")
    yield Finish("stop")
