"""Whose yes it is: labels, keys and the box to remember, with a script of the page that meddles."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

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
