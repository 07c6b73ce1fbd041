"""What the server asks: approvals of every shape, suspended runs, and cards of the stream."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from browser.views.driver import Stage

pytestmark = pytest.mark.browser

BEGIN = "chat.say('Go'); chat.answer()\n"
OPTIONS = [
    {"id": "once", "kind": "allow-once", "label": "This time"},
    {
        "id": "always",
        "kind": "allow-always",
        "label": "Always",
        "grants": ["deploy to test", "roll back"],
        "confirm": {"title": "Really always?", "description": "No question from now on."},
    },
]
QUESTIONS = [
    {"id": "env", "question": "Where?", "options": ["test", {"value": "live", "label": "Live"}]},
    {"id": "tags", "question": "Tags?", "options": ["a", "b"], "multiple": True, "required": False},
    {"id": "why", "question": "Why?"},
]
SUSPEND = """
chat.feed(asks("c1", "ask-city", {"topic": "weather"}), {
    "type": "data-tool-call-suspended", "id": "c1", "data": {
        "runId": "r1", "toolCallId": "c1", "suspendPayload": payload, "resumeSchema": schema}})
"""
FORM = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "title": "City", "description": "Where to look"},
        "days": {"type": "integer", "default": 3},
        "unit": {"enum": ["C", "F"]},
        "wind": {"type": "boolean"},
        "layers": {"type": "array", "items": {"enum": ["rain", "snow"]}},
        "notes": {"type": "array", "items": {"type": "string"}},
        "contact": {"$ref": "#/$defs/Contact"},
        "extra": {"type": ["number", "null"]},
    },
    "required": ["city", "unit", "wind"],
    "additionalProperties": False,
    "$defs": {"Contact": {"type": "object", "properties": {"mail": {"type": "string"}}}},
}


def gate(stage: Stage, **descriptor: Any) -> None:
    stage.run(
        BEGIN
        + """
chat.feed(asks("c1", "deploy", {"target": "shop"}), {"type": "tool-approval-request",
    "approvalId": "p1", "toolCallId": "c1", "approvalDescriptor": descriptor})
""",
        descriptor=descriptor,
    )


def suspend(stage: Stage, payload: Any = "Which city?", schema: Any = None) -> None:
    stage.run(BEGIN + SUSPEND, payload=payload, schema=schema)


def click(stage: Stage, action: str) -> None:
    stage.find(f'[data-action="{action}"]').click()
    stage.settle()


def card(stage: Stage) -> Any:
    return stage.find('[data-tool-call-id="c1"]')


# Approvals


def test_a_plain_gate_asks_yes_or_no(stage: Stage) -> None:
    gate(stage, prompt="Deploy the shop?")
    expect(stage.find("[data-part=approval]")).to_contain_text("Deploy the shop?")
    expect(card(stage)).to_have_attribute("data-gate", "open")
    click(stage, "approve")
    assert stage.ask("chat.answers") == [{"approved": True}]
    expect(card(stage)).to_have_attribute("data-gate", "granted")
    expect(stage.find("[data-action=approve]")).to_have_count(0)


def test_options_with_a_second_step_and_what_they_allow(stage: Stage) -> None:
    gate(stage, options=OPTIONS)
    approval = stage.find("[data-part=approval]")
    expect(approval).to_contain_text("roll back")
    expect(stage.find("[data-action=deny]")).to_be_visible()  # a no is always offered
    stage.find('[data-option-id="always"]').click()
    expect(approval).to_contain_text("No question from now on.")
    assert stage.ask("chat.answers") == []
    click(stage, "back")
    stage.find('[data-option-id="always"]').click()
    click(stage, "confirm-option")
    assert stage.ask("chat.answers") == [
        {"approved": True, "optionId": "always", "reason": "Always"}
    ]


def test_going_back_keeps_what_was_typed(stage: Stage) -> None:
    gate(stage, options=OPTIONS, allowFreeform=True)
    words = stage.find("[data-part=approval] [data-name=text]")
    words.fill("after lunch")
    for _ in range(2):
        stage.find('[data-option-id="always"]').click()
        expect(words).to_have_count(0)
        click(stage, "back")
        expect(words).to_have_value("after lunch")
    stage.find('[data-option-id="always"]').click()
    click(stage, "confirm-option")
    assert stage.ask("chat.answers")[0]["text"] == "after lunch"


def test_questions_are_answered_all(stage: Stage) -> None:
    gate(stage, questions=QUESTIONS)
    click(stage, "approve")
    expect(stage.find(".ph-asking-note")).to_have_text("Answer first: Where?")
    stage.find('[data-question-id="env"]').get_by_label("Live").check()
    stage.find('[data-question-id="tags"]').get_by_label("a", exact=True).check()
    stage.find('[data-question-id="tags"]').get_by_label("b", exact=True).check()
    stage.find('[data-question-id="why"] input').fill("because")
    click(stage, "approve")
    assert stage.ask("chat.answers") == [
        {
            "approved": True,
            "answers": {"env": "live", "tags": ["a", "b"], "why": "because"},
            "reason": "Where? live; Tags? a, b; Why? because",
        }
    ]


@pytest.mark.parametrize(("action", "approved"), [("approve", True), ("deny", False)])
def test_own_words(stage: Stage, action: str, approved: bool) -> None:
    gate(stage, allowFreeform=True)
    stage.find("[data-part=approval] input").fill("only the blue one")
    click(stage, action)
    words = "only the blue one"
    assert stage.ask("chat.answers") == [{"approved": approved, "text": words, "reason": words}]


def test_a_gate_that_a_rule_decides_has_no_buttons(stage: Stage) -> None:
    gate(stage, isAutomatic=True)
    expect(stage.find("[data-part=approval]")).to_contain_text("Decided by a rule")
    expect(stage.find("[data-part=approval] button")).to_have_count(0)


def test_a_gate_that_ends_says_when(stage: Stage) -> None:
    stage.reset(options="clock=ManualClock(1000.0)")
    gate(stage, expiresAt=1090)
    expect(stage.find(".ph-asking-ends")).to_have_text("Ends in 1 min 30 s")
    stage.run(
        "from pagehand.chat.closing import expire_call\n"
        "expire_call(find('c1')); chat.tell('message', chat.messages[-1].id)"
    )
    expect(card(stage)).to_have_attribute("data-gate", "expired")
    expect(card(stage)).to_contain_text("Nobody answered in time")
    expect(stage.find("[data-part=approval]")).to_be_hidden()


def test_an_answer_that_cannot_be_delivered_can_be_given_again(stage: Stage) -> None:
    gate(stage)
    stage.run(
        """
