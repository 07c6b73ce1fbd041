"""Local and session storage: masked, capped, asked for unless the integrator allowed the key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException

from pagehand.errors import MalformedEventError
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, js_message
from pagehand.tools.secrets import is_secret_key, mask_json, mask_text
from pagehand.wire.jsontext import dumps, loads

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_MOST_CHARACTERS = 20_000
_MOST_KEYS = 200
# What the assistant itself keeps; no tool reads or writes it.
_OWN_PREFIX = "pagehand"


def _area(storage_type: str) -> Any:
    try:
        return js.sessionStorage if storage_type == "sessionStorage" else js.localStorage
    except JsException as error:
        raise _blocked(error) from error


def _blocked(error: JsException) -> TroubleError:
    return TroubleError(
        "storage_blocked",
        f"The browser does not let this page use its storage: {js_message(error)}",
        "浏览器不允许此页面使用本地存储。",
    )


def _allowed(page: Page, key: str) -> bool:
    """Whether the integrator said that this key needs no question."""
    for pattern in page.settings.storage or ():
        if key == pattern or (pattern.endswith("*") and key.startswith(pattern[:-1])):
            return True
    return False


def _check_key(key: str) -> None:
    if not key or key.startswith(_OWN_PREFIX):
        raise TroubleError("refused", f'The key "{key}" is out of reach.', f"键“{key}”不可访问。")


def _get(storage_type: str, key: str) -> str | None:
    try:
        raw = _area(storage_type).getItem(key)
    except JsException as error:
        raise _blocked(error) from error
    return None if is_nothing(raw) else str(raw)


async def list_storage(page: Page, ctx: ToolContext, storageType: str = "localStorage") -> Outcome:  # noqa: N803 - the model's name
    """Key names and sizes."""
    area = _area(storageType)
    keys = [str(area.key(index)) for index in range(min(int(area.length), _MOST_KEYS * 2))]
    keys = sorted(key for key in keys if not key.startswith(_OWN_PREFIX))
    entries = [
        {"key": mask_text(key), "characters": len(_get(storageType, key) or "")}
        for key in keys[:_MOST_KEYS]
    ]
    return Outcome(
        f"{len(keys)} keys in {storageType}.",
        f"{storageType} 中共有 {len(keys)} 个键。",
        data={"storage": storageType, "keys": entries, "complete": len(keys) <= _MOST_KEYS},
    )


async def read_storage(
    page: Page,
    ctx: ToolContext,
    key: str,
    storageType: str = "localStorage",  # noqa: N803
) -> Outcome:
    """One value; parsed where it is JSON."""
    _check_key(key)
    allowed = _allowed(page, key)
    raw = _get(storageType, key)
    if raw is None:
        return Outcome(
            f'There is no key "{key}" in {storageType}.',
            f"{storageType} 中没有键“{key}”。",
            data={"key": key, "found": False},
            code="no_such_key",
        )
    data = {"key": key, "found": True, **_shown(key, raw, allowed=allowed)}
    return Outcome(
        f'Read "{key}" from {storageType}.', f"已读取 {storageType} 中的“{key}”。", data=data
    )


def ask_read(page: Page, key: str, storageType: str = "localStorage") -> str:  # noqa: N803
    """Which value is about to go to the model."""
    _check_key(key)
    if _allowed(page, key) or _get(storageType, key) is None:
        return ""
    return page.say(f"Read “{key}” from {storageType}?", f"读取 {storageType} 中的“{key}”？")


def risk_read(page: Page, key: str, storageType: str = "localStorage") -> str:  # noqa: N803
    """Safe for an allowed key, dangerous for one that names a secret."""
    if _allowed(page, key):
        return "safe"
    return "dangerous" if is_secret_key(key) else "moderate"


def _shown(key: str, raw: str, *, allowed: bool) -> dict[str, Any]:
    """The value as the model may see it."""
    if is_secret_key(key) and not allowed:
        return {"value": f"[masked {key}]", "masked": True, "characters": len(raw)}
    try:
        value: Any = loads(raw)
    except MalformedEventError:
        value = raw
    # Python keeps every digit of an integer, but JavaScript does not: what reads it may.
    masked = mask_json(value)
    text = masked if isinstance(masked, str) else dumps(masked)
    if len(text) > _MOST_CHARACTERS:
        return {"value": text[:_MOST_CHARACTERS], "truncated": True, "characters": len(raw)}
    return {"value": masked, "masked": True} if masked != value else {"value": masked}


async def write_storage(
    page: Page,
    ctx: ToolContext,
    key: str,
    value: Any,
    storageType: str = "localStorage",  # noqa: N803
) -> Outcome:
    """Keeps a value; reads it back."""
    text = _text_to_keep(key, value)
    old = _get(storageType, key)
    try:
        _area(storageType).setItem(key, text)
    except JsException as error:
        raise TroubleError(
            "storage_full",
            f"The browser did not keep it: {js_message(error)}",
            "浏览器未能保存：存储空间可能已满。",
        ) from error
    _tell_page(storageType, key, old, text)
    kept = _get(storageType, key) == text
    return Outcome(
        f'Kept "{key}" in {storageType}.' if kept else f'"{key}" did not keep its value.',
        f"已将“{key}”保存到 {storageType}。" if kept else f"“{key}”未能保留写入的值。",
        data={"key": key, "existed": old is not None, "unchanged": old == text},
        code="ok" if kept else "not_kept",
        success=kept,
    )


def _text_to_keep(key: str, value: Any) -> str:
    _check_key(key)
    text = value if isinstance(value, str) else dumps(value)
    if len(text) > _MOST_CHARACTERS:
        raise TroubleError(
            "too_large",
            f"At most {_MOST_CHARACTERS:,} characters can be kept; this has {len(text):,}.",
            f"最多保存 {_MOST_CHARACTERS} 个字符，当前为 {len(text)} 个。",
        )
    return text


def ask_write(page: Page, key: str, value: Any, storageType: str = "localStorage") -> str:  # noqa: N803
    """What is about to be kept."""
    text = _text_to_keep(key, value)
    if _allowed(page, key):
        return ""
    preview = text if len(text) <= 200 else text[:200] + "…"
    head = page.say(f"Keep “{key}” in {storageType}?", f"将“{key}”保存到 {storageType}？")
    return f"{head}\n{preview}"


def risk_write(page: Page, key: str, value: Any, storageType: str = "localStorage") -> str:  # noqa: N803
    """Safe for an allowed key, dangerous for one that names a secret."""
    return risk_read(page, key, storageType)


def _tell_page(storage_type: str, key: str, old: str | None, new: str | None) -> None:
    """Lets the page's own code hear of it, as it hears of another tab's writing."""
    details = {"key": key, "oldValue": old, "newValue": new, "url": js.location.href}
    init = js.JSON.parse(json.dumps(details))
    init.storageArea = _area(storage_type)
    js.dispatchEvent(js.StorageEvent.new("storage", init))


async def remove_storage(
    page: Page,
    ctx: ToolContext,
    key: str,
    storageType: str = "localStorage",  # noqa: N803
) -> Outcome:
    """Removes one key, after a yes."""
    ask_remove(page, key, storageType)
    old = _get(storageType, key)
    _area(storageType).removeItem(key)
    _tell_page(storageType, key, old, None)
    return Outcome(f'Removed "{key}".', f"已删除“{key}”。", data={"key": key})


def ask_remove(page: Page, key: str, storageType: str = "localStorage") -> str:  # noqa: N803
    """Which key is about to go."""
    _check_key(key)
    if _get(storageType, key) is None:
        raise TroubleError("no_such_key", f'There is no key "{key}".', f"没有键“{key}”。")
    return page.say(f"Remove “{key}” from {storageType}?", f"从 {storageType} 删除“{key}”？")
