"""Reads vendor.lock.json: what is fetched, in which version, with which checksum."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Source = Literal["npm", "pypi"]
SOURCES: tuple[Source, ...] = ("npm", "pypi")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class LockError(Exception):
    """The lock file is damaged, or something does not agree with it."""


@dataclass(frozen=True, slots=True)
class Locked:
    """One package as the lock file names it."""

    source: Source
    name: str
    version: str
    file: str
    sha256: str

    @property
    def folder(self) -> str:
        """The name under which its files lie: `pyodide-314.0.7`."""
        return f"{self.name.split('/')[-1]}-{self.version}"


@dataclass(frozen=True, slots=True)
class Lock:
    """All locked packages, by name."""

    packages: dict[str, Locked]

    def __getitem__(self, name: str) -> Locked:
        try:
            return self.packages[name]
        except KeyError:
            raise LockError(f"vendor.lock.json has no entry for {name}: add it.") from None

    def of(self, source: Source) -> list[Locked]:
        """The packages of one registry, in the order of the file."""
        return [package for package in self.packages.values() if package.source == source]


def read_lock(path: Path) -> Lock:
    """Reads and checks the lock file.

    Raises:
        LockError: it is missing or damaged; the message says where.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LockError(f"{path.name} is missing: restore it from the repository.") from None
    except ValueError as error:
        raise LockError(f"{path.name} is not JSON: {error}") from None
    packages: dict[str, Locked] = {}
    for source in SOURCES:
        section = data.get(source) if isinstance(data, dict) else None
        if not isinstance(section, list):
            raise LockError(f'{path.name} needs a list "{source}".')
        for entry in section:
            package = _read_entry(source, entry)
            if package.name in packages:
                raise LockError(f"{path.name} names {package.name} twice.")
            packages[package.name] = package
    return Lock(packages)


def _read_entry(source: Source, entry: object) -> Locked:
    if not isinstance(entry, dict):
        raise LockError(f"vendor.lock.json: each entry of {source} must be an object.")
    for key in ("name", "version", "file", "sha256"):
        if not isinstance(entry.get(key), str) or not entry[key]:
            told = f"{source} {entry.get('name', '(without name)')}"
            raise LockError(f'vendor.lock.json: {told} needs a text "{key}".')
    name, version, file = entry["name"], entry["version"], entry["file"]
    if not _SHA256.fullmatch(entry["sha256"]):
        raise LockError(f"vendor.lock.json: {source} {name}: sha256 must be 64 hex digits.")
    if "/" in file or version not in file:
        raise LockError(
            f"vendor.lock.json: {source} {name}: the file name {file!r} "
            f"does not hold the version {version}."
        )
    return Locked(source, name, version, file, entry["sha256"])
