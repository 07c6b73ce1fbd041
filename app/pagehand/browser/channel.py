"""Talking to the other elements and tabs of this origin that use the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pagehand_shell
from pyodide.ffi import JsException, create_proxy

from pagehand.browser.tongue import kept
from pagehand.wire.jsontext import dumps, loads

_LIBRARY = "keep.js"
_PREFIX = "pagehand:"


class Channel:
    """What one says, all others hear; nobody hears itself.

    Args:
        name: The name that is shared.
        hear: Called with each JSON object that somebody else said.
    """

    __slots__ = ("_hear", "_name", "_open", "_proxy")

    def __init__(self, name: str, hear: Callable[[dict[str, Any]], None]) -> None:
        self._name = name
        self._hear = hear
        self._proxy: Any = create_proxy(kept(self._heard))
        self._open: Any = None

    async def open(self) -> None:
        """Begins to listen; where the browser has no such thing nobody is heard."""
        try:
            library = await pagehand_shell.load(_LIBRARY)
            if self._proxy is not None:
                self._open = library.channel(_PREFIX + self._name, self._proxy)
        except JsException:
            return

    def say(self, kind: str, **values: Any) -> None:
        """Tells all others."""
        if self._open is not None:
            self._open.say(dumps({"type": kind, **values}))

    def close(self) -> None:
        """Listens no more."""
        opened, self._open = self._open, None
        if opened is not None:
            opened.close()
        proxy, self._proxy = self._proxy, None
        if proxy is not None:
            proxy.destroy()

    def _heard(self, text: str) -> None:
        try:
            said = loads(text)
        except ValueError:
            return
        if isinstance(said, dict) and isinstance(said.get("type"), str):
            self._hear(said)
