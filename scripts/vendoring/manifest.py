"""Writes and checks the manifest: what lies in static/vendor, and what it was made from."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .archives import write_file
from .fetch import file_sha256

NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file as the runtime finds it: its path below static/vendor, its size and hash."""

    path: str
    size: int
    sha256: str

    @property
    def integrity(self) -> str:
        """The hash as browsers write it."""
        return "sha256-" + base64.b64encode(bytes.fromhex(self.sha256)).decode()


def entry(root: Path, path: str) -> Entry:
    """Looks at a file."""
    file = root / path
    return Entry(path, file.stat().st_size, file_sha256(file))


def digest(paths: list[Path], root: Path) -> str:
    """One hash over files and their names."""
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(f"{path.relative_to(root).as_posix()}\0{path.stat().st_size}\0".encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def read_manifest(root: Path) -> dict[str, Any] | None:
    """The manifest of the last run, or None if there is none that can be read."""
    try:
        data = json.loads((root / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and "imports" in data and "files" in data else None


def faults(root: Path, manifest: dict[str, Any], *, deep: bool) -> list[str]:
    """What is missing or different from the manifest; sizes only, or hashes too if `deep`."""
    found: list[str] = []
    for path, told in manifest["files"].items():
        file = root / path
        if not file.exists():
            found.append(f"{path} is missing")
        elif file.stat().st_size != told["size"]:
            found.append(f"{path} has {file.stat().st_size} bytes instead of {told['size']}")
        elif deep and file_sha256(file) != told["sha256"]:
            found.append(f"{path} was changed")
    return found


def write_manifests(
    root: Path, *, inputs: dict[str, str], imports: dict[str, list[str]], runtime: dict[str, Any]
) -> None:
    """Writes manifest.js for the runtime, then manifest.json over all files."""
    named: dict[str, Entry] = runtime["files"]
    told = dict(runtime)
    told["files"] = {
        name: {"path": file.path, "size": file.size, "integrity": file.integrity}
        for name, file in named.items()
    }
    text = json.dumps(told, indent=2)
    script = (
        f"// Made by scripts/vendor.py: what static/runtime.js loads.\nexport default {text};\n"
    )
    write_file(root / "manifest.js", script.encode())
    files = [path for path in _kept_files(root, named) if path.name != NAME]
    data = {
        "inputs": inputs,
        "imports": imports,
        "extension": runtime["extension"],
        "runtime": {name: file.path for name, file in named.items()},
        "files": {
            path.relative_to(root).as_posix(): {
                "size": path.stat().st_size,
                "sha256": file_sha256(path),
            }
            for path in files
        },
    }
    write_file(root / NAME, (json.dumps(data, indent=1) + "\n").encode())


def _kept_files(root: Path, named: dict[str, Entry]) -> list[Path]:
    """All files but the archives of earlier runs, which stay for a while for open pages."""
    current = {file.path for file in named.values()}
    return [
        path
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and not path.name.startswith(".")
        and (
            path.parent != root / "python"
            or path.relative_to(root).as_posix().removesuffix(".br") in current
        )
    ]
