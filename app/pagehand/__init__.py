"""pagehand gives an AI agent hands in a web page, in Python.

    from pagehand import Toolkit, mount

    toolkit = Toolkit()

    @toolkit.tool("greet")
    def greet(name: str) -> str:
        "Greets a person by name."
        return f"Hello, {name}!"

    mount("#assistant", toolkit)

Names are loaded when they are first used, so that importing one pure package
(as the backend does with `pagehand.wire`) loads nothing of the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagehand.errors import PagehandError as PagehandError
    from pagehand.errors import ToolError as ToolError
    from pagehand.toolkit.context import ToolContext as ToolContext
    from pagehand.toolkit.tool_ui import Showing as Showing
    from pagehand.toolkit.tool_ui import ToolUI as ToolUI
    from pagehand.toolkit.toolkit import Toolkit as Toolkit
    from pagehand.toolkit.toolkit import define_toolkit as define_toolkit
    from pagehand.ui.mount import mount as mount

__all__ = [
    "PagehandError",
    "Showing",
    "ToolContext",
    "ToolError",
    "ToolUI",
    "Toolkit",
    "define_toolkit",
    "mount",
]

_HOME = {
    "PagehandError": "pagehand.errors",
    "Showing": "pagehand.toolkit.tool_ui",
    "ToolContext": "pagehand.toolkit.context",
    "ToolError": "pagehand.errors",
    "ToolUI": "pagehand.toolkit.tool_ui",
    "Toolkit": "pagehand.toolkit.toolkit",
    "define_toolkit": "pagehand.toolkit.toolkit",
    "mount": "pagehand.ui.mount",
}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'pagehand' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
