"""Moves about the page and the site: scrolling, highlighting, going to another place."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException

from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, settle
from pagehand.tools.pressing import press
from pagehand.tools.target import resolve
from pagehand.tools.urls import UrlPolicy, judge
from pagehand.tools.writing import bring_into_view

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_STILL_LIMIT = 3.0
_ENDS = ("top", "bottom")


async def scroll_to(
    page: Page,
    ctx: ToolContext,
    selector: str = "",
    text: str = "",
    direction: str = "",
    behavior: str = "auto",
) -> Outcome:
    """Scrolls, waits until the page stands still, and says where it is."""
    smooth = "smooth" if behavior == "smooth" and not _less_motion() else "instant"
    if text:
        element = _element_of_text(page, text)
    elif selector:
        element = resolve(page, selector)
    else:
        return await _by_direction(direction or "top", smooth)
    before = _position()
    element.scrollIntoView(behavior=smooth, block="start", inline="nearest")
    await _until_still(smooth)
    _out_from_under(page, element)
    facts = page.describe(element)
    box = element.getBoundingClientRect()
    in_view = box.bottom > 0 and box.top < js.innerHeight
    name = str(facts.get("name") or facts.get("id") or selector or text)
    data = {
        **_where(),
        "ref": facts["ref"],
        "in_view": bool(in_view),
        "moved": before != _position(),
    }
    return Outcome(f"Scrolled to “{name}”.", f"已滚动到“{name}”。", data=data)


def _less_motion() -> bool:
    return bool(js.matchMedia("(prefers-reduced-motion: reduce)").matches)


def _element_of_text(page: Page, text: str) -> Any:
    import re

    found = json.loads(page.eyes.find(page.root, re.escape(text), "i", 1, 0, page.exclude))
    if not found["hits"]:
        raise TroubleError("not_found", f'No visible text "{text}".', f"没有找到可见文字“{text}”。")
    return resolve(page, found["hits"][0]["ref"])


async def _by_direction(direction: str, smooth: str) -> Outcome:
    scroller = js.document.scrollingElement
    before = _position()
    if direction in _ENDS:
        js.window.scrollTo(top=0 if direction == "top" else scroller.scrollHeight, behavior=smooth)
    else:
        down = {"down": 0.85, "up": -0.85}.get(direction, 0) * js.innerHeight
        right = {"right": 0.85, "left": -0.85}.get(direction, 0) * js.innerWidth
        js.window.scrollBy(left=right, top=down, behavior=smooth)
    await _until_still(smooth)
    moved = _position() != before
    data = {**_where(), "moved": moved}
    if not moved:
        return Outcome(
            f"Already at the {direction}.", "页面已经在该位置。", data=data, code="no_change"
        )
    if direction == "top":
        return Outcome("Scrolled to the top.", "已滚动到页面顶部。", data=data)
    return Outcome(f"Scrolled {direction}.", "已滚动页面。", data=data)


def _position() -> tuple[float, float]:
    return float(js.scrollX), float(js.scrollY)


def _where() -> dict[str, Any]:
    scroller = js.document.scrollingElement
    end = scroller.scrollHeight - js.innerHeight
    return {
        "top": round(js.scrollY),
        "height": round(scroller.scrollHeight),
        "view": round(js.innerHeight),
        "at_top": js.scrollY <= 1,
        "at_bottom": js.scrollY >= end - 1,
    }


async def _until_still(motion: str = "instant") -> None:
    """Waits until frames in a row show the same position; a smooth motion starts after some."""
    enough = 8 if motion == "smooth" else 2
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _STILL_LIMIT
    last, same = _position(), 0
    while same < enough and loop.time() < deadline:
        await settle(1)
        now = _position()
        same = same + 1 if now == last else 0
        last = now


def _out_from_under(page: Page, element: Any) -> None:
    """Moves a little further where a bar that stays on top hides the element's beginning."""
    box = element.getBoundingClientRect()
    if not -2 <= box.top < js.innerHeight or box.left < 0:
        return
    top = js.document.elementFromPoint(box.left + 2, max(box.top, 0) + 2)
    while not is_nothing(top) and not top.contains(element) and not element.contains(top):
        if js.getComputedStyle(top).position in ("fixed", "sticky") and page.allows(top):
            cover = top.getBoundingClientRect()
            js.window.scrollBy(0, box.top - cover.bottom - 8)
            return
        top = top.parentElement


