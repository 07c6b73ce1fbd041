"""Compression: only what is worth it, each content once, the best result for any wish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest

from scripts.node import Node
from scripts.vendoring.compress import QUICK, compress_all


class FakeNode(Node):
    """Writes the quality and the content instead of compressing; keeps what it was asked."""

    asked: ClassVar[list[int]] = []

    def run(self, *words: str | Path, cwd: Path | None = None, stdin: str | None = None) -> str:
        job = json.loads(stdin or "")
        for source, target in job["jobs"]:
            self.asked.append(job["quality"])
            Path(target).write_bytes(str(job["quality"]).encode() + Path(source).read_bytes())
        return ""


@pytest.fixture
def node() -> FakeNode:
    made = FakeNode("node", ("npm",))
    made.asked.clear()
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "served" / "big.js"
    path.parent.mkdir()
    path.write_bytes(b"x" * 2000)
    return path


def test_small_files_are_left_alone(tmp_path: Path, node: FakeNode) -> None:
    small = tmp_path / "small.js"
    small.write_bytes(b"x" * 1000)

    compress_all([small], tmp_path / "cache", node)

    assert list(tmp_path.glob("*.br")) == []


def test_each_content_is_compressed_once(tmp_path: Path, node: FakeNode, file: Path) -> None:
    compress_all([file], tmp_path / "cache", node)
    compress_all([file], tmp_path / "cache", node)

    assert node.asked == [11]
    assert file.with_name("big.js.br").read_bytes() == b"11" + file.read_bytes()


def test_changed_content_is_compressed_anew(tmp_path: Path, node: FakeNode, file: Path) -> None:
    compress_all([file], tmp_path / "cache", node)
    file.write_bytes(b"y" * 2000)

    compress_all([file], tmp_path / "cache", node)

    assert file.with_name("big.js.br").read_bytes() == b"11" + file.read_bytes()


def test_best_result_is_taken_for_a_quick_wish(tmp_path: Path, node: FakeNode, file: Path) -> None:
    compress_all([file], tmp_path / "cache", node)
    compress_all([file], tmp_path / "cache", node, QUICK)

    assert node.asked == [11]


def test_quick_result_is_not_taken_for_the_best(tmp_path: Path, node: FakeNode, file: Path) -> None:
    compress_all([file], tmp_path / "cache", node, QUICK)
    compress_all([file], tmp_path / "cache", node)

    assert node.asked == [QUICK, 11]
    assert file.with_name("big.js.br").read_bytes().startswith(b"11")
