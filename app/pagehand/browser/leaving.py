"""A call that makes the page leave has its answer on the next page.

    leaving = Leaving(call_id, "navigate_to", about="https://shop.example/orders")
    ...                                  # the page may go away here, and Python with it
    leaving.stayed()                     # it did not: nothing to remember

    for call_id, left in take_left(open_ids).items():    # on the next page of the same tab
        ...

A page may hold several assistants, and one may follow another tab for a while: each takes the
notes of its own calls only, the others wait for theirs.

The note lies in the tab's session storage; without one (blocked, full) the call is simply
unanswered after the load, as any other that a reload cut off.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
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
        parts: Whether tools may see only parts of the page: then its title is not told.
    """

    def __init__(self, call_id: str, tool: str, about: str = "", *, parts: bool = False) -> None:
        self._call_id = call_id
        here = str(js.location.href)
        self._note = {"tool": tool, "to": about, "from": here, "at": time.time(), "parts": parts}
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


def take_left(call_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What these calls of the page before left behind, by call id; given once."""
    notes = _read()
    if not notes:
        return {}
    fresh = {call_id: note for call_id, note in notes.items() if _is_fresh(note)}
    taken = {call_id: fresh.pop(call_id) for call_id in call_ids if call_id in fresh}
    if len(fresh) != len(notes):
        _write(fresh)
    return taken


def _is_fresh(note: Any) -> bool:
    at = note.get("at") if isinstance(note, dict) else None
    return isinstance(at, (int, float)) and 0 <= time.time() - at < _OLDEST


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
