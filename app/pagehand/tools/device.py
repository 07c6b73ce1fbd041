"""Waits for the page, and prints it."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import create_proxy

from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, settle, until
from pagehand.tools.target import candidates

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_QUIET = 0.5  # seconds without a change or a load that count as idle


async def wait_for(
    page: Page,
    ctx: ToolContext,
    text: str = "",
    gone: str = "",
    any_of: list[str] | None = None,
    element: str = "",
    element_gone: str = "",
    idle: bool = False,
    seconds: int = 10,
) -> Outcome:
    """Waits for all of what is named, or just for a time."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    waits = _waits(page, text, gone, any_of or [], element, element_gone)
    if not waits and not idle:
        await asyncio.sleep(seconds)
        return Outcome(f"Waited {seconds} s.", f"已等待 {seconds} 秒。", data={"waited": seconds})
    told: list[tuple[str, str]] = []
    found: dict[str, Any] = {}
    for holds, (yes_en, yes_zh), (no_en, no_zh) in waits:
        last: list[Any] = [None]

        def there(holds: Callable[[], Any] = holds, last: list[Any] = last) -> bool:
            last[0] = holds()
            return bool(last[0]) or ctx.aborted

        if not await until(there, seconds - (loop.time() - start)):
            return _late(no_en, no_zh, seconds)
        told.append((yes_en, yes_zh))
        if isinstance(last[0], str):
            found["found"] = last[0]
    if idle:
        if not await _idle(seconds - (loop.time() - start)):
            return _late("the page did not come to rest", "页面没有静止", seconds)
        told.append(("the page is at rest", "页面已静止"))
    waited = round(loop.time() - start, 1)
    english = "; ".join(en for en, _ in told)
    return Outcome(
        f"{english[:1].upper()}{english[1:]}.",
        "；".join(zh for _, zh in told) + "。",
        data={"waited": waited, **found},
    )


def _late(en: str, zh: str, seconds: int) -> Outcome:
    return Outcome(
        f"{en[:1].upper()}{en[1:]} in {seconds} s.",
        f"在 {seconds} 秒内{zh}。",
        data={"waited": seconds},
        code="timeout",
        success=False,
    )


Wait = tuple["Callable[[], Any]", tuple[str, str], tuple[str, str]]


def _waits(
    page: Page, text: str, gone: str, any_of: list[str], element: str, element_gone: str
) -> list[Wait]:
    """What to wait for: a test, the words for its success, the words for its failure."""
    waits: list[Wait] = []
    if text:
        waits.append(
            (
                lambda: _shows(page, text),
                (f"“{text}” is there", f"“{text}”已出现"),
                (f"“{text}” did not appear", f"“{text}”没有出现"),
            )
        )
    if any_of:
        names = ", ".join(f"“{one}”" for one in any_of)
        waits.append(
            (
                lambda: next((one for one in any_of if _shows(page, one)), ""),
                (f"one of {names} is there", f"{names} 之一已出现"),
                (f"none of {names} appeared", f"{names} 均没有出现"),
            )
        )
    if gone:
        waits.append(
            (
                lambda: not _shows(page, gone),
                (f"“{gone}” is gone", f"“{gone}”已消失"),
                (f"“{gone}” did not go away", f"“{gone}”没有消失"),
            )
        )
    if element:
        waits.append(
            (
                lambda: _stands(page, element),
                (f"the element “{element}” is there", f"元素“{element}”已出现"),
                (f"the element “{element}” did not appear", f"元素“{element}”没有出现"),
            )
        )
    if element_gone:
        waits.append(
            (
                lambda: not _stands(page, element_gone),
                (f"the element “{element_gone}” is gone", f"元素“{element_gone}”已消失"),
                (f"the element “{element_gone}” did not go away", f"元素“{element_gone}”没有消失"),
            )
        )
    return waits


def _shows(page: Page, text: str) -> bool:
    pattern = re.escape(" ".join(text.split())).replace("\\ ", "\\s+")
    found = json.loads(page.eyes.find(page.root, pattern, "i", 1, 0))
    return bool(found["total"])


def _stands(page: Page, target: str) -> bool:
    try:
        return any(page.eyes.visible(one) for one in candidates(page, target, "any"))
    except TroubleError as trouble:
        if trouble.code == "bad_selector":
            raise
        return False  # a stale reference: it is gone


async def _idle(seconds: float) -> bool:
    """Waits until nothing has changed and nothing was loaded for a while."""
    loop = asyncio.get_running_loop()
    last = loop.time()

    def changed(*_args: Any) -> None:
        nonlocal last
        last = loop.time()

    proxy = create_proxy(changed)
    observer = js.MutationObserver.new(proxy)
    observer.observe(js.document, childList=True, subtree=True, attributes=True, characterData=True)
    loads = js.PerformanceObserver.new(proxy)
    loads.observe(type="resource")
    try:
        return await until(
            lambda: str(js.document.readyState) == "complete" and loop.time() - last >= _QUIET,
            seconds,
        )
    finally:
        observer.disconnect()
        loads.disconnect()
        proxy.destroy()


async def print_page(page: Page, ctx: ToolContext) -> Outcome:
    """Opens the browser's print dialog; Python stands still while it is open."""
    if is_nothing(getattr(js.window, "print", None)):
        raise TroubleError(
            "unsupported", "This browser prints no pages.", "此浏览器不支持打印页面。"
        )
    await settle()
    js.window.print()
    return Outcome("The print dialog was shown.", "已显示打印对话框。")


def ask_print(page: Page) -> str:
    """Before a dialog that stands in front of everything."""
    title = str(js.document.title)
    return page.say(f"Print “{title}”?", f"打印“{title}”？")
