"""Writes dist/: the whole page as static files, for any host and any path.

It holds index.html and everything that it loads: the styles and scripts under static/, the
vendored runtime, the page's own program. There is no server in it; with `fallback="demo"` the page
answers by itself where no endpoint does.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("index.html", "pyscript.toml", "LICENSE")
FOLDERS = ("static", "examples")
PROGRAM = "app/main.py"
# Addresses in a page that a copy at another path could not reach.
_ABSOLUTE = re.compile(r"""(?:href|src|config)\s*=\s*["'](/[^"']*|https?:[^"']*)["']""")


def build_site(root: Path, target: Path) -> int:
    """Copies the page; returns the number of files.

    Args:
        root: The repository, with static/vendor built.
        target: The folder to write; what was in it is removed.

    Raises:
        ValueError: something is missing, or a page names an address that no copy can reach.
    """
    vendor = root / "static" / "vendor"
    if not (vendor / "manifest.json").exists():
        raise ValueError("static/vendor is missing: run scripts/vendor.py first.")
    files = [root / name for name in PAGES if (root / name).exists()]
    files.append(root / PROGRAM)
    for folder in FOLDERS:
        files += [path for path in (root / folder).rglob("*") if _belongs(path, root)]
    files += _vendored(vendor)
    for page in (path for path in files if path.name == "index.html" and path.parent == root):
        _refuse_absolute(page)
    fresh = target.with_name(target.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    for path in files:
        copy = fresh / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    # Hosts that run pages through a generator leave out what they do not know; this stops them.
    (fresh / ".nojekyll").touch()
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)
    return len(files)


def _belongs(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts
    return (
        path.is_file()
        and parts[:2] != ("static", "vendor")
        and "__pycache__" not in parts
        and not any(part.startswith(".") for part in parts)
    )


def _vendored(vendor: Path) -> list[Path]:
    """The files of the manifest alone: archives of earlier runs stay behind."""
    manifest = json.loads((vendor / "manifest.json").read_text(encoding="utf-8"))
    return [vendor / name for name in ("manifest.json", *manifest["files"])]


def _refuse_absolute(page: Path) -> None:
    text = re.sub(r"<a\s[^>]*>", "", page.read_text(encoding="utf-8"))
    found = _ABSOLUTE.search(text)
    if found:
        raise ValueError(f"{page.name} loads {found.group(1)}: make the address relative.")


def main() -> int:
    """Writes dist/; returns the exit code."""
    target = ROOT / "dist"
    try:
        count = build_site(ROOT, target)
    except (OSError, ValueError) as error:
        print(f"site: {error}", file=sys.stderr)
        return 1
    print(f"site: {count} files in {target.relative_to(ROOT)}/, ready for any static host")
    return 0


if __name__ == "__main__":
    sys.exit(main())
