"""Fetches the locked packages with npm and pip, as this machine has them set up."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from scripts.node import Node, NodeError

from .lock import Lock, Locked, LockError

# The tags of the interpreter in the page: Pyodide 314 is CPython 3.14 with this ABI.
WHEEL_TAGS = (
    "--only-binary=:all:",
    "--platform=pyemscripten_2026_0_wasm32",
    "--python-version=314",
    "--implementation=cp",
    "--abi=cp314",
    "--abi=none",
)


def fetch_all(lock: Lock, cache: Path, node: Node) -> dict[str, Path]:
    """Brings every locked package into the cache; returns its folder of unpacked files.

    Raises:
        LockError: a file could not be fetched or does not have the locked checksum.
    """
    return {
        package.name: unpack(fetch(package, cache / "packages", node), package, cache / "unpacked")
        for package in lock.packages.values()
    }


def fetch(package: Locked, folder: Path, node: Node) -> Path:
    """Returns the package's file, fetching it if it is not there with the right checksum."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / package.file
    if target.exists() and file_sha256(target) == package.sha256:
        return target
    with tempfile.TemporaryDirectory(dir=folder) as place:
        found = _download(package, Path(place), node)
        found.replace(target)
    return target


def _download(package: Locked, place: Path, node: Node) -> Path:
    print(f"fetching {package.name} {package.version}", flush=True)
    if package.source == "npm":
        _npm_pack(package, place, node)
    else:
        _pip_download(package, place)
    found = place / package.file
    if not found.exists():
        got = ", ".join(sorted(path.name for path in place.iterdir())) or "nothing"
        raise LockError(f"{package.name} {package.version}: asked for {package.file}, got {got}.")
    actual = file_sha256(found)
    if actual != package.sha256:
        raise LockError(
            f"{package.file} has the checksum {actual}, but vendor.lock.json has "
            f"{package.sha256}. It was changed on the way or at its source: do not use it."
        )
    return found


def _npm_pack(package: Locked, place: Path, node: Node) -> None:
    try:
        node.run_npm("pack", f"{package.name}@{package.version}", "--silent", cwd=place)
    except NodeError as error:
        raise LockError(f"npm could not fetch {package.name} {package.version}. {error}") from None


def _pip_download(package: Locked, place: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *WHEEL_TAGS]
    command += ["--dest", str(place), f"{package.name}=={package.version}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        tail = "\n".join(done.stderr.strip().splitlines()[-6:])
        raise LockError(f"pip could not fetch {package.name} {package.version}:\n{tail}")


def unpack(archive: Path, package: Locked, folder: Path) -> Path:
    """Unpacks a package once; the folder carries the checksum, so a new file unpacks anew."""
    target = folder / f"{package.folder}-{package.sha256[:12]}"
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(dir=folder))
    try:
        if package.source == "npm":
            with tarfile.open(archive) as tar:
                tar.extractall(place, filter="data")
            (place / "package").rename(target)
        else:
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(place)
            place.rename(target)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return target


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
