"""Drags one element onto another: HTML's own drag and drop, or a pointer that moves while pressed.

Which of the two a page understands shows in the source: `draggable` elements (links and images
too) get drag events with a parcel, all others the pointer's way in small steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.tools.act import reach
from pagehand.tools.controls import realm
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, prop, settle
from pagehand.tools.pressing import fire, hover, middle
from pagehand.tools.target import resolve
from pagehand.tools.weight import name_of
from pagehand.tools.writing import bring_into_view

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_STEPS = 8
_EDGE = 0.15  # of the target's height: where "before" and "after" let go

Point = tuple[float, float]


async def drag(
    page: Page, ctx: ToolContext, source: str, target: str, place: str = "on"
) -> Outcome:
    """Drags `source` and lets go on, before or after `target`."""
    start, end = resolve(page, source), resolve(page, target)
    name, over = _names(page, start, end)
    await reach(page, start, name)
    if prop(start, "draggable"):
        taken = await _drag_parcel(start, end, place)
    else:
        taken = await _drag_pointer(page, start, end, place)
    data = {"dragged": name, "onto": over, "place": place}
    if not taken:
        return Outcome(
            f"“{over}” did not take “{name}”.",
            f"“{over}”没有接受“{name}”。",
            data=data,
            code="not_accepted",
            success=False,
        )
    return Outcome(f"Dragged “{name}” to “{over}”.", f"已将“{name}”拖到“{over}”。", data=data)


def ask_drag(page: Page, source: str, target: str, place: str = "on") -> str:
    """What is about to be moved where."""
    start, end = resolve(page, source), resolve(page, target)
    name, over = _names(page, start, end)
    ways = {"on": ("onto", "到"), "before": ("before", "到前面："), "after": ("after", "到后面：")}
    en, zh = ways[place]
    return page.say(f"Drag “{name}” {en} “{over}”?", f"将“{name}”拖{zh}“{over}”？")


def _names(page: Page, start: Any, end: Any) -> tuple[str, str]:
    for one in (start, end):
        if not page.eyes.visible(one):
            raise TroubleError("hidden", "No person can see the element.", "用户看不到该元素。")
        if "disabled" in page.describe(one)["states"]:
            raise TroubleError("disabled", "The element is disabled.", "该元素已禁用。")
    if start == end:
        raise TroubleError("bad_value", "Source and target are the same.", "起点和终点相同。")
    return name_of(page, start), name_of(page, end)


def _drop_point(end: Any, place: str) -> Point:
    x, y = middle(end)
    box = end.getBoundingClientRect()
    if place == "before":
        y = float(box.top + box.height * _EDGE)
    elif place == "after":
        y = float(box.bottom - box.height * _EDGE)
    return x, y


def _at(page: Page, window: Any, point: Point, fallback: Any) -> Any:
    """What lies under the pointer; the fallback where that is nothing, or out of reach."""
    found = window.document.elementFromPoint(*point)
    return fallback if is_nothing(found) or not page.allows(found) else found


async def _drag_parcel(start: Any, end: Any, place: str) -> bool:
    """HTML's drag and drop; returns whether the target took it."""
    window = realm(start)
    parcel = window.DataTransfer.new()

    def tell(element: Any, name: str, at: Point) -> bool:
        event = window.DragEvent.new(
            name,
            bubbles=True,
            cancelable=name not in ("dragend", "dragleave"),
            composed=True,
            dataTransfer=parcel,
            clientX=at[0],
            clientY=at[1],
        )
        return not element.dispatchEvent(event)

    hover(start)
    fire(start, "pointerdown", True, 1)
    fire(start, "mousedown", True, 1)
    if tell(start, "dragstart", middle(start)):
        return False  # the page forbids dragging it
    fire(start, "pointercancel", True, 0)
    await settle(1)
    bring_into_view(end)
    await settle(1)
    point = _drop_point(end, place)
    tell(end, "dragenter", point)
    taken = False
    for _ in range(2):
        tell(start, "drag", point)
        taken = tell(end, "dragover", point)
        await settle(1)
    if taken:
        tell(end, "drop", point)
    else:
        tell(end, "dragleave", point)
    if start.isConnected:
        tell(start, "dragend", point)
    return taken


async def _drag_pointer(page: Page, start: Any, end: Any, place: str) -> bool:
    """Presses, moves in steps, lets go: what sortable lists and sliders of scripts listen to."""
    window = realm(start)
    hover(start)
    fire(start, "pointerdown", True, 1)
    fire(start, "mousedown", True, 1)
    first = middle(start)
    for step in range(1, _STEPS + 1):
        last = _drop_point(end, place)
        share = step / _STEPS
        point = (
            first[0] + (last[0] - first[0]) * share,
            first[1] + (last[1] - first[1]) * share,
        )
        # Listeners stand on the source, on what is under the pointer, or on the window.
        under = end if step == _STEPS else _at(page, window, point, start)
        fire(under, "pointermove", True, 1, at=point)
        fire(under, "mousemove", True, 1, at=point)
        await settle(1)
    point = _drop_point(end, place)
    under = _at(page, window, point, end)
    fire(under, "pointerup", True, 0, at=point)
    fire(under, "mouseup", True, 0, at=point)
    return True
