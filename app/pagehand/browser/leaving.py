"""A call that makes the page leave has its answer on the next page.

    leaving = Leaving(call_id, "navigate_to", about="https://shop.example/orders")
    ...                                  # the page may go away here, and Python with it
    leaving.stayed()                     # it did not: nothing to remember

    for call_id, left in take_left():    # on the next page of the same tab
        ...

The note lies in the tab's session storage; without one (blocked, full) the call is simply
unanswered after the load, as any other that a reload cut off.
"""

from __future__ import annotations

import time
from typing import Any

import js
from pyodide.ffi import JsException

from pagehand.errors import MalformedEventError
from pagehand.wire.jsontext import dumps, loads

KEY = "pagehand:left"
_MOST = 20
_OLDEST = 600.0  # seconds: what was left longer ago was not followed by this load


class Leaving:
    """One call that may take the page away.

    Args:
        call_id: The call.
        tool: Its tool's name.
        about: Where the page is meant to go, if that is known.
    """

    def __init__(self, call_id: str, tool: str, about: str = "") -> None:
        self._call_id = call_id
        self._note = {"tool": tool, "to": about, "from": str(js.location.href), "at": time.time()}
        notes = _read()
        notes[call_id] = self._note
        _write(notes)

    def heads_for(self, address: str) -> None:
        """Where it goes, as soon as that is known."""
        self._note["to"] = address
        _write({**_read(), self._call_id: self._note})

    def stayed(self) -> None:
        """The page is still here: the call answers as always."""
        notes = _read()
        if notes.pop(self._call_id, None) is not None:
            _write(notes)


def take_left() -> dict[str, dict[str, Any]]:
    """What calls of the page before left behind, by call id; asked for once."""
    notes = _read()
    if notes:
        _write({})
    now = time.time()
    return {
        call_id: note
        for call_id, note in notes.items()
        if isinstance(note, dict) and 0 <= now - float(note.get("at") or 0) < _OLDEST
    }


def _read() -> dict[str, Any]:
    try:
        text = js.sessionStorage.getItem(KEY)
        found = loads(str(text)) if text else {}
    except (JsException, MalformedEventError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(notes: dict[str, Any]) -> None:
    try:
        if notes:
            kept = dict(list(notes.items())[-_MOST:])
            js.sessionStorage.setItem(KEY, dumps(kept))
        else:
            js.sessionStorage.removeItem(KEY)
    except JsException:
        return
