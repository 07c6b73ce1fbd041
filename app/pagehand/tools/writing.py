"""Writes into controls the way a person's hand would, so that every framework notices.

    await write(control, control.convert("张三"))

Sequences and their reasons: measured in Chromium and Firefox against React, Vue,
Angular, Svelte and others. Values go through the prototype's setter, because
React watches the instance's own; `input` crosses shadow roots and `change` does not.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import js

from pagehand.tools.controls import Control, lines_of, realm, set_natively
from pagehand.tools.page import is_nothing, settle
from pagehand.tools.pressing import press
from pagehand.tools.widget import choose, press_key, slide

if TYPE_CHECKING:
    from collections.abc import Callable


_EDITORS = (
    ".ProseMirror, .cm-content, [data-slate-editor], [data-lexical-editor], "
    ".public-DraftEditor-content"
)


def bring_into_view(element: Any) -> None:
    """Scrolls it to where a person would see it, without animation."""
    element.scrollIntoView(block="center", inline="nearest", behavior="instant")


def active_element() -> Any:
    """The focused element, looked for through shadow roots."""
    active = js.document.activeElement
    while not is_nothing(active) and not is_nothing(getattr(active, "shadowRoot", None)):
        inner = active.shadowRoot.activeElement
        if is_nothing(inner):
            break
        active = inner
    return active


def give_focus_back(element: Any) -> None:
    """Returns the focus to where the person had it."""
    if is_nothing(element) or str(element.localName) == "body":
        active = active_element()
        if not is_nothing(active):
            active.blur()
    elif element.isConnected:
        element.focus(preventScroll=True)


def _tell(element: Any, name: str, *, composed: bool = False) -> None:
    element.dispatchEvent(realm(element).Event.new(name, bubbles=True, composed=composed))


def _tell_input(element: Any, name: str, text: str) -> bool:
    """An InputEvent; False when a listener prevented it."""
    event = realm(element).InputEvent.new(
        name,
        bubbles=True,
        cancelable=name == "beforeinput",
        composed=True,
        inputType="insertReplacementText",
        data=text,
    )
    return bool(element.dispatchEvent(event))


async def write(control: Control, value: Any) -> None:
    """Brings a control to a converted value. The caller reads back what came of it."""
    bring_into_view(control.element)
    writers: dict[str, Callable[[Control, Any], None]] = {
        "text": _write_text,
        "number": _write_text,
        "date": _write_plain,
        "range": _write_plain,
        "color": _write_plain,
        "select": _write_choice,
        "multi": _write_choices,
        "check": _write_check,
        "checks": _write_checks,
    }
    writer = writers.get(control.kind)
    if writer is not None:
        control.element.focus(preventScroll=True)
        _say_focus(control.element, "focus", "focusin")
        writer(control, value)
        _say_focus(control.element, "blur", "focusout")
    elif control.kind == "toggle":
        await press(control.element)
    elif control.kind == "radio":
        await _write_radio(control, value)
    elif control.kind == "slider":
        await slide(control.element, value)
    elif control.kind == "rich":
        await _write_rich(control.element, value)
    else:
        await choose(control, value)


def _say_focus(element: Any, *names: str) -> None:
    """In a window that is not in front the browser tells nobody of the focus: then it is told here.

    Some forms take a value over only when its field is left.
    """
    if element.ownerDocument.hasFocus():
        return
    for name in names:
        bubbles = name in ("focusin", "focusout")
        event = realm(element).FocusEvent.new(name, bubbles=bubbles, composed=True)
        element.dispatchEvent(event)


def _write_text(control: Control, text: str) -> None:
    element = control.element
    if str(element.type) in ("text", "search", "url", "tel", "password", "textarea"):
        element.select()
    if _tell_input(element, "beforeinput", text):
        set_natively(element, "value", text)
        _tell_input(element, "input", text)
    _tell(element, "change")


def _write_plain(control: Control, text: str) -> None:
    set_natively(control.element, "value", text)
    _tell(control.element, "input", composed=True)
    _tell(control.element, "change")


def _write_choice(control: Control, label: str) -> None:
    labels = [choice[0] for choice in control.choices()]
    set_natively(control.element, "selectedIndex", labels.index(label))
    _tell(control.element, "input", composed=True)
    _tell(control.element, "change")


def _write_choices(control: Control, labels: list[str]) -> None:
    for label, _, _, option in control.choices():
        option.selected = label in labels
    _tell(control.element, "input", composed=True)
    _tell(control.element, "change")


def _write_check(control: Control, value: bool) -> None:
    if bool(control.element.checked) != value:
        control.element.click()


def _write_checks(control: Control, labels: list[str]) -> None:
    for label, _, _, element in control.choices():
        if bool(element.checked) != (label in labels):
            element.click()


async def _write_radio(control: Control, label: str) -> None:
    for known, _, _, element in control.choices():
        if known != label:
            continue
        if str(element.localName) != "input":
            await press(element)
        elif not element.checked:
            element.focus(preventScroll=True)
            element.click()
        return


async def _write_rich(element: Any, text: str) -> None:
    """A contenteditable: known editors take a paste, plain ones an insertion. Written once only."""
    element.focus(preventScroll=True)
    js.getSelection().selectAllChildren(element)
    # Editors learn the selection from an event that comes later.
    await asyncio.sleep(0.1)
    if not text:
        await _empty_rich(element)
    elif element.matches(_EDITORS):
        window = realm(element)
        parcel = window.DataTransfer.new()
        parcel.setData("text/plain", text)
        event = window.ClipboardEvent.new(
            "paste", bubbles=True, cancelable=True, composed=True, clipboardData=parcel
        )
        element.dispatchEvent(event)
    else:
        element.ownerDocument.execCommand("insertText", False, text)
    await asyncio.sleep(0.3)


async def _empty_rich(element: Any) -> None:
    """What is selected goes: by the key, else by what the key announces, else by the browser.

    Each editor listens to one of them; a second way is only tried where the text still stands.
    """
    press_key(element, "Backspace", 8)
    await settle()
    if lines_of(element) and element.matches(_EDITORS):
        event = realm(element).InputEvent.new(
            "beforeinput",
            bubbles=True,
            cancelable=True,
            composed=True,
            inputType="deleteContentBackward",
        )
        element.dispatchEvent(event)
        await settle()
    if lines_of(element) and not element.matches(_EDITORS):
        element.ownerDocument.execCommand("delete")
