"""Tool calls: their cards, the person's own cards, the server's questions."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from browser.views.driver import Stage

CARD = """
@toolkit.human("jump-url-tool", description="Opens an address.")
def jump_url(call, url: str):
    drawn.append(call.state)
    if call.status == "complete":
        return html.p("Opened " + call.result["url"])
    return html.div(
        html.p(url),
        html.button(
            "Open",
            data_action="confirm",
            on_click=lambda event: call.add_result({"success": True, "url": url}),
        ),
    )
drawn = []
chat.say("Open it")
chat.answer()
chat.feed({"type": "tool-input-start", "toolCallId": "c1", "toolName": "jump-url-tool"})
chat.feed(asks("c1", "jump-url-tool", {"url": "https://example.com"}))
run("c1")
"""


def test_a_call_shows_each_state_it_goes_through(stage: Stage) -> None:
    stage.run(
        """
@toolkit.tool("save-note")
async def save_note(text: str) -> dict:
    "Saves."
    await gate.wait()
    return {"saved": text, "at": None, "ok": True, "tags": ["a", "b"]}
import asyncio
gate = asyncio.Event()
chat.answer()
chat.feed({"type": "tool-input-start", "toolCallId": "c1", "toolName": "save-note"})
"""
    )
    call = stage.find('[data-tool-call-id="c1"]')
    expect(call).to_have_attribute("data-state", "input-streaming")
    expect(call).to_have_attribute("data-tool-name", "save-note")
    expect(call).to_contain_text("Save note")
    expect(call).to_contain_text("Preparing")
    stage.run("chat.feed(asks('c1', 'save-note', {'text': 'milk'})); run('c1')")
    expect(call).to_have_attribute("data-state", "input-available")
    expect(call).to_contain_text("Running")
    stage.run("gate.set()")
    expect(call).to_have_attribute("data-state", "output-available")
    expect(call).to_contain_text("Done")
    call.locator(".ph-tool-head").click()
    details = call.locator(".ph-tool-details")
    expect(details.locator("dt").first).to_have_text("Text")
    expect(details).to_contain_text("milk")
    expect(details).to_contain_text("Yes")
    expect(details.locator(".ph-raw")).to_be_hidden()
    details.locator("summary").click()
    expect(details.locator(".ph-raw")).to_contain_text('"saved": "milk"')


def test_an_error_shows_its_text_and_records_become_a_table(stage: Stage) -> None:
    stage.run(
        """
@toolkit.tool("read-page")
def read_page() -> dict:
    "Reads."
    raise ToolError("No element matches #orders.")
@toolkit.tool("query-data")
def query_data() -> list:
    "Reads."
    return [{"id": n, "total": 1.5, "<b>": "<img src=x>"} for n in range(25)]
chat.answer()
chat.feed(asks("c1", "read-page", {}), asks("c2", "query-data", {}))
run("c1", "c2")
"""
    )
    failed = stage.find('[data-tool-call-id="c1"]')
    expect(failed).to_have_attribute("data-state", "output-error")
    expect(failed.locator(".ph-tool-line")).to_have_text("No element matches #orders.")
    table = stage.find('[data-tool-call-id="c2"]')
    expect(table).to_have_attribute("data-state", "output-available")
    table.locator(".ph-tool-head").click()
    expect(table.locator("tbody tr")).to_have_count(20)
    expect(table).to_contain_text("and 5 more")
    expect(table).to_contain_text("<img src=x>")
    assert table.locator("img").count() == 0


def test_many_calls_fold_when_all_went_well(stage: Stage) -> None:
    stage.run(
        """
@toolkit.tool("step")
def step(n: int) -> int:
    "Steps."
    return n
