"""Moves about the page: scrolling and highlighting."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import js

from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, settle
from pagehand.tools.target import resolve
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
    container: str = "",
    pixels: int | None = None,
) -> Outcome:
    """Scrolls, waits until the page stands still, and says where it is."""
    smooth = "smooth" if behavior == "smooth" and not _less_motion() else "instant"
    box = Box(resolve(page, container)) if container else Box(None)
    if text:
        element = _element_of_text(page, text)
    elif selector:
        element = resolve(page, selector)
    else:
        return await _by_direction(page, box, direction, pixels, smooth)
    before = Box(None).position(), _place_of(element)
    element.scrollIntoView(behavior=smooth, block="start", inline="nearest")
    await until_still(smooth, element)
    _out_from_under(page, element)
    facts = page.describe(element)
    place = element.getBoundingClientRect()
    in_view = place.bottom > 0 and place.top < js.innerHeight
    name = str(facts.get("name") or facts.get("id") or selector or text)
    data = {
        **where(),
        "ref": facts["ref"],
        "in_view": bool(in_view),
        "moved": before != (Box(None).position(), _place_of(element)),
    }
    return Outcome(f"Scrolled to “{name}”.", f"已滚动到“{name}”。", data=data)


def _less_motion() -> bool:
    return bool(js.matchMedia("(prefers-reduced-motion: reduce)").matches)


def _element_of_text(page: Page, text: str) -> Any:
    import re

    found = json.loads(page.eyes.find(page.root, re.escape(text), "i", 1, 0))
    if not found["hits"]:
        raise TroubleError("not_found", f'No visible text "{text}".', f"没有找到可见文字“{text}”。")
    return resolve(page, found["hits"][0]["ref"])


class Box:
    """What scrolls: the page, or the nearest scrolling box around an element."""

    def __init__(self, element: Any) -> None:
        page = js.document.scrollingElement
        self.element = page if element is None else _scroller_of(element)
        self.is_page = self.element == page

    def position(self) -> tuple[float, float]:
        """Left and top."""
        return float(self.element.scrollLeft), float(self.element.scrollTop)

    def size(self) -> tuple[float, float]:
        """The part in view: width and height."""
        if self.is_page:
            return float(js.innerWidth), float(js.innerHeight)
        return float(self.element.clientWidth), float(self.element.clientHeight)

    def where(self) -> dict[str, Any]:
        """Where it stands, in pixels."""
        (left, top), (width, height) = self.position(), self.size()
        whole = float(self.element.scrollHeight)
        far = {"left": round(left), "at_right": left >= self.element.scrollWidth - width - 1}
        sideways = far if self.element.scrollWidth > width + 1 else {}
        return {
            "top": round(top),
            "height": round(whole),
            "view": round(height),
            "at_top": top <= 1,
            "at_bottom": top >= whole - height - 1,
            **sideways,
        }


def _scroller_of(element: Any) -> Any:
    """The element itself or the nearest one around it that scrolls."""
    at = element
    while not is_nothing(at) and str(at.localName) not in ("body", "html"):
        style = js.getComputedStyle(at)
        for way, whole, seen in (
            (style.overflowY, at.scrollHeight, at.clientHeight),
            (style.overflowX, at.scrollWidth, at.clientWidth),
        ):
            if str(way) in ("auto", "scroll") and whole > seen:
                return at
        at = at.parentElement
    return js.document.scrollingElement


_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


async def _by_direction(
    page: Page, box: Box, direction: str, pixels: int | None, smooth: str
) -> Outcome:
    direction = direction or ("down" if pixels is not None else "top")
    before = box.position()
    if direction in _ENDS:
        top = 0 if direction == "top" else box.element.scrollHeight
        box.element.scrollTo(top=top, behavior=smooth)
    else:
        across, down = _WAYS[direction]
        width, height = box.size()
        by = (width * 0.85 if across else height * 0.85) if pixels is None else pixels
        box.element.scrollBy(left=across * by, top=down * by, behavior=smooth)
    await until_still(smooth, box.element)
    moved = box.position() != before
    data = {**box.where(), "moved": moved}
    if not box.is_page and page.allows(box.element):
        data["container"] = page.describe(box.element)["ref"]
    if not moved:
        return Outcome(
            f"Already at the {direction}.", "页面已经在该位置。", data=data, code="no_change"
        )
    if direction == "top":
        return Outcome("Scrolled to the top.", "已滚动到页面顶部。", data=data)
    return Outcome(f"Scrolled {direction}.", "已滚动页面。", data=data)


def where() -> dict[str, Any]:
    """Where the page stands, in pixels."""
    return Box(None).where()


def _place_of(element: Any) -> tuple[float, float]:
    box = element.getBoundingClientRect()
    return float(box.left), float(box.top)


async def until_still(motion: str = "instant", element: Any = None) -> None:
    """Waits until frames in a row show the same position; a smooth motion starts after some."""
    enough = 8 if motion == "smooth" else 2
    watched = js.document.scrollingElement if element is None else element
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _STILL_LIMIT

    def seen() -> Any:
        return _place_of(watched), float(watched.scrollLeft), float(watched.scrollTop)

    last, same = seen(), 0
    while same < enough and loop.time() < deadline:
        await settle(1)
        now = seen()
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
    await until_still()
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
