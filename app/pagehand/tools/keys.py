"""Presses keys: what scripts listen for, and what the browser itself would do with the key.

Keys that a script makes up insert no text and move no focus. So what the browser does with Tab,
Enter, Space, Escape, the arrows and the paging keys is done here, unless the page prevented it;
for text there is fill_form_field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js

from pagehand.tools.chords import Chord, read_chord
from pagehand.tools.controls import realm
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, prop
from pagehand.tools.pressing import press
from pagehand.tools.target import resolve
from pagehand.tools.weight import check, form_action, name_of, weight
from pagehand.tools.writing import active_element, bring_into_view

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_WRITING = ("text", "search", "url", "tel", "password", "email", "number", "textarea")
_STOPS = (
    "a[href], area[href], button, input, select, textarea, summary, iframe, [tabindex], "
    "[contenteditable]"
)
_PRESSED_BY_KEY = "a[href], area[href], button, summary, input, [role=button], [role=link]"


async def press_key(
    page: Page, ctx: ToolContext, key: str, target: str = "", times: int = 1
) -> Outcome:
    """Presses a key, so often."""
    chord = read_chord(key)
    element = _place(page, chord, target)
    if target:
        bring_into_view(element)
        element.focus(preventScroll=True)
    did = ""
    for _ in range(times):
        here = _focused(page, element)
        did = await _press(page, here, chord) or did
    name = _called(page, element)
    return Outcome(
        f"Pressed {key} on “{name}”.",
        f"已在“{name}”上按下 {key}。",
        data={"key": key, "on": name, **({"did": did} if did else {})},
    )


def ask_key(page: Page, key: str, target: str = "", times: int = 1) -> str:
    """What the key would set off, where that weighs something."""
    chord = read_chord(key)
    element = _place(page, chord, target)
    name = _called(page, element)
    why = _why_asked(page, element, chord)
    return page.say(f"Press {key} on “{name}”?", f"在“{name}”上按下 {key}？") + why if why else ""


def risk_key(page: Page, key: str, target: str = "", times: int = 1) -> str:
    """Dangerous where the person is asked."""
    chord = read_chord(key)
    return "dangerous" if _why_asked(page, _place(page, chord, target), chord) else "moderate"


def _why_asked(page: Page, element: Any, chord: Chord) -> str:
    if _clicks(element, chord):
        return weight(page, element)
    if chord.key == "Enter" and _sends(element):
        return f"\n→ {form_action(element.form)}"
    commands = {"ctrlKey", "metaKey", "altKey"}
    if chord.modifiers & commands or chord.key in ("Delete", "Backspace"):
        return page.say("\nA shortcut may do anything.", "\n快捷键可能触发任意操作。")
    if chord.key == "Enter":
        return page.say("\nEnter may send what is there.", "\n回车键可能会发送现有内容。")
    return ""


def _place(page: Page, chord: Chord, target: str) -> Any:
    """Where the key goes.

    Raises:
        TroubleError: For a place where no tool may press it.
    """
    element = resolve(page, target) if target else _focused(page, None)
    if not page.allows(element):
        raise TroubleError("out_of_reach", "The focus is out of reach.", "焦点不在可操作范围内。")
    if page.eyes.secret(element):
        raise TroubleError(
            "secret_field", "Only the person may type there.", "该字段只能由用户本人输入。"
        )
    if "disabled" in page.describe(element)["states"]:
        raise TroubleError("disabled", "The element is disabled.", "该元素已禁用。")
    if chord.writes and _is_text(element) and chord.key != "\n":
        raise TroubleError(
            "use_fill_form_field",
            "Keys of a script write no text; use fill_form_field.",
            "脚本按键不会输入文字；请使用 fill_form_field。",
        )
    if _clicks(element, chord):
        check(page, element)
    return element


def _focused(page: Page, fallback: Any) -> Any:
    active = active_element()
    if is_nothing(active) or not page.allows(active):
        return js.document.body if fallback is None else fallback
    if str(active.localName) == "body" and fallback is not None and fallback.isConnected:
        return fallback
    return active


def _called(page: Page, element: Any) -> str:
    if str(element.localName) == "body":
        return page.say("the page", "页面")
    return name_of(page, element)


def _is_text(element: Any) -> bool:
    kind = str(prop(element, "type"))
    return (str(element.localName) in ("input", "textarea") and kind in _WRITING) or bool(
        prop(element, "isContentEditable")
    )


def _clicks(element: Any, chord: Chord) -> bool:
    """Whether the browser turns the key into a click."""
    if chord.modifiers or chord.key not in ("Enter", " ") or _is_text(element):
        return False
    if not element.matches(_PRESSED_BY_KEY) or element.hasAttribute("role"):
        return False
    kind, tag = str(prop(element, "type")), str(element.localName)
    if tag in ("a", "area"):
        return chord.key == "Enter"
    if tag == "input":
        ticks = kind in ("checkbox", "radio") and chord.key == " "
        return ticks or kind in ("submit", "button", "reset", "image", "file")
    return True


def _sends(element: Any) -> bool:
    """Whether Enter in this field sends its form, as HTML's implicit submission has it."""
    if str(element.localName) != "input" or not prop(element, "form"):
        return False
    return _is_text(element) or str(prop(element, "type")) in ("checkbox", "radio")


