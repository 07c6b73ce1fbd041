"""What a type checker knows of a view: the state it gets and the answer it may give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
VIEW = """
from dataclasses import dataclass
from pagehand.toolkit.tool_ui import Showing, ToolUI
from pagehand.toolkit.toolkit import Toolkit

@dataclass
class Pick:
    prompt: str

PickAsset: ToolUI[Pick, str] = ToolUI("pick_asset", state=Pick, answer=str)
toolkit = Toolkit()

@toolkit.view(PickAsset)
def good(ui: Showing[Pick, str]) -> bool:
    return ui.resolve(ui.state.prompt)

def wrong_answer(ui: Showing[Pick, str]) -> bool:
    return ui.resolve(3)

def wrong_state(ui: Showing[Pick, str]) -> int:
    return ui.state.candidates

@toolkit.view(PickAsset)
def wrong_view(ui: Showing[int, str]) -> None:
    pass
"""


def test_state_and_resolve_are_typed(tmp_path: Path) -> None:
    file = tmp_path / "view.py"
    file.write_text(VIEW, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--strict", str(file)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={"MYPYPATH": str(ROOT / "app"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    # The path may be that of an earlier run: the checker keeps what it said of the same text.
    found = [line.split(":", 2)[1:] for line in done.stdout.splitlines() if "/view.py:" in line]
    assert found, done.stdout + done.stderr
    lines = VIEW.splitlines()
    told = {lines[int(number) - 1].strip(): text for number, text in found}
    assert 'incompatible type "int"; expected "str"' in told.pop("return ui.resolve(3)")
    assert 'no attribute "candidates"' in told.pop("return ui.state.candidates")
    assert "incompatible type" in told.pop("@toolkit.view(PickAsset)")
    assert told == {}, done.stdout
