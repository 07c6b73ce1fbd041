"""From the bytes of a request to a JSON object, within bounded time and memory.

Bytes are counted while they arrive, so nothing over the limit is ever held. What they say
is read by `backend.strict_json`. A body is refused with the first fault found, and never
quoted.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any, NoReturn

from starlette.requests import Request

from backend.refusals import RefusalError
from backend.settings import Settings
from backend.strict_json import parse_json


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
