"""JSON, read strictly and within bounded time and memory.

The parser is the standard library's. It is made strict where two readers could disagree (a
key twice, NaN, numbers no double holds) or where a key would change an object's nature in
JavaScript (`__proto__`). A hook looks at each of a few objects. For many it would cost more
than all the parsing, so what it would see is counted instead, in passes of C's speed: a key
that stood twice is a key that the text has and the value has not.
"""

from __future__ import annotations

import json
import re
from itertools import chain, repeat
from typing import Any, NoReturn

from backend.refusals import RefusalError

_SHAPE = bytes(0x30 if 0x30 <= c <= 0x39 else 0x65 if c == 0x45 else c for c in range(256))
"""Every digit becomes `0`, `E` becomes `e`: the shape of numbers, found at C's speed."""

_NO_MARK = bytes(set(range(256)) - set(b'",:[{'))

MAX_CONTAINERS = 20_000
"""Lists and objects in one body: so many rows of 50 bytes fill a megabyte. A megabyte of `{}`
would take thirty in memory, and each costs ten times what a number does."""

MAX_KEYS = 50_000
"""Keys in one body: so many fill a megabyte with 20 bytes for each name and its value."""

MAX_COMMAS = 60_000
"""Values in one body, more or less: with 17 bytes for each they fill a megabyte too."""

_FEW = 200
"""So many objects are looked at one by one sooner than they are counted."""

_CONTAINERS = frozenset((dict, list))
_INFINITY = float("inf")

_NUMBER_TEXT = "A number in the body is too large: numbers must fit a 64-bit float."


def parse_json(raw: bytes, max_depth: int) -> Any:
    """Parse strictly.

    Raises:
        RefusalError: 400, with the first fault.
    """
    if not raw.strip():
        raise RefusalError(400, "The body is empty: send a JSON object.")
    if _is_crowded(raw) and _is_crowded(_without_texts(raw)):
        raise RefusalError(
            400,
            f"The body holds more than {MAX_CONTAINERS:,} lists and objects, {MAX_KEYS:,} keys, "
            f"or {MAX_COMMAS:,} values. Send fewer rows at once.",
        )
    objects = raw.count(b"{")
    few = objects <= _FEW
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RefusalError(400, "The body is not UTF-8 text.") from None
    try:
        value = _decoder(raw, few=few).decode(text)
    except RecursionError:
        _too_deep(max_depth)
    except ValueError as error:
        where = f" near character {error.pos:,}" if isinstance(error, json.JSONDecodeError) else ""
        raise RefusalError(400, f"The body is not valid JSON{where}.") from None
    if few and objects + raw.count(b"[") <= max_depth:
        return value
    kept = _count_keys(value, max_depth)
    # A colon outside texts is a key; most bodies have none inside, and need no closer look.
    if kept != raw.count(b":") and kept != _without_texts(raw).count(b":"):
        _stands_twice()
    return value


def _is_crowded(raw: bytes) -> bool:
    return (
        raw.count(b"[") + raw.count(b"{") > MAX_CONTAINERS
        or raw.count(b":") > MAX_KEYS
        or raw.count(b",") > MAX_COMMAS
    )


def _without_texts(raw: bytes) -> bytes:
    """Only the punctuation of JSON, without what stands inside texts; in passes of C's speed."""
    bare = raw.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _NO_MARK)
    return re.sub(rb'"[^"]*"?', b"", bare.replace(b'""', b""))


def _decoder(raw: bytes, *, few: bool) -> json.JSONDecoder:
    """Numbers are only looked at one by one when the text holds one that may be too large."""
    shape = raw.translate(_SHAPE, b"+")
    suspicious = b"0e000" in shape or b"0" * 200 in shape
    return _DECODERS[few, suspicious]


def _strict_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if "__proto__" in value:
        _is_no_key()
    if len(value) < len(pairs):
        _stands_twice()
    return value


def _is_no_key() -> NoReturn:
    raise RefusalError(400, "The body holds the key __proto__, which is not accepted.")


def _stands_twice() -> NoReturn:
    raise RefusalError(400, "An object in the body holds one key twice. Send each key once.")


def _count_keys(value: Any, max_depth: int) -> int:
    """How many keys all objects in a value have; level by level, with no call for each object.

    Raises:
        RefusalError: 400 for `__proto__`, and for more than so many levels.
    """
    count = depth = 0
    level = [value]
    while kinds := _CONTAINERS.intersection(map(type, level)):
        depth += 1
        if depth > max_depth:
            _too_deep(max_depth)
        objects = [v for v in level if type(v) is dict] if dict in kinds else []
        lists = [v for v in level if type(v) is list] if list in kinds else []
        if any(map(dict.__contains__, objects, repeat("__proto__"))):
            _is_no_key()
        count += sum(map(len, objects))
        level = [*chain.from_iterable(map(dict.values, objects)), *chain.from_iterable(lists)]
    return count


def _refuse_constant(_: str) -> NoReturn:
    raise RefusalError(400, "The body holds NaN or Infinity, which JSON does not know.")


def _bounded_int(text: str) -> int:
    if len(text) > 310:
        raise RefusalError(400, _NUMBER_TEXT)
    return int(text)


def _bounded_float(text: str) -> float:
    value = float(text)
    if -_INFINITY < value < _INFINITY:
        return value
    raise RefusalError(400, _NUMBER_TEXT)


_DECODERS = {
    (few, suspicious): json.JSONDecoder(
        object_pairs_hook=_strict_object if few else None,
        parse_constant=_refuse_constant,
        parse_int=_bounded_int if suspicious else None,
        parse_float=_bounded_float if suspicious else None,
    )
    for few in (False, True)
    for suspicious in (False, True)
}


def _too_deep(max_depth: int) -> NoReturn:
    raise RefusalError(400, f"The body is nested deeper than {max_depth} levels.") from None
