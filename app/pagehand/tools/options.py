"""Lists what a field offers: options, radio buttons, suggestions, the entries of a drawn list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js

from pagehand.tools.controls import Control, is_ticked
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, prop, until
from pagehand.tools.pressing import fire, press
from pagehand.tools.secrets import mask_text
from pagehand.tools.target import resolve
from pagehand.tools.values import folded
from pagehand.tools.writing import active_element, give_focus_back

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_FILLED_LATE = 1.5  # seconds a list may take to fill itself after it was opened


async def list_options(
    page: Page, ctx: ToolContext, target: str, contains: str = "", limit: int = 100
) -> Outcome:
    """What can be chosen, and what is."""
    element = resolve(page, target, "control")
    control = Control.of(page, [element], target)
    found = await _options(page, control)
    if found is None:
        raise TroubleError(
            "no_options",
            f"“{control.label}” is no list to choose from; it takes what fill_form_field writes.",
            f"“{control.label}”不是可选列表，请用 fill_form_field 填写。",
        )
    wanted = folded(contains)
    fitting = [one for one in found if not wanted or wanted in folded(one["label"])]
    for index, one in enumerate(fitting):
        one["index"] = index + 1
        one["label"] = mask_text(one["label"])
    data: dict[str, Any] = {
        "field": control.label,
        "options": fitting[:limit],
        "total": len(fitting),
        "complete": len(fitting) <= limit,
        "untrusted": True,
    }
    return Outcome(
        f"“{control.label}” offers {len(fitting)} options.",
        f"“{control.label}”共有 {len(fitting)} 个选项。",
        data=data,
    )


async def fill_when_opened(page: Page, target: str, options: list[str]) -> None:
    """Lets a native list that is filled when it is opened fill itself."""
    try:
        element = resolve(page, target, "control")
    except TroubleError:
        return  # the tool itself will say so
    if str(element.localName) == "select" and not int(element.options.length):
        await _opened(element, lambda: bool(int(element.options.length)))


async def _options(page: Page, control: Control) -> list[dict[str, Any]] | None:
    element = control.element
    if control.kind in ("select", "multi"):
        if not int(element.options.length):
            await _opened(element, lambda: bool(int(element.options.length)))
        return [_native(option) for option in page.eyes.optionsOf(element)]
    if control.kind in ("radio", "checks"):
        return [
            {"label": label, "value": value, "selected": is_ticked(member), **_off(enabled)}
            for label, value, enabled, member in control.choices()
        ]
    suggestions = prop(element, "list")
    if suggestions:
        chosen = str(element.value)
        return [
            {**_native(one), "selected": one.value == chosen}
            for one in suggestions.options
            if page.allows(one)
        ]
    if control.kind == "widget" or element.getAttribute("aria-haspopup") == "listbox":
        return await _drawn(page, element)
    return None


def _off(enabled: bool) -> dict[str, bool]:
    return {} if enabled else {"disabled": True}


def _native(option: Any) -> dict[str, Any]:
    group = option.parentElement
    entry: dict[str, Any] = {
        "label": " ".join(str(option.label or option.text or option.value).split()),
        "value": str(option.value),
        "selected": bool(option.selected),
        **_off(not option.matches(":disabled")),
    }
    if not is_nothing(group) and str(group.localName) == "optgroup":
        entry["group"] = str(group.label)
    return entry


async def _opened(element: Any, filled: Any) -> None:
    """Some lists are filled when they are opened: focus, press, wait a while."""
    before = active_element()
    element.focus(preventScroll=True)
    fire(element, "pointerdown", True, 1)
    fire(element, "mousedown", True, 1)
    await until(filled, _FILLED_LATE)
    give_focus_back(before)


async def _drawn(page: Page, element: Any) -> list[dict[str, Any]]:
    """Opens a list that scripts draw, reads it and closes it again."""
    opened = False
    if (
        element.getAttribute("role") != "listbox"
        and element.getAttribute("aria-expanded") != "true"
    ):
        await press(element)
        opened = True
    await until(lambda: bool(_entries(page, element)), _FILLED_LATE)
    found = _entries(page, element)
    entries = [
        {
            "label": str(page.eyes.name(one) or page.eyes.textOf(one, 200)),
            "value": str(one.getAttribute("data-value") or one.getAttribute("value") or ""),
            "selected": one.getAttribute("aria-selected") == "true",
            **_off(one.getAttribute("aria-disabled") != "true"),
        }
        for one in found
    ]
    if opened:
        _close(element)
    return entries


def _entries(page: Page, element: Any) -> list[Any]:
    """The options of the list it controls, else all that are open on the page."""
    box = element
    ref = element.getAttribute("aria-controls") or element.getAttribute("aria-owns")
    if ref:
        named = element.getRootNode().getElementById(str(ref).split()[0])
        box = element if is_nothing(named) else named
    inside = _visible_options(page, box)
    return inside or _visible_options(page, js.document.body)


def _visible_options(page: Page, root: Any) -> list[Any]:
    every = page.eyes.select(root, "[role=option]", 500)
    return [one for one in every if page.eyes.visible(one)]


def _close(element: Any) -> None:
    """Escape closes what a widget opened; a second press would for some open it again."""
    from pagehand.tools.controls import realm

    for name in ("keydown", "keyup"):
        event = realm(element).KeyboardEvent.new(
            name, key="Escape", code="Escape", keyCode=27, bubbles=True, cancelable=True
        )
        element.dispatchEvent(event)
    if element.getAttribute("aria-expanded") == "true":
        element.click()
