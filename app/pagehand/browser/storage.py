"""The browser's small stores, where each access may be refused.

Private windows, sandboxed frames and full disks make `localStorage` throw at any moment. Here
it then simply keeps nothing, and says so by its return value.
"""

from __future__ import annotations

from typing import Any

import js
from pyodide.ffi import JsException


class Storage:
    """`localStorage` or `sessionStorage` under a prefix.

    Args:
        name: `localStorage` or `sessionStorage`.
        prefix: Put before every key, so that a host's own keys are safe.
    """

    __slots__ = ("_name", "_prefix")

    def __init__(self, name: str = "localStorage", prefix: str = "pagehand:") -> None:
        self._name = name
        self._prefix = prefix

    def get(self, key: str) -> str | None:
        """The text under `key`, or None."""
        try:
            value = self._store().getItem(self._prefix + key)
        except JsException:
            return None
        # A missing key is JavaScript's null, which Python does not see as None.
        return value if isinstance(value, str) else None

    def set(self, key: str, value: str) -> bool:
        """Keeps a text; False when the browser refused."""
        try:
            self._store().setItem(self._prefix + key, value)
        except JsException:
            return False
        return True

    def remove(self, key: str) -> bool:
        """Forgets a text; False when the browser refused."""
        try:
            self._store().removeItem(self._prefix + key)
        except JsException:
            return False
        return True

    def _store(self) -> Any:
        return getattr(js.window, self._name)
