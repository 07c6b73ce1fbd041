"""Turns Python sources into .pyc files of the page's own interpreter, and keeps them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from scripts.node import Node

HERE = Path(__file__).parent
# Part of every result's key: to be changed when engine.mjs or compile.mjs compile differently.
_WAY = "no columns, blank dataclasses"


@dataclass(frozen=True, slots=True)
class Source:
    """One Python file, and how it is to be compiled.

    Attributes:
        path: Where it lies now.
        member: Its path inside its archive, still ending in `.py`.
        filename: The file name that tracebacks show.
        optimize: As in `compile()`; 2 drops docstrings and asserts.
    """

    path: Path
    member: str
    filename: str
    optimize: int


@dataclass(frozen=True, slots=True)
class Compiler:
    """Compiles through Pyodide under Node; every result is kept by the hash of its input.

    Attributes:
        node: The Node.js to use.
        engine: The unpacked npm package `pyodide`.
        stdlib: A compiled standard library, which starts five times faster, if there is one.
        cache: The folder of results.
    """

    node: Node
    engine: Path
    stdlib: Path | None
    cache: Path

    def compile(self, sources: list[Source]) -> list[tuple[str, bytes]]:
        """Returns (member ending in `.pyc`, its bytes) for each source, in the same order."""
        self.cache.mkdir(parents=True, exist_ok=True)
        places = [(source, self.cache / f"{self._key(source)}.pyc") for source in sources]
        missing = [(source, place) for source, place in places if not place.exists()]
        if missing:
            self._run(missing)
        return [(source.member + "c", place.read_bytes()) for source, place in places]

    def keys(self, sources: list[Source]) -> list[str]:
        """What the results depend on, one text for each source."""
        return [f"{source.member}:{self._key(source)}" for source in sources]

    def _key(self, source: Source) -> str:
        told = f"{_WAY}\n{self.engine.name}\n{source.filename}\n{source.optimize}\n".encode()
        return hashlib.sha256(told + source.path.read_bytes()).hexdigest()[:32]

    def _run(self, missing: list[tuple[Source, Path]]) -> None:
        print(f"compiling {len(missing)} Python files", flush=True)
        fresh = [(source, place, place.with_suffix(".new")) for source, place in missing]
        job = {
            "engine": str(self.engine),
            "stdlib": str(self.stdlib) if self.stdlib else None,
            "jobs": [
                [str(source.path), str(new), source.filename, source.optimize]
                for source, _, new in fresh
            ],
        }
        self.node.run(HERE / "compile.mjs", stdin=json.dumps(job))
        for _, place, new in fresh:
            new.replace(place)


def sources_of(
    root: Path, *, prefix: str = "", filename: str, optimize: int, skip: tuple[str, ...] = ()
) -> list[Source]:
    """All `.py` files below `root` in a stable order, without those whose member is in `skip`.

    Args:
        root: The folder whose content lies at the top of the archive, or below `prefix`.
        prefix: What stands before each member, ending in a slash.
        filename: What stands before each member in tracebacks, ending in a slash.
        optimize: As in `Source`.
        skip: Members, or beginnings of members that end in a slash.
    """
    found: list[Source] = []
    for path in sorted(root.rglob("*.py")):
        member = prefix + path.relative_to(root).as_posix()
        if not is_skipped(member, skip):
            found.append(Source(path, member, filename + member, optimize))
    return found


def is_skipped(member: str, skip: tuple[str, ...]) -> bool:
    """Whether a member is named in `skip`, itself or by a folder above it."""
    return any(
        member == entry or (entry.endswith("/") and member.startswith(entry)) for entry in skip
    )
