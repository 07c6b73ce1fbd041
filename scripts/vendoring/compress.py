"""Makes the `.br` files that a server hands out instead of the originals."""

from __future__ import annotations

import json
from pathlib import Path

from scripts.node import Node

from .archives import write_file
from .fetch import file_sha256

MINIMUM = 1024
BEST = 11
QUICK = 9
HERE = Path(__file__).parent


def compress_all(files: list[Path], cache: Path, node: Node, quality: int = BEST) -> None:
    """Puts a `.br` beside every file above 1 KB; each content is compressed only once.

    The best setting takes half a minute for the interpreter alone, so results are kept by hash; a
    result of the best setting is taken for any.
    """
    cache.mkdir(parents=True, exist_ok=True)
    wanted = [
        (file, _kept(cache, file_sha256(file), quality))
        for file in files
        if file.stat().st_size > MINIMUM
    ]
    missing = {kept: file for file, kept in wanted if not kept.exists()}
    if missing:
        print(f"compressing {len(missing)} files", flush=True)
        jobs = [[str(file), str(kept.with_suffix(".new"))] for kept, file in missing.items()]
        node.run(HERE / "brotli.mjs", stdin=json.dumps({"quality": quality, "jobs": jobs}))
        for kept in missing:
            kept.with_suffix(".new").replace(kept)
    for file, kept in wanted:
        write_file(file.with_name(file.name + ".br"), kept.read_bytes())


def _kept(cache: Path, sha256: str, quality: int) -> Path:
    best = cache / f"{sha256}.br"
    return best if quality == BEST or best.exists() else cache / f"{sha256}-{quality}.br"
