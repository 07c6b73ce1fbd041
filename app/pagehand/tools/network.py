"""Requests to this site in the person's name: reading, and sending after a yes.

Only this origin, also after redirects: the browser itself breaks off a request that would lead
elsewhere. What comes back is the site's text: untrusted, masked and cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException, JsProxy

from pagehand.errors import MalformedEventError
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, js_message
from pagehand.tools.secrets import mask_json, mask_text
from pagehand.tools.travel import site_address
from pagehand.tools.weight import grave_words
from pagehand.wire.jsontext import dumps, loads

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_ACCEPT = "application/json, text/*;q=0.9"
_MOST_READ = 2_000_000  # characters of a body that are looked at
_TELLING = ("content-type", "content-language", "etag", "last-modified", "location", "retry-after")
_MOST_ASKED = 1200
_TYPES = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "text": "text/plain;charset=UTF-8",
}


async def http_get(
    page: Page, ctx: ToolContext, path: str, accept: str = _ACCEPT, max_chars: int = 20_000
) -> Outcome:
    """Reads an address of this site."""
    address = site_address(path)
    return await _send(ctx, address, "GET", {"Accept": accept}, None, max_chars)


def ask_get(page: Page, path: str, accept: str = "", max_chars: int = 0) -> str:
    """What sounds like a deed is asked about; so is what carries data after untrusted reading."""
    address = site_address(path)
    words = f"{js.decodeURIComponent(address.pathname)} {address.search}"
    told = page.read and page.settings.wary and len(str(address.search)) > 1
    if not grave_words(words.replace("_", " ").replace("-", " ")) and not told:
        return ""
    return page.say(f"Request {address.href}?", f"请求 {address.href}？")


def risk_get(page: Page, path: str, accept: str = "", max_chars: int = 0) -> str:
    """Moderate where the person is asked, else safe."""
    return "moderate" if ask_get(page, path) else "safe"


async def http_post(
    page: Page,
    ctx: ToolContext,
    path: str,
    method: str = "POST",
    body: str = "",
    type: str = "json",
    max_chars: int = 20_000,
) -> Outcome:
    """Sends data to an address of this site."""
    address, text = _checked(path, body, type)
    headers = {"Accept": _ACCEPT} | ({"Content-Type": _TYPES[type]} if text else {})
    return await _send(ctx, address, method, headers, text or None, max_chars)


def ask_post(
    page: Page,
    path: str,
    method: str = "POST",
    body: str = "",
    type: str = "json",
    max_chars: int = 0,
) -> str:
    """What goes where."""
    address, text = _checked(path, body, type)
    shown = text if len(text) <= _MOST_ASKED else f"{text[:_MOST_ASKED]}… ({len(text)})"
    head = page.say(f"Send this with {method}?", f"以 {method} 发送？")
    return "\n".join(filter(None, [head, str(address.href), shown]))


def _checked(path: str, body: str, type: str) -> tuple[Any, str]:
    address = site_address(path)
    if type != "json" or not body:
        return address, body
    try:
        return address, dumps(loads(body))
    except MalformedEventError as error:
        raise TroubleError(
            "bad_value",
            f'The body is not JSON: {error}. Send JSON text, or say type "form" or "text".',
            f"请求体不是 JSON：{error}。",
        ) from error


async def _send(
    ctx: ToolContext,
    address: Any,
    method: str,
    headers: dict[str, str],
    body: str | None,
    max_chars: int,
) -> Outcome:
    options = js.Object.new()
    options.method = method
    # The browser refuses what leads to another origin, redirects included.
    options.mode = "same-origin"
    options.credentials = "same-origin"
    options.headers = js.Object.new()
    for name, value in headers.items():
        js.Reflect.set(options.headers, name, value)
    if body is not None:
        options.body = body
    signal = ctx.abort_signal
    if isinstance(signal, JsProxy):  # outside an element there may be none of the browser's
        options.signal = signal
    try:
        answer = await js.fetch(address.href, options)
        text = await _read(answer)
    except JsException as error:
        raise TroubleError(
            "no_answer",
            f"No answer from {address.pathname}: {js_message(error)}. The network failed, the "
            "page's policy forbids it, or it leads to another site.",
            f"{address.pathname} 没有响应：网络错误、页面策略禁止，或跳转到其他站点。",
        ) from error
    return _outcome(method, answer, text, max_chars)


async def _read(answer: Any) -> str | None:
    """The body as text; None for what is none."""
    kind = str(answer.headers.get("content-type") or "").lower()
    textual = kind.startswith("text/") or any(
        word in kind for word in ("json", "xml", "javascript", "urlencoded", "yaml")
    )
    if not textual and kind:
        if not is_nothing(answer.body):
            await answer.body.cancel()
        return None
    return str(await answer.text())


def _outcome(method: str, answer: Any, text: str | None, max_chars: int) -> Outcome:
    found = {name: answer.headers.get(name) for name in _TELLING}
    data: dict[str, Any] = {
        "url": mask_text(str(answer.url)),
        "status": int(answer.status),
        "headers": {name: str(value) for name, value in found.items() if value},
        "untrusted": True,
    }
    if answer.redirected:
        data["redirected"] = True
    if text is None:
        data["note"] = "the body is no text and was not read"
    else:
        data |= _body(text[:_MOST_READ], max_chars)
    good = bool(answer.ok)
    return Outcome(
        f"{method} answered with {answer.status}.",
        f"{method} 返回状态 {answer.status}。",
        data=data,
        code="ok" if good else "http_error",
        success=good,
    )


def _body(text: str, max_chars: int) -> dict[str, Any]:
    try:
        value = mask_json(loads(text))
        shown = dumps(value)
        if len(shown) <= max_chars:
            return {"json": value}
    except MalformedEventError:
        shown = mask_text(text)
    if len(shown) <= max_chars:
        return {"text": shown}
    return {"text": shown[:max_chars], "truncated": True, "characters": len(text)}
