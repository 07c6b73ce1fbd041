"""Finding Node.js: old or missing ones are told, a new one is taken with its npm."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import node as node_module
from scripts.node import Node, NodeError, find_node


def program(folder: Path, answer: str) -> Path:
    path = folder / "bin" / "node"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho {answer}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def only_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_module.shutil, "which", lambda name: None)
    monkeypatch.setattr(node_module, "_wheel_home", lambda: None)
    monkeypatch.delenv("NODE", raising=False)


def test_new_one_is_taken_with_the_npm_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = program(tmp_path, "v24.1.0")
    script = tmp_path / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    script.parent.mkdir(parents=True)
    script.touch()
    monkeypatch.setenv("NODE", str(path))

    assert find_node() == Node(str(path), (str(path), str(script)))


def test_old_one_is_told_with_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(tmp_path, "v18.20.0")
    monkeypatch.setenv("NODE", str(path))

    with pytest.raises(NodeError, match=r"20 or newer is needed.*version 18"):
        find_node()


def test_none_at_all_is_told() -> None:
    with pytest.raises(NodeError, match="--ensure"):
        find_node()


def test_failing_command_is_told_with_its_last_lines(tmp_path: Path) -> None:
    script = tmp_path / "fails"
    script.write_text("#!/bin/sh\necho the reason >&2\nexit 3\n", encoding="utf-8")
    script.chmod(0o755)

    with pytest.raises(NodeError, match="the reason"):
        Node(str(script), ("npm",)).run("something.mjs")
