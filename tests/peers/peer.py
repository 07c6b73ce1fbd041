"""Real servers from npm, each in a process of its own, for tests to talk to.

    with Peer("mastra") as peer:
        httpx.post(f"{peer.url}/chat", ...)

The first use installs the pinned packages (`npm ci`), once for all test processes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx

from peers.process import Closing, end

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))

from node import Node, find_node  # noqa: E402  (scripts are found by path)

START_SECONDS = 60.0
QUIET = {
    "MASTRA_TELEMETRY_DISABLED": "1",
    "AI_SDK_LOG_WARNINGS": "false",
    "NO_COLOR": "1",
}


class PeerError(Exception):
    """A peer could not be installed or started. The text holds the last lines it printed."""


class Peer(Closing):
    """One server of `tests/peers/NAME`, started when made. `url` has no slash at its end."""

    def __init__(self, name: str) -> None:
        folder = HERE / name
        node = find_node()
        install(folder, node)
        self._errors: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed with the peer)
        self._process = subprocess.Popen(
            [node.program, "server.mjs"],
            cwd=folder,
            env={**os.environ, **QUIET},
            stdin=subprocess.PIPE,  # the server ends when this closes, whatever becomes of us
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self.url = f"http://127.0.0.1:{self._port(name)}"

    def _port(self, name: str) -> int:
        stdout = self._process.stdout
        assert stdout is not None
        deadline = time.monotonic() + START_SECONDS
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while selector.select(max(0.0, deadline - time.monotonic())):
                line = stdout.readline()
                if line.startswith('{"port":'):
                    return int(json.loads(line)["port"])
                if not line:
                    break
        self._errors.seek(0)
        last = "\n".join(self._errors.read().splitlines()[-20:])
        self.close()
        raise PeerError(f"the peer {name} did not start:\n{last}")

    def reset(self) -> None:
        """Makes it forget what it saw; ids are counted from one again."""
        httpx.post(f"{self.url}/test/reset").raise_for_status()

    def hold_after(self, text: str) -> None:
        """Lets nothing of the next answer through after the bytes that hold this text."""
        httpx.post(f"{self.url}/test/faults", json={"hold": text}).raise_for_status()

    def cut(self) -> None:
        """Breaks the connection of the answer that is held; that one must have come so far."""
        answer = httpx.post(f"{self.url}/test/cut").raise_for_status()
        assert answer.json() == {"cut": 1}

    def go_on(self) -> None:
        """Lets a model that stands at `wait` go on."""
        httpx.post(f"{self.url}/test/go-on").raise_for_status()

    def refuse(self, status: int, message: str, **headers: str) -> None:
        """Answers the next request with an error instead."""
        fault = {"status": status, "message": message, "headers": headers}
        httpx.post(f"{self.url}/test/faults", json=fault).raise_for_status()

    def bodies(self, path: str = "/chat") -> list[dict[str, Any]]:
        """The JSON bodies that were posted to a path, oldest first."""
        log = httpx.get(f"{self.url}/test/requests").json()
        return [json.loads(entry["text"]) for entry in log if entry["path"] == path]

    def model(self) -> dict[str, Any]:
        """What the model saw: `{"seen": [{"tools", "prompt"}], "aborts"}`."""
        seen: dict[str, Any] = httpx.get(f"{self.url}/test/model").json()
        return seen

    @contextmanager
    def chat(self, body: dict[str, Any], path: str = "/chat") -> Iterator[httpx.Response]:
        """Posts a body and gives the streaming response."""
        url = f"{self.url}{path}"
        with httpx.Client(timeout=30) as client, client.stream("POST", url, json=body) as response:
            yield response

    def close(self) -> None:
        """Ends the process and waits for it."""
        end(self._process)
        self._errors.close()


def install(folder: Path, node: Node) -> None:
    """Installs what the folder's lock file pins, unless it is there already.

    Raises:
        NodeError: npm failed; the text holds its last lines.
    """
    pinned = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    marker = folder / "node_modules" / ".installed"
    with (folder / "package.json").open(encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other test processes wait here
        if not marker.exists() or marker.read_text(encoding="utf-8") != pinned:
            node.run_npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)
            marker.write_text(pinned, encoding="utf-8")
