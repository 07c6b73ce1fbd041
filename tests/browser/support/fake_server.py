"""A web server whose `/chat` says exactly what a test wants, and which keeps what it was sent.

It runs in a thread of the test, so a test reads the request bodies directly:

    server.answer(stream([{"type": "start", "messageId": "a1"}, ...]))
    server.answer(Reply(400, b'{"message": "no"}', "application/json"))
    server.answer(stream([...]).cut())         # the connection breaks off in the middle
    ...
    assert server.requests[0]["messages"][0]["role"] == "user"

Everything that is not `/chat` is a file of the repository or a page made with `page()`.
"""

from __future__ import annotations

import itertools
import json
import mimetypes
import socket
import sys
import threading
from collections import deque
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
TYPES = {
    ".mjs": "text/javascript",
    ".js": "text/javascript",
    ".wasm": "application/wasm",
    ".py": "text/x-python",
    ".toml": "application/toml",
}


@dataclass(frozen=True)
class Reply:
    """One answer of `/chat`."""

    status: int = 200
    body: bytes = b""
    content_type: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)
    breaks: bool = False
    gate: threading.Event | None = None
    """The body's last part is held back until the event is set."""
    held: bytes = b""

    def cut(self) -> Reply:
        """The same, but the connection dies after the body: no clean end."""
        return replace(self, breaks=True)


def event(chunk: dict[str, Any] | str) -> bytes:
    """One server-sent event."""
    data = chunk if isinstance(chunk, str) else json.dumps(chunk, ensure_ascii=False)
    return f"data: {data}\n\n".encode()


def stream(chunks: list[dict[str, Any]], *, done: bool = True) -> Reply:
    """A UI message stream of these chunks; with `done` the `[DONE]` mark closes it."""
    body = b"".join(event(chunk) for chunk in chunks) + (event("[DONE]") if done else b"")
    return Reply(body=body, headers={"x-vercel-ai-ui-message-stream": "v1"})


def said(text: str, *, message_id: str = "answer-1") -> list[dict[str, Any]]:
    """The chunks of one whole answer that is only text."""
    return [
        {"type": "start", "messageId": message_id},
        {"type": "start-step"},
        {"type": "text-start", "id": "t1"},
        {"type": "text-delta", "id": "t1", "delta": text},
        {"type": "text-end", "id": "t1"},
        {"type": "finish-step"},
        {"type": "finish", "finishReason": "stop"},
    ]


def called(*calls: tuple[str, str, Any], message_id: str = "answer-1") -> list[dict[str, Any]]:
    """The chunks of one step that asks for tool calls: `(call id, tool name, input)`."""
    asked: list[dict[str, Any]] = []
    for call_id, name, value in calls:
        call = {"toolCallId": call_id, "toolName": name}
        asked += [
            {"type": "tool-input-start", **call},
            {
                "type": "tool-input-delta",
                "toolCallId": call_id,
                "inputTextDelta": json.dumps(value),
            },
            {"type": "tool-input-available", **call, "input": value},
        ]
    head = [{"type": "start", "messageId": message_id}, {"type": "start-step"}]
    tail = [{"type": "finish-step"}, {"type": "finish", "finishReason": "tool-calls"}]
    return [*head, *asked, *tail]


class FakeServer:
    """Serves the repository and a scripted `/chat` on a port of its own."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.pages: dict[str, tuple[str, bytes]] = {}
        self.missing: set[str] = set()
        self.holds: dict[str, threading.Event] = {}
        self.replies: deque[Reply] = deque()
        self.always: Reply | None = None
        self._numbers = itertools.count(1)
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def answer(self, *replies: Reply) -> None:
        """Queues answers for the next requests; with none left, `always` or a 500 answers."""
        self.replies.extend(replies)

    def hold(self, ending: str) -> threading.Event:
        """Holds files back whose address ends so, until the event is set."""
        return self.holds.setdefault(ending, threading.Event())

    def page(self, body: str, *, head: str = "", lang: str = "en") -> str:
        """Makes a page that loads the element; returns its address."""
        text = (
            f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>t</title>{head}'
            f'<script type="module" src="/static/pagehand.js"></script></head>'
            f"<body>{body}</body></html>"
        )
        return self.file(f"page-{next(self._numbers)}.html", text)

    def file(self, name: str, text: str, content_type: str = "") -> str:
        """Puts a made-up file at `/made/NAME`; returns its address."""
        kind = content_type or _type_of(name)
        self.pages[f"/made/{name}"] = (kind, text.encode())
        return f"{self.url}/made/{name}"

    def close(self) -> None:
        """Stops serving and frees the port."""
        for reply in [*self.replies, *([self.always] if self.always else [])]:
            if reply.gate:
                reply.gate.set()
        for released in self.holds.values():
            released.set()
        self._http.shutdown()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    owner: FakeServer
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """Browsers drop connections as they like; only other errors are news."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: object) -> None:
        """Keeps quiet: a test's output is not a server log."""

    def do_OPTIONS(self) -> None:
        self._send(
            204, "", b"", {"access-control-allow-headers": "*", "access-control-max-age": "5"}
        )

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        for ending, released in self.server.owner.holds.items():
            if path.endswith(ending):
                released.wait(60)
        made = self.server.owner.pages.get(path)
        if made:
            self._send(200, made[0], made[1])
            return
        target = (ROOT / path.lstrip("/")).resolve()
        known = target.is_file() and target.is_relative_to(ROOT)
        if not known or path.endswith(tuple(self.server.owner.missing)):
            self._send(404, "text/plain", b"not here")
            return
        self._send(200, _type_of(target.name), target.read_bytes())

    def do_POST(self) -> None:
        owner = self.server.owner
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        owner.requests.append(json.loads(raw))
        owner.headers.append({key.lower(): value for key, value in self.headers.items()})
        reply = owner.replies.popleft() if owner.replies else owner.always
        if reply is None:
            self._send(500, "application/json", b'{"message": "the test has no answer left"}')
        else:
            self._reply(reply)

    def _reply(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type)
        self.send_header("access-control-allow-origin", "*")
        self.send_header("connection", "close")
        if reply.breaks:
            # A promised length that never comes makes the browser see a broken connection.
            self.send_header("content-length", str(len(reply.body) + 1000))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)
        self.wfile.flush()
        if reply.gate:
            reply.gate.wait(30)
            self.wfile.write(reply.held)
        self.close_connection = True
        if reply.breaks:
            self.connection.shutdown(socket.SHUT_RDWR)

    def _send(
        self, status: int, kind: str, body: bytes, headers: dict[str, str] | None = None
    ) -> None:
        try:
            self.send_response(status)
            self.send_header("content-type", kind or "text/plain")
            self.send_header("content-length", str(len(body)))
            self.send_header("access-control-allow-origin", "*")
            self.send_header("cache-control", "no-cache")
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            self.close_connection = True


def _type_of(name: str) -> str:
    return TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "text/plain"
