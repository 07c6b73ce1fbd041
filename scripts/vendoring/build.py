"""Builds static/vendor from the lock file, and does nothing where nothing changed."""

from __future__ import annotations

import contextlib
import fcntl
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.node import Node, find_node

from .app import app_sources, library_imports
from .archives import content_hash, stored_zip, write_file
from .compress import compress_all
from .fetch import fetch_all
from .layout import JS_MODULES, PYODIDE_FILES, PYSCRIPT_LEFT_OUT
from .library import Library, compile_stdlib, module_names, split_library
from .lock import Lock, read_lock
from .manifest import Entry, digest, entry, faults, read_manifest, write_manifests
from .packages import boot_source, extension_file, licences, package_entries, trial_modules
from .pyc import Compiler

# Archives of earlier runs stay this long, for pages that are just starting from them.
_STALE_AFTER = 15 * 60


@dataclass(frozen=True, slots=True)
class Places:
    """Where everything is: the repository and the folders made inside it."""

    root: Path

    @property
    def vendor(self) -> Path:
        """What the page is served."""
        return self.root / "static" / "vendor"

    @property
    def cache(self) -> Path:
        """What spares work on the next run; may be deleted at any time."""
        return self.root / ".cache" / "vendor"

    @property
    def app(self) -> Path:
        """The folder that holds the app's package."""
        return self.root / "app"

    @property
    def lock(self) -> Path:
        """The lock file."""
        return self.root / "vendor.lock.json"

    def inputs(self) -> dict[str, str]:
        """One hash for each of the three things that the outcome depends on."""
        scripts = Path(__file__).parent
        code = [path for path in scripts.rglob("*") if path.suffix in {".py", ".mjs"}]
        app = list((self.app / "pagehand").rglob("*.py"))
        return {
            "lock": digest([self.lock], self.root),
            "scripts": digest(code, scripts),
            "app": digest(app, self.app),
        }


def build(root: Path, *, app_only: bool = False) -> str:
    """Brings static/vendor up to date; returns a sentence that says what was done.

    Args:
        root: The repository.
        app_only: Pack only the app's package, if everything else has been built before.

    Raises:
        LockError: something fetched does not agree with the lock file.
        NodeError: Node.js is missing or a step under it failed.
    """
    places = Places(root)
    with _alone(places.cache):
        inputs = places.inputs()
        manifest = read_manifest(places.vendor)
        if (
            manifest
            and manifest["inputs"] == inputs
            and not faults(places.vendor, manifest, deep=False)
        ):
            return "static/vendor is up to date"
        node = find_node()
        if app_only and manifest and _app_alone_is_enough(places, manifest):
            _repack_app(places, manifest, node, inputs)
            return "packed the app's package"
        _build_all(places, node, inputs)
        return f"built {places.vendor.relative_to(root).as_posix()}"


def check(root: Path) -> list[str]:
    """What is wrong with static/vendor; an empty list if nothing is."""
    places = Places(root)
    read_lock(places.lock)
    manifest = read_manifest(places.vendor)
    if manifest is None:
        return ["static/vendor has not been built: run scripts/vendor.py"]
    old = [name for name, made in places.inputs().items() if manifest["inputs"].get(name) != made]
    found = [f"static/vendor was built from another {name}: run scripts/vendor.py" for name in old]
    return found + faults(places.vendor, manifest, deep=True)


