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
from .pyc import HERE, Compiler, is_skipped, sources_of

Entries = list[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class Library:
    """The compiled standard library in three parts, and how it was split.

    Attributes:
        boot: What the interpreter, asyncio and the app import.
        packages: What pydantic and jsonschema import besides.
        rest: Everything else.
        roots: The imports that the split was made for.
    """

    boot: Entries
    packages: Entries
    rest: Entries
    roots: list[str]


def compile_stdlib(compiler: Compiler, cache: Path) -> Path:
    """Compiles the whole library; returns a zip of it, ready for `stdLibURL`."""
    stock = compiler.engine / "python_stdlib.zip"
    folder = cache / "stdlib" / content_hash(stock.read_bytes())
    if not folder.exists():
        place = folder.with_suffix(".new")
        with zipfile.ZipFile(stock) as archive:
            archive.extractall(place)
        place.rename(folder)
    target = folder.with_suffix(".zip")
    if not target.exists():
        sources = sources_of(folder, filename=STDLIB_ARCHIVE, optimize=2, skip=STDLIB_LEFT_OUT)
        write_file(target, stored_zip(compiler.compile(sources)))
    return target


def split_library(
    stdlib: Path,
    node: Node,
    engine: Path,
    *,
    roots: list[str],
    packages: Entries,
    package_modules: list[str],
    cache: Path,
) -> Library:
    """Runs the imports of each stage under Node and sorts the library's files by them.

    Args:
        stdlib: The zip that `compile_stdlib` made.
        node: The Node.js to use.
        engine: The unpacked npm package `pyodide`.
        roots: What the app imports from the library.
        packages: The files of the optional packages, with pydantic_core's library.
        package_modules: Modules of packages that are imported for the trial.
        cache: The folder for results.
    """
    boot = sorted({*BOOT_IMPORTS, *roots})
    groups = {
        "boot": _imports(boot),
        "packages": _imports(package_modules) + PACKAGES_TRIAL,
    }
    told = [stdlib.name, engine.name, groups, content_hash(stored_zip(packages))]
    key = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:24]
    kept = cache / "trace" / f"{key}.json"
    if not kept.exists():
        print("finding out what the start imports", flush=True)
        folder = cache / "trace" / "packages"
        shutil.rmtree(folder, ignore_errors=True)
        for member, content in packages:
            write_file(folder / member, content)
        job = {
            "engine": str(engine),
            "stdlib": str(stdlib),
            "packages": str(folder),
            "groups": groups,
        }
        found = node.run(HERE / "trace.mjs", stdin=json.dumps(job))
        write_file(kept, found.encode())
    return _sorted_files(stdlib, json.loads(kept.read_text()), roots)


def _imports(names: list[str]) -> str:
    return "".join(f"import {name}\n" for name in names)


def _sorted_files(stdlib: Path, found: dict[str, list[str]], roots: list[str]) -> Library:
    stages = dict.fromkeys((*found["start"], *found["boot"]), "boot")
    stages |= {name: "packages" for name in found["packages"] if name not in stages}
    parts: dict[str, Entries] = {"boot": [], "packages": [], "rest": []}
    with zipfile.ZipFile(stdlib) as archive:
        for name in archive.namelist():
            if not is_skipped(name, STDLIB_LEFT_OUT):
                parts[stages.get(name, "rest")].append((name, archive.read(name)))
    return Library(parts["boot"], parts["packages"], parts["rest"], roots)


def module_names(entries: Entries) -> list[str]:
    """The dotted names of the modules in an archive."""
    names = []
    for member, _ in entries:
        name = member.removesuffix(".pyc").removesuffix("/__init__")
        names.append(name.replace("/", "."))
    return sorted(names)
