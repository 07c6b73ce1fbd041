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
    dialog.locator("[data-action=raw]").click()
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
    box = stage.find(READY).bounding_box()
    assert box is not None
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
        "root.querySelector('.ph-confirmation-title').firstChild.data = 'Show the weather'",
        "root.querySelector('[slot=args]').remove()",
        "root.querySelector('[slot=args]').slot = 'nowhere'",
        "root.querySelector('[data-part=confirmation] [data-action=confirm]').textContent = 'No'",
        "root.querySelector('.ph-confirmation-frame').append(document.createElement('p'))",
        "root.querySelector('.ph-confirmation-frame').dataset.risk = 'safe'",
        "root.querySelector('[data-part=confirmation]').prepend('Show the weather')",
        "root.querySelector('[name=remember]').id = 'x'",
        "root.querySelector('[data-part=confirmation] [data-action=confirm]').accessKey = 'a'",
        "root.querySelector('[data-part=confirmation] [data-action=confirm]').ariaLabel = 'No'",
        "root.querySelector('[data-part=confirmation] [slot=args]').ariaHidden = 'true'",
    ],
)
def test_what_a_script_changed_is_put_right_before_it_is_answered(
    stage: Stage, change: str
) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    words = stage.find("[data-part=confirmation]").inner_text()
    stage.in_root(change)
    expect(stage.find(".ph-confirmation-note")).to_contain_text("changed the dialog")
    stage.find(READY).wait_for()
    assert state(stage) == "input-available"
    now = stage.find("[data-part=confirmation]").inner_text()
    assert told(now) == told(words)
    stage.find(READY).click()
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute(
        "data-state", "output-available"
    )


def test_a_script_that_goes_on_changing_it_gets_a_no(stage: Stage) -> None:
    ask(stage)
    stage.in_root(
        """
window.meddle = setInterval(() => {
  const title = root.querySelector(".ph-confirmation-title");
  if (title) title.textContent = "Show the weather";
}, 30);"""
    )
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute("data-state", "output-error")
    stage.page.evaluate("clearInterval(meddle)")


DISGUISES = [
    ".ph-confirmation-frame, .ph-confirmation-frame * { opacity: 0 !important }",
    "[slot] { display: none !important; visibility: hidden !important }",
    ".ph-confirmation-title { font-size: 0 !important; line-height: 0 !important }",
    "* { color: transparent !important; -webkit-text-fill-color: transparent !important }",
    ".ph-confirmation { filter: opacity(0.01) !important; transform: scale(0.1) !important }",
    "[data-action=confirm] { position: fixed !important; inset: 0 !important; width: 100vw }",
    ".ph-confirmation-title::after { content: 'Show the weather'; position: fixed; inset: 0;"
    " background: white !important }",
    ".ph-confirmation::before { content: 'x' !important; position: absolute; inset: 0;"
    " background: white }",
    "*::first-line, *::first-letter { color: transparent !important; font-size: 0 !important }",
    "* { transition: all 100s !important; animation: none }",
    "* { mix-blend-mode: difference !important; mask: linear-gradient(#0000, #0000) !important }",
    "* { clip-path: inset(50%) !important; text-indent: -9999px !important }",
]


@pytest.mark.parametrize("css", DISGUISES, ids=range(len(DISGUISES)))
def test_no_rule_of_the_page_changes_what_is_seen(stage: Stage, css: str) -> None:
    """Pixel by pixel: the sealed dialog looks the same, whatever stands in the open root."""
    stage.reset(options="clock=ManualClock(1000.0)")
    ask(stage)
    stage.find(READY).wait_for()
    before = shot(stage)
    sheet = "window.sheet = Object.assign(document.createElement('style'), {textContent: %r})"
    stage.in_root(f"root.append({sheet % css})")
    stage.settle()
    after = shot(stage)
    stage.page.evaluate("sheet.remove()")
    assert before == after


def test_no_inline_style_or_selection_changes_what_is_seen(stage: Stage) -> None:
    stage.reset(options="clock=ManualClock(1000.0)")
    ask(stage)
    stage.find(READY).wait_for()
    before = shot(stage)
    stage.in_root(
        """
for (const part of root.querySelectorAll(".ph-confirmation, .ph-confirmation *")) {
  part.style.cssText = "opacity: 0 !important; color: transparent !important; transition: all 9s";
}
window.getSelection().selectAllChildren(root.querySelector(".ph-confirmation-frame"));
root.append(Object.assign(document.createElement("style"),
  { id: "select", textContent: "*::selection { color: transparent; background: white }" }));"""
    )
    stage.settle()
    after = shot(stage)
    stage.in_root("root.getElementById('select').remove()")
    assert before == after


