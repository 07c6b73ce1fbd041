"""Cookies by name, of those that the integrator allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import js
from pyodide.ffi import JsException

from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import js_message
from pagehand.tools.secrets import mask_text

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_LONGEST = 4096


async def read_cookie(page: Page, ctx: ToolContext, name: str) -> Outcome:
    """One cookie; what only the server may read is not here."""
    if not _allowed(page, name):
        listed = ", ".join(page.settings.cookies)
        raise TroubleError(
            "refused",
            f'The cookie "{name}" is out of reach; there may be read: {listed}.',
            f"Cookie“{name}”不可读取；可读取的有：{listed}。",
        )
    jar = _jar()
    if name not in jar:
        seen = sorted(one for one in jar if _allowed(page, one))
        return Outcome(
            f'There is no cookie "{name}" that a page may read.',
            f"没有页面可读取的 Cookie“{name}”。",
            data={"name": name, "found": False, "there": seen},
            code="no_such_key",
        )
    value = jar[name][:_LONGEST]
    shown = mask_text(value)
    masked = {"masked": True} if shown != value else {}
    return Outcome(
        f'Read the cookie "{name}".',
        f"已读取 Cookie“{name}”。",
        data={"name": name, "found": True, "value": shown, **masked, "untrusted": True},
    )


def _allowed(page: Page, name: str) -> bool:
    return any(
        name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1]))
        for pattern in page.settings.cookies
    )


def _jar() -> dict[str, str]:
    try:
        text = str(js.document.cookie)
    except JsException as error:
        raise TroubleError(
            "storage_blocked",
            f"The browser does not let this page read its cookies: {js_message(error)}",
            "浏览器不允许此页面读取 Cookie。",
        ) from error
    jar: dict[str, str] = {}
    for pair in text.split("; "):
        name, equals, value = pair.partition("=")
        if equals and name not in jar:  # the first is the one with the longer path
            jar[name] = _decoded(value)
    return jar


def _decoded(value: str) -> str:
    try:
        return str(js.decodeURIComponent(value))
    except JsException:
        return value
