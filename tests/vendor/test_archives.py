"""Archives: stored, reproducible, written in one step."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from scripts.vendoring.archives import content_hash, stored_zip, write_file

ENTRIES = [("a/one.pyc", b"1" * 100), ("two.json", b"{}")]


def test_entries_are_stored_and_can_be_read() -> None:
    with zipfile.ZipFile(io.BytesIO(stored_zip(ENTRIES))) as archive:
        assert [(info.filename, archive.read(info)) for info in archive.infolist()] == ENTRIES
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}


def test_equal_entries_make_equal_bytes() -> None:
    assert content_hash(stored_zip(ENTRIES)) == content_hash(stored_zip(list(ENTRIES)))


def test_one_name_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"two\.json"):
        stored_zip([*ENTRIES, ("two.json", b"[]")])


def test_file_is_written_with_its_folder_and_left_alone_when_equal(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"

    write_file(path, b"content")
    before = path.stat().st_mtime_ns
    write_file(path, b"content")

    assert path.read_bytes() == b"content"
    assert path.stat().st_mtime_ns == before
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]
