"""Splits the standard library into what each stage of the start needs, by trying it out."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from scripts.node import Node

from .archives import content_hash, stored_zip, write_file
from .layout import BOOT_IMPORTS, PACKAGES_TRIAL, STDLIB_ARCHIVE, STDLIB_LEFT_OUT
from .pyc import HERE, Compiler, Source, sources_of

Entries = list[tuple[str, bytes]]
STAND_INS = HERE / "page" / "library"
# Stand-ins that need no original beside them.
_WHOLE = ("asyncio/__init__.py",)


@dataclass(frozen=True, slots=True)
class Library:
    """The compiled standard library in three parts.

    Attributes:
        boot: What the interpreter, asyncio and the app's modules import.
        packages: What pydantic, jsonschema and the app's functions import besides.
        rest: Everything else.
    """

    boot: Entries
    packages: Entries
    rest: Entries


@dataclass(frozen=True, slots=True)
class Trial:
    """What is imported to find out which modules that takes.

    Attributes:
        early: What the app's modules import from the library.
        late: What the app's functions import from the library.
        modules: Modules of packages.
        packages: The files of the optional packages, with pydantic_core's library.
    """

    early: list[str]
    late: list[str]
    modules: list[str]
    packages: Entries

    def groups(self) -> dict[str, str]:
        """The code of each stage."""
        return {
            "boot": _imports(sorted({*BOOT_IMPORTS, *self.early})),
            "packages": _imports([*self.late, *self.modules]) + PACKAGES_TRIAL,
        }


def compile_stdlib(compiler: Compiler, cache: Path) -> Path:
    """Compiles the whole library; returns a zip of it, ready for `stdLibURL`."""
    stock = compiler.engine / "python_stdlib.zip"
    folder = cache / "stdlib" / content_hash(stock.read_bytes())
    if not folder.exists():
        place = folder.with_suffix(".new")
        with zipfile.ZipFile(stock) as archive:
            archive.extractall(place)
        place.rename(folder)
    entries = compiler.compile(_library_sources(folder))
    told = hashlib.sha256("\n".join(compiler.keys(_library_sources(folder))).encode())
    target = folder.with_name(f"{folder.name}-{told.hexdigest()[:12]}.zip")
    if not target.exists():
        write_file(target, stored_zip(entries))
    return target


def _library_sources(folder: Path) -> list[Source]:
    """The library's sources; where we have a stand-in, the original keeps its place beside it."""
    own = {
        source.member: source
        for source in sources_of(STAND_INS, filename=STDLIB_ARCHIVE, optimize=2)
    }
    sources = sources_of(folder, filename=STDLIB_ARCHIVE, optimize=2, skip=STDLIB_LEFT_OUT)
    kept = [
        _beside(source) if source.member in own else source
        for source in sources
        if source.member not in _WHOLE
    ]
    return kept + list(own.values())


def _beside(source: Source) -> Source:
    folder, _, name = source.member.rpartition("/")
    name = "_original.py" if name == "__init__.py" else name.replace(".py", "_original.py")
    member = f"{folder}/{name}".removeprefix("/")
    return Source(source.path, member, STDLIB_ARCHIVE + member, source.optimize)


def split_library(stdlib: Path, node: Node, engine: Path, trial: Trial, cache: Path) -> Library:
    """Runs the imports of each stage under Node and sorts the library's files by them.

    Args:
        stdlib: The zip that `compile_stdlib` made.
        node: The Node.js to use.
        engine: The unpacked npm package `pyodide`.
        trial: What to import.
        cache: The folder for results.
    """
    groups = trial.groups()
    told = [stdlib.name, engine.name, groups, content_hash(stored_zip(trial.packages))]
    key = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:24]
    kept = cache / "trace" / f"{key}.json"
    if not kept.exists():
        print("finding out what the start imports", flush=True)
        folder = cache / "trace" / "packages"
        shutil.rmtree(folder, ignore_errors=True)
        for member, content in trial.packages:
            write_file(folder / member, content)
        job = {"engine": str(engine), "stdlib": str(stdlib), "packages": str(folder)}
        found = node.run(HERE / "trace.mjs", stdin=json.dumps({**job, "groups": groups}))
        write_file(kept, found.encode())
    return _sorted_files(stdlib, json.loads(kept.read_text()))


def _imports(names: list[str]) -> str:
    return "".join(f"import {name}\n" for name in names)


def _sorted_files(stdlib: Path, found: dict[str, list[str]]) -> Library:
    stages = dict.fromkeys(found["packages"], "packages")
    stages |= dict.fromkeys((*found["start"], *found["boot"], "sitecustomize.pyc"), "boot")
    parts: dict[str, Entries] = {"boot": [], "packages": [], "rest": []}
    with zipfile.ZipFile(stdlib) as archive:
        for name in archive.namelist():
            parts[stages.get(name, "rest")].append((name, archive.read(name)))
    return Library(parts["boot"], parts["packages"], parts["rest"])


def module_names(entries: Entries) -> list[str]:
    """The dotted names of the modules in an archive."""
    members = [member for member, _ in entries if member.endswith(".pyc")]
    names = [member.removesuffix(".pyc").removesuffix("/__init__") for member in members]
    return sorted(name.replace("/", ".") for name in names)
