"""JSON text as JavaScript writes and reads it, so that both sides agree on every value.

Python's own JSON differs where it hurts: `1.0` where JavaScript writes `1`, `NaN`, which
no strict reader takes, and lone surrogates, which UTF-8 cannot carry.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from pagehand.errors import MalformedEventError, UnsendableValueError

MAX_DEPTH = 200
"""Levels of lists and objects that may stand inside each other."""

_SAFE_INTEGER = 2**53
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))


def dumps(value: object, path: str = "value") -> str:
    """Write a value as compact JSON.

    Floats without a fraction become integers, whole numbers as keys become text, lone
    surrogates become U+FFFD (a pair of halves is joined).

    Args:
        value: JSON values; tuples count as lists.
        path: What to call the value in an error.

    Raises:
        UnsendableValueError: JSON cannot carry it: NaN, infinity, another type, a cycle,
            more than `MAX_DEPTH` levels. Its `path` names the place.
    """
    return well_formed(_encode(_plain(value, path, ())))


def loads(text: str, *, unique_keys: bool = False) -> Any:
    """Read JSON strictly: no NaN, no infinity, no byte order mark.

    Args:
        text: The JSON text.
        unique_keys: Refuse an object that has a key twice; otherwise the last one wins.

    Raises:
        MalformedEventError: It is not JSON, is nested too deeply, or holds a number of
            thousands of digits. The text of the error shows only its first characters.
    """
    if len(text) > MAX_DEPTH and _is_too_deep(text):
        raise MalformedEventError("JSON that is nested too deeply", text[:40])
    decoder = _UNIQUE if unique_keys else _DECODER
    try:
        if text.startswith("{"):  # nearly always, and then nothing need be skipped around it
            value, end = decoder.raw_decode(text)
            if end == len(text):
                return value
        return decoder.decode(text)
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise MalformedEventError(f"This is not JSON ({reason[:60]})", text[:80]) from None


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _plain(value: Any, path: str, above: tuple[int, ...]) -> Any:
    """A copy that the encoder writes right; `above` holds the ids of the open containers."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return _number(value, path)
    if not isinstance(value, (dict, list, tuple)):
        raise UnsendableValueError(f"JSON cannot carry a {type(value).__name__}", path)
    if id(value) in above:
        raise UnsendableValueError("it contains itself", path)
    if len(above) >= MAX_DEPTH:
        raise UnsendableValueError(f"it is nested deeper than {MAX_DEPTH} levels", path[:80])
    inside = (*above, id(value))
    if isinstance(value, dict):
        return {
            _key(key, path): _plain(item, f"{path}.{key}", inside) for key, item in value.items()
        }
    return [_plain(item, f"{path}[{index}]", inside) for index, item in enumerate(value)]


def _number(value: float, path: str) -> int | float:
    if not math.isfinite(value):
        raise UnsendableValueError(f"JSON has no number {value}", path)
    return int(value) if value.is_integer() and abs(value) < _SAFE_INTEGER else value


def _key(key: object, path: str) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, int) and not isinstance(key, bool):
        return str(key)
    raise UnsendableValueError(f"its keys must be text, not {type(key).__name__}", path)


def _is_too_deep(text: str) -> bool:
    return text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH


def _depth(text: str) -> int:
    """How deep the text nests, if it is JSON.

    The interpreter's own guard cannot be left to this: in WebAssembly the stack of the
    JSON scanner overflows first, and that ends Python for good.
    """
    bare = _STRING.sub("", text).encode("utf-8", "replace").translate(_ONE_KIND, _NO_BRACKET)
    depth = 0
    while bare and depth <= MAX_DEPTH:
        # Each pass takes the innermost away; what is left at last was never closed or opened.
        fewer = bare.replace(b"[]", b"")
        if len(fewer) == len(bare):
            return depth + bare.count(b"[")
        bare, depth = fewer, depth + 1
    return depth


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("an object has one key twice")
    return value


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_UNIQUE = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_unique)
