"""Clicks and hovers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, settle
from pagehand.tools.pressing import hover as hover_over
from pagehand.tools.pressing import press
from pagehand.tools.target import resolve
from pagehand.tools.weight import check, name_of, weight
from pagehand.tools.writing import bring_into_view

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page


async def click(page: Page, ctx: ToolContext, target: str, double: bool = False) -> Outcome:
    """Clicks once, or twice."""
    element = resolve(page, target, "click")
    name = check(page, element)
    await reach(page, element, name)
    await press(element)
    if double:
        await press(element)
        press_twice(element)
    return Outcome(f"Clicked “{name}”.", f"已点击“{name}”。", data={"clicked": name})


async def reach(page: Page, element: Any, name: str) -> None:
    """Brings the element where a pointer could meet it.

    Raises:
        TroubleError: `covered`, naming what lies over it; `gone` when it left meanwhile.
    """
    bring_into_view(element)
    await _stands_still(element)
    if not element.isConnected:
        raise TroubleError("stale_ref", f"“{name}” left the page.", f"“{name}”已不在页面上。")
    cover = page.eyes.coveredBy(element)
    for place in ("start", "end", "nearest"):
        if is_nothing(cover):
            return
        # A bar that stays on top may cover it at one place and not at another.
        element.scrollIntoView(block=place, inline="nearest", behavior="instant")
        await settle()
        cover = page.eyes.coveredBy(element)
    if is_nothing(cover):
        return
    if not page.allows(cover):
        raise TroubleError(
            "covered",
            f"“{name}” is covered by something that is out of reach.",
            f"“{name}”被无法操作的内容遮挡。",
        )
    over = page.describe(cover)
    raise TroubleError(
        "covered",
        f"“{name}” is covered by {over['role']} “{over.get('name', '')}”.",
        f"“{name}”被其他内容遮挡。",
        {"covered_by": over},
    )


async def _stands_still(element: Any, most: int = 30) -> None:
    """Waits until two frames in a row show the element at the same place."""
    last = None
    for _ in range(most):
        await settle(1)
        box = element.getBoundingClientRect()
        place = (float(box.left), float(box.top), float(box.width), float(box.height))
        if place == last:
            return
        last = place


def press_twice(element: Any) -> None:
    """What follows the second click."""
    from pagehand.tools.pressing import fire

    if element.isConnected:
        fire(element, "dblclick", True, 0, 2)


def ask_click(page: Page, target: str, double: bool = False) -> str:
    """What is about to be clicked, where the click weighs something."""
    element = resolve(page, target, "click")
    name = check(page, element)
    reason = weight(page, element)
    return page.say(f"Click “{name}”?", f"点击“{name}”？") + reason if reason else ""


def risk_click(page: Page, target: str, double: bool = False) -> str:
    """Dangerous where the person is asked; safe for what only shows another part of the page."""
    element = resolve(page, target, "click")
    check(page, element)  # what is refused anyway is asked about by nobody
    if weight(page, element):
        return "dangerous"
    facts = page.describe(element)
    shows = facts["role"] == "tab" or {"collapsed", "expanded"} & set(facts["states"])
    return "safe" if shows else "moderate"


async def hover(page: Page, ctx: ToolContext, target: str) -> Outcome:
    """Moves the pointer over an element, as scripts of the page see it."""
    element = resolve(page, target)
    name = name_of(page, element)
    if not page.eyes.visible(element):
        raise TroubleError("hidden", "No person can see the element.", "用户看不到该元素。")
    await reach(page, element, name)
    hover_over(element)
    return Outcome(
        f"The pointer is over “{name}”.",
        f"指针已移到“{name}”上。",
        data={
            "over": name,
            "note": "what a page shows by CSS :hover alone needs the person's own pointer",
        },
    )
