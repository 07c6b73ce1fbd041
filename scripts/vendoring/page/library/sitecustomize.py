"""The first Python of the page: a fast way into our archives, and what to do if one is missing.

Python imports this module by itself at every start, before Pyodide's own. `zipimport` asks the
file system anew for each module; here an archive's index is read once and a module is one read,
which halves the time of a start. What a start does not need lies in late archives: some come right
after the interface, the rest only when something imports from them, and then that import fetches
its archive.
"""

import sys
from _frozen_importlib import ModuleSpec
from _io import FileIO
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType
    from typing import Any

# Where the libraries of packages lie that must be files: beside every package of an archive.
_FOLDER = "/lib/python3.14/site-packages"
_HEAD = 16

_modules: dict[str, tuple["Archive", str, int, int]] = {}
_known: set[str] = set()


class Archive:
    """One stored zip of .pyc files: finds nothing itself, loads what the finder found."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = FileIO(path)
        self._members = self._read_index()

    def _read_index(self) -> dict[str, tuple[int, int]]:
        """Reads offset and size of every member; our zips have no comment and no extra fields."""
        number = int.from_bytes
        self._file.seek(-22, 2)
        end = self._file.read(22)
        count, size = number(end[10:12], "little"), number(end[12:16], "little")
        self._file.seek(number(end[16:20], "little"))
        index = self._file.read(size)
        found = {}
        at = 0
        for _ in range(count):
            length = number(index[at + 28 : at + 30], "little")
            name = index[at + 46 : at + 46 + length].decode()
            start = number(index[at + 42 : at + 46], "little") + 30 + length
            found[name] = (start, number(index[at + 24 : at + 28], "little"))
            at += 46 + length
        return found

    def place_modules(self) -> None:
        """Makes the modules known to the finder; an archive that came earlier wins."""
        for member, (start, size) in self._members.items():
            if member.endswith(".pyc"):
                name = member[:-4].removesuffix("/__init__").replace("/", ".")
                _modules.setdefault(name, (self, member, start, size))

    def spec(self, fullname: str, member: str) -> ModuleSpec:
        """The spec of a module in this archive."""
        folder = member.removesuffix("/__init__.pyc")
        package = folder != member
        origin = f"{self._path}/{member}"
        spec = ModuleSpec(fullname, self, origin=origin, is_package=package)
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [f"{self._path}/{folder}", f"{_FOLDER}/{folder}"]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Asks for an ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs a module's code."""
        exec(self.get_code(module.__name__), module.__dict__)

    def get_code(self, fullname: str) -> CodeType:
        """A module's code."""
        _, _, start, size = _modules[fullname]
        code: CodeType = loads(self._read(start + _HEAD, size - _HEAD))
        return code

    def get_source(self, fullname: str) -> None:
        """There is no source."""

    def is_package(self, fullname: str) -> bool:
        """Whether a module is a package."""
        return _modules[fullname][1].endswith("/__init__.pyc")

    def get_filename(self, fullname: str) -> str:
        """Where a module lies."""
        return f"{self._path}/{_modules[fullname][1]}"

    def get_data(self, path: str) -> bytes:
        """The content of any member, by its full path."""
        try:
            return self._read(*self._members[path.removeprefix(self._path + "/")])
        except KeyError:
            raise OSError(0, "not in the archive", path) from None

    def get_resource_reader(self, fullname: str) -> Any:
        """What `importlib.resources` reads a package's data with."""
        from zipimport import zipimporter

        folder = fullname.rpartition(".")[0].replace(".", "/")
        return zipimporter(f"{self._path}/{folder}").get_resource_reader(fullname)

    def _read(self, start: int, size: int) -> bytes:
        self._file.seek(start)
        return self._file.read(size)


class ArchiveFinder:
    """Finds modules in the archives that are there."""

    @staticmethod
    def find_spec(fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Looks the name up in the index."""
        found = _modules.get(fullname)
        return found[0].spec(fullname, found[1]) if found is not None else None


class LateFinder:
    """Fetches the archive of a module that nobody else has found."""

    def __init__(self, fetch: Callable[[str], object]) -> None:
        self._fetch = fetch

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        """Fetches the archive that holds the name, if one does that is not there yet."""
        archive = _late_archives().get(fullname)
        if archive is None or f"/lib/{archive}.zip" in _known:
            return None
        self._fetch(archive)
        return ArchiveFinder.find_spec(fullname)


def add_archive(path: str) -> None:
    """Puts an archive on the path; once it is there, doing it again changes nothing."""
    if path not in _known:
        _known.add(path)
        Archive(path).place_modules()
        if path not in sys.path:
            sys.path.append(path)


def fetch_late_archives_with(fetch: Callable[[str], object]) -> None:
    """Lets imports fetch what is missing.

    Args:
        fetch: Called with the name of an archive; it must have called `add_archive` when it
            returns.
    """
    from _frozen_importlib_external import PathFinder

    sys.meta_path.insert(sys.meta_path.index(PathFinder) + 1, LateFinder(fetch))


def needed_archives(source: str) -> str:
    """The late archives from which a Python text seems to import, as names with spaces between."""
    import re

    archives = _late_archives()
    found = re.findall(r"^[ \t]*(?:import|from)[ \t]+([\w., \t]+)", source, re.MULTILINE)
    words = {word for line in found for word in re.split(r"[\s,]+", line)}
    names = {archives[word] for word in words if word in archives}
    return " ".join(sorted(name for name in names if f"/lib/{name}.zip" not in _known))


def _late_archives() -> dict[str, str]:
    from pagehand_archives import ARCHIVES

    archives: dict[str, str] = ARCHIVES
    return archives


def _install() -> None:
    # After the built-in and the frozen modules, before anything that looks into folders.
    sys.meta_path.insert(2, ArchiveFinder)
    add_archive(f"/lib/python{sys.version_info.major}{sys.version_info.minor}.zip")


_install()
