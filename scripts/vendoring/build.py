"""Builds static/vendor from the lock file, and does nothing where nothing changed."""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.node import Node, find_node

from .app import DEMO, app_sources, library_imports
from .archives import stored_zip, write_file
from .compress import BEST, QUICK, compress_all
from .fetch import fetch_all
from .lock import Lock, read_lock
from .manifest import Entry, digest, entry, faults, read_manifest, write_manifests
from .packages import extension_file, package_entries, trial_modules
from .placing import copy_files, remove_stale, served_files, write_named
from .pyc import Compiler, Source
from .stdlib import Library, Trial, compile_stdlib, module_names, split_library


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
        if app_only and manifest and manifest["inputs"] == _quick(inputs):
            inputs = _quick(inputs)
        if (
            manifest
            and manifest["inputs"] == inputs
            and not faults(places.vendor, manifest, deep=False)
        ):
            return "static/vendor is up to date"
        node = find_node()
        if app_only and manifest and _app_alone_is_enough(places, manifest):
            _repack_app(places, manifest, node, _quick(inputs))
            return "packed the app's package"
        _build_all(places, node, inputs)
        return f"built {places.vendor.relative_to(root).as_posix()}"


def _quick(inputs: dict[str, str]) -> dict[str, str]:
    """The inputs of an app that is packed, but not with the best compression."""
    return {**inputs, "app": inputs["app"] + " quick"}


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
    early, late = library_imports(app_sources(places.app))
    known = manifest["imports"]
    others = {
        name: file for name, file in manifest["files"].items() if "python/pagehand" not in name
    }
    return (
        set(early) <= set(known["early"])
        and set(late) <= {*known["early"], *known["late"]}
        and not faults(places.vendor, {"files": others}, deep=False)
    )


def _build_all(places: Places, node: Node, inputs: dict[str, str]) -> None:
    lock = read_lock(places.lock)
    folders = fetch_all(lock, places.cache, node)
    engine = folders["pyodide"]
    extension = extension_file(folders)
    compiler, stdlib = _compiler(places, node, engine)
    pure = package_entries(folders, compiler)
    sources = app_sources(places.app)
    early, late = library_imports(sources)
    everything = [*pure, (f"pydantic_core/{extension.name}", extension.read_bytes())]
    trial = Trial(early, late, trial_modules(folders), everything)
    library = split_library(stdlib, node, engine, trial, places.cache)
    files = copy_files(places.vendor, lock, folders)
    files |= _write_archives(places.vendor, library, pure, compiler, sources)
    files["extension"] = write_named(places.vendor, "pydantic_core", extension.read_bytes(), ".so")
    files |= _write_app(places.vendor, compiler, sources)
    runtime = _runtime(lock, engine, extension.name)
    imports = {"early": early, "late": late}
    _finish(places, node, inputs, imports, {**runtime, "files": files})


def _repack_app(
    places: Places, manifest: dict[str, Any], node: Node, inputs: dict[str, str]
) -> None:
    lock = read_lock(places.lock)
    pyodide = lock["pyodide"]
    engine = places.cache / "unpacked" / f"{pyodide.folder}-{pyodide.sha256[:12]}"
    if not engine.exists():
        _build_all(places, node, places.inputs())
        return
    compiler, _ = _compiler(places, node, engine)
    files = {
        name: entry(places.vendor, path)
        for name, path in manifest["runtime"].items()
        if name not in {"app", "demo"}
    }
    files |= _write_app(places.vendor, compiler, app_sources(places.app))
    runtime = {**_runtime(lock, engine, manifest["extension"]), "files": files}
    _finish(places, node, inputs, manifest["imports"], runtime, QUICK)


def _compiler(places: Places, node: Node, engine: Path) -> tuple[Compiler, Path]:
    """A compiler that starts from the compiled library, and that library."""
    cache = places.cache / "pyc"
    stdlib = compile_stdlib(Compiler(node, engine, None, cache), places.cache)
    return Compiler(node, engine, stdlib, cache), stdlib


def _write_archives(
    vendor: Path,
    library: Library,
    pure: list[tuple[str, bytes]],
    compiler: Compiler,
    sources: list[Source],
) -> dict[str, Entry]:
    """Writes the library's three parts, and into the first which late archive holds what."""
    late = {
        "packages": module_names(library.packages),
        "library": module_names(library.rest),
        "demo": [_module(source) for source in sources if source.member.startswith(DEMO)],
    }
    lines = [f"ARCHIVES.update(dict.fromkeys({' '.join(late[n])!r}.split(), {n!r}))" for n in late]
    path = compiler.cache.parent / "pagehand_archives.py"
    write_file(path, ("ARCHIVES = {}\n" + "\n".join(lines) + "\n").encode())
    index = compiler.compile([Source(path, path.name, "runtime/", 2)])
    return {
        "boot": write_named(vendor, "boot", stored_zip(library.boot + index)),
        "packages": write_named(vendor, "packages", stored_zip(library.packages + pure)),
        "library": write_named(vendor, "library", stored_zip(library.rest)),
    }


def _module(source: Source) -> str:
    return source.member.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _write_app(vendor: Path, compiler: Compiler, sources: list[Source]) -> dict[str, Entry]:
    entries = compiler.compile(sources)
    app = [entry for entry in entries if not entry[0].startswith(DEMO)]
    demo = [entry for entry in entries if entry[0].startswith(DEMO)]
    return {
        "app": write_named(vendor, "pagehand", stored_zip(app)),
        "demo": write_named(vendor, "pagehand_demo", stored_zip(demo)),
    }


def _runtime(lock: Lock, engine: Path, extension: str) -> dict[str, Any]:
    info = json.loads((engine / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]
    return {"version": lock["pyodide"].version, "info": info, "extension": extension}


def _finish(
    places: Places,
    node: Node,
    inputs: dict[str, str],
    imports: dict[str, list[str]],
    runtime: dict[str, Any],
    quality: int = BEST,
) -> None:
    remove_stale(places.vendor, {file.path for file in runtime["files"].values()})
    compress_all(served_files(places.vendor), places.cache / "br", node, quality)
    write_manifests(places.vendor, inputs=inputs, imports=imports, runtime=runtime)
