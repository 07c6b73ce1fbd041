"""The thread: following, the tail, what a person does with messages, cost, and leaks."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from browser.views.driver import Stage

LONG = "\n\n".join(f"Paragraph {n} of an answer that needs some room." for n in range(60))


def at_end(stage: Stage) -> bool:
    code = "const t = root.querySelector('[data-part=thread]');"
    found: bool = stage.in_root(code + "return t.scrollHeight - t.scrollTop - t.clientHeight < 3")
    return found


def test_it_follows_until_the_person_scrolls_up(stage: Stage) -> None:
    stage.run(
        """
chat.say("Tell me")
chat.answer()
chat.feed({"type": "text-start", "id": "t"}, {"type": "text-delta", "id": "t", "delta": value})
""",
        value=LONG,
    )
    stage.settle()
    assert at_end(stage)
    expect(stage.find("[data-part=to-end]")).to_be_hidden()
    stage.find("[data-part=thread]").hover()
    stage.page.mouse.wheel(0, -400)
    expect(stage.find("[data-part=to-end]")).to_be_visible()
    stage.run("chat.feed({'type': 'text-delta', 'id': 't', 'delta': value})", value="\n\n" + LONG)
    stage.settle()
    assert not at_end(stage)
    stage.find("[data-part=to-end]").click()
    assert at_end(stage)
    stage.run("chat.feed({'type': 'text-delta', 'id': 't', 'delta': value})", value="\n\n" + LONG)
    stage.settle()
    assert at_end(stage)
    expect(stage.find("[data-part=to-end]")).to_be_hidden()


def test_sending_goes_to_the_end(stage: Stage) -> None:
    stage.run("chat.say('x'); chat.answer(); chat.feed(*text(value))", value=LONG)
    stage.settle()
    stage.in_root("root.querySelector('[data-part=thread]').scrollTop = 0")
    expect(stage.find("[data-part=to-end]")).to_be_visible()
    stage.run("chat.say('next')")
    stage.settle()
    assert at_end(stage)


def test_an_answer_that_was_cut_off_says_so_in_words_too(stage: Stage) -> None:
    interrupt = """
chat.messages[-1].interrupted = {}
chat.messages[-1].touch()
chat.tell("message", chat.messages[-1].id)
"""
    stage.run("chat.say('x'); chat.answer(); chat.feed(*text('Half'))" + interrupt.format(True))
    stage.settle()
    answer = stage.find("[data-role=assistant]")
    expect(answer).to_contain_text("The answer stopped here.")
    stage.run(interrupt.format(True))
    stage.settle()
    expect(answer.get_by_text("The answer stopped here.")).to_have_count(1)
    stage.run(interrupt.format(False))
    stage.settle()
    expect(answer.get_by_text("The answer stopped here.")).to_have_count(0)


def test_an_error_says_what_happened_and_retries(stage: Stage) -> None:
    stage.run(
        """
from pagehand.errors import NetworkError
chat.say("Hello")
chat.error = NetworkError("Failed to fetch <b>now</b>")
chat.set_status("error")
"""
    )
    error = stage.find("[data-part=error]")
    expect(error).to_be_visible()
    assert error.get_attribute("role") == "alert"
    assert error.get_attribute("data-code") == "network"
    expect(error).to_contain_text("cannot be reached")
    expect(error).to_contain_text("Failed to fetch <b>now</b>")
    error.locator("[data-action=retry]").click()
    expect(error).to_have_count(0)
    stage.becomes("chat.asked", [["retry"]])
    expect(stage.find("[data-role=user]")).to_contain_text("Hello")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "sign in"),
        (404, "no assistant at this address"),
        (418, "refused"),
        (429, "Too many"),
        (503, "has a problem"),
    ],
)
def test_an_http_error_says_what_the_status_means(stage: Stage, status: int, words: str) -> None:
    stage.run(
        f"""
from pagehand.errors import HttpStatusError
chat.error = HttpStatusError("say", status={status})
chat.set_status("error")
"""
    )
    expect(stage.find(".ph-error-title")).to_contain_text(words)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_every_error_code_has_words(stage: Stage, language: str) -> None:
    stage.reset(language)
    stage.run(
        """