def test_an_animation_counts_as_a_cover_and_is_ended(stage: Stage) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    stage.in_root(
        """
for (const part of root.querySelectorAll(".ph-confirmation, .ph-confirmation *"))
  part.animate([{ opacity: 0, transform: "scale(0)" }, { opacity: 0 }],
               { duration: 1e6, fill: "both" });"""
    )
    expect(stage.find(".ph-confirmation-note")).to_contain_text("covers the dialog")
    assert (
        stage.in_root(
            "return root.querySelector('.ph-confirmation').getAnimations({ subtree: true }).length"
        )
        == 0
    )
    stage.find(READY).click()
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute(
        "data-state", "output-available"
    )


def test_a_highlight_over_its_words_counts_as_a_cover(stage: Stage) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    stage.in_root(
        """
const range = new Range();
range.selectNodeContents(root.querySelector(".ph-confirmation-title"));
CSS.highlights.set("hide", new Highlight(range));"""
    )
    expect(stage.find(".ph-confirmation-note")).to_contain_text("covers the dialog")
    button = stage.find("[data-part=confirmation] [data-action=confirm]")
    button.click(force=True)
    assert state(stage) == "input-available"
    stage.page.evaluate("CSS.highlights.clear()")
    stage.find(READY).click()
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute(
        "data-state", "output-available"
    )


def test_a_dialog_that_an_ancestor_makes_tiny_takes_no_yes(stage: Stage) -> None:
    ask(stage)
    stage.find(READY).wait_for()
    stage.in_root("root.querySelector('[data-part=overlay]').style.zoom = 0.3")
    stage.find("[data-part=confirmation] [data-action=confirm]").click(force=True)
    assert state(stage) == "input-available"
    stage.in_root("root.querySelector('[data-part=overlay]').style.zoom = ''")
    stage.find(READY).click()
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute(
        "data-state", "output-available"
    )


def test_a_cover_that_is_gone_for_the_click_is_found_out(stage: Stage) -> None:
    """It lets clicks through and goes at the press; the dialog had looked before that."""
    ask(stage)
    stage.find(READY).wait_for()
    stage.page.evaluate(
        """() => {
  const cover = document.createElement("div");
  cover.popover = "manual";
  cover.textContent = "Show the weather";
  cover.style.cssText =
    "position: fixed; inset: 0; width: 100%; height: 100%; background: white; pointer-events: none";
  document.body.append(cover);
  cover.id = "gone";
  cover.showPopover();
  addEventListener("pointerdown", () => cover.remove(), { capture: true, once: true });
}"""
    )
    expect(stage.find(".ph-confirmation-note")).to_contain_text("covers the dialog")
    stage.page.evaluate("document.getElementById('gone').remove()")


def test_the_box_to_remember_is_the_persons(stage: Stage) -> None:
    ask(stage)
    stage.in_root("root.querySelector('input[name=remember]').checked = true")
    stage.find(READY).click()
    stage.run("chat.feed(asks('c2', 'save-note', {'text': 'y'})); run('c2')")
    expect(stage.find("[data-part=confirmation]")).to_be_visible()


def test_defaults_are_shown_too(stage: Stage) -> None:
    stage.run(TOOLS + "chat.feed(asks('c1', 'save-note', {'text': 'milk'})); run('c1')")
    dialog = stage.find("[data-part=confirmation]")
    expect(dialog).to_contain_text("Tags (not set, so:)")
    dialog.locator("[data-action=raw]").click()
    expect(dialog.locator("pre")).to_contain_text('"tags": []')


def told(words: str) -> list[str]:
    """The lines that stay as they are."""
    passing = ("Declines by itself", "changed the dialog")
    return [line for line in words.split("\n") if line and not any(one in line for one in passing)]


def shot(stage: Stage) -> bytes:
    return stage.find("[data-part=confirmation]").screenshot(animations="allow", caret="hide")


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


@pytest.mark.parametrize(("scheme", "ground"), [("light", 255), ("dark", 38)])
def test_it_is_as_light_or_dark_as_the_assistant(stage: Stage, scheme: str, ground: int) -> None:
    stage.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    try:
        ask(stage)
        color = "e => getComputedStyle(e).backgroundColor"
        seen = stage.find("[data-part=confirmation]").evaluate(color)
        assert int(seen.removeprefix("rgb(").split(",")[0]) == ground
    finally:
        stage.page.emulate_media(color_scheme="light")


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
