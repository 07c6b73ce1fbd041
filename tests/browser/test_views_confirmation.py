"""The question before a risky call: who may answer it, when, and what it says."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.views.driver import Stage

expect.set_options(timeout=15_000)  # the first call imports pydantic, which takes its time

TOOLS = """
@toolkit.tool("save-note", risk="moderate", requires_confirmation=True)
def save_note(text: str, tags: list[str] = []) -> dict:
    "Keeps a note."
    return {"saved": text}
@toolkit.tool("delete-all", risk="dangerous", requires_confirmation=True, title="Delete all notes")
def delete_all() -> str:
    "Deletes."
    return "gone"
chat.say("Save it")
chat.answer()
"""
ASK = "chat.feed(asks('c1', 'save-note', {'text': 'milk\u202eklim', 'tags': ['a']})); run('c1')"
READY = "[data-part=confirmation] [data-action=confirm][aria-disabled=false]"


def ask(stage: Stage) -> None:
    stage.run(TOOLS + ASK)
    expect(stage.find("[data-part=confirmation]")).to_be_visible()


def state(stage: Stage) -> str:
    stage.settle()
    found: str = stage.ask("find('c1').state")
    return found


def test_it_says_what_will_be_done_with_what(stage: Stage) -> None:
    ask(stage)
    dialog = stage.find("[data-part=confirmation]")
    assert dialog.get_attribute("role") == "alertdialog"
    expect(dialog).to_contain_text("Save note")
    expect(dialog).to_contain_text("Keeps a note.")
    expect(dialog).to_contain_text("Changes something")
    expect(dialog).to_contain_text("milk\\u202eklim")
    dialog.locator("summary").click()
    expect(dialog.locator("pre")).to_contain_text('"tags"')
    expect(dialog).to_contain_text("save-note")


def test_a_yes_runs_the_call_and_a_no_does_not(stage: Stage) -> None:
    ask(stage)
    stage.find(READY).click()
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute(
        "data-state", "output-available"
    )
    expect(stage.find("[data-part=confirmation]")).to_have_count(0)
    stage.run("chat.feed(asks('c2', 'save-note', {'text': 'x'})); run('c2')")
    stage.find("[data-part=confirmation] [data-action=cancel][aria-disabled=false]").click()
    declined = stage.find('[data-tool-call-id="c2"]')
    expect(declined).to_have_attribute("data-state", "output-error")
    expect(declined).to_have_attribute("data-look", "denied")


def test_it_takes_no_answer_in_its_first_half_second(stage: Stage) -> None:
    stage.run(TOOLS)
    box = stage.page.viewport_size
    assert box is not None
    stage.run(ASK)
    dialog = stage.find("[data-part=confirmation]")
    dialog.wait_for()
    began = stage.page.evaluate("performance.now()")
    for action in ("confirm", "cancel"):
        button = dialog.locator(f"[data-action={action}]")
        assert button.get_attribute("aria-disabled") == "true"
        button.click(force=True)
    stage.page.keyboard.press("Escape")
    stage.page.keyboard.press("Escape")
    clicked = stage.page.evaluate("performance.now()")
    assert clicked - began < 500, "too slow to tell anything"
    assert state(stage) == "input-available"
    stage.find(READY).wait_for()
    assert stage.page.evaluate("performance.now()") - began > 350
    stage.page.keyboard.press("Escape")
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute("data-state", "output-error")


def test_scripts_cannot_answer(stage: Stage) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    stage.in_root(
        """
const dialog = root.querySelector("[data-part=confirmation]");
const button = dialog.querySelector("[data-action=confirm]");
button.click();
button.dispatchEvent(new MouseEvent("click", {bubbles: true, composed: true, detail: 1}));
button.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
const fake = new Proxy(new MouseEvent("click"), {get: (t, n) => n === "isTrusted" ? true : t[n]});
try { button.dispatchEvent(fake); } catch {}
dialog.returnValue = "confirm";
button.setAttribute("aria-disabled", "false");
button.form?.requestSubmit();
"""
    )
    assert state(stage) == "input-available"
    expect(stage.find("[data-part=confirmation]")).to_be_visible()


def test_a_handed_on_real_event_is_no_answer(stage: Stage) -> None:
    """A script that caught the listener gives it a real event of another place."""
    stage.run(
        """
