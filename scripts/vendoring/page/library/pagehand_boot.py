"""The first Python of the page: where the archives lie, and what to do if one is missing yet.

What a start does not need lies in later archives. Some come right after the interface, the rest
only when something imports from them: then the import itself fetches the archive.
"""

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder

_ROOTS: list[str] = []
_fetch: Callable[[str], object] | None = None


class ArchiveFinder:
    """Finds modules whose package lies in another archive than they do, and fetches late ones."""

    @staticmethod
    def find_spec(fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Looks beside every archive; fetches the archive that holds the name, if there is one."""
        spec = _look(fullname)
        if spec is None and _fetch is not None:
            archive = _archives().get(fullname)
            if archive is not None and f"/lib/{archive}.zip" not in _ROOTS:
                _fetch(archive)
                spec = _look(fullname)
        return spec


def start(fetch: Callable[[str], object]) -> None:
    """Adds the finder.

    Args:
        fetch: Called with the name of an archive that is needed at once; it must have called
            `add_archive` when it returns.
    """
    global _fetch  # noqa: PLW0603
    _fetch = fetch
    sys.meta_path.insert(sys.meta_path.index(PathFinder) + 1, ArchiveFinder)


def add_archive(path: str) -> None:
    """Puts an archive or a folder on the path."""
    if path not in _ROOTS:
        _ROOTS.append(path)
    if path not in sys.path:
        sys.path.append(path)


def needed_archives(source: str) -> str:
    """The late archives from which a Python text seems to import, as names with spaces between."""
    import re

    archives = _archives()
    found = re.findall(r"^[ \t]*(?:import|from)[ \t]+([\w., \t]+)", source, re.MULTILINE)
    words = {word for line in found for word in re.split(r"[\s,]+", line)}
    names = {archives[word] for word in words if word in archives}
    return " ".join(sorted(name for name in names if f"/lib/{name}.zip" not in _ROOTS))


def _look(fullname: str) -> ModuleSpec | None:
    folder = fullname.rpartition(".")[0].replace(".", "/")
    return PathFinder.find_spec(fullname, [f"{root}/{folder}" for root in _ROOTS])


def _archives() -> dict[str, str]:
    from pagehand_archives import ARCHIVES

    archives: dict[str, str] = ARCHIVES
    return archives
