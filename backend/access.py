"""Who may ask: the names we answer to, the origins we trust, and a token.

A browser sends a POST to us from any page and only hides the answer, so the Origin header is
checked here, before anything runs. The Host header is checked because a foreign name can be
made to point to a server on this machine.
"""

from __future__ import annotations

import hmac
import inspect
import re
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from starlette.datastructures import Headers
from starlette.requests import Request

from backend.refusals import RefusalError
from backend.settings import Settings

Authenticate: TypeAlias = Callable[[Request], "str | Awaitable[str | None] | None"]
"""Takes the request, returns the name of who asks, or None to refuse with 401."""


def origin_pattern(allowed: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for the allowed origins.

    `*` in one stands for a port or labels of a host, `*` alone for every origin.
    """
    if "*" in allowed:
        return re.compile(r".*")
    alternatives = (re.escape(origin.rstrip("/")).replace(r"\*", r"[^/]*") for origin in allowed)
    return re.compile("|".join(alternatives) or r"(?!)")


def check_host(headers: Headers, allowed: tuple[str, ...]) -> None:
    """Refuse a Host that is not ours; an empty list allows every host."""
    if not allowed:
        return
    host = headers.get("host", "").lower()
    name = host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
    for entry in allowed:
        if name == entry or (entry.startswith("*.") and name.endswith(entry[1:])):
            return
    raise RefusalError(
        403, "This server does not answer to that host name. List it in PAGEHAND_ALLOWED_HOSTS."
    )


def check_origin(headers: Headers, allowed: re.Pattern[str]) -> None:
    """Refuse a page of another origin that is not listed.

    No Origin header means no browser sent it, or an old one from the same origin.
    """
    origin = headers.get("origin")
    if origin is None or allowed.fullmatch(origin):
        return
    if origin.partition("://")[2] == headers.get("host", ""):
        return
    raise RefusalError(
        403, "Pages of this origin may not ask here. List the origin in PAGEHAND_ALLOWED_ORIGINS."
    )


def bearer(token: str) -> Authenticate:
    """Authenticates by one static token in `Authorization: Bearer ...`."""

    def authenticate(request: Request) -> str | None:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        good = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
        return "token" if scheme.lower() == "bearer" and good else None

    return authenticate


async def principal_of(request: Request, authenticate: Authenticate | None) -> str:
    """The name of who asks, empty when nobody has to say.

    Raises:
        RefusalError: 401, not authenticated.
    """
    if authenticate is None:
        return ""
    result = authenticate(request)
    principal = await result if inspect.isawaitable(result) else result
    if not principal:
        raise RefusalError(
            401,
            "Not signed in: send the header authorization: Bearer TOKEN.",
            {"www-authenticate": "Bearer"},
        )
    return principal


def client_of(request: Request, principal: str) -> str:
    """What limits are counted by: who asks, else the address the request came from."""
    if principal:
        return f"principal {principal}"
    return request.client.host if request.client else ""


def settings_authenticate(settings: Settings) -> Authenticate | None:
    """The authentication that the settings ask for."""
    return bearer(settings.auth_token) if settings.auth_token else None
