"""A machine without Valkey or Redis, where nothing can be installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from backend_process import ROOT
from shared_server import SharedServer

SCRIPT = ROOT / "scripts" / "valkey.py"


def test_the_script_says_what_to_do_and_stops_nothing() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], env={"PATH": ""}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Install the package `valkey` or `redis`" in done.stdout


def test_only_the_tests_that_need_it_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("PAGEHAND_VALKEY", raising=False)
    with pytest.raises(pytest.skip.Exception, match="Install the package"):
        SharedServer(tmp_path)