from pagehand.ui.error import headline
import pagehand.errors as errors
codes = sorted({kind.code for kind in vars(errors).values()
                if isinstance(kind, type) and issubclass(kind, errors.ChatError)})
"""
    )
    said = stage.ask("{code: headline(code) for code in codes}")
    general = stage.ask("headline('nothing-known')")
    assert len(said) >= 6
    assert [code for code, words in said.items() if words == general and code != "chat"] == []


def test_notices_offer_what_can_be_done(stage: Stage) -> None:
    stage.run(
        """
from pagehand.chat import notices
chat.notices = [notices.rounds(8)]
chat.tell("notice")
"""
    )
    notice = stage.find("[data-part=notice]")
    expect(notice).to_contain_text("8 times in a row")
    notice.locator("[data-action=continue]").click()
    stage.becomes("chat.asked", [["continue"]])
    stage.run("chat.notices = []; chat.tell('notice')")
    expect(notice).to_have_count(0)


def test_work_that_nothing_shows_is_shown(stage: Stage) -> None:
    working = stage.find("[data-part=working]")
    stage.run("chat.say('x')")
    expect(working).to_be_visible()
    stage.run("chat.answer(); chat.feed({'type': 'text-start', 'id': 't'})")
    expect(working).to_be_visible()
    stage.run("chat.feed({'type': 'text-delta', 'id': 't', 'delta': 'Hi'})")
    expect(working).to_be_hidden()
    stage.run("chat.feed({'type': 'text-end', 'id': 't'})")
    expect(working).to_be_visible()
    stage.run("chat.set_status('ready')")
    expect(working).to_be_hidden()


def test_thoughts_open_while_they_come_and_close_after(stage: Stage) -> None:
    stage.run(
        """
chat.answer()
chat.feed({"type": "reasoning-start", "id": "r"},
          {"type": "reasoning-delta", "id": "r", "delta": "First look at it."})
"""
    )
    body = stage.find(".ph-reasoning-body")
    expect(body).to_be_visible()
    stage.run("chat.feed({'type': 'reasoning-end', 'id': 'r'})")
    expect(body).to_be_hidden()
    stage.find(".ph-reasoning .ph-fold").click()
    expect(body).to_contain_text("First look at it.")


def test_a_message_is_copied_repeated_and_edited(stage: Stage) -> None:
    stage.context.grant_permissions(["clipboard-read", "clipboard-write"])
    stage.run("chat.say('Hello'); chat.answer('a1'); chat.feed(*text('**Hi**'))")
    stage.run("chat.set_status('ready')")
    answer, question = stage.find("[data-role=assistant]"), stage.find("[data-role=user]")
    answer.locator("[data-action=copy]").click()
    expect(answer.locator("[data-action=copy]")).to_have_attribute("aria-label", "Copied")
    assert stage.page.evaluate("navigator.clipboard.readText()") == "**Hi**"
    answer.locator("[data-action=regenerate]").click()
    question.hover()
    question.locator("[data-action=edit]").click()
    field = question.locator("textarea")
    assert field.input_value() == "Hello"
    field.fill("Hello again")
    field.press("Enter")
    expect(field).to_have_count(0)
    stage.becomes("chat.asked", [["regenerate", "a1"], ["edit", "u1", "Hello again"]])
    question.locator("[data-action=edit]").click()
    question.locator("textarea").press("Escape")
    expect(question.locator(".ph-text")).to_be_visible()


def test_what_is_typed_into_an_editor_outlives_a_change_of_language(stage: Stage) -> None:
    stage.run("chat.say('Hello'); chat.answer(); chat.feed(*text('Hi')); chat.set_status('ready')")
    stage.settle()
    question = stage.find("[data-message-id=u1]")
    question.hover()
    question.locator("[data-action=edit]").click()
    question.locator("textarea").fill("Hello again")
    stage.run("set_language('zh-CN'); view.refresh()")
    stage.settle()
    expect(question.locator("textarea")).to_have_value("Hello again")
    question.locator("[data-action=save-edit]").click()
    stage.becomes("chat.asked", [["edit", "u1", "Hello again"]])


def test_scripts_cannot_repeat_or_edit(stage: Stage) -> None:
    stage.run("chat.say('Hello'); chat.answer(); chat.feed(*text('Hi')); chat.set_status('ready')")
    stage.settle()
    stage.in_root("root.querySelectorAll('.ph-action').forEach(button => button.click())")
    stage.settle()
    assert stage.ask("chat.asked") == []
    assert stage.find(".ph-editor").count() == 0


def test_scripts_cannot_send_an_edit(stage: Stage) -> None:
    stage.run("chat.say('Hello'); chat.answer('a1'); chat.feed(*text('Hi'))")
    stage.run("chat.set_status('ready')")
    question = stage.find("[data-role=user]")
    question.hover()
    question.locator("[data-action=edit]").click()
    stage.in_root(
        """
