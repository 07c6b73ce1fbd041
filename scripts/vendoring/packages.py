"""Collects the optional packages: pure ones for one archive, and pydantic_core's library."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path

from .archives import write_file
from .layout import PURE_WHEELS
from .lock import Lock, LockError
from .pyc import Compiler, Source, is_skipped, sources_of

# A hundred TypedDicts that only type checkers read: their fields take a third of the time that
# importing pydantic takes.
FIELDS_LEFT_OUT = "pydantic_core/core_schema.py"

STAND_INS = Path(__file__).parent / "page" / "packages"


def package_entries(folders: dict[str, Path], compiler: Compiler) -> list[tuple[str, bytes]]:
    """Compiles all pure packages, with our stand-ins, their data and the metadata that is read."""
    stand_ins = {
        source.member: source for source in sources_of(STAND_INS, filename="packages/", optimize=2)
    }
    sources: list[Source] = []
    for name, skip in PURE_WHEELS.items():
        found = sources_of(folders[name], filename="packages/", optimize=2, skip=skip)
        sources += [
            _without_fields(source, compiler.cache) if source.member == FIELDS_LEFT_OUT else source
            for source in found
            if source.member not in stand_ins
        ]
    entries = compiler.compile(sources + list(stand_ins.values()))
    entries.append(_schemas(folders["jsonschema-specifications"]))
    entries += [_metadata(folders[name]) for name in PURE_WHEELS]
    return sorted(entries)


def _without_fields(source: Source, cache: Path) -> Source:
    """The same module with its TypedDicts empty."""
    tree = ast.parse(source.path.read_bytes())
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(
            isinstance(base, ast.Name) and base.id == "TypedDict" for base in node.bases
        ):
            node.body = [ast.Pass()]
    path = cache.parent / source.path.name
    write_file(path, ast.unparse(ast.fix_missing_locations(tree)).encode())
    return replace(source, path=path)


def trial_modules(folders: dict[str, Path]) -> list[str]:
    """The modules of pydantic that a toolkit may import, for finding out what they need."""
    skip = PURE_WHEELS["pydantic"]
    return sorted(
        f"pydantic.{path.stem}"
        for path in (folders["pydantic"] / "pydantic").glob("*.py")
        if path.stem != "__init__" and not is_skipped(f"pydantic/{path.name}", skip)
    )


def extension_file(folders: dict[str, Path]) -> Path:
    """pydantic_core's WebAssembly library."""
    found = sorted((folders["pydantic-core"] / "pydantic_core").glob("*.so"))
    if len(found) != 1:
        raise LockError(f"the pydantic_core wheel should hold one .so file, it holds {len(found)}")
    return found[0]


def licences(lock: Lock, folders: dict[str, Path]) -> dict[str, bytes]:
    """The licence texts of everything that is handed on, by package."""
    texts: dict[str, bytes] = {}
    for package in lock.packages.values():
        found = sorted(
            path
            for path in folders[package.name].rglob("*")
            if path.is_file() and path.stem.upper() in {"LICENSE", "LICENCE", "COPYING"}
        )
        texts[package.folder] = b"\n".join(
            path.read_bytes() for path in found if path.stat().st_size
        )
    return {name: text for name, text in texts.items() if text}


def _schemas(folder: Path) -> tuple[str, bytes]:
    root = folder / "jsonschema_specifications" / "schemas"
    texts = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    ]
    joined = json.dumps(texts, separators=(",", ":"), ensure_ascii=False)
    return "jsonschema_specifications/schemas.json", joined.encode()


def _metadata(folder: Path) -> tuple[str, bytes]:
    """The name and version: all that `importlib.metadata.version` reads."""
    [path] = folder.glob("*.dist-info/METADATA")
    lines = path.read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines[: lines.index("")] if line.startswith(_METADATA_KEPT)]
    return f"{path.parent.name}/METADATA", ("\n".join(wanted) + "\n").encode()


_METADATA_KEPT = ("Metadata-Version:", "Name:", "Version:", "License")
