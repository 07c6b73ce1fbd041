"""Whose yes it is: labels, keys and the box to remember, with a script of the page that meddles."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.test_views_asking import QUESTIONS, gate
from browser.test_views_calls import CARD
from browser.test_views_confirmation import READY, ask
from browser.views.driver import Stage

pytestmark = pytest.mark.browser


def test_a_label_that_a_script_leads_to_the_yes_gives_none(stage: Stage) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    stage.in_root(
        """
const dialog = root.querySelector("[data-part=confirmation]");
dialog.querySelector("[name=remember]").id = "";
dialog.querySelector("[data-action=confirm]").id = "ph-remember";
dialog.querySelector("label").click();"""
    )
    expect(stage.find(".ph-confirmation-note")).to_contain_text("changed the dialog")
    stage.find("[data-part=confirmation] label").click()
    stage.becomes("find('c1').state", "input-available")
    expect(stage.find("[name=remember]")).to_be_checked()
    stage.find(READY).click()
    stage.becomes("find('c1').state", "output-available")


def test_the_dialogs_name_is_its_own_title(stage: Stage) -> None:
    stage.in_root(
        "const other = document.createElement('b');"
        "other.id = 'ph-confirmation-title'; other.textContent = 'Weather'; root.prepend(other);"
    )
    ask(stage)
    dialog = stage.find("[data-part=confirmation]")
    expect(dialog).to_have_accessible_name("Save note")
    stage.in_root("root.getElementById('ph-confirmation-title').remove()")


def test_a_script_does_not_tick_the_box_to_remember(stage: Stage) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    stage.in_root("root.querySelector('[name=remember]').click()")
    stage.find(READY).click()
    stage.becomes("find('c1').state", "output-available")
    stage.run("chat.feed(asks('c2', 'save-note', {'text': 'y'})); run('c2')")
    expect(stage.find("[data-part=confirmation]")).to_be_visible()


def test_who_goes_on_typing_says_no_yes(stage: Stage) -> None:
    """A script moves the focus to the yes while the person types a sentence."""
    ask(stage)
    stage.find(READY).wait_for()
    stage.in_root("root.querySelector('[data-part=confirmation] [data-action=confirm]').focus()")
    stage.page.keyboard.type("and so on ")
    stage.becomes("find('c1').state", "input-available")
    expect(stage.find("[data-part=confirmation]")).to_be_visible()


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_alone_says_yes(stage: Stage, key: str) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    yes = stage.find("[data-part=confirmation] [data-action=confirm]")
    for _ in range(8):
        stage.page.keyboard.press("Tab")
        if yes.evaluate("yes => yes.getRootNode().activeElement === yes"):
            break
    stage.find(READY).wait_for()  # coming back from outside the page starts the half second anew
    stage.page.keyboard.press(key)
    stage.becomes("find('c1').state", "output-available")


@pytest.mark.parametrize("heard", [True, False], ids=["", "no key heard"])
def test_who_typed_a_moment_ago_says_no_yes(stage: Stage, heard: bool) -> None:
    """A script keeps the keys from the dialog and puts its yes under them."""
    ask(stage)
    stage.find(READY).wait_for()
    stage.page.evaluate(
        """heard => {
  window.deaf = (event) => heard || event.stopImmediatePropagation();
  window.addEventListener("keydown", deaf, true);
}""",
        heard,
    )
    try:
        stage.in_root("root.querySelector('[data-action=confirm]').focus()")
        stage.page.keyboard.press("d")
        stage.page.keyboard.press("Space")
        assert stage.ask("find('c1').state") == "input-available"
        stage.find(READY).wait_for()
        stage.page.wait_for_function("at => performance.now() > at", arg=_soon(stage))
        stage.page.keyboard.press("Space")
        stage.becomes("find('c1').state", "output-available")
    finally:
        stage.page.evaluate("window.removeEventListener('keydown', deaf, true)")


def _soon(stage: Stage) -> float:
    now: float = stage.page.evaluate("performance.now()")
    return now + 600


TRAP = """
const button = root.querySelector(arg);
button.id = "led";
const label = document.createElement("label");
label.className = "trap";
label.htmlFor = "led";
label.textContent = "Show more";
root.querySelector("[data-tool-call-id=c1]").append(label);
"""


def test_a_label_leads_nobody_to_an_approval(stage: Stage) -> None:
    gate(stage, prompt="Deploy the shop?")
    stage.find("[data-action=approve]").wait_for()
    stage.in_root(TRAP, "[data-action=approve]")
    stage.find(".trap").click()
    assert stage.ask("chat.answers") == []
    stage.find("[data-action=approve]").click()
    assert stage.ask("chat.answers") == [{"approved": True}]


def test_a_label_leads_nobody_to_a_cards_button(stage: Stage) -> None:
    stage.run(CARD)
    stage.find("[data-action=confirm]").wait_for()
    stage.in_root(TRAP, "[data-action=confirm]")
    stage.find(".trap").click()
    assert stage.ask("find('c1').state") == "input-available"
    stage.find("[data-action=confirm]").press("Enter")
    stage.becomes("find('c1').state", "output-available")


def test_a_script_chooses_nothing_for_the_person(stage: Stage) -> None:
    gate(stage, questions=QUESTIONS[:1])
    stage.find("[data-action=approve]").wait_for()
    stage.in_root("root.querySelector('[data-question-id=env] input').click()")
    stage.find("[data-action=approve]").click()
    expect(stage.find(".ph-asking-note")).to_contain_text("Where?")
    assert stage.ask("chat.answers") == []
    where = stage.find("[data-question-id=env]")
    where.get_by_text("Live").click()
    stage.page.keyboard.press("ArrowUp")
    expect(where.get_by_label("test")).to_be_checked()
    stage.find("[data-action=approve]").click()
    assert stage.ask("chat.answers")[0]["answers"] == {"env": "test"}
