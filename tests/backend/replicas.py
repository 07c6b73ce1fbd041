"""Replicas in this process around one server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from shared_server import SharedServer
from slow_answers import Held, Server


@asynccontextmanager
async def replicas(shared: SharedServer, count: int = 2, **settings: Any) -> AsyncIterator[Any]:
    servers = [Server(Held(), redis_url=shared.url, **settings) for _ in range(count)]
    try:
        yield servers
    finally:
        for server in servers:
            await server.streams.drain(0.0)
            await server.app.state.door.aclose()
