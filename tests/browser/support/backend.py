"""The real backend in a process of its own, on a free port."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
from pathlib import Path

from peers.process import end

ROOT = Path(__file__).resolve().parents[3]
READY = "pagehand: http"


class Backend:
    """`python -m backend` with some settings; `url` has no slash at its end."""

    def __init__(self, **settings: str) -> None:
        environment = {
            **os.environ,
            "PAGEHAND_HOST": "127.0.0.1",
            "PAGEHAND_PORT": "0",
            "PYTHONUNBUFFERED": "1",
            **{f"PAGEHAND_{name.upper()}": value for name, value in settings.items()},
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "backend"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.url = self._wait_for_address(30.0)

    def _wait_for_address(self, limit: float) -> str:
        stdout = self._process.stdout
        assert stdout is not None
        seen: list[str] = []
        deadline = time.monotonic() + limit
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while time.monotonic() < deadline and selector.select(deadline - time.monotonic()):
                line = stdout.readline()
                if not line:
                    break
                seen.append(line)
                if line.startswith(READY):
                    return line.split(" ", 1)[1].strip().rstrip("/")
        self.close()
        raise RuntimeError("the backend did not start:\n" + "".join(seen))

    def close(self) -> None:
        """Ends the process and waits for it."""
        end(self._process)
