"""Stands in for the colours of tracebacks in terminals: a page has none.

The original makes a dozen dataclasses at its import, a third of the time of Python's start here.
It is still there for whoever asks for colours.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLORIZE = False


class _NoColors:
    """A theme in which every colour of every section is no text at all."""

    def __getattr__(self, name: str) -> "Any":
        if name.startswith("__"):
            raise AttributeError(name)
        return "" if self is _SECTION else _SECTION

    def __getitem__(self, name: str) -> str:
        return ""


_SECTION = _NoColors()
_PLAIN = _NoColors()


def can_colorize(*, file: object = None) -> bool:
    """Nothing here is a terminal."""
    return False


def get_theme(*, tty_file: object = None, force_color: bool = False, **_: object) -> "Any":
    """The theme without colours, unless colours are forced."""
    return _original("get_theme")(force_color=True) if force_color else _PLAIN


def __getattr__(name: str) -> "Any":
    if name.startswith("__"):
        raise AttributeError(name)
    return _original(name)


def _original(name: str) -> "Any":
    from importlib import import_module

    return getattr(import_module("_colorize_original"), name)
