"""The AI SDK's own validator in a process of its own.

with Judge() as judge:
    assert judge.complaint(body) is None
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from peers.peer import HERE, QUIET, find_node, install
from peers.process import Closing


class Judge(Closing):
    """Tells what an AI SDK 7 server would say to a posted body."""

    def __init__(self) -> None:
        folder = HERE / "aisdk"
        node = find_node()
        install(folder, node)
        self._process = subprocess.Popen(
            [node.program, "validate.mjs"],
            cwd=folder,
            env={**os.environ, **QUIET},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def complaint(self, body: dict[str, Any], *server_tools: str) -> str | None:
        """Why a server with these tools of its own would refuse this body; None if it takes it."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps({**body, "serverTools": server_tools}) + "\n")
        stdin.flush()
        line = stdout.readline()
        assert line, "the validator has ended"
        answer: str | None = json.loads(line)
        return answer

    def close(self) -> None:
        """Ends the process and waits for it."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is not None:
            stdin.close()
        self._process.wait(10)
        if stdout is not None:
            stdout.close()