chat.answer()
ids = [f"c{n}" for n in range(6)]
chat.feed(*[asks(id, "step", {"n": 1}) for id in ids])
"""
    )
    calls = stage.find(".ph-tools .ph-tool")
    expect(calls).to_have_count(6)
    expect(calls.first).to_be_visible()
    stage.run("run(*ids)")
    head = stage.find(".ph-tools > .ph-fold")
    expect(head).to_have_text("6 actions")
    expect(calls.first).to_be_hidden()
    head.click()
    expect(calls.first).to_be_visible()
    assert head.get_attribute("aria-expanded") == "true"


def test_a_group_with_a_failure_stays_open(stage: Stage) -> None:
    stage.run(
        """
chat.answer()
ids = [f"c{n}" for n in range(6)]
chat.feed(*[asks(id, "nowhere", {}) for id in ids])
for id in ids[1:]:
    find(id).finish_output(1)
find("c0").finish_error("no")
chat.tell("message", chat.messages[-1].id)
"""
    )
    expect(stage.find(".ph-tools > .ph-fold")).to_have_text("6 actions, 1 failed")
    expect(stage.find('[data-tool-call-id="c0"]')).to_be_visible()


def test_a_person_answers_a_card_with_a_real_click_only(stage: Stage) -> None:
    stage.run(CARD)
    call = stage.find('[data-tool-name="jump-url-tool"]')
    button = call.locator('[data-action="confirm"]')
    expect(call).to_contain_text("Waiting for you")
    expect(button).to_be_visible()
    button.evaluate(
        """button => {
  button.click();
  button.dispatchEvent(new MouseEvent("click", {bubbles: true, composed: true, detail: 1}));
  button.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true}));
}"""
    )
    stage.settle()
    assert stage.ask("find('c1').state") == "input-available"
    button.click()
    expect(call).to_have_attribute("data-state", "output-available")
    expect(call).to_contain_text("Opened https://example.com")
    assert stage.ask("find('c1').output") == {"success": True, "url": "https://example.com"}
    assert "output-available" in stage.ask("drawn")


def test_a_settled_card_takes_no_more_answers(stage: Stage) -> None:
    stage.run(CARD.replace('if call.status == "complete":', "if False:"))
    button = stage.find('[data-action="confirm"]')
    button.click()
    expect(button).to_be_disabled()


def test_a_card_is_answered_by_keyboard_and_keeps_the_focus(stage: Stage) -> None:
    stage.run(CARD)
    button = stage.find('[data-action="confirm"]')
    button.focus()
    stage.run("engine.changed(engine.handle('c1'))")
    stage.settle()
    assert stage.in_root("return root.activeElement.dataset.action") == "confirm"
    stage.page.keyboard.press("Enter")
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute(
        "data-state", "output-available"
    )


def test_an_error_in_a_card_stays_in_the_card(stage: Stage) -> None:
    stage.run(
        """
@toolkit.human("ask", description="Asks.")
def ask(call, question: str):
    raise KeyError("colour")
chat.answer()
chat.feed(*text("before", "t0"))
chat.feed(asks("c1", "ask", {"question": "?"}))
chat.feed(*text("after", "t1"))
run("c1")
"""
    )
    card = stage.find('[data-tool-call-id="c1"] .ph-card-failed')
    expect(card).to_contain_text("KeyError: 'colour'")
    expect(stage.find("[data-role=assistant]")).to_contain_text("after")
    card.locator("[data-action=skip]").click()
    expect(stage.find('[data-tool-call-id="c1"]')).to_have_attribute("data-state", "output-error")


def test_a_part_that_cannot_be_drawn_hides_nothing_else(stage: Stage) -> None:
    stage.run(
        """
chat.answer()
chat.feed(*text("before", "t0"))
chat.feed({"type": "source-url", "sourceId": "s", "url": "https://example.com/a"})
chat.messages[-1].parts[-1].url = object()
chat.feed(*text("after", "t1"))
"""
    )
    stage.settle()
    message = stage.find("[data-role=assistant]")
    expect(message).to_contain_text("before")
    expect(message).to_contain_text("after")
    assert stage.problems
    stage.problems.clear()


def test_a_tool_draws_its_own_result(stage: Stage) -> None:
    stage.run(
        """
