"""Finds a Firefox for the browser tests, and installs one where there is none.

    python scripts/firefox.py        # prints the program it found or installed

The order: the variable PAGEHAND_FIREFOX, a Firefox on the PATH; then, as root on Debian, the
package `firefox-esr`. It is driven through its own WebDriver BiDi; no driver program is needed.
"""

from __future__ import annotations

import os
import shutil
import subprocess

PACKAGE = ("-y", "-qq", "--no-install-recommends", "firefox-esr")
NAMES = ("firefox-esr", "firefox")


def find() -> str | None:
    """The program to start, or None."""
    named = os.environ.get("PAGEHAND_FIREFOX")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


def ensure() -> str | None:
    """The program to start, installed first if need be and possible; else None."""
    if find() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        print("pagehand: installing Firefox (Debian package)")
        if not _run("apt-get", "install", *PACKAGE):
            _run("apt-get", "update", "-qq")
            _run("apt-get", "install", *PACKAGE)
    return find()


def _run(*command: str) -> bool:
    done = subprocess.run(command, check=False, capture_output=True)
    return done.returncode == 0


if __name__ == "__main__":
    print(f"pagehand: Firefox is {ensure() or 'not here'}")
