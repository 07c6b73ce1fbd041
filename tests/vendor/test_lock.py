"""The lock file: read strictly, with a sentence for everything that is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.vendoring.lock import LockError, read_lock

ROOT = Path(__file__).resolve().parents[2]
GOOD = {"name": "thing", "version": "1.2.3", "file": "thing-1.2.3.tgz", "sha256": "a" * 64}


def lock_file(folder: Path, **sections: Any) -> Path:
    path = folder / "vendor.lock.json"
    path.write_text(json.dumps({"npm": [GOOD], "pypi": [], **sections}), encoding="utf-8")
    return path


def test_our_own_lock_can_be_read() -> None:
    lock = read_lock(ROOT / "vendor.lock.json")

    assert lock["pyodide"].folder == "pyodide-314.0.7"
    assert {package.name for package in lock.of("pypi")} >= {"pydantic", "jsonschema", "attrs"}


def test_entry_is_found_by_name(tmp_path: Path) -> None:
    package = read_lock(lock_file(tmp_path))["thing"]

    assert (package.source, package.version, package.folder) == ("npm", "1.2.3", "thing-1.2.3")


def test_unknown_name_is_told(tmp_path: Path) -> None:
    with pytest.raises(LockError, match="no entry for other"):
        read_lock(lock_file(tmp_path))["other"]


def test_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(LockError, match="is missing"):
        read_lock(tmp_path / "vendor.lock.json")


def test_text_that_is_not_json_is_told(tmp_path: Path) -> None:
    path = tmp_path / "vendor.lock.json"
    path.write_text("{", encoding="utf-8")

    with pytest.raises(LockError, match="not JSON"):
        read_lock(path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": ""}, 'needs a text "version"'),
        ({"sha256": None}, 'needs a text "sha256"'),
        ({"sha256": "A" * 64}, "64 hex digits"),
        ({"sha256": "a" * 63}, "64 hex digits"),
        ({"file": "thing-1.2.4.tgz"}, "does not hold the version"),
        ({"file": "../thing-1.2.3.tgz"}, "does not hold the version"),
    ],
)
def test_damaged_entry_is_told(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(LockError, match=sentence):
        read_lock(lock_file(tmp_path, npm=[{**GOOD, **change}]))


def test_name_twice_is_told(tmp_path: Path) -> None:
    with pytest.raises(LockError, match="names thing twice"):
        read_lock(lock_file(tmp_path, pypi=[GOOD]))


def test_missing_section_is_told(tmp_path: Path) -> None:
    with pytest.raises(LockError, match='needs a list "pypi"'):
        read_lock(lock_file(tmp_path, pypi={}))