async def _press(page: Page, element: Any, chord: Chord) -> str:
    """Dispatches the key and does what the browser would; returns what that was."""
    if not _tell(element, "keydown", chord):
        _tell(element, "keyup", chord)
        return "the page handled the key"
    did = ""
    if chord.key == "Enter" or len(chord.key) == 1:
        _tell(element, "keypress", chord)
    if _clicks(element, chord):
        await press(element)
        did = "clicked"
    elif chord.key == "Enter" and _sends(element):
        did = _submit(element)
    elif not chord.modifiers - {"shiftKey"}:
        did = _default(page, element, chord)
    if element.isConnected:
        _tell(element, "keyup", chord)
    return did


def _tell(element: Any, name: str, chord: Chord) -> bool:
    window = realm(element)
    details: dict[str, Any] = dict.fromkeys(chord.modifiers, True)
    event = window.KeyboardEvent.new(
        name,
        key=chord.key,
        code=chord.code,
        keyCode=chord.number,
        which=chord.number,
        bubbles=True,
        cancelable=True,
        composed=True,
        view=window,
        **details,
    )
    return bool(element.dispatchEvent(event))


def _submit(element: Any) -> str:
    """Enter in a field: through the form's own button, or without one if this is the only field."""
    form = element.form
    button = next(
        (
            one
            for one in js.Reflect.get(js.HTMLFormElement.prototype, "elements", form)
            if str(prop(one, "type")) in ("submit", "image")
        ),
        None,
    )
    if button is not None:
        if not button.matches(":disabled"):
            button.click()
            return "submitted"
        return ""
    js.HTMLFormElement.prototype.requestSubmit.call(form)
    return "submitted"


def _default(page: Page, element: Any, chord: Chord) -> str:
    if chord.key == "Tab":
        return _move_focus(page, element, -1 if "shiftKey" in chord.modifiers else 1)
    if chord.key == "Escape":
        dialog = element.closest("dialog[open]")
        if not is_nothing(dialog):
            dialog.requestClose() if prop(dialog, "requestClose") else dialog.close()
            return "closed the dialog"
        return ""
    return "" if _is_text(element) else _scroll(chord)


def _move_focus(page: Page, element: Any, step: int) -> str:
    stops = [
        one
        for one in page.eyes.select(page.root, _STOPS, 2000)
        if one.tabIndex >= 0 and not one.matches(":disabled") and page.eyes.visible(one)
    ]
    stops.sort(key=lambda one: int(one.tabIndex) or 1 << 20)
    if not stops:
        return ""
    here = next((index for index, one in enumerate(stops) if one == element), None)
    after = 0 if here is None and step > 0 else ((here or 0) + step) % len(stops)
    stops[after].focus()
    return f"moved the focus to “{name_of(page, stops[after])}”"


def _scroll(chord: Chord) -> str:
    height, width = float(js.innerHeight), float(js.innerWidth)
    ways = {
        "PageDown": (0, 0.875 * height),
        "PageUp": (0, -0.875 * height),
        " ": (0, (-0.875 if "shiftKey" in chord.modifiers else 0.875) * height),
        "ArrowDown": (0, 40),
        "ArrowUp": (0, -40),
        "ArrowRight": (min(40, width), 0),
        "ArrowLeft": (-min(40, width), 0),
        "End": (0, float(js.document.scrollingElement.scrollHeight)),
        "Home": (0, -float(js.document.scrollingElement.scrollHeight)),
    }
    if chord.key not in ways:
        return ""
    before = float(js.scrollX), float(js.scrollY)
    js.window.scrollBy(*ways[chord.key])
    return "scrolled" if (float(js.scrollX), float(js.scrollY)) != before else ""
