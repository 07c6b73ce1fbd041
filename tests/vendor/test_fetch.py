"""Fetching: the checksum decides, and what was fetched once is not fetched again."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from scripts.node import Node, NodeError
from scripts.vendoring.fetch import fetch, unpack
from scripts.vendoring.lock import Locked, LockError


def tarball(text: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        info = tarfile.TarInfo("package/index.js")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    return buffer.getvalue()


CONTENT = tarball(b"export default 1;\n")


def locked(content: bytes = CONTENT) -> Locked:
    digest = hashlib.sha256(content).hexdigest()
    return Locked("npm", "thing", "1.0.0", "thing-1.0.0.tgz", digest)


class FakeNode(Node):
    """An npm that puts a file where it is told to work, and counts."""

    calls: list[tuple[str, ...]]
    content: bytes | None

    def __new__(cls, content: bytes | None) -> FakeNode:
        made = super().__new__(cls)
        object.__setattr__(made, "calls", [])
        object.__setattr__(made, "content", content)
        return made

    def __init__(self, content: bytes | None) -> None:
        super().__init__("node", ("npm",))

    def run_npm(self, *words: str | Path, cwd: Path | None = None) -> str:
        self.calls.append(tuple(map(str, words)))
        if self.content is None:
            raise NodeError("no connection")
        assert cwd is not None
        (cwd / "thing-1.0.0.tgz").write_bytes(self.content)
        return ""


def test_package_is_fetched_by_exact_version_and_only_once(tmp_path: Path) -> None:
    node = FakeNode(CONTENT)

    first = fetch(locked(), tmp_path, node)
    second = fetch(locked(), tmp_path, node)

    assert first == second
    assert first.read_bytes() == CONTENT
    assert [call[:2] for call in node.calls] == [("pack", "thing@1.0.0")]


def test_wrong_checksum_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    with pytest.raises(LockError, match="do not use it"):
        fetch(locked(b"other"), tmp_path, FakeNode(CONTENT))

    assert list(tmp_path.iterdir()) == []


def test_damaged_cache_is_fetched_anew(tmp_path: Path) -> None:
    (tmp_path / "thing-1.0.0.tgz").write_bytes(CONTENT[:-1])

    assert fetch(locked(), tmp_path, FakeNode(CONTENT)).read_bytes() == CONTENT


def test_failure_of_npm_is_told(tmp_path: Path) -> None:
    with pytest.raises(LockError, match=r"npm could not fetch thing 1\.0\.0"):
        fetch(locked(), tmp_path, FakeNode(None))


def test_package_is_unpacked_once(tmp_path: Path) -> None:
    archive = tmp_path / "thing-1.0.0.tgz"
    archive.write_bytes(CONTENT)

    folder = unpack(archive, locked(), tmp_path / "unpacked")
    archive.unlink()

    assert (folder / "index.js").read_text() == "export default 1;\n"
    assert unpack(archive, locked(), tmp_path / "unpacked") == folder
