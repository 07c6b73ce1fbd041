"""What the backend's benchmark asks: our backend, or bare Starlette writing the same bytes.

`python backend_server.py ours|bare` serves on a free loopback port and prints it. A question that
holds `slow` is answered with a token a second, any other with five at once.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

import uvicorn  # noqa: E402  (found by path)
from starlette.applications import Starlette  # noqa: E402
from starlette.requests import Request  # noqa: E402
from starlette.responses import StreamingResponse  # noqa: E402
from starlette.routing import Route  # noqa: E402

WORDS = ("Here ", "you ", "have ", "five ", "words.")
SECONDS = 60


def ours() -> Starlette:
    """Our whole backend around a model that says what the question asks for."""
    from backend.agent import ModelAgent
    from backend.app import create_app
    from backend.logs import configure
    from backend.settings import Settings
    from pagehand.wire.chunks import Chunk, Finish, TextDelta, TextEnd, TextStart

    class Words:
        name = "words"

        async def step(
            self, messages: list[dict[str, Any]], tools: dict[str, Any]
        ) -> AsyncGenerator[Chunk]:
            yield TextStart("t")
            if messages[-1]["parts"][0]["text"] == "slow":
                for _ in range(SECONDS):
                    yield TextDelta("t", "word ")
                    await asyncio.sleep(1)
            else:
                for word in WORDS:
                    yield TextDelta("t", word)
            yield TextEnd("t")
            yield Finish("stop")

    settings = Settings(site="", rate=0, max_streams=2_000, max_streams_per_client=2_000)
    configure(settings.log_level)
    return create_app(settings, agent=ModelAgent(Words(), settings))


def bare() -> Starlette:
    """The least that could write these bytes: in as many pieces as ours, with no question asked."""

    def event(text: str) -> bytes:
        return f"data: {text}\n\n".encode()

    def delta(word: str) -> bytes:
        return event(f'{{"type":"text-delta","id":"t","delta":"{word}"}}')

    head = event('{"type":"start","messageId":"msg_0123456789abcdef"}')
    head += event('{"type":"start-step"}') + event('{"type":"text-start","id":"t"}')
    tail = event('{"type":"text-end","id":"t"}') + event('{"type":"finish-step"}')
    tail += event('{"type":"finish","finishReason":"stop"}') + event("[DONE]")
    pieces = [delta(word) for word in WORDS]
    pieces = [head + pieces[0], *pieces[1:], tail]
    headers = {
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no",
        "x-vercel-ai-ui-message-stream": "v1",
    }

    async def fast() -> AsyncGenerator[bytes]:
        for piece in pieces:
            yield piece

    async def slow() -> AsyncGenerator[bytes]:
        yield head
        for _ in range(SECONDS):
            yield delta("word ")
            await asyncio.sleep(1)
        yield tail

    async def chat(request: Request) -> StreamingResponse:
        body = await request.body()
        content = slow() if b'"slow"' in body else fast()
        return StreamingResponse(content, media_type="text/event-stream", headers=headers)

    return Starlette(routes=[Route("/chat", chat, methods=["POST"])])


def main() -> None:
    """Serve until the process is ended."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=1_000)
    print(listener.getsockname()[1], flush=True)  # noqa: T201
    logging.raiseExceptions = False
    app = {"ours": ours, "bare": bare}[sys.argv[1]]()
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