def user_card(call):
    return html.strong(call.result["name"]) if call.result else "…"
@toolkit.tool("get-user", render=user_card)
def get_user() -> dict:
    "Gets."
    return {"name": "<i>Ada</i>"}
chat.answer()
chat.feed(asks("c1", "get-user", {}))
run("c1")
"""
    )
    expect(stage.find('[data-tool-call-id="c1"] strong')).to_have_text("<i>Ada</i>")


def test_a_restored_card_can_be_shown(stage: Stage) -> None:
    stage.run(CARD.split("chat.say", maxsplit=1)[0])
    stage.run(
        """
chat.load([
    {"id": "u", "role": "user", "parts": [{"type": "text", "text": "Open"}]},
    {"id": "a", "role": "assistant", "parts": [
        {"type": "tool-jump-url-tool", "toolCallId": "c1", "state": "output-available",
         "input": {"url": "https://example.com"}, "output": {"url": "https://example.com"}},
        {"type": "tool-unheard-of", "toolCallId": "c2", "state": "output-available",
         "input": None, "output": None},
        {"type": "file", "mediaType": "image/png", "url": "https://evil.example/x.png"},
        {"type": "data-thing", "data": {"a": 1}},
        {"type": "holo-gram", "x": 1},
    ]},
])
"""
    )
    expect(stage.find('[data-tool-call-id="c1"]')).to_contain_text("Opened https://example.com")
    expect(stage.find('[data-tool-call-id="c2"]')).to_contain_text("Unheard of")
    assert stage.find("img").count() == 0
    assert [url for url in stage.requests if "127.0.0.1" not in url] == []


APPROVAL = """
chat.say("Delete it")
chat.answer()
chat.feed(asks("c1", "delete-record", {"id": 7}))
chat.feed({"type": "tool-approval-request", "toolCallId": "c1", "approvalId": "p1",
           "reason": "It cannot be undone."})
"""


def test_the_servers_question_is_answered_once_by_the_person(stage: Stage) -> None:
    stage.run(APPROVAL)
    gate = stage.find("[data-part=approval]")
    expect(gate).to_be_visible()
    expect(gate).to_contain_text("7")
    expect(gate).to_contain_text("It cannot be undone.")
    gate.locator("[data-action=approve]").evaluate("button => button.click()")
    assert stage.ask("chat.asked") == []
    gate.locator("[data-action=approve]").click()
    stage.becomes("chat.asked", [["approval", "p1", True]])
    expect(gate).to_be_hidden()
    expect(stage.find('[data-tool-call-id="c1"]')).to_contain_text("Approved")


def test_the_servers_question_can_be_denied(stage: Stage) -> None:
    stage.run(APPROVAL)
    stage.find("[data-part=approval] [data-action=deny]").click()
    stage.becomes("chat.asked", [["approval", "p1", False]])
    call = stage.find('[data-tool-call-id="c1"]')
    expect(call).to_have_attribute("data-look", "denied")


def test_an_answer_that_cannot_be_recorded_is_said(stage: Stage) -> None:
    stage.run(APPROVAL)
    stage.run(
        """
def broken(*given):
    raise LookupError("no such gate")
chat.respond_to_approval = broken
"""
    )
    stage.find("[data-part=approval] [data-action=approve]").click()
    expect(stage.find("[data-part=approval] [role=alert]")).to_contain_text("no such gate")
    assert stage.problems, "the developer finds the traceback on the console"
    stage.problems.clear()


ASKS = """
from pagehand.tools.link import ask_card, copy_card
@toolkit.human("ask_user", description="Asks.")
def ask_user(call, question: str, choices: list[str] | None = None):
    return ask_card(None, call, question, choices)
@toolkit.human("write_clipboard", description="Copies.")
def write_clipboard(call, text: str):
    return copy_card(None, call, text)
