"""Lists and sliders that scripts draw: opened, chosen from and moved as a person would.

await choose(control, ["Pear"])        # or several, where the list takes several
await slide(element, "5")
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

from pagehand.tools.controls import realm, set_natively
from pagehand.tools.outcome import TroubleError
from pagehand.tools.page import is_nothing, settle
from pagehand.tools.pressing import press
from pagehand.tools.values import folded

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.tools.controls import Control

_PATIENCE = 1.5  # seconds for a list to open, fill or narrow itself
_MOST_PAGES = 200


class Entry(NamedTuple):
    """One thing an open list offers."""

    label: str
    element: Any
    chosen: bool
    enabled: bool


async def choose(control: Control, value: Any) -> None:
    """Brings a drawn list to one choice, or to several.

    Raises:
        TroubleError: `bad_value` with what there is to choose.
    """
    several = isinstance(value, list)
    wanted = [one for one in (value if several else [value]) if one]
    typed: list[str] = []
    try:
        await _open(control)
        if several:
            await _drop_others(control, wanted)
        for label in wanted:
            if not control.holds(value):
                typed += await _choose_one(control, label, several=several)
        if not wanted and _types(control.element):
            type_in(control.element, "")
            await settle()
    finally:
        await _close(control)
    if typed and not control.holds(value):
        raise _no_such(str(value), typed)


def _entries(control: Control) -> list[Entry]:
    page = control.page
    found = page.eyes.entries(control.element, page.root)
    return [Entry(str(one[0]), one[1], one[2] is True, one[3] is True) for one in found]


def _types(element: Any) -> bool:
    return str(element.localName) == "input" and not element.readOnly


def _is_open(element: Any) -> bool:
    return bool(element.getAttribute("aria-expanded") == "true")


async def _until(holds: Callable[[], bool], patience: float = _PATIENCE) -> bool:
    """Waits until something holds; returns whether it did in time."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    while not holds():
        if loop.time() > deadline:
            return False
        await asyncio.sleep(0.03)
    return True


async def _open(control: Control) -> None:
    element = control.element
    if element.getAttribute("role") == "listbox" or _is_open(element):
        return
    await press(element)
    if not await _until(lambda: _is_open(element) or bool(_entries(control))):
        return
    # A field to type into may be a date's or a number's, which never lists anything.
    await _until(lambda: bool(_entries(control)), 0.6 if _types(element) else _PATIENCE)


def _find(control: Control, label: str) -> Entry | None:
    """The entry of this label; else the only one that holds it in its words."""
    low = folded(label)
    every = _entries(control)
    same = [one for one in every if folded(one.label) == low]
    if not same:
        part = [one for one in every if low in folded(one.label)]
        same = part if len(part) == 1 else []
    return same[0] if same else None


async def _choose_one(control: Control, label: str, *, several: bool) -> list[str]:
    """Presses the entry. Where a text was left in the field instead: what the list had offered."""
    if several and not _entries(control):
        await _open(control)
    offered = [one.label for one in _entries(control) if one.label]
    found = await _stands_still(control, label)
    typed = found is None and _types(control.element)
    if typed:
        # Typing narrows the list; where there is none, the text itself may be the value.
        type_in(control.element, label)
        await _until(lambda: _find(control, label) is not None)
        found = await _stands_still(control, label)
        if found is None and not _entries(control):
            _tell_change(control.element)
            return offered
    found = found or await _scrolled_to(control, label)
    if found is None:
        if _types(control.element):
            type_in(control.element, "")
        raise _no_such(label, offered)
    if not found.enabled:
        raise TroubleError("bad_value", f'the choice "{label}" is disabled', f"选项“{label}”不可用")
    if not (several and found.chosen):
        await press(found.element)
        await settle()
    if typed and str(control.element.value) == label:
        _tell_change(control.element)  # of what was typed and stays, a person's leaving would tell
    return []