import js
from pagehand.ui.trust import is_real_click
from pyodide.ffi import create_proxy
seen = []
js.window.judge = create_proxy(lambda event: seen.append(is_real_click(event)))
"""
    )
    stage.page.evaluate(
        """() => {
  judge({isTrusted: true, type: "click", currentTarget: document.body, timeStamp: 1e9});
  document.body.addEventListener("click", event => setTimeout(() => judge(event)), {once: true});
}"""
    )
    stage.find(".ph-title").click()
    stage.becomes("seen", [False, False])


@pytest.mark.parametrize(
    "style",
    [
        "background: white",
        "background: white; pointer-events: none",
        "background: transparent; color: red",
    ],
    ids=["a sheet", "a sheet that lets clicks through", "other words"],
)
def test_no_yes_under_a_cover(stage: Stage, style: str) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    stage.page.evaluate(
        """style => {
  const cover = document.createElement("div");
  cover.id = "cover";
  cover.popover = "manual";
  cover.style.cssText = "position: fixed; inset: 0; width: 100%; height: 100%;" + style;
  document.body.append(cover);
  cover.showPopover();
}""",
        style,
    )
    box = stage.find(READY).bounding_box()
    assert box is not None
    stage.page.mouse.click(box["x"] + 10, box["y"] + 10)
    assert state(stage) == "input-available"
    expect(stage.find(".ph-confirmation-note")).to_contain_text("covers the dialog")
    # It came back on top, so the sheet lies below it now and the person can see what they do.
    stage.find(READY).click()
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute(
        "data-state", "output-available"
    )
    stage.page.evaluate("document.getElementById('cover').remove()")


def test_layers_that_were_there_before_lie_below(stage: Stage) -> None:
    stage.page.evaluate(
        """() => {
  const toast = document.createElement("div");
  toast.id = "toast";
  toast.popover = "manual";
  toast.textContent = "a toast of the page";
  document.body.append(toast);
  toast.showPopover();
}"""
    )
    ask(stage)
    stage.find(READY).click()
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute(
        "data-state", "output-available"
    )
    stage.page.evaluate("document.getElementById('toast').remove()")


@pytest.mark.parametrize(
    "change",
    [
        "root.querySelector('.ph-confirmation-title').textContent = 'Show the weather'",
        "root.querySelector('.ph-confirmation-args').remove()",
        "root.querySelector('[data-part=confirmation] [data-action=confirm]').textContent = 'No'",
    ],
)
def test_no_yes_for_words_that_a_script_changed(stage: Stage, change: str) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    stage.in_root(change)
    stage.find(READY).click()
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute("data-state", "output-error")


@pytest.mark.parametrize(
    "css",
    [
        ".ph-confirmation-body { opacity: 0 }",
        ".ph-confirmation-body { display: none }",
        ".ph-confirmation-title { font-size: 0 !important }",
        ".ph-confirmation-title { color: transparent !important }",
        ".ph-confirmation { filter: opacity(0.01) }",
        "[data-action=confirm] { position: fixed; inset: 0; width: 100vw; height: 100vh }",
    ],
)
def test_no_yes_for_a_dialog_that_a_script_restyled(stage: Stage, css: str) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    sheet = "window.sheet = Object.assign(document.createElement('style'), {textContent: %r})"
    stage.in_root(f"root.append({sheet % f'[data-part=overlay] {css}'})")
    button = stage.in_root(
        "const box = root.querySelector('[data-action=confirm]').getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2]"
    )
    stage.page.mouse.click(*button)
    found = state(stage)
    stage.page.evaluate("sheet.remove()")
    assert found == "input-available"


def test_no_yes_for_a_dialog_that_a_script_made_faint(stage: Stage) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    stage.in_root("root.querySelector('[data-part=confirmation]').style.opacity = 0.02")
    stage.find(READY).click()
    assert state(stage) == "input-available"


def test_a_page_that_takes_the_dialog_away_declines(stage: Stage) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    stage.in_root("root.querySelector('[data-part=confirmation]').close()")
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute("data-state", "output-error")


def test_a_page_that_takes_the_dialog_out_declines_too(stage: Stage) -> None:
    ask(stage)
    stage.in_root("root.querySelector('[data-part=confirmation]').remove()")
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute("data-state", "output-error")


def test_without_an_answer_it_declines(stage: Stage) -> None:
    stage.reset(options="clock=ManualClock(1000.0)")
    ask(stage)
    expect(stage.find(".ph-confirmation-count")).to_contain_text("30 s")
    stage.run("engine.clock.advance(12)")
    expect(stage.find(".ph-confirmation-count")).to_contain_text("18 s")
    stage.run("engine.clock.advance(18.5)")
    expect(stage.find("[data-part=confirmation]")).to_have_count(0)
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute("data-state", "output-error")


def test_questions_wait_for_their_turn(stage: Stage) -> None:
    stage.run(TOOLS)
    stage.run(
        """