real = chat.respond_to_approval
def broken(*given):
    chat.respond_to_approval = real
    raise RuntimeError("the line is dead")
chat.respond_to_approval = broken
"""
    )
    click(stage, "approve")
    expect(stage.find(".ph-asking-note")).to_contain_text("the line is dead")
    stage.problems.clear()
    click(stage, "approve")
    assert stage.ask("chat.answers") == [{"approved": True}]


@pytest.mark.parametrize("action", ["approve", "deny"])
def test_scripts_answer_nothing(stage: Stage, action: str) -> None:
    gate(stage)
    expect(stage.find(f"[data-action={action}]")).to_be_visible()
    stage.in_root(f"root.querySelector('[data-action={action}]').click()")
    stage.settle()
    assert stage.ask("chat.answers") == []


# Suspended runs


def test_a_form_is_drawn_from_the_schema(stage: Stage) -> None:
    suspend(stage, {"question": "Where do you live?", "hint": "any"}, FORM)
    box = stage.find("[data-part=suspension]")
    expect(box).to_contain_text("Where do you live?")
    expect(box).to_contain_text("Where to look")
    click(stage, "answer")
    expect(stage.find(".ph-asking-note")).to_have_text("City: please fill this in.")
    box.get_by_label("City").fill("Oslo")
    box.get_by_label("Days").fill("5")
    box.get_by_label("F", exact=True).check()
    box.get_by_label("No", exact=True).check()
    box.get_by_label("snow").check()
    box.get_by_label("Notes").fill("one\ntwo")
    box.get_by_label("Mail").fill("a@b.c")
    click(stage, "answer")
    assert stage.ask("chat.answers") == [
        {
            "city": "Oslo",
            "days": 5,
            "unit": "F",
            "wind": False,
            "layers": ["snow"],
            "notes": ["one", "two"],
            "contact": {"mail": "a@b.c"},
        }
    ]
    expect(card(stage)).to_have_attribute("data-gate", "granted")
    expect(box).to_be_hidden()


def test_an_answer_that_breaks_the_schema_stays_here(stage: Stage) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 3}}}
    suspend(stage, "How many?", schema)
    field = stage.find("[data-part=suspension]").get_by_label("N")
    field.fill("many")
    click(stage, "answer")
    expect(stage.find(".ph-asking-note")).to_have_text("N: this cannot be read.")
    field.fill("9")
    click(stage, "answer")
    expect(stage.find(".ph-asking-note")).to_contain_text("9 is greater than the maximum of 3")
    assert stage.ask("chat.answers") == []
    field.fill("2")
    field.press("Enter")
    stage.settle()
    assert stage.ask("chat.answers") == [{"n": 2}]


def test_without_a_schema_words_are_an_answer(stage: Stage) -> None:
    suspend(stage)
    stage.find("[data-part=suspension] textarea").fill("Oslo")
    click(stage, "answer")
    assert stage.ask("chat.answers") == ["Oslo"]


def test_what_a_script_puts_into_a_field_is_not_sent(stage: Stage) -> None:
    suspend(stage, "Which city?", FORM)
    box = stage.find("[data-part=suspension]")
    box.get_by_label("City").fill("Oslo")
    box.get_by_label("C", exact=True).check()
    box.get_by_label("Yes", exact=True).check()
    stage.in_root("root.querySelector('[data-part=suspension] input').value = 'Rome'")
    click(stage, "answer")
    expect(stage.find(".ph-asking-note")).to_contain_text("this page changed your entry")
    expect(box.get_by_label("City")).to_have_value("Oslo")
    stage.in_root("root.querySelectorAll('[data-part=suspension] [type=radio]')[1].checked = true")
    click(stage, "answer")
    assert stage.ask("chat.answers") == []
    click(stage, "answer")
    assert stage.ask("chat.answers[0]['unit']") == "C"


def test_a_person_may_decline(stage: Stage) -> None:
    suspend(stage)
    click(stage, "decline")
    assert stage.ask("chat.asked")[-1] == ["error", "c1", "The user chose not to answer."]


def test_a_tagged_question_is_drawn_by_its_view(stage: Stage) -> None:
    stage.run(
        """
