"""Stands in for Pyodide's installer of packages: this page's packages come in archives.

The original imports the libraries for zip files, temporary files and four kinds of compression at
every start. It is still there for whoever unpacks an archive: the first use imports it.
"""

from site import getsitepackages


class _Folder:
    """A path that Pyodide's JavaScript asks for its text; a plain text would not have `__str__`."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __str__(self) -> str:
        return self._path

    __fspath__ = __str__


SITE_PACKAGES = _Folder(getsitepackages()[0])
DSO_DIR = _Folder("/usr/lib")


def init_loaded_packages() -> None:
    """Nothing has been installed before a start."""


def __getattr__(name: str) -> object:
    if name.startswith("__"):
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module("pyodide._package_loader_original"), name)
