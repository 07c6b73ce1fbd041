"""From the bytes of a request to a JSON object, within bounded time and memory.

Bytes are counted while they arrive, so nothing over the limit is ever held. The parser is
the standard library's, made strict where two readers could disagree (a key twice, NaN,
numbers no double holds) or where a key would change an object's nature in JavaScript
(`__proto__`). A body is refused with the first fault found, and never quoted.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, NoReturn

from starlette.requests import Request

from backend.refusals import RefusalError
from backend.settings import Settings

_SHAPE = bytes(0x30 if 0x30 <= c <= 0x39 else 0x65 if c == 0x45 else c for c in range(256))
"""Every digit becomes `0`, `E` becomes `e`: the shape of numbers, found at C's speed."""

_NO_MARK = bytes(set(range(256)) - set(b'",:[{'))
_NO_BRACKET = bytes(set(range(256)) - set(b'"[]{}'))
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_MAX_MARKS = 100_000
"""Lists, objects and keys in one body: a megabyte of `{}` would take thirty in memory."""

_MAX_COMMAS = _MAX_MARKS
"""So few values that looking at each number takes bounded time."""

_INFINITY = float("inf")

_NUMBER_TEXT = "A number in the body is too large: numbers must fit a 64-bit float."


async def read_json_object(request: Request, settings: Settings) -> dict[str, Any]:
    """Read the body of a request as a JSON object.

    Raises:
        RefusalError: 413 for too many bytes, 408 for a body that takes too long, 400 for one
            that is not a JSON object in UTF-8.
        ClientDisconnect: The client went away before its body was complete.
    """
    raw = await read_bounded(request, settings.max_body, settings.body_timeout)
    value = parse_json(raw, settings.max_depth)
    if not isinstance(value, dict):
        raise RefusalError(400, 'The body must be a JSON object, as in {"messages": [...]}.')
    return value


def check_content_type(request: Request) -> None:
    """Refuse what is not JSON.

    A page of another origin can send `text/plain` without asking first; `application/json`
    makes the browser ask (CORS preflight). So this rule is also a guard against forgery.
    """
    essence, _, parameters = request.headers.get("content-type", "").lower().partition(";")
    if essence.strip() != "application/json":
        raise RefusalError(
            415, "Send the body as JSON with the header content-type: application/json."
        )
    charset = re.search(r"charset\s*=\s*\"?([^\s;\"]+)", parameters)
    if charset and charset[1] not in ("utf-8", "utf8"):
        raise RefusalError(
            415, "Send the body in UTF-8: JSON between systems has no other encoding."
        )
    if request.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
        raise RefusalError(415, "Send the body uncompressed, without content-encoding.")


async def read_bounded(request: Request, limit: int, seconds: float) -> bytes:
    """Collect the body, at most `limit` bytes within `seconds`."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared[:20]) > limit:
        _too_large(limit)
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for piece in request.stream():
                size += len(piece)
                if size > limit:
                    _too_large(limit)
                pieces.append(piece)
    except TimeoutError:
        raise RefusalError(
            408,
            f"The body did not arrive within {seconds:g} seconds. Send it in one go.",
            {"connection": "close"},
        ) from None
    return b"".join(pieces)


def _too_large(limit: int) -> NoReturn:
    raise RefusalError(
        413,
        f"The body is larger than {limit:,} bytes. Send fewer messages, or smaller tool results.",
        {"connection": "close"},
    )


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
            f"The body holds more than {_MAX_MARKS:,} lists, objects and keys, or as many "
            "values. Send fewer rows at once.",
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RefusalError(400, "The body is not UTF-8 text.") from None
    try:
        value = _decoder(raw).decode(text)
    except RecursionError:
        _too_deep(max_depth)
    except ValueError as error:
        where = f" near character {error.pos:,}" if isinstance(error, json.JSONDecodeError) else ""
        raise RefusalError(400, f"The body is not valid JSON{where}.") from None
    if text.count("[") + text.count("{") > max_depth and _depth(raw, max_depth) > max_depth:
        _too_deep(max_depth)
    return value


def _is_crowded(raw: bytes) -> bool:
    marks = raw.count(b"[") + raw.count(b"{") + raw.count(b":")
    return marks > _MAX_MARKS or raw.count(b",") > _MAX_COMMAS


def _without_texts(raw: bytes) -> bytes:
    """Only the punctuation of JSON, without what stands inside texts; in passes of C's speed."""
    bare = raw.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _NO_MARK)
    return re.sub(rb'"[^"]*"?', b"", bare.replace(b'""', b""))


def _decoder(raw: bytes) -> json.JSONDecoder:
    """Numbers are only looked at one by one when the text holds one that may be too large."""
    shape = raw.translate(_SHAPE, b"+")
    suspicious = b"0e000" in shape or b"0" * 200 in shape
    return _WARY if suspicious else _QUICK


def _strict_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs) and "__proto__" not in value:
        return value
    if "__proto__" in value:
        raise RefusalError(400, "The body holds the key __proto__, which is not accepted.")
    raise RefusalError(400, "An object in the body holds one key twice. Send each key once.")


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


_QUICK = json.JSONDecoder(object_pairs_hook=_strict_object, parse_constant=_refuse_constant)
_WARY = json.JSONDecoder(
    object_pairs_hook=_strict_object,
    parse_constant=_refuse_constant,
    parse_int=_bounded_int,
    parse_float=_bounded_float,
)


def _too_deep(max_depth: int) -> NoReturn:
    raise RefusalError(400, f"The body is nested deeper than {max_depth} levels.") from None


def _depth(raw: bytes, stop: int) -> int:
    """How deep the lists and objects of valid JSON are nested; gives up one level after `stop`.

    All brackets become one kind, and each pass takes the innermost away, at C's speed.
    """
    bare = raw.replace(rb"\\", b"").replace(rb"\"", b"").translate(_ONE_KIND, _NO_BRACKET)
    bare = bare.replace(b'""', b"")
    if b'"' in bare:
        bare = re.sub(rb'"[^"]*"', b"", bare)
    depth = 0
    while bare and depth <= stop:
        bare = bare.replace(b"[]", b"")
        depth += 1
    return depth