from pagehand import ToolUI
Pick = ToolUI("pick_asset", state={"type": "object", "required": ["candidates"]}, answer=str)
@toolkit.view(Pick)
def pick(ui):
    from pagehand.html import button, p
    if ui.busy:
        return p(f"Took {ui.answer}")
    return [button(name, data_action=name, on_click=lambda e, name=name: ui.resolve(name))
            for name in ui.state["candidates"]]
"""
    )
    suspend(stage, {"_tag": "pick_asset", "state": {"candidates": ["red", "blue"]}})
    expect(stage.find("[data-part=suspension]")).to_have_count(0)
    click(stage, "blue")
    assert stage.ask("chat.answers") == ["blue"]
    expect(card(stage)).to_contain_text("Took blue")


def test_a_state_that_its_view_cannot_show_says_so(stage: Stage) -> None:
    stage.run(
        """
from pagehand import ToolUI
toolkit.view(ToolUI("pick_asset", state={"required": ["candidates"]}))(lambda ui: "never")
"""
    )
    suspend(stage, {"_tag": "pick_asset", "state": {}})
    expect(card(stage)).to_contain_text("'candidates' is a required property")
    stage.problems.clear()


# Cards of the stream

STATUS = """
from pagehand import ToolUI
from pagehand.html import p
Status = ToolUI("status", state={"type": "object", "required": ["text"]})
toolkit.view(Status)(lambda ui: p(ui.state["text"], class_="status"))
def present(text, id="s1", **more):
    chat.feed({"type": "data-mastra-effect-block",
               "data": {"_tag": "status", "id": id, "state": {"text": text}}, **more})
"""


def test_cards_of_the_stream_are_shown_updated_and_passing_ones_not_kept(stage: Stage) -> None:
    stage.run(STATUS + BEGIN + "present('Working')")
    shown = stage.find(".status")
    expect(shown).to_have_text("Working")
    stage.run("present('Half way', transient=True)")
    expect(shown).to_have_text("Half way")
    kept = "[part.to_wire()['data']['state']['text'] for part in chat.messages[-1].parts]"
    assert stage.ask(kept) == ["Working"]
    stage.run("present('Done'); present('Another', id='s2')")
    expect(shown).to_have_text(["Done", "Another"])
    assert stage.ask(kept) == ["Done", "Another"]
    stage.run("present('Only now', id='s3', transient=True)")
    expect(shown).to_have_text(["Done", "Another", "Only now"])
    assert stage.ask("len(chat.messages[-1].to_wire()['parts'])") == 2


def test_data_of_the_application_has_its_own_view(stage: Stage) -> None:
    stage.run(
        """
from pagehand.html import p
toolkit.data("weather")(lambda data: p(data["city"], class_="weather"))
"""
        + BEGIN
        + """
chat.feed({"type": "data-weather", "id": "w", "data": {"city": "Oslo"}},
          {"type": "data-unknown", "data": 1})
chat.feed({"type": "data-weather", "id": "w", "data": {"city": "Rome"}})
"""
    )
    expect(stage.find(".weather")).to_have_text("Rome")
    expect(stage.find("[data-part=data]")).to_have_count(1)