chat.feed(asks("c1", "save-note", {"text": "x"}), asks("c2", "delete-all", {}))
run("c1", "c2")
"""
    )
    dialog = stage.find("[data-part=confirmation]")
    expect(dialog).to_have_count(1)
    expect(dialog).to_contain_text("1 of 2")
    stage.find(READY).click()
    expect(dialog).to_contain_text("Delete all notes")
    expect(dialog).to_have_attribute("data-risk", "dangerous")
    expect(dialog.locator("[data-action=confirm]")).to_have_attribute("aria-disabled", "true")
    expect(dialog.locator("input[name=remember]")).to_have_count(0)


def test_it_is_not_asked_again_when_the_person_says_so(stage: Stage) -> None:
    ask(stage)
    stage.find("input[name=remember]").check()
    stage.find(READY).click()
    stage.run("chat.feed(asks('c2', 'save-note', {'text': 'y'})); run('c2')")
    expect(stage.find('[data-tool-call-id="c2"]')).to_have_attribute(
        "data-state", "output-available"
    )


def test_focus_stays_inside_and_comes_back(stage: Stage) -> None:
    stage.find("textarea").focus()
    ask(stage)
    stage.find(READY).wait_for()
    inside = """
const dialog = root.querySelector("[data-part=confirmation]");
return root.activeElement === null || dialog.contains(root.activeElement);"""
    for _ in range(8):
        stage.page.keyboard.press("Tab")
        assert stage.in_root(inside)
    stage.find(READY).wait_for()  # coming back from outside the page starts the half second anew
    stage.page.keyboard.press("Escape")
    expect(stage.find("[data-part=confirmation]")).to_have_count(0)
    assert stage.in_root("return root.activeElement.localName") == "textarea"


def test_it_speaks_chinese(stage: Stage) -> None:
    stage.reset("zh-CN")
    ask(stage)
    dialog = stage.find("[data-part=confirmation]")
    expect(dialog).to_contain_text("允许执行此操作吗？")
    expect(dialog.locator("[data-action=confirm]")).to_have_text("允许")
    expect(dialog.locator("[data-action=cancel]")).to_have_text("拒绝")
    expect(dialog).to_contain_text("秒后自动拒绝")


def test_another_language_asks_again_instead_of_declining(stage: Stage) -> None:
    ask(stage)
    change = "from pagehand.ui.i18n import set_language; set_language(%r); view.refresh()"
    stage.run(change % "zh-CN")
    expect(stage.find("[data-part=confirmation]")).to_contain_text("允许执行此操作吗？")
    stage.run(change % "en")
    stage.find(READY).click()
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute(
        "data-state", "output-available"
    )


def test_closing_the_views_declines(stage: Stage) -> None:
    ask(stage)
    stage.run("view.close()")
    expect(stage.find("[data-part=confirmation]")).to_have_count(0)
    stage.becomes("find('c1').state", "output-error")
    stage.run("mount()")
