"""Stands in for `importlib.metadata` until somebody asks it something.

Packages import it for a question they mostly never put; the original brings the zip, mail and file
libraries along.
"""

from importlib import import_module
from typing import Any


def _load() -> Any:
    return import_module("importlib.metadata._original")


def version(distribution_name: str) -> Any:
    """As in the original."""
    return _load().version(distribution_name)


def entry_points(**params: object) -> Any:
    """As in the original."""
    return _load().entry_points(**params)


def distribution(distribution_name: str) -> Any:
    """As in the original."""
    return _load().distribution(distribution_name)


def metadata(distribution_name: str) -> Any:
    """As in the original."""
    return _load().metadata(distribution_name)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_load(), name)