def _tell_change(element: Any) -> None:
    element.dispatchEvent(realm(element).Event.new("change", bubbles=True))


async def _stands_still(control: Control, label: str) -> Entry | None:
    """The entry once it no longer moves: lists slide open, and a press must not miss."""
    found = _find(control, label)
    for _ in range(20):
        if found is None:
            return None
        box = found.element.getBoundingClientRect()
        await settle()
        again = _find(control, label)
        if again is None:
            return None
        now = again.element.getBoundingClientRect()
        if (box.top, box.left) == (now.top, now.left):
            return again
        found = again
    return found


async def _scrolled_to(control: Control, label: str) -> Entry | None:
    """Lists may draw only what is in sight: scrolls through to the end."""
    every = _entries(control)
    box: Any = control.page.eyes.scroller(every[0].element) if every else None
    if is_nothing(box):
        return None
    box.scrollTop = 0
    for _ in range(_MOST_PAGES):
        await settle()
        found = _find(control, label)
        if found is not None:
            found.element.scrollIntoView(block="nearest", behavior="instant")
            await settle()
            return _find(control, label)
        before = box.scrollTop
        box.scrollTop = before + max(20, box.clientHeight - 20)
        if box.scrollTop == before:
            return None
    return None


def _no_such(label: str, offered: list[str]) -> TroubleError:
    return TroubleError(
        "bad_value",
        f'there is no choice "{label}"; choose from {", ".join(offered[:40]) or "what it shows"}',
        f"没有选项“{label}”；可选：{'、'.join(offered[:40]) or '界面所示'}",
        {"choices": offered[:100]},
    )


async def _drop_others(control: Control, wanted: list[str]) -> None:
    """Of a list that takes several: what is chosen and not wanted is pressed off."""
    keep = {folded(one) for one in wanted}
    for one in [one for one in _entries(control) if one.chosen and folded(one.label) not in keep]:
        again = _find(control, one.label)
        if again is not None and again.chosen:
            await press(again.element)
            await settle()


async def _close(control: Control) -> None:
    """Escape closes what is still open; a second press would for some open it again."""
    element = control.element
    if element.getAttribute("role") == "listbox":
        return
    if not _is_open(element):
        # It may still be fading away, and would be taken for the next one's.
        await _until(lambda: not _entries(control), 0.6)
        return
    from pagehand.tools.writing import active_element

    inside = active_element()
    press_key(element if is_nothing(inside) else inside, "Escape", 27)
    if not await _until(lambda: not _is_open(element)):
        element.blur()
    await settle()


def press_key(element: Any, key: str, code: int) -> None:
    """A key pressed and let go, as scripts see it."""
    for name in ("keydown", "keyup"):
        event = realm(element).KeyboardEvent.new(
            name, key=key, code=key, keyCode=code, bubbles=True, cancelable=True, composed=True
        )
        element.dispatchEvent(event)


def type_in(element: Any, text: str) -> None:
    """Writes into the field of a list, as typing does."""
    set_natively(element, "value", text)
    event = realm(element).InputEvent.new(
        "input", bubbles=True, composed=True, inputType="insertText", data=text
    )
    element.dispatchEvent(event)


async def slide(element: Any, value: str) -> None:
    """Moves a drawn slider by its keys until it shows the value, or can come no nearer."""
    wanted = float(value)

    def now() -> float:
        return float(element.getAttribute("aria-valuenow") or 0)

    element.focus(preventScroll=True)
    for _ in range(1000):
        left = wanted - now()
        if not left:
            return
        before = now()
        press_key(element, "ArrowRight" if left > 0 else "ArrowLeft", 39 if left > 0 else 37)
        if not await _moved(now, before) or (wanted - now()) * left < 0:
            return


async def _moved(now: Callable[[], float], before: float) -> bool:
    for _ in range(5):
        await asyncio.sleep(0)
        if now() != before:
            return True
        await settle(1)
    return now() != before