@contextlib.contextmanager
def _alone(cache: Path) -> Iterator[None]:
    """One run at a time: several checks may ask for the files at once."""
    cache.mkdir(parents=True, exist_ok=True)
    write_file(cache.parent / ".gitignore", b"*\n")
    with (cache / ".lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _app_alone_is_enough(places: Places, manifest: dict[str, Any]) -> bool:
    roots = library_imports(app_sources(places.app))
    others = {name: file for name, file in manifest["files"].items() if "pagehand-" not in name}
    return set(roots) <= set(manifest["roots"]) and not faults(
        places.vendor, {"files": others}, deep=False
    )


def _build_all(places: Places, node: Node, inputs: dict[str, str]) -> None:
    lock = read_lock(places.lock)
    folders = fetch_all(lock, places.cache, node)
    engine = folders["pyodide"]
    stdlib = compile_stdlib(Compiler(node, engine, None, places.cache / "pyc"), places.cache)
    compiler = Compiler(node, engine, stdlib, places.cache / "pyc")
    pure = package_entries(folders, compiler)
    sources = app_sources(places.app)
    library = split_library(
        stdlib,
        node,
        engine,
        roots=library_imports(sources),
        packages=[*pure, _extension_entry(extension_file(folders))],
        package_modules=trial_modules(folders),
        cache=places.cache,
    )
    files, copied = _copy_files(places.vendor, lock, folders)
    _remove_others(places.vendor, copied)
    files |= _write_archives(places.vendor, library, pure, compiler, extension_file(folders))
    files["app"] = _write_named(places.vendor, "pagehand", stored_zip(compiler.compile(sources)))
    runtime = _runtime(lock, engine, extension_file(folders).name)
    _finish(places, node, inputs, library.roots, {**runtime, "files": files})


def _extension_entry(path: Path) -> tuple[str, bytes]:
    return f"pydantic_core/{path.name}", path.read_bytes()


def _repack_app(
    places: Places, manifest: dict[str, Any], node: Node, inputs: dict[str, str]
) -> None:
    lock = read_lock(places.lock)
    engine_name = lock["pyodide"]
    engine = places.cache / "unpacked" / f"{engine_name.folder}-{engine_name.sha256[:12]}"
    if not engine.exists():
        _build_all(places, node, inputs)
        return
    stdlib = compile_stdlib(Compiler(node, engine, None, places.cache / "pyc"), places.cache)
    compiler = Compiler(node, engine, stdlib, places.cache / "pyc")
    packed = stored_zip(compiler.compile(app_sources(places.app)))
    files = {
        name: entry(places.vendor, path)
        for name, path in manifest["runtime"].items()
        if name != "app"
    }
    files["app"] = _write_named(places.vendor, "pagehand", packed)
    extension = manifest["extension"]
    runtime = {**_runtime(lock, engine, extension), "files": files}
    _finish(places, node, inputs, manifest["roots"], runtime)


def _copy_files(
    vendor: Path, lock: Lock, folders: dict[str, Path]
) -> tuple[dict[str, Entry], set[Path]]:
    """Copies what is served as it came; returns the runtime's entries and all files written."""
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
    keys = ("module", "asm", "wasm")
    named = {
        key: entry(vendor, f"{pyodide}/{name}")
        for key, name in zip(keys, PYODIDE_FILES, strict=True)
    }
    return named, set(copies)


def _remove_others(vendor: Path, copied: set[Path]) -> None:
    """Removes what an earlier lock file brought; archives of Python have their own rule."""
    for path in sorted(vendor.rglob("*"), reverse=True):
        if path.parent == vendor or "python" in path.relative_to(vendor).parts:
            continue
        if path.is_file() and path.with_name(path.name.removesuffix(".br")) not in copied:
            path.unlink()
    for path in vendor.iterdir():
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _write_archives(
    vendor: Path,
    library: Library,
    pure: list[tuple[str, bytes]],
    compiler: Compiler,
    extension: Path,
) -> dict[str, Entry]:
    names = compiler.cache.parent / "pagehand_library.py"
    write_file(
        names, f"NAMES = frozenset({' '.join(module_names(library.rest))!r}.split())\n".encode()
    )
    own = [boot_source(), _generated(names)]
    return {
        "boot": _write_named(vendor, "boot", stored_zip(library.boot + compiler.compile(own))),
        "packages": _write_named(vendor, "packages", stored_zip(library.packages + pure)),
        "library": _write_named(vendor, "library", stored_zip(library.rest)),
        "extension": _write_named(vendor, "pydantic_core", extension.read_bytes(), ".so"),
    }


def _generated(path: Path) -> Any:
    from .pyc import Source

    return Source(path, path.name, "runtime/", 2)


def _write_named(vendor: Path, name: str, content: bytes, suffix: str = ".zip") -> Entry:
    path = f"python/{name}-{content_hash(content)}{suffix}"
    write_file(vendor / path, content)
    (vendor / path).touch()
    return entry(vendor, path)


def _runtime(lock: Lock, engine: Path, extension: str) -> dict[str, Any]:
    info = json.loads((engine / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]
    return {"version": lock["pyodide"].version, "info": info, "extension": extension}


def _finish(
    places: Places, node: Node, inputs: dict[str, str], roots: list[str], runtime: dict[str, Any]
) -> None:
    _remove_stale(places.vendor, {file.path for file in runtime["files"].values()})
    files = [
        path
        for path in places.vendor.rglob("*")
        if path.is_file()
        and path.suffix != ".br"
        and path.parent != places.vendor
        and not path.name.startswith(".")
    ]
    compress_all(files, places.cache / "br", node)
    write_manifests(places.vendor, inputs=inputs, roots=roots, runtime=runtime)


def _remove_stale(vendor: Path, current: set[str]) -> None:
    limit = time.time() - _STALE_AFTER
    for path in (vendor / "python").iterdir():
        name = f"python/{path.name}".removesuffix(".br")
        if name not in current and path.stat().st_mtime < limit:
            path.unlink(missing_ok=True)
