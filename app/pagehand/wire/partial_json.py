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

    def _begin(self, char: str, position: int) -> None:
        """A value may begin here."""
        if char in _DIGITS or char == "-":
            opened = _NUMBER
        elif char in _OPENED:
            opened = _OPENED[char]
        else:
            return
        self._stack[-1] = _AFTER[self._stack[-1]]
        self._stack.append(opened)
        if opened == _LITERAL:
            self._literal = position
        if char != "-":
            self._sound = position + 1

    def _close(self, position: int) -> None:
        self._stack.pop()
        self._sound = position + 1

    def _object(self, char: str, position: int) -> None:
        if char == '"':
            self._stack[-1] = _KEY
        elif char == "}":
            self._close(position)

    def _colon(self, char: str, _position: int) -> None:
        if char == ":":
            self._stack[-1] = _FIELD

    def _after_field(self, char: str, position: int) -> None:
        if char == ",":
            self._stack[-1] = _COMMA
        elif char == "}":
            self._close(position)

    def _comma(self, char: str, _position: int) -> None:
        if char == '"':
            self._stack[-1] = _KEY

    def _array(self, char: str, position: int) -> None:
        if char == "]":
            self._close(position)
        else:
            self._begin(char, position)

    def _after_item(self, char: str, position: int) -> None:
        if char == ",":
            self._stack[-1] = _NEXT_ITEM
        elif char == "]":
            self._close(position)
        else:
            self._sound = position + 1  # `[1 2` must not pass for `[1`

    def _number(self, char: str, position: int) -> None:
        if char in _DIGITS:
            self._sound = position + 1
        elif char not in "-.eE":
            self._end_scalar(char, position)

    def _literal_text(self, char: str, position: int) -> None:
        begun = self._whole[self._literal : position + 1]
        if _LITERALS[begun[0]].startswith(begun):
            self._sound = position + 1
        else:
            self._end_scalar(char, position)

    def _end_scalar(self, char: str, position: int) -> None:
        self._stack.pop()
        if char in ",]}":
            _STEPS[self._stack[-1]](self, char, position)

    def _done(self, char: str, position: int) -> None:
        """What follows the value is cut off."""


_OPENED = {'"': _STRING, "{": _OBJECT, "[": _ARRAY, "t": _LITERAL, "f": _LITERAL, "n": _LITERAL}

_STEPS = {
    _ROOT: PartialJson._begin,
    _DONE: PartialJson._done,
    _OBJECT: PartialJson._object,
    _COLON: PartialJson._colon,
    _FIELD: PartialJson._begin,
    _AFTER_FIELD: PartialJson._after_field,
    _COMMA: PartialJson._comma,
    _ARRAY: PartialJson._array,
    _AFTER_ITEM: PartialJson._after_item,
    _NEXT_ITEM: PartialJson._begin,
    _NUMBER: PartialJson._number,
    _LITERAL: PartialJson._literal_text,
}


def _parse(text: str) -> Any:
    value = loads(text)
    if "_proto_" in text or "constructor" in text or "\\u" in text:
        _refuse_prototype(value)
    return value


def _refuse_prototype(value: Any) -> None:
    """Refuse keys that would change a prototype when the value becomes a JavaScript object."""
    if isinstance(value, dict):
        inner = value.get("constructor")
        if "__proto__" in value or (isinstance(inner, dict) and "prototype" in inner):
            raise MalformedEventError("A key that would change an object's prototype")
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _refuse_prototype(item)
