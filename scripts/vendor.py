"""Builds static/vendor: the runtime, PyScript, Python packages and JavaScript libraries.

Everything comes from vendor.lock.json, is checked against its checksums, and is served from our
own origin. Running it again does nothing when nothing changed.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Runs the command line; returns the exit code."""
    sys.path.insert(0, str(ROOT))
    from scripts.node import NodeError
    from scripts.vendoring.build import build, check
    from scripts.vendoring.lock import LockError

    options = _parser().parse_args()
    start = time.perf_counter()
    try:
        if options.check:
            found = check(ROOT)
            print("\n".join(found) if found else "static/vendor is complete and unchanged")
            return 1 if found else 0
        done = build(ROOT, app_only=options.app_only)
    except (LockError, NodeError) as error:
        print(f"vendor: {error}", file=sys.stderr)
        return 1
    print(f"vendor: {done} ({time.perf_counter() - start:.1f} s)")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="vendor.py", description=__doc__.splitlines()[0])
    parser.add_argument("--app-only", action="store_true", help="pack only the app's own package")
    parser.add_argument("--check", action="store_true", help="compare with the manifest and lock")
    return parser


if __name__ == "__main__":
    sys.exit(main())
