"""Serves the recorded streams as a model's server does: each event is written by itself."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class StreamServer:
    """A server on a port of its own: a POST to `/NAME` gets that stream, event by event.

    Args:
        streams: The bytes by name.
    """

    def __init__(self, streams: dict[str, bytes]) -> None:
        self.events = {
            f"/{name}": [event + b"\n\n" for event in data.split(b"\n\n") if event]
            for name, data in streams.items()
        }
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stops and frees the port."""
        self._http.shutdown()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    owner: StreamServer
    daemon_threads = True
    block_on_close = False


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:
        """Keeps quiet."""

    def do_OPTIONS(self) -> None:
        self.send_response(204)
        self._allow()
        self.send_header("access-control-allow-headers", "*")
        self.send_header("content-length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self._allow()
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in self.server.owner.events[self.path]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        self.wfile.write(b"0\r\n\r\n")

    def _allow(self) -> None:
        self.send_header("access-control-allow-origin", "*")
