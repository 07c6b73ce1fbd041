"""A real Valkey or Redis server on this machine, for what replicas share."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Self

import pytest
import redis

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from valkey import MissingError, ensure


class SharedServer:
    """The server. It keeps nothing on disk and listens on loopback only.

    Who wants one where there is none is skipped, with a sentence that says what to do.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._program = ensure()
        except MissingError as error:
            pytest.skip(str(error))
        self._folder = folder
        self.start()

    def start(self, port: int = 0) -> None:
        """Start it, on this port or a free one."""
        self.port = port or _free_port()
        options = {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "save": "",
            "appendonly": "no",
            "dir": str(self._folder),
            "daemonize": "no",
        }
        self._process = subprocess.Popen(
            [self._program, *(word for n, v in options.items() for word in (f"--{n}", v))],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.url = f"redis://127.0.0.1:{self.port}/0"
        printed = []
        assert self._process.stdout is not None
        for line in self._process.stdout:
            printed.append(line)
            if "Ready to accept connections" in line:
                return
        raise RuntimeError(f"{self._program} did not start:\n{''.join(printed)}")

    def stop(self) -> None:
        """Stop it at once, as a machine that fails would."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def empty(self) -> None:
        """Forget everything."""
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def forget(self, ending: str) -> None:
        """Delete the keys that end so."""
        with redis.Redis.from_url(self.url) as client:
            client.delete(*(key for key in client.scan_iter() if key.decode().endswith(ending)))

    def without_end(self) -> list[str]:
        """The keys that would stay for ever."""
        with redis.Redis.from_url(self.url) as client:
            return [key.decode() for key in client.scan_iter() if client.ttl(key) < 0]

    def names(self) -> list[str]:
        """All keys."""
        with redis.Redis.from_url(self.url) as client:
            return [key.decode() for key in client.scan_iter()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
