"""The declarations of requests, checked once for each page and not once for each request.

A page sends the same declarations with every request of its conversations, and checking a schema
costs far more than all else that happens to a request. So what was accepted is kept, found again
by its whole text (never by a hash alone), and forgotten when others take its room.
"""

from __future__ import annotations

import marshal
from collections import OrderedDict
from typing import Any

from pagehand.wire.declarations import FIELDS, Declarations, Limits, read_declarations

_ROOM = 1_000_000
"""Bytes of text kept in all."""


class DeclarationReader:
    """Reads declarations as `read_declarations` does, sooner when it saw them before.

    Args:
        limits: What is accepted.
        room: Bytes of declarations to remember.
    """

    def __init__(self, limits: Limits, room: int = _ROOM) -> None:
        self._limits = limits
        self._room = self._left = room
        self._known: OrderedDict[bytes, Declarations] = OrderedDict()

    def read(self, body: dict[str, Any]) -> Declarations:
        """Read the tools that a request declares. Their schemas must not be changed.

        Raises:
            DeclarationError: As `read_declarations`.
        """
        given = {field: body[field] for field in FIELDS if body.get(field) is not None}
        if not given:
            return {}
        text = marshal.dumps(given, 2)  # the quickest way to one text for equal values
        known = self._known.get(text)
        if known is None:
            known = read_declarations(given, self._limits)
            self._keep(text, known)
        else:
            self._known.move_to_end(text)
        return dict(known)

    def _keep(self, text: bytes, declarations: Declarations) -> None:
        if len(text) > self._room // 4:
            return
        self._known[text] = declarations
        self._left -= len(text)
        while self._left < 0:
            forgotten, _ = self._known.popitem(last=False)
            self._left += len(forgotten)