@toolkit.human("old_form", description="A card with a form.")
def old_form(call, question: str):
    line = html.input_(type="text")
    send = lambda event: (event.preventDefault(), call.add_result(line.value))
    return html.form(line, html.button("Send", type="submit"), on_submit=send)
chat.answer()
"""
FORGED = """
const card = root.querySelector('[data-tool-call-id="c1"]');
const field = card.querySelector("input");
if (field) {
  field.value = "Delete it all";
  field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
  field.form?.requestSubmit();
  field.form?.dispatchEvent(new SubmitEvent("submit", { cancelable: true, bubbles: true }));
  const enter = { key: "Enter", keyCode: 13, bubbles: true, composed: true, cancelable: true };
  field.dispatchEvent(new KeyboardEvent("keydown", enter));
}
card.querySelectorAll(".ph-card button, [data-action], form button").forEach((one) => one.click());
"""


def ask(stage: Stage, name: str, **arguments: object) -> Locator:
    stage.run(ASKS)
    stage.run("chat.feed(asks('c1', name, given)); run('c1')", name=name, given=arguments)
    call = stage.find('[data-tool-call-id="c1"]')
    expect(call.locator("button").last).to_be_visible()
    stage.settle()
    return call


def result(stage: Stage) -> object:
    stage.settle()
    return stage.ask("find('c1').output if find('c1').state == 'output-available' else None")


@pytest.mark.parametrize("key", ["Enter", "click"])
def test_a_question_takes_what_the_person_typed(stage: Stage, key: str) -> None:
    call = ask(stage, "ask_user", question="Which one?")
    stage.in_root(FORGED)
    assert result(stage) is None
    field = call.locator("input")
    field.fill("")
    field.press_sequentially("The red one")
    if key == "click":
        call.locator("[data-action=confirm]").click()
    else:
        field.press("Enter")
    assert result(stage)["data"] == {"answer": "The red one"}


def test_a_text_that_a_script_put_in_is_not_the_persons_answer(stage: Stage) -> None:
    call = ask(stage, "ask_user", question="Which one?")
    field = call.locator("input")
    field.press_sequentially("red")
    field.evaluate("field => { field.value = 'Delete it all'; }")
    call.locator("[data-action=confirm]").click()
    assert result(stage) is None
    assert field.input_value() == "red"
    call.locator("[data-action=confirm]").click()
    assert result(stage)["data"] == {"answer": "red"}


def test_a_choice_is_the_persons(stage: Stage) -> None:
    call = ask(stage, "ask_user", question="Which?", choices=["Red", "Blue"])
    stage.in_root(FORGED)
    assert result(stage) is None
    call.get_by_text("Blue").click()
    assert result(stage)["data"] == {"answer": "Blue"}


@pytest.mark.parametrize("key", ["Enter", "click"])
def test_a_cards_form_is_sent_by_the_person_alone(stage: Stage, key: str) -> None:
    call = ask(stage, "old_form", question="?")
    call.locator("input").click()
    stage.in_root(FORGED)
    assert result(stage) is None
    call.locator("input").fill("mine")
    if key == "click":
        call.locator("form button").click()
    else:
        call.locator("input").press("Enter")
    assert result(stage) == "mine"


def test_copying_works_or_says_that_it_does_not_without_a_clipboard(stage: Stage) -> None:
    hide = "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })"
    stage.page.evaluate(f"{hide}; document.execCommand = () => false;")
    call = ask(stage, "write_clipboard", text="abc")
    call.locator("[data-action=confirm]").click()
    expect(call.locator("[role=alert]")).to_contain_text("select the text")
    assert result(stage) is None
    stage.page.evaluate("delete document.execCommand")
    call.locator("[data-action=confirm]").click()
    assert result(stage)["data"] == {"characters": 3}
    stage.page.evaluate("delete navigator.clipboard")