const field = root.querySelector(".ph-editor textarea");
field.value = "Forged";
field.dispatchEvent(new InputEvent("input", { bubbles: true }));
field.form?.requestSubmit();
field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
root.querySelector("[data-action=save-edit]").click();
"""
    )
    stage.settle()
    assert stage.ask("chat.asked") == []
    question.locator("[data-action=save-edit]").click()
    assert stage.ask("chat.asked") == [], "a text that a script put in"
    question.locator("textarea").fill("Mine")
    question.locator("[data-action=save-edit]").click()
    stage.settle()
    stage.becomes("chat.asked", [["edit", "u1", "Mine"]])


def test_screen_readers_hear_the_answer_once(stage: Stage) -> None:
    thread, status = stage.find("[data-part=thread]"), stage.find("[role=status][data-part=status]")
    assert thread.get_attribute("role") == "log"
    assert thread.get_attribute("aria-live") == "off"
    stage.page.evaluate(
        "window.read = []; Element.prototype.ariaNotify = text => read.push(text); 0"
    )
    stage.run("chat.say('Hello')")
    expect(status).to_have_text("The assistant is answering")
    expect(thread).to_have_attribute("aria-busy", "true")
    stage.run("chat.answer(); chat.feed(*text('It is noon.')); chat.set_status('ready')")
    expect(status).to_have_text("The answer is complete")
    assert stage.page.evaluate("read") == ["It is noon."]
    expect(thread).to_have_attribute("aria-busy", "false")


def test_messages_come_go_and_change_places(stage: Stage) -> None:
    stage.run(
        """
def message(id, role="user"):
    return {"id": id, "role": role, "parts": [{"type": "text", "text": id}]}
chat.load([message("1"), message("2", "assistant"), message("3"), message("4", "assistant")])
"""
    )
    stage.settle()
    order = "return [...root.querySelectorAll('[data-message-id]')].map(n => n.dataset.messageId)"
    assert stage.in_root(order) == ["1", "2", "3", "4"]
    stage.run("chat.messages = chat.messages[:2]; chat.tell('list')")
    stage.settle()
    assert stage.in_root(order) == ["1", "2"]
    stage.run("chat.messages.insert(0, message_from_wire(message('0'))); chat.tell('list')")
    stage.settle()
    assert stage.in_root(order) == ["0", "1", "2"]
    stage.run("chat.messages = []; chat.tell('list')")
    stage.settle()
    assert stage.in_root(order) == []


HISTORY = """
def history(count):
    return [
        {"id": f"m{n}", "role": "user" if n % 2 == 0 else "assistant",
         "parts": [{"type": "text", "text": f"Message **{n}**\\n\\n- with a list\\n- of two"}]}
        for n in range(count)
    ]
