"""What counts as the person's click, when a script of the page leads another one to the button.

Each attack makes a click that the browser itself calls trusted. The page has no Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from browser.support.fake_server import FakeServer
from browser.support.firefox import Firefox
from browser.test_firefox import firefox

pytestmark = pytest.mark.browser

__all__ = ["firefox"]

ADDRESS = "/tests/browser/pages/clicks.html"
REAL, NONE = ["yes", True, True], ["yes", False, False]


class Clicks:
    """The page, and what its buttons heard."""

    def __init__(self, page: Page, server: FakeServer) -> None:
        self.page = page
        page.goto(f"{server.url}{ADDRESS}#open")
        page.wait_for_selector("html[data-ready]", state="attached")

    def heard(self) -> list[list[Any]]:
        """What was heard since the last time: what, whether strictly, whether within the form."""
        found: list[list[Any]] = self.page.evaluate("heard.splice(0)")
        return found

    def script(self, code: str) -> None:
        """A script of the page."""
        self.page.evaluate(f"() => {{ {code} }}")

    def middle(self, id: str) -> tuple[float, float]:
        x, y = self.page.evaluate(
            "id => { const r = at(id).getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2]; }",
            id,
        )
        return x, y

    def click(self, id: str) -> None:
        """The person's click."""
        self.page.mouse.click(*self.middle(id))

    def touch(self, id: str) -> None:
        """The person's finger."""
        x, y = self.middle(id)
        wire = self.page.context.new_cdp_session(self.page)
        for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
            wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        self.page.wait_for_function("heard.length > 0")

    def focus(self, id: str) -> None:
        self.page.evaluate("id => at(id).focus()", id)


@pytest.fixture
def clicks(page: Page, fake_server: FakeServer) -> Clicks:
    return Clicks(page, fake_server)


# What a person does


@pytest.mark.parametrize("how", ["mouse", "touch", "Enter", "Space", "double"])
def test_each_way_to_press_a_button_counts(clicks: Clicks, how: str) -> None:
    if how in ("Enter", "Space"):
        clicks.focus("yes")
        clicks.page.keyboard.press(how)
    elif how == "touch":
        clicks.touch("yes")
    else:
        clicks.page.mouse.click(*clicks.middle("yes"), click_count=1 + (how == "double"))
    assert clicks.heard() == [REAL] * (1 + (how == "double"))


def test_what_presses_without_pointer_and_key_counts(clicks: Clicks) -> None:
    """A screen reader's press gives a trusted click and no other event.

    Here a character without its keydown does, which gives the same.
    """
    clicks.focus("yes")
    wire = clicks.page.context.new_cdp_session(clicks.page)
    wire.send("Input.dispatchKeyEvent", {"type": "char", "text": "\r", "key": "Enter"})
    assert clicks.heard() == [REAL]


def test_a_label_inside_hands_on_to_its_field_and_enter_to_the_forms_button(
    clicks: Clicks,
) -> None:
    clicks.page.mouse.click(*[p + d for p, d in zip(clicks.middle("row"), (80, 0), strict=True)])
    assert clicks.heard() == [["box", False, True]]
    clicks.click("box")
    clicks.focus("box")
    clicks.page.keyboard.press("Space")
    assert clicks.heard() == [["box", True, True]] * 2
    clicks.focus("one")
    clicks.page.keyboard.press("ArrowDown")
    assert clicks.heard() == [["two", False, True]]
    clicks.focus("field")
    clicks.page.keyboard.type("words")
    clicks.page.keyboard.press("Enter")
    assert clicks.heard() == [["send", False, True]]
    clicks.click("send")
    assert clicks.heard() == [["send", True, True]]


def test_a_person_leaves_a_field_by_tab_and_presses_at_once(clicks: Clicks) -> None:
    clicks.script("at('yes').before(at('other'))")
    clicks.focus("other")
    clicks.page.keyboard.type("done")
    clicks.page.keyboard.press("Tab")
    clicks.page.keyboard.press("Space")
    assert clicks.heard() == [REAL]


def test_a_button_whose_words_stand_outside_its_box_is_pressed_there(clicks: Clicks) -> None:
    clicks.script(
        "at('yes').innerHTML = '<i id=far style=\"position:fixed;left:300px;top:200px\">x</i>'"
    )
    clicks.click("far")
    assert clicks.heard() == [REAL]


# What a script arranges

