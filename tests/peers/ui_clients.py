"""Real chat clients of the AI SDK, and our backend on loopback for them to talk to."""

from __future__ import annotations

import json
import queue
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from typing import IO, Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from peers.peer import HERE, PeerError, find_node, install
from peers.process import Closing

ANSWER_SECONDS = 30.0


class UiClients(Closing):
    """A process with the clients; each `open` begins a new chat."""

    def __init__(self, folder_name: str = "clients") -> None:
        folder = HERE / folder_name
        node = find_node()
        install(folder, node)
        self._errors: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed with us)
        self._process = subprocess.Popen(
            [node.program, "client.mjs"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def open(self, version: int, url: str, **options: Any) -> Seen:
        """A new chat of a version; see clients/client.mjs for the options."""
        return self.do("open", version=version, url=url, **options)

    def do(self, command: str, **options: Any) -> Seen:
        """Has the client do something; returns what it then holds.

        Raises:
            PeerError: It never came to rest, or it failed.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": command, **options}) + "\n")
        self._process.stdin.flush()
        try:
            line = self._lines.get(timeout=ANSWER_SECONDS)
        except queue.Empty:
            raise PeerError(f"the client is not done with {command}:\n{self._last()}") from None
        if not line:
            raise PeerError(f"the client ended at {command}:\n{self._last()}")
        return Seen(json.loads(line))

    def _last(self) -> str:
        self._errors.seek(0)
        return "\n".join(self._errors.read().splitlines()[-20:])

    def close(self) -> None:
        """Ends the process and waits for it."""
        self._process.kill()
        self._process.wait()
        self._reader.join(10)
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                stream.close()


class Seen:
    """What a client holds: its status, error, messages, the bodies it sent, the tools it ran."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.status: str = report["status"]
        self.error: str | None = report["error"]
        self.messages: list[dict[str, Any]] = report["messages"]
        self.requests: list[dict[str, Any]] = report["requests"]
        self.ran: list[dict[str, Any]] = report["ran"]
        self.report = report

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls of the last message."""
        return [p for p in self.messages[-1]["parts"] if p["type"].startswith("tool-")]

    @property
    def text(self) -> str:
        """The last text of the last message."""
        texts = [p["text"] for p in self.messages[-1]["parts"] if p["type"] == "text"]
        return texts[-1].strip() if texts else ""

    @property
    def roles(self) -> list[str]:
        """Who spoke."""
        return [message["role"] for message in self.messages]


class Served:
    """An application under uvicorn, on loopback, in a thread of its own.

    Set `app` to say which; it may change between two tests. `at_end` is awaited before the end.
    """

    app: ASGIApp
    at_end: Callable[[], Awaitable[None]] | None = None

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(self._answer, interface="asgi3", log_level="error", lifespan="on")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]})
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.005)  # nobody tells us

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if self.at_end is not None:
            await self.at_end()
        await send({"type": "lifespan.shutdown.complete"})

    def close(self) -> None:
        """Ends the server and waits for it."""
        self._server.should_exit = True
        self._thread.join(15)
        self._socket.close()
