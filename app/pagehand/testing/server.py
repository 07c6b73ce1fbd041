"""The web server of the testing kit: our static files, the test's own page, a scripted `/chat`."""

from __future__ import annotations

import mimetypes
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pagehand.testing.script import ScriptedModel
from pagehand.wire.jsontext import loads

_TYPES = {
    ".mjs": "text/javascript",
    ".js": "text/javascript",
    ".wasm": "application/wasm",
    ".py": "text/x-python; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}


class KitServer:
    """Serves one test on a port of its own, in threads.

    Args:
        static: The folder that holds `pagehand.js` and `vendor`; served at `/static/`.

    Attributes:
        url: The address, without a slash at its end.
        model: What answers `/chat`.
        folders: Path prefixes to folders.
        pages: Paths to made-up HTML pages.
    """

    def __init__(self, static: Path) -> None:
        self.model = ScriptedModel()
        self.folders: dict[str, Path] = {"/static/": static}
        self.pages: dict[str, str] = {}
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def find(self, path: str) -> Path | None:
        """The file behind a path, or None. The longest prefix decides."""
        prefixes = [prefix for prefix in self.folders if path.startswith(prefix)]
        if not prefixes:
            return None
        prefix = max(prefixes, key=len)
        folder = self.folders[prefix].resolve()
        file = (folder / path[len(prefix) :]).resolve()
        if file.is_dir():
            file /= "index.html"
        return file if file.is_file() and file.is_relative_to(folder) else None

    def close(self) -> None:
        """Stops serving and frees the port."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    owner: KitServer
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """Browsers drop connections as they like; only other errors are news."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: object) -> None:
        """Keeps quiet: a test's output is no server log."""

    def do_GET(self) -> None:
        """A made-up page, or a file."""
        path = unquote(urlsplit(self.path).path)
        page = self.server.owner.pages.get(path)
        if page is not None:
            self._send(200, _TYPES[".html"], page.encode())
            return
        file = self.server.owner.find(path)
        if file is None:
            self._send(404, "text/plain", b"not here")
        else:
            self._send(200, _type_of(file), file.read_bytes())

    def do_POST(self) -> None:
        """`/chat`, wherever the page's `endpoint` points on this server."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = loads(raw.decode())
        answer = self.server.owner.model.answer(body)
        self._send(200, "text/event-stream", answer, {"x-vercel-ai-ui-message-stream": "v1"})

    def _send(
        self, status: int, kind: str, body: bytes, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("cache-control", "no-cache")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _type_of(file: Path) -> str:
    known = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0]
    return known or "application/octet-stream"
