"""Writes stored zips and plain files under names that carry the hash of their content."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import zipfile
from pathlib import Path

# Zips know no earlier moment; a fixed one makes equal content equal bytes.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


def stored_zip(entries: list[tuple[str, bytes]]) -> bytes:
    """Packs entries without compression: the transfer compresses better, and Python reads faster.

    Raises:
        ValueError: a name occurs twice.
    """
    names = [name for name, _ in entries]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"twice in one archive: {', '.join(twice)}")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name, _NO_DATE), content)
    return buffer.getvalue()


def content_hash(content: bytes) -> str:
    """The short hash that goes into file names."""
    return hashlib.sha256(content).hexdigest()[:12]


def write_file(path: Path, content: bytes) -> None:
    """Writes a file in one step, so that a server never reads half of it."""
    if path.exists() and path.stat().st_size == len(content) and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
