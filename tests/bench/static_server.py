"""Serves files as a good static host does, and counts what it sends.

Precompressed `.br` files are used where they lie beside the originals, text is compressed once,
names with a version or a hash are `immutable`, everything else is revalidated.
"""

from __future__ import annotations

import mimetypes
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import brotli

TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}
TEXT = {".html", ".js", ".mjs", ".css", ".json", ".py", ".toml", ".svg"}
FIXED = re.compile(r"-\d+\.\d+\.\d+/|-[0-9a-f]{12}\.|\.whl$|/stock/")


class StaticServer:
    """A server on a port of its own, over some folders and made-up pages."""

    def __init__(self, folders: dict[str, Path], pages: dict[str, str]) -> None:
        self.folders = folders
        self.pages = pages
        self.sent = 0
        self.asked: list[str] = []
        self.packed: dict[tuple[str, float], bytes] = {}
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def reset(self) -> None:
        """Starts counting anew."""
        self.sent = 0
        self.asked = []

    def count(self, path: str, size: int) -> None:
        """Adds an answer."""
        with self._lock:
            self.sent += size
            self.asked.append(path)

    def find(self, path: str) -> Path | None:
        """The file of an address, or None."""
        for prefix, folder in self.folders.items():
            if path.startswith(prefix):
                file = (folder / path.removeprefix(prefix)).resolve()
                if file.is_file() and file.is_relative_to(folder):
                    return file
        return None

    def close(self) -> None:
        """Stops and frees the port."""
        self._http.shutdown()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    owner: StaticServer
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: _Http

    def log_message(self, format: str, *args: object) -> None:
        """Keeps quiet."""

    def do_GET(self) -> None:
        owner = self.server.owner
        path = self.path.split("?")[0]
        if path in owner.pages:
            self._send(path, owner.pages[path].encode(), "text/html", "no-cache", None)
            return
        file = owner.find(path)
        if file is None:
            self.send_error(404)
            return
        kind = TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "text/plain"
        tag = f'"{file.stat().st_mtime_ns:x}"'
        cache = "public, max-age=31536000, immutable" if FIXED.search(path) else "no-cache"
        if cache == "no-cache" and self.headers.get("if-none-match") == tag:
            self._send(path, b"", kind, cache, None, status=304, tag=tag)
            return
        body, encoding = self._body(file)
        self._send(path, body, kind, cache, encoding, tag=tag)

    def _body(self, file: Path) -> tuple[bytes, str | None]:
        ready = file.with_name(file.name + ".br")
        if ready.exists():
            return ready.read_bytes(), "br"
        if file.suffix not in TEXT or file.stat().st_size < 1024:
            return file.read_bytes(), None
        key = (str(file), file.stat().st_mtime)
        packed = self.server.owner.packed
        if key not in packed:
            packed[key] = brotli.compress(file.read_bytes(), quality=9)
        return packed[key], "br"

    def _send(
        self,
        path: str,
        body: bytes,
        kind: str,
        cache: str,
        encoding: str | None,
        *,
        status: int = 200,
        tag: str | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("cache-control", cache)
        if status == 200:
            self.send_header("content-length", str(len(body)))
        if encoding:
            self.send_header("content-encoding", encoding)
        if tag:
            self.send_header("etag", tag)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        self.server.owner.count(path, len(body) + 250)
