"""JSON that is still arriving: what can be said of a tool's arguments so far.

`feed` costs what the piece costs; the value is built only when somebody looks. The text is
cut at the last place up to which it is sound, what stands open there is closed, a literal
that has begun is completed, a key without a value is left out.

Invalid JSON is not mended. The rules are those of the AI SDK's `parsePartialJson`, so that
a half-arrived call looks the same to both: for example a number's plus sign in `1e+5` is
not understood until the text is complete.
"""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias

from pagehand.errors import MalformedEventError
from pagehand.wire.jsontext import loads

State: TypeAlias = Literal["undefined-input", "successful-parse", "repaired-parse", "failed-parse"]

# Where the scanner stands. One entry on the stack for each open list or object, and one on
# top for an open string, number or literal. `_DONE` lies at the bottom once the value began.
(
    _ROOT,
    _DONE,
    _OBJECT,
    _KEY,
    _COLON,
    _FIELD,
    _AFTER_FIELD,
    _COMMA,
    _ARRAY,
    _AFTER_ITEM,
    _NEXT_ITEM,
    _STRING,
    _NUMBER,
    _LITERAL,
) = range(14)

_AFTER = {
    _ROOT: _DONE,
    _FIELD: _AFTER_FIELD,
    _ARRAY: _AFTER_ITEM,
    _NEXT_ITEM: _AFTER_ITEM,
}
_OPEN_OBJECT = frozenset({_OBJECT, _KEY, _COLON, _FIELD, _AFTER_FIELD, _COMMA})
_OPEN_ARRAY = frozenset({_ARRAY, _AFTER_ITEM, _NEXT_ITEM})
_LITERALS = {"t": "true", "f": "false", "n": "null"}
_DIGITS = frozenset("0123456789")

_PLAIN_TEXT = re.compile(r'[^"\\]*')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u]|u[0-9a-fA-F]{0,3}[^0-9a-fA-F])", re.DOTALL)


class PartialJson:
    """Collects the text of one JSON value.

    Memory is the text; a look costs one join and one parse of it, remembered until more comes.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._whole = ""
        self._position = 0  # the scanner has seen everything before this
        self._stack = [_ROOT]
        self._sound = 0  # the text before this is the beginning of valid JSON
        self._literal = 0  # where the open literal began
        self._seen: tuple[Any, State] | None = (None, "undefined-input")

    @property
    def text(self) -> str:
        """Everything that was fed."""
        if self._pieces:
            self._pieces.insert(0, self._whole)
            self._whole = "".join(self._pieces)
            self._pieces.clear()
        return self._whole

    def feed(self, text: str) -> None:
        """Take the next piece of the text."""
        self._pieces.append(text)
        self._seen = None

    def value(self) -> tuple[Any, State]:
        """The value so far, and how it was found.

        The value is None when the state is `undefined-input` (nothing was fed) or
        `failed-parse`. The same object is given until more text comes: do not change it.
        """
        if self._seen is None:
            self._seen = self._look()
        return self._seen

    def _look(self) -> tuple[Any, State]:
        self._scan()
        if self._is_whole():
            try:
                return _parse(self._whole), "successful-parse"
            except MalformedEventError:
                pass
        try:
            return _parse(self.repaired()), "repaired-parse"
        except MalformedEventError:
            return None, "failed-parse"

    def repaired(self) -> str:
        """The text, cut and closed so that it can be parsed, if it is the beginning of JSON."""
        self._scan()
        parts = [self._whole[: self._sound]]
        for state in reversed(self._stack):
            if state == _STRING:
                parts.append('"')
            elif state in _OPEN_OBJECT:
                parts.append("}")
            elif state in _OPEN_ARRAY:
                parts.append("]")
            elif state == _LITERAL:
                begun = self._whole[self._literal : self._sound]
                parts.append(_LITERALS[begun[0]][len(begun) :])
        return "".join(parts)

    def _is_whole(self) -> bool:
        """Whether nothing is open: only then can the text as it stands be valid."""
        return self._stack[0] == _DONE and self._stack[1:] in ([], [_NUMBER], [_LITERAL])

    def _scan(self) -> None:
        text = self.text
        position = self._position
        stack = self._stack
        while position < len(text):
            state = stack[-1]
            if state in (_STRING, _KEY):
                after = self._in_text(text, position, state)
                if after == position:
                    break  # half an escape: wait for the rest
                position = after
            else:
                _STEPS[state](self, text[position], position)
                position += 1
        self._position = position

    def _in_text(self, text: str, position: int, state: int) -> int:
        """Read on in a string or key; return where it was left."""
        char = text[position]
        if char == '"':
            position += 1
            if state == _STRING:
                self._stack.pop()
                self._sound = position
            else:
                self._stack[-1] = _COLON
            return position
        match = (_ESCAPE if char == "\\" else _PLAIN_TEXT).match(text, position)
        if match is None:
            return position
        if state == _STRING:
            self._sound = match.end()
        return match.end()
