"""The manifest finds what is missing or different, and tells the runtime what to load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.vendoring.manifest import Entry, entry, faults, read_manifest, write_manifests


@pytest.fixture
def vendor(tmp_path: Path) -> Path:
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "boot-1.zip").write_bytes(b"boot")
    (tmp_path / "python" / "boot-0.zip").write_bytes(b"of an earlier run")
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "x.js").write_bytes(b"export {};")
    runtime: dict[str, Any] = {"version": "1", "extension": "x.so"}
    runtime["files"] = {"boot": entry(tmp_path, "python/boot-1.zip")}
    imports = {"early": ["re"], "late": ["csv"]}
    write_manifests(tmp_path, inputs={"lock": "a"}, imports=imports, runtime=runtime)
    return tmp_path


def manifest_of(vendor: Path) -> dict[str, Any]:
    manifest = read_manifest(vendor)
    assert manifest is not None
    return manifest


def test_complete_folder_has_no_faults(vendor: Path) -> None:
    assert faults(vendor, manifest_of(vendor), deep=True) == []


def test_archives_of_earlier_runs_are_not_named(vendor: Path) -> None:
    assert sorted(manifest_of(vendor)["files"]) == ["js/x.js", "manifest.js", "python/boot-1.zip"]


def test_missing_short_and_changed_files_are_named(vendor: Path) -> None:
    manifest = manifest_of(vendor)
    (vendor / "python" / "boot-1.zip").write_bytes(b"boot and more")
    (vendor / "js" / "x.js").write_bytes(b"export  ;;")
    (vendor / "manifest.js").unlink()

    quick = faults(vendor, manifest, deep=False)
    deep = faults(vendor, manifest, deep=True)

    assert sorted(quick) == [
        "manifest.js is missing",
        "python/boot-1.zip has 13 bytes instead of 4",
    ]
    assert set(deep) - set(quick) == {"js/x.js was changed"}


def test_script_holds_path_size_and_hash_as_browsers_write_it(vendor: Path) -> None:
    text = (vendor / "manifest.js").read_text(encoding="utf-8")

    told = json.loads(text.partition("export default ")[2].rstrip().rstrip(";"))

    assert told["version"] == "1"
    assert told["files"]["boot"] == {
        "path": "python/boot-1.zip",
        "size": 4,
        "integrity": Entry("", 4, (vendor_hash := _sha256(b"boot"))).integrity,
    }
    assert told["files"]["boot"]["integrity"].startswith("sha256-")
    assert len(vendor_hash) == 64


@pytest.mark.parametrize("text", ["", "[]", "{", '{"files": {}}'])
def test_damaged_manifest_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")

    assert read_manifest(tmp_path) is None


def _sha256(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()
