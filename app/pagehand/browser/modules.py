"""An integrator's own Python file, run as a module under its own address.

Tracebacks then name `https://shop.example/my_tools.py, line 12` and show the line, and
pydantic finds the names that annotations refer to.
"""

from __future__ import annotations

import linecache
import sys
import traceback
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from pagehand.errors import PageError

if TYPE_CHECKING:
    from collections.abc import Awaitable

_TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, without importing ast


class ToolkitFileError(PageError):
    """The file could not be had or did not run. `details` holds its own part of the traceback."""

    def __init__(self, text: str, details: str = "") -> None:
        super().__init__(text)
        self.details = details


async def load_toolkit(url: str, source: str) -> Any:
    """Runs a toolkit file and gives what it calls `toolkit`.

    Raises:
        ToolkitFileError: It does not run, or defines no `toolkit`. The text names file and line.
    """
    module = await load_module(url, source)
    toolkit = getattr(module, "toolkit", None)
    if toolkit is None:
        raise ToolkitFileError(
            f"{url} defines no `toolkit`. Add `toolkit = Toolkit()` from pagehand and put the tools"
            " into it."
        )
    if not hasattr(toolkit, "declarations"):
        kind = type(toolkit).__name__
        raise ToolkitFileError(
            f"`toolkit` in {url} is of type {kind}, not a Toolkit. Make it with `Toolkit()` or"
            " `define_toolkit({...})`."
        )
    return toolkit


async def load_module(url: str, source: str) -> ModuleType:
    """Runs `source` as a module of its own; top-level `await` is allowed.

    Raises:
        ToolkitFileError: It raised. The text names file, line and error.
    """
    module = ModuleType(_module_name(url))
    module.__file__ = url
    lines = source.splitlines(keepends=True)
    linecache.cache[url] = (len(source), None, lines, url)
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        code = compile(source, url, "exec", flags=_TOP_LEVEL_AWAIT, dont_inherit=True)
        await _run(code, module)
    except Exception as error:
        if before is None:
            sys.modules.pop(module.__name__, None)
        else:
            sys.modules[module.__name__] = before
        raise _told(url, error) from error
    return module


async def _run(code: CodeType, module: ModuleType) -> None:
    waiting: Awaitable[Any] | None = eval(code, module.__dict__)
    if waiting is not None:
        await waiting


def _module_name(url: str) -> str:
    """`my_tools` for `https://host/js/my_tools.py?v=2`, unless that is taken by another file."""
    stem = url.split("?", 1)[0].split("#", 1)[0].rstrip("/").rsplit("/", 1)[-1].removesuffix(".py")
    name = stem if stem.isidentifier() else "toolkit_file"
    number = 1
    candidate = name
    while (found := sys.modules.get(candidate)) is not None:
        if getattr(found, "__file__", None) == url:
            break
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def _told(url: str, error: Exception) -> ToolkitFileError:
    if isinstance(error, SyntaxError) and error.filename == url:
        line: int | None = error.lineno
        what = f"{type(error).__name__}: {error.msg}"
    else:
        line = _last_line_in(url, error)
        what = f"{type(error).__name__}: {error}"
    place = f"{url}, line {line}" if line else url
    return ToolkitFileError(f"{place}: {what}", _readable(url, error))


def _last_line_in(url: str, error: BaseException) -> int | None:
    found = None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == url:
            found = frame.tb_lineno
        frame = frame.tb_next
    return found


def _readable(url: str, error: BaseException) -> str:
    """The traceback from the author's own file on; what led there is not theirs."""
    report = traceback.TracebackException.from_exception(error)
    frames = list(report.stack)
    first = next((i for i, frame in enumerate(frames) if frame.filename == url), len(frames))
    report.stack = traceback.StackSummary.from_list(frames[first:])
    return "".join(report.format()).strip()
