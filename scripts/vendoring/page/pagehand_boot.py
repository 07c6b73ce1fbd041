"""The first Python of the page: where the archives lie, and what to do if one is missing yet.

The standard library comes in three parts: what every start needs, what the optional packages need,
and the rest, which is fetched only when something imports it.
"""

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder

_ROOTS: list[str] = []
_fetch_library: Callable[[], object] | None = None


class ArchiveFinder:
    """Finds modules whose package lies in another archive than they do, and the late library."""

    @staticmethod
    def find_spec(fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Looks beside every archive; fetches the rest of the library if it holds the name."""
        spec = _look(fullname)
        if spec is None and _fetch_library is not None and fullname in _library_names():
            _fetch_library()
            spec = _look(fullname)
        return spec


def start(fetch_library: Callable[[], object]) -> None:
    """Adds the finder.

    Args:
        fetch_library: Called without arguments when the rest of the library is needed at once;
            it must have called `add_archive` when it returns.
    """
    global _fetch_library  # noqa: PLW0603
    _fetch_library = fetch_library
    sys.meta_path.insert(sys.meta_path.index(PathFinder) + 1, ArchiveFinder)


def add_archive(path: str, last: bool = False) -> None:
    """Puts an archive or a folder on the path; the last one also ends the late fetching."""
    global _fetch_library  # noqa: PLW0603
    if path in _ROOTS:
        return
    _ROOTS.append(path)
    if path not in sys.path:
        sys.path.append(path)
    if last:
        _fetch_library = None


def needs_library(source: str) -> bool:
    """Whether a Python text seems to import something from the rest of the library."""
    import re

    names = _library_names()
    found = re.findall(r"^[ \t]*(?:import|from)[ \t]+([\w., \t]+)", source, re.MULTILINE)
    words = {word for line in found for word in re.split(r"[\s,]+", line)}
    return not words.isdisjoint(names)


def _look(fullname: str) -> ModuleSpec | None:
    folder = fullname.rpartition(".")[0].replace(".", "/")
    return PathFinder.find_spec(fullname, [f"{root}/{folder}" for root in _ROOTS])


def _library_names() -> frozenset[str]:
    from pagehand_library import NAMES

    names: frozenset[str] = NAMES
    return names
