"""Puts files into static/vendor, and takes out what no longer belongs there."""

from __future__ import annotations

import time
from pathlib import Path

from .archives import content_hash, write_file
from .layout import JS_MODULES, PYODIDE_FILES, PYSCRIPT_LEFT_OUT
from .lock import Lock
from .manifest import Entry, entry
from .packages import licences

# Archives of earlier runs stay this long, for pages that are just starting from them.
STALE_AFTER = 15 * 60


def copy_files(vendor: Path, lock: Lock, folders: dict[str, Path]) -> dict[str, Entry]:
    """Copies what is served as it came, removes other copies; returns the runtime's entries."""
    pyodide = lock["pyodide"].folder
    copies = {
        vendor / pyodide / name: (folders["pyodide"] / name).read_bytes() for name in PYODIDE_FILES
    }
    pyscript = vendor / lock["@pyscript/core"].folder.replace("core-", "pyscript-")
    for path in sorted((folders["@pyscript/core"] / "dist").iterdir()):
        if path.suffix in {".js", ".css"} and not path.name.startswith(PYSCRIPT_LEFT_OUT):
            copies[pyscript / path.name] = path.read_bytes()
    for package, module, name in JS_MODULES:
        copies[vendor / "js" / name] = (folders[package] / module).read_bytes()
    for name, text in licences(lock, folders).items():
        copies[vendor / "licences" / f"{name}.txt"] = text
    for path, content in copies.items():
        write_file(path, content)
    _remove_others(vendor, set(copies))
    keys = ("module", "asm", "wasm")
    return {
        key: entry(vendor, f"{pyodide}/{name}")
        for key, name in zip(keys, PYODIDE_FILES, strict=True)
    }


def write_named(vendor: Path, name: str, content: bytes, suffix: str = ".zip") -> Entry:
    """Writes an archive under a name with its hash."""
    path = f"python/{name}-{content_hash(content)}{suffix}"
    write_file(vendor / path, content)
    # It may have been there before: its life begins anew.
    (vendor / path).touch()
    return entry(vendor, path)


def remove_stale(vendor: Path, current: set[str]) -> None:
    """Removes archives of earlier runs, but not the latest: a page may be starting from them."""
    limit = time.time() - STALE_AFTER
    for path in (vendor / "python").iterdir():
        name = f"python/{path.name}".removesuffix(".br")
        if name not in current and path.stat().st_mtime < limit:
            path.unlink(missing_ok=True)


def served_files(vendor: Path) -> list[Path]:
    """All files that a server may compress."""
    return [
        path
        for path in vendor.rglob("*")
        if path.is_file()
        and path.suffix != ".br"
        and path.parent != vendor
        and not path.name.startswith(".")
    ]


def _remove_others(vendor: Path, copied: set[Path]) -> None:
    for path in sorted(vendor.rglob("*"), reverse=True):
        if path.parent == vendor or "python" in path.relative_to(vendor).parts:
            continue
        if path.is_file() and path.with_name(path.name.removesuffix(".br")) not in copied:
            path.unlink()
    for path in vendor.iterdir():
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
