"""The backend in a process of its own, and scripts for its model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class Running:
    """A backend in a process of its own."""

    def __init__(self, **variables: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "backend"],
            cwd=ROOT,
            env=environment(PORT="0", **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        self.url = self.line.removeprefix("pagehand: ").strip()

    def end(self, how: int = signal.SIGTERM) -> tuple[int, list[dict[str, Any]]]:
        """Stop it; return the exit code and the lines of its log."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, [json.loads(line) for line in err.splitlines()]


def environment(**variables: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PAGEHAND_")}
    return {**kept, **{f"PAGEHAND_{name}": value for name, value in variables.items()}}


def script(tmp_path: Path, *rules: Any) -> str:
    file = tmp_path / "script.json"
    file.write_text(json.dumps(rules))
    return f"script:{file}"
