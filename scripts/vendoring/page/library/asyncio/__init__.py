# ruff: noqa: E402, F403, N815, PLE0604
"""Stands in for asyncio's own list of its parts: those that open sockets and processes come late.

No page can use them, and with the libraries that they import they are a third of what a start would
otherwise run. Every name is still there: the first use imports the part that has it.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _LateLogger:
    """The logger of a part of asyncio; the logging library comes with its first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> "Any":
        import logging

        return getattr(logging.getLogger(self._name), name)


class _Logging:
    DEBUG = 10
    getLogger = _LateLogger


class _Socket:
    AF_UNSPEC = 0
    AI_PASSIVE = 1


class _Subprocess:
    PIPE = -1


# The parts below import these for nothing but constants, and loggers that are hardly ever used.
_LENT = {"logging": _Logging, "socket": _Socket, "subprocess": _Subprocess}
_LENT = {name: lent for name, lent in _LENT.items() if name not in sys.modules}
sys.modules.update(_LENT)  # type: ignore[arg-type]
try:
    from . import (
        coroutines,
        events,
        exceptions,
        futures,
        locks,
        protocols,
        queues,
        runners,
        taskgroups,
        tasks,
        threads,
        timeouts,
        transports,
    )
finally:
    for _name in _LENT:
        del sys.modules[_name]

from .coroutines import *
from .events import *
from .exceptions import *
from .futures import *
from .locks import *
from .protocols import *
from .queues import *
from .runners import *
from .taskgroups import *
from .tasks import *
from .threads import *
from .timeouts import *
from .transports import *

_LATE = {
    "base_events": ("BaseEventLoop", "Server"),
    "graph": (
        "FrameCallGraphEntry",
        "FutureCallGraph",
        "capture_call_graph",
        "format_call_graph",
        "print_call_graph",
    ),
    "streams": (
        "StreamReader",
        "StreamReaderProtocol",
        "StreamWriter",
        "open_connection",
        "open_unix_connection",
        "start_server",
        "start_unix_server",
    ),
    "subprocess": ("create_subprocess_exec", "create_subprocess_shell"),
    "unix_events": ("EventLoop", "SelectorEventLoop", "_DefaultEventLoopPolicy"),
}

__all__ = [
    *(name for names in _LATE.values() for name in names if name[0] != "_" and "unix" not in name),
    *coroutines.__all__,
    *events.__all__,
    *exceptions.__all__,
    *futures.__all__,
    *locks.__all__,
    *protocols.__all__,
    *queues.__all__,
    *runners.__all__,
    *taskgroups.__all__,
    *tasks.__all__,
    *threads.__all__,
    *timeouts.__all__,
    *transports.__all__,
]


def __getattr__(name: str) -> object:
    if name == "AbstractEventLoopPolicy":
        return events._AbstractEventLoopPolicy
    if name == "DefaultEventLoopPolicy":
        # Pyodide's own policy stands on this one; the rest of the original is about sockets.
        return events._BaseDefaultEventLoopPolicy
    for part, names in _LATE.items():
        if name == part or name in names:
            from importlib import import_module

            module = import_module(f"asyncio.{part}")
            return module if name == part else getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
