"""`python -m backend`: read the settings, serve, say when it is ready, end properly."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from time import monotonic
from typing import Any

import uvicorn

from backend import telemetry
from backend.app import create_app
from backend.chat import Door
from backend.lingering import Lingering
from backend.logs import configure
from backend.settings import Settings, SettingsError


class Server(uvicorn.Server):
    """uvicorn's server, which says when it is ready, ends kindly, and waits for nobody for ever."""

    def __init__(self, config: uvicorn.Config, door: Door, url: str) -> None:
        super().__init__(config)
        self._door = door
        self._url = url
        self._lingering = Lingering(door.streams.patience)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, then say so on standard output."""
        await super().startup(sockets)
        if self.started:
            print(f"pagehand: {self._url}", flush=True)

    async def on_tick(self, counter: int) -> bool:
        """What uvicorn does ten times a second."""
        if counter % 5 == 0:
            transports: list[Any] = [
                getattr(connection, "transport", None)
                for connection in self.server_state.connections
            ]
            self._lingering.sweep(filter(None, transports), monotonic())
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting and end the open streams properly while uvicorn waits for them."""
        drain = asyncio.ensure_future(self._door.streams.drain(self._door.settings.grace))
        await super().shutdown(sockets)
        await drain
        # Here, as the signal that stops us is raised again and ends the process at once.
        await asyncio.to_thread(telemetry.close, self._door.settings)


def main() -> int:
    """Run until told to stop; return the exit code."""
    try:
        settings = Settings.from_env(os.environ)
        app = create_app(settings)
        listener = _listen(settings)
    except SettingsError as error:
        print(f"pagehand: {error}", file=sys.stderr)
        return 2
    configure(settings.log_level)
    telemetry.configure(settings)
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=int(settings.grace) + 5,
        timeout_keep_alive=30,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
    )
    server = Server(config, app.state.door, f"http://{shown}:{port}/")
    server.run(sockets=[listener])
    return 0


def _listen(settings: Settings) -> socket.socket:
    """Open the port, so that a port in use is one clear sentence."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise SettingsError(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror}. "
            "Set HOST and PORT to others."
        ) from error
    return listener


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