LABEL = (
    "const label = document.createElement('label'); label.id = 'trap'; label.textContent = 'OK';"
)
ATTACKS: dict[str, tuple[str, Callable[[Clicks], None]]] = {
    "a label elsewhere": (
        f"{LABEL} label.htmlFor = 'yes'; at('apart').append(label);",
        lambda clicks: clicks.click("trap"),
    ),
    "touch on a label": (
        f"{LABEL} label.htmlFor = 'yes'; at('apart').append(label);",
        lambda clicks: clicks.touch("trap"),
    ),
    "a label around it": (
        f"{LABEL} label.style.height = '200px'; at('yes').before(label); label.append(at('yes'));",
        lambda clicks: clicks.click("trap"),
    ),
    "a label over it": (
        f"{LABEL} label.htmlFor = 'yes'; label.style.cssText = 'position:fixed;inset:0;width:auto;"
        "height:auto;opacity:0'; at('apart').append(label);",
        lambda clicks: clicks.click("yes"),
    ),
    "a label that is taken away, and a button that moves under the pointer, in time": (
        f"{LABEL} label.htmlFor = 'yes'; at('apart').append(label);"
        "window.addEventListener('click', () => { if (!event.composedPath().includes(at('yes')))"
        " return; label.remove(); at('yes').style.cssText = 'position:fixed;inset:0'; }, true);",
        lambda clicks: clicks.click("trap"),
    ),
    "the pointer captured": (
        "window.addEventListener('pointerdown', (event) =>"
        " at('yes').setPointerCapture(event.pointerId), true);",
        lambda clicks: clicks.click("apart"),
    ),
    "a press taken back, the pointer captured": (
        "window.addEventListener('pointerdown', (event) =>"
        " at('yes').setPointerCapture(event.pointerId), true);",
        lambda clicks: _drag(clicks, "yes", "apart"),
    ),
    "the default button of a form": (
        "const form = document.createElement('form'); at('yes').type = 'submit';"
        "form.onsubmit = () => false; at('other').before(form);"
        "form.append(at('other'), at('yes'));",
        lambda clicks: _keys(clicks, "Enter"),
    ),
    "the focus moved while the key goes down": (
        "at('other').addEventListener('keydown', () => at('yes').focus());",
        lambda clicks: _keys(clicks, "Enter"),
    ),
    "the focus moved while somebody types, nobody hearing": (
        "window.addEventListener('keydown', (e) => e.stopImmediatePropagation(), true);"
        "at('other').addEventListener('input', () => at('yes').focus());",
        lambda clicks: _keys(clicks, "a", "Space"),
    ),
    "the focus moved while a key is held": (
        "at('other').addEventListener('keydown', (e) => e.repeat && at('yes').focus());",
        lambda clicks: _hold(clicks, "Enter"),
    ),
}


def _keys(clicks: Clicks, *keys: str) -> None:
    clicks.focus("other")
    for key in keys:
        clicks.page.keyboard.press(key)


def _hold(clicks: Clicks, key: str) -> None:
    clicks.focus("other")
    for _ in range(4):
        clicks.page.keyboard.down(key)
    clicks.page.keyboard.up(key)


def _drag(clicks: Clicks, start: str, end: str) -> None:
    mouse = clicks.page.mouse
    mouse.move(*clicks.middle(start))
    mouse.down()
    mouse.move(*clicks.middle(end))
    mouse.up()


@pytest.mark.parametrize("name", ATTACKS)
def test_a_click_that_the_person_made_on_something_else_counts_for_nothing(
    clicks: Clicks, name: str
) -> None:
    code, act = ATTACKS[name]
    clicks.script(code)
    act(clicks)
    heard = clicks.heard()
    assert heard, "the attack made no click at all: the browser has changed"
    assert {tuple(one) for one in heard} == {tuple(NONE)}


def test_an_access_key_presses_nothing(clicks: Clicks) -> None:
    """No key reaches it in a headless browser: the same press without a keydown stands for it."""
    clicks.script("at('yes').accessKey = 'k'")
    clicks.focus("yes")
    wire = clicks.page.context.new_cdp_session(clicks.page)
    wire.send("Input.dispatchKeyEvent", {"type": "char", "text": "\r", "key": "Enter"})
    assert clicks.heard() == [NONE]


def test_getters_that_a_script_replaces_change_nothing(clicks: Clicks) -> None:
    clicks.script(f"{LABEL} label.htmlFor = 'yes'; at('apart').append(label);")
    trap = clicks.middle("trap")
    clicks.script(
        "const iterate = Array.prototype[Symbol.iterator];"
        "Event.prototype.composedPath = () => [at('yes')];"
        "Object.defineProperty(UIEvent.prototype, 'detail', {get: () => 0});"
        "Array.prototype[Symbol.iterator] = function* () { yield at('yes'); };"
        "RegExp.prototype.test = () => true;"
        "Object.defineProperty(HTMLButtonElement.prototype, 'labels', {get: () => []});"
        # The test itself cannot speak to the page without it.
        "at('yes').addEventListener('click', () => Array.prototype[Symbol.iterator] = iterate);"
    )
    clicks.page.mouse.click(*trap)
    assert clicks.heard() == [NONE]


# Firefox


@pytest.fixture
def fox(firefox: Firefox, fake_server: FakeServer) -> Firefox:
    firefox.page.goto(f"{fake_server.url}{ADDRESS}")
    return firefox


def test_firefox_tells_a_press_from_one_that_a_label_handed_on(fox: Firefox) -> None:
    """By pointer: without a window in front, its keys press no button."""
    page, heard = fox.page, "() => heard.splice(0)"
    page.press("at('yes')")
    assert page.evaluate(heard) == [REAL]
    page.evaluate(f"() => {{ {LABEL} label.htmlFor = 'yes'; at('apart').append(label); }}")
    page.press("at('trap')")
    assert page.evaluate(heard) == [NONE]
    page.press("at('row')")
    assert page.evaluate(heard) == [["box", False, True]]
