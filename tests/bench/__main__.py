"""Runs the benchmarks: `python tests/bench [NAME ...]`.

Each module here that defines `run() -> list[Row]` is one; names pick some of them. Prints a table,
writes bench-results.json, and ends with 1 if a limit was missed.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HELPERS = {"__init__", "__main__", "report"}


def main(names: list[str]) -> int:
    """Runs the named benchmarks, or all of them."""
    sys.path[:0] = [str(ROOT), str(ROOT / "app"), str(ROOT / "tests")]
    from bench.report import Row, table, write_results

    found = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in HELPERS)
    unknown = set(names) - set(found)
    if unknown:
        print(f"no such benchmark: {', '.join(sorted(unknown))}; there are: {', '.join(found)}")  # noqa: T201
        return 2
    rows: list[Row] = []
    for name in found:
        if names and name not in names:
            continue
        module = importlib.import_module(f"bench.{name}")
        if hasattr(module, "run"):
            print(f"measuring {name}", flush=True)  # noqa: T201
            rows += module.run()
    print(table(rows))  # noqa: T201
    write_results(rows, ROOT / "bench-results.json")
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