"""
DELTAS = """
import time
def cost(count):
    chat.load(history(count))
    for _ in range(count // 30 + 2):
        paint()
    chat.answer("last")
    chat.feed({"type": "text-start", "id": "t"})
    paint()
    thread, times = shell.thread, []
    for n in range(200):
        began = time.perf_counter()
        end = "\\n\\n" if n % 20 == 19 else " "
        chat.feed({"type": "text-delta", "id": "t", "delta": f"word{n}{end}"})
        paint()
        thread.scrollTop
        times.append(time.perf_counter() - began)
    return sorted(times)[100] * 1000
"""


def test_a_delta_costs_the_same_after_a_thousand_messages(stage: Stage) -> None:
    stage.run(HISTORY + DELTAS)
    alone = min(stage.ask("cost(0)") for _ in range(2))
    stage.reset()
    stage.run(HISTORY + DELTAS)
    after = min(stage.ask("cost(1000)") for _ in range(2))
    assert stage.find("[data-message-id]").count() == 1001
    assert after <= alone * 1.25 + 0.3, f"{alone:.2f} ms alone, {after:.2f} ms after 1,000 messages"


def test_a_long_history_shows_its_end_first(stage: Stage) -> None:
    stage.run(HISTORY)
    stage.run(
        """
chat.load(history(400))
paint()
first = [node.dataset.messageId for node in shell.messages.querySelectorAll("[data-message-id]")]
"""
    )
    assert stage.ask("first") == [f"m{n}" for n in range(370, 400)]
    stage.page.wait_for_function(
        "document.querySelector('stage-host').shadowRoot"
        ".querySelectorAll('[data-message-id]').length === 400"
    )
    assert at_end(stage)
    order = "return [...root.querySelectorAll('[data-message-id]')].map(n => n.dataset.messageId)"
    assert stage.in_root(order) == [f"m{n}" for n in range(400)]


BUSY = """
@toolkit.human("pick", description="Picks.")
def pick(call, colour: str):
    return html.button("Pick", on_click=lambda event: call.add_result(colour))
@toolkit.tool("save", risk="moderate", requires_confirmation=True)
def save() -> str:
    "Saves."
    return "x"
chat.say("x")
chat.answer()
chat.feed(*[{"type": "reasoning-start", "id": "r"}, {"type": "reasoning-end", "id": "r"}])
chat.feed(*text("```js\\nx\\n```"))
chat.feed(asks("c1", "pick", {"colour": "red"}), asks("c2", "save", {}), asks("c3", "no", {}))
chat.feed({"type": "tool-approval-request", "toolCallId": "c3", "approvalId": "p"})
run("c1", "c2")
from pagehand.errors import NetworkError
from pagehand.chat import notices
chat.error = NetworkError("x")
chat.notices = [notices.rounds(3)]
chat.tell("notice")
chat.set_status("error")
"""


def test_closing_frees_every_callback(stage: Stage) -> None:
    count = "() => { const m = stage.pyodide._module; return m.pyproxy_alloc_map.size; }"
    stage.page.evaluate("stage.pyodide._module.enable_pyproxy_allocation_tracing()")
    counts = []
    for _ in range(4):
        stage.run(BUSY)
        stage.page.wait_for_timeout(150)
        stage.settle()
        stage.run("engine.cancel(); view.close()")
        stage.settle()
        left = stage.in_root("return root.querySelectorAll('.ph-message, .ph-tail, dialog').length")
        assert left == 0
        stage.run("mount()")
        stage.run("import gc; gc.collect()")
        counts.append(stage.page.evaluate(count))
        stage.run("reset()")
    assert counts[-1] == counts[1], counts


STRICT = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
    "style-src 'self'; img-src 'self' data:; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)


def test_the_views_work_under_the_strictest_policy(browser: Browser) -> None:
    stage = Stage(browser, headers={"Content-Security-Policy": STRICT})
    try:
        stage.run(BUSY)
        expect(stage.find(".md-code code")).to_have_text("x")
        expect(stage.find("[data-part=confirmation]")).to_be_visible()
        stage.find("[data-part=confirmation] [data-action=cancel][aria-disabled=false]").click()
        stage.find('[data-tool-call-id="c1"] .ph-tool-card button').click()
        expect(stage.find('[data-tool-call-id="c1"]')).to_contain_text("Done")
        assert stage.problems == []
        with pytest.raises(Exception, match="TrustedHTML"):
            stage.in_root("root.querySelector('.ph-text').innerHTML = '<b>x</b>'")
    finally:
        stage.close()
