"""dist/: everything the page loads, nothing else, and no address that only works here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.site import build_site

PAGE = '<script src="./static/a.js"></script><a href="https://example.com/">out</a>'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "index.html": PAGE,
        "pyscript.toml": 'interpreter = "./static/runtime.js"',
        "app/main.py": "import pagehand",
        "app/pagehand/errors.py": "",
        "static/a.js": "",
        "static/.hidden": "",
        "static/vendor/manifest.js": "",
        "static/vendor/python/boot-1.zip": "new",
        "static/vendor/python/boot-0.zip": "old",
        "backend/app.py": "",
    }
    manifest = {"files": {"manifest.js": {}, "python/boot-1.zip": {}}}
    files["static/vendor/manifest.json"] = json.dumps(manifest)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_holds_what_the_page_loads(root: Path) -> None:
    count = build_site(root, root / "dist")

    expected = [
        ".nojekyll",
        "app/main.py",
        "index.html",
        "pyscript.toml",
        "static/a.js",
        "static/vendor/manifest.js",
        "static/vendor/manifest.json",
        "static/vendor/python/boot-1.zip",
    ]
    assert names(root / "dist") == expected
    assert count == len(expected) - 1


def test_earlier_copy_is_replaced(root: Path) -> None:
    build_site(root, root / "dist")
    (root / "dist" / "left.txt").touch()

    build_site(root, root / "dist")

    assert "left.txt" not in names(root / "dist")


@pytest.mark.parametrize("address", ["/static/a.js", "https://host/a.js"])
def test_address_that_a_copy_cannot_reach_is_refused(root: Path, address: str) -> None:
    (root / "index.html").write_text(f'<script src="{address}"></script>', encoding="utf-8")

    with pytest.raises(ValueError, match="make the address relative"):
        build_site(root, root / "dist")

    assert not (root / "dist").exists()


def test_missing_vendor_folder_is_told(root: Path) -> None:
    (root / "static" / "vendor" / "manifest.json").unlink()

    with pytest.raises(ValueError, match=r"run scripts/vendor\.py"):
        build_site(root, root / "dist")
