"""Finds a Valkey or Redis server for the tests of several replicas, and installs one.

    python scripts/valkey.py        # prints the program it found or installed, or what to do

The order: the variable PAGEHAND_VALKEY, `valkey-server` or `redis-server` on the PATH;
then, as root on Debian, the package of either name. Without one the tests that need it are
skipped, and all others run.
"""

from __future__ import annotations

import os
import shutil
import subprocess

NAMES = ("valkey-server", "redis-server")


class MissingError(Exception):
    """There is no such server here. The text says what to do."""


def find() -> str | None:
    """The program to start, or None."""
    named = os.environ.get("PAGEHAND_VALKEY")
    if named:
        return named
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def ensure() -> str:
    """The program to start; installs one first if need be.

    Raises:
        MissingError: none was found and none could be installed.
    """
    if not find() and os.geteuid() == 0 and shutil.which("apt-get"):
        print("pagehand: installing Valkey or Redis (Debian package)")
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        for name in NAMES:
            subprocess.run(["apt-get", "install", "-y", "-qq", name], check=False)
            if find():
                break
    found = find()
    if not found:
        raise MissingError(
            "The tests of several replicas need a Valkey or Redis server. Install the package "
            "`valkey` or `redis`, or set PAGEHAND_VALKEY to the server's program."
        )
    return found


if __name__ == "__main__":
    try:
        print(f"pagehand: Valkey or Redis is {ensure()}")
    except MissingError as error:
        print(f"pagehand: {error} They are skipped.")
