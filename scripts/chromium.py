"""Finds a Chromium for the browser tests, and installs one where there is none.

    python scripts/chromium.py        # prints the program it found or installed

The order: the variable PAGEHAND_CHROMIUM, a Chromium or Chrome on the PATH,
Playwright's own download; then, as root on Debian, the package `chromium`,
and last Playwright's download.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find() -> str | None:
    """The program to start, or None."""
    named = os.environ.get("PAGEHAND_CHROMIUM")
    if named:
        return named
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    return _downloaded()


def ensure() -> str:
    """The program to start; installs one first if need be.

    Raises:
        SystemExit: none was found and none could be installed; the text says what to do.
    """
    found = find()
    if found:
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("pagehand: installing Chromium (Debian package)")
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], check=False)
    else:
        print("pagehand: installing Chromium (Playwright's download)")
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    found = find()
    if not found:
        raise SystemExit(
            "pagehand: the tests need Chromium, and it could not be installed. "
            "Install the package `chromium`, or set PAGEHAND_CHROMIUM to a Chrome or Chromium."
        )
    return found


def _downloaded() -> str | None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


if __name__ == "__main__":
    print(f"pagehand: Chromium is {ensure()}")