async def highlight(page: Page, ctx: ToolContext, target: str, seconds: int = 4) -> Outcome:
    """Frames an element for a while, without touching its styles."""
    element = resolve(page, target)
    bring_into_view(element)
    await _until_still()
    frames = js.JSON.parse(
        json.dumps(
            [
                {"outline": "3px solid #e8a33d", "outlineOffset": "3px", "offset": 0},
                {"outline": "3px solid #e8a33d", "outlineOffset": "3px", "offset": 0.9},
                {"outline": "3px solid transparent", "outlineOffset": "3px", "offset": 1},
            ]
        )
    )
    element.animate(frames, seconds * 1000)
    name = str(page.describe(element).get("name") or target)
    return Outcome(f"Highlighted “{name}”.", f"已突出显示“{name}”。", data={"seconds": seconds})


async def navigate_to(page: Page, ctx: ToolContext, path: str) -> Outcome:
    """Goes to another place of this site: by its own link where there is one."""
    target = _site_address(path)
    address = str(js.location.href)
    if str(target.href) == address:
        return Outcome("Already there.", "已经在该页面。", data=_place(), code="no_change")
    same_document = _without_hash(str(target.href)) == _without_hash(address)
    link = _link_to(page, str(target.href))
    if link is not None:
        await press(link)
    elif same_document:
        js.location.hash = target.hash
    else:
        js.location.assign(target.href)
    await settle(4)
    await _until_still()
    arrived = str(js.location.href) == str(target.href)
    return Outcome(
        f"Now at {js.location.pathname}{js.location.hash}." if arrived else "On the way there.",
        f"已导航到 {js.location.pathname}{js.location.hash}。" if arrived else "正在前往。",
        data=_place(),
        code="ok" if arrived else "leaving",
    )


def ask_navigate(page: Page, path: str) -> str:
    """Where the page would go; a place on this same page needs no question."""
    target = str(_site_address(path).href)
    if _without_hash(target) == _without_hash(str(js.location.href)):
        return ""
    return page.say(f"Go to {target}?", f"前往 {target}？")


def _site_address(path: str) -> Any:
    try:
        target = js.URL.new(path, js.location.href)
    except JsException as error:
        raise TroubleError(
            "bad_url", f'"{path}" is no address.', f"“{path}”不是有效地址。"
        ) from error
    verdict = judge(target, str(js.location.origin), UrlPolicy(foreign=False))
    if not verdict.allowed:
        raise TroubleError(
            verdict.code,
            "navigate_to stays on this site and opens plain web addresses only; use the tool that "
            "opens an address in a new window for others.",
            "navigate_to 只能在本站内跳转；其他地址请使用新窗口打开工具。",
        )
    return target


def _without_hash(address: str) -> str:
    return address.partition("#")[0]


def _link_to(page: Page, address: str) -> Any:
    for anchor in page.eyes.select(page.root, "a[href]", page.exclude, 500):
        same = str(anchor.href) == address and not anchor.hasAttribute("download")
        if same and str(anchor.target or "") in ("", "_self") and page.eyes.visible(anchor):
            return anchor
    return None


def _place() -> dict[str, Any]:
    return {"url": str(js.location.href), "title": str(js.document.title), **_where()}


async def go_back(page: Page, ctx: ToolContext) -> Outcome:
    """One step back in the history of this tab."""
    address = str(js.location.href)
    js.history.back()
    await asyncio.sleep(0.3)
    moved = str(js.location.href) != address
    return Outcome(
        "Went back." if moved else "There was nowhere to go back to.",
        "已返回上一页。" if moved else "没有可返回的页面。",
        data=_place(),
        code="ok" if moved else "no_change",
    )


def ask_back(page: Page) -> str:
    """Going back may leave the page."""
    return page.say("Go one page back?", "返回上一页？")
