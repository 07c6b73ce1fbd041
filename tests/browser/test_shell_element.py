"""What a host page can read, call and hear: properties, methods, events, its own tools."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant, events, record_events
from browser.support.fake_server import FakeServer, Reply, called, said, stream

pytestmark = pytest.mark.browser

TOOLKIT = '''
from pagehand import Toolkit, ToolError

toolkit = Toolkit()

@toolkit.tool("add", risk="safe")
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b
'''


@pytest.fixture
def assistant(page: Page, fake_server: FakeServer) -> Assistant:
    record_events(page)
    fake_server.file("my_tools.py", TOOLKIT)
    page.goto(fake_server.page('<page-hand thread="" toolkit="/made/my_tools.py"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    return assistant


def test_properties_before_and_after_a_turn(assistant: Assistant, fake_server: FakeServer) -> None:
    assert assistant.get("status") == "ready"
    assert assistant.get("messages") == []
    assert assistant.get("error") is None
    assert assistant.get("log") == []
    assert set(assistant.get("tools")) == {"add"}
    assert assistant.get("tools")["add"]["inputSchema"]["required"] == ["a", "b"]

    fake_server.answer(stream(called(("c1", "add", {"a": 2, "b": 3}))), stream(said("It is five.")))
    assistant.say("Add 2 and 3")
    expect(assistant.answers).to_contain_text("It is five.")
    assistant.wait_status("ready")
    messages = assistant.get("messages")
    assert [message["role"] for message in messages] == ["user", "assistant"]
    call = next(part for part in messages[1]["parts"] if part["type"] == "tool-add")
    assert (call["state"], call["output"]) == ("output-available", 5)
    assert json.dumps(assistant.get("log")).count("c1") >= 1


def test_continuation_is_posted_once_with_the_result_and_the_declarations(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    fake_server.answer(
        stream(called(("c1", "add", {"a": 2, "b": 3}), ("c2", "add", {"a": 4, "b": 5}))),
        stream(said("5 and 9")),
    )
    assistant.say("Add")
    expect(assistant.answers).to_contain_text("5 and 9")
    assistant.wait_status("ready")
    assert len(fake_server.requests) == 2
    first, second = fake_server.requests
    assert first["clientTools"] == second["clientTools"]
    assert set(first["clientTools"]["add"]) == {"description", "inputSchema"}
    outputs = [p["output"] for p in second["messages"][-1]["parts"] if p["type"] == "tool-add"]
    assert outputs == [5, 9]
    assert second["messages"][-1]["id"] == "answer-1"


def test_events_tell_the_story_in_plain_json(
    page: Page, assistant: Assistant, fake_server: FakeServer
) -> None:
    fake_server.answer(stream(called(("c1", "add", {"a": 1, "b": 1}))), stream(said("Two.")))
    assistant.say("1 + 1")
    expect(assistant.answers).to_contain_text("Two.")
    assistant.wait_status("ready")
    kinds = [kind for kind, _ in events(page)]
    assert kinds.count("ready") == 1
    statuses = [detail["status"] for detail in events(page, "status")]
    assert statuses[0] == "booting"
    assert statuses[1] == "ready"
    assert statuses[-1] == "ready"
    assert "submitted" in statuses
    assert [m["role"] for m in events(page, "message")] == ["user", "assistant"]
    states = [(c["toolName"], c["state"]) for c in events(page, "toolcall")]
    assert states[-1] == ("add", "output-available")
    assert len(states) == len(set(states))


def test_methods_send_regenerate_and_clear(assistant: Assistant, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("One")), stream(said("Another", message_id="a2")))
    assistant.element.evaluate("element => element.send('Say something')")
    expect(assistant.answers).to_have_text("One")
    assistant.wait_status("ready")
    assistant.element.evaluate("element => element.regenerate()")
    expect(assistant.answers).to_have_text("Another")
    assert fake_server.requests[1]["trigger"] == "regenerate-message"
    assistant.wait_status("ready")
    assistant.element.evaluate("element => element.clear()")
    expect(assistant.part("messages").locator("[data-message-id]")).to_have_count(0)
    expect(assistant.part("welcome")).to_be_visible()
    assert assistant.get("messages") == []


@pytest.mark.parametrize("text", ["''", "'  '", "null", "42", "undefined"])
def test_send_refuses_what_is_no_text(assistant: Assistant, text: str) -> None:
    words = assistant.element.evaluate(
        f"element => {{ try {{ element.send({text}); }} catch (e) {{ return e.message; }} }}"
    )
    assert words == "send(text) needs a text that is not empty"


def test_when_ready_resolves(assistant: Assistant) -> None:
    assert assistant.element.evaluate("element => element.whenReady().then(() => 'yes')") == "yes"


def test_failed_request_shows_in_property_and_event(
    page: Page, assistant: Assistant, fake_server: FakeServer
) -> None:
    fake_server.answer(Reply(400, b'{"message": "Too many tools."}', "application/json"))
    assistant.say("Hello")
    assistant.wait_status("error")
    assert assistant.get("error") == {"code": "http", "message": "Too many tools."}
    assert events(page, "error") == [{"code": "http", "message": "Too many tools."}]


def test_endpoint_is_read_at_each_request(
    page: Page, assistant: Assistant, fake_server: FakeServer
) -> None:
    fake_server.answer(stream(said("one")), stream(said("two", message_id="a2")))
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url) if r.method == "POST" else None)
    assistant.say("first")
    expect(assistant.answers).to_have_count(1)
    assistant.wait_status("ready")
    assistant.element.evaluate("element => element.setAttribute('endpoint', '/other/chat')")
    assistant.say("second")
    expect(assistant.answers).to_have_count(2)
    assert asked == [f"{fake_server.url}/chat", f"{fake_server.url}/other/chat"]


def test_tools_field_sends_the_other_form(page: Page, fake_server: FakeServer) -> None:
    fake_server.file("my_tools.py", TOOLKIT)
    fake_server.answer(stream(said("ok")))
    page.goto(
        fake_server.page('<page-hand tools-field="tools" toolkit="/made/my_tools.py"></page-hand>')
    )
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("Hi")
    expect(assistant.answers).to_have_text("ok")
    body = fake_server.requests[0]
    assert "clientTools" not in body
    assert set(body["tools"]["add"]) == {"description", "parameters"}


HOST_TOOL = """element => {
  window.__remove = element.registerTool({
    name: "host-sum",
    description: "Adds numbers in the page's own JavaScript.",
    parameters: {
      type: "object",
      properties: {numbers: {type: "array", items: {type: "number"}}},
      required: ["numbers"],
    },
    execute: async ({numbers}, {toolCallId}) => ({
      sum: numbers.reduce((a, b) => a + b, 0), toolCallId,
    }),
  });
}"""


def test_tool_of_the_host_page_runs_and_can_be_removed(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    assistant.element.evaluate(HOST_TOOL)
    assert set(assistant.get("tools")) == {"add", "host-sum"}
    fake_server.answer(
        stream(called(("c1", "host-sum", {"numbers": [1, 2, 3.5]}))), stream(said("6.5"))
    )
    assistant.say("Sum it up")
    expect(assistant.answers).to_contain_text("6.5")
    part = fake_server.requests[1]["messages"][-1]["parts"][-1]
    assert part["output"] == {"sum": 6.5, "toolCallId": "c1"}
    assistant.wait_status("ready")
    assistant.element.page.evaluate("__remove()")
    assert set(assistant.get("tools")) == {"add"}


def test_tool_registered_before_the_start_is_there_after_it(
    page: Page, fake_server: FakeServer
) -> None:
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    page.wait_for_function("!!customElements.get('page-hand')")
    assistant.element.evaluate(HOST_TOOL)
    assistant.wait_ready()
    assert "host-sum" in assistant.get("tools")


@pytest.mark.parametrize(
    "thrown",
    [
        "new Error('The stock list is closed.')",
        "'The stock list is closed.'",
        "{message: 'The stock list is closed.'}",
    ],
)
def test_error_of_a_host_tool_reaches_the_model(
    assistant: Assistant, fake_server: FakeServer, thrown: str
) -> None:
    assistant.element.evaluate(
        "e => { e.registerTool({name: 'bad', description: 'Fails.', parameters: {type: 'object'},"
        f" execute() {{ throw {thrown}; }}}}); }}"
    )
    fake_server.answer(stream(called(("c1", "bad", {}))), stream(said("It failed.")))
    assistant.say("Try")
    expect(assistant.answers).to_contain_text("It failed.")
    part = fake_server.requests[1]["messages"][-1]["parts"][-1]
    assert part["state"] == "output-error"
    assert "The stock list is closed." in part["errorText"]


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("{}", "the name undefined must start with a letter"),
        ("{name: '9lives', execute() {}}", 'the name "9lives" must start with a letter'),
        ("{name: 'x'.repeat(64), execute() {}}", "63 at most"),
        ("{name: 'ok'}", "ok needs execute, a function"),
        ("{name: 'add', execute() {}}", "defined twice"),
        ("{name: 'ok', execute() {}, colour: 'red'}", "options that are not known here: colour"),
        ("{name: 'ok', execute() {}, parameters: []}", "parameters is a list, but must be"),
        ("{name: 'ok', execute() {}, parameters: 'none'}", 'parameters is "none", but must be'),
        ("{name: 'ok', execute() {}, requiresConfirmation: () => true}", "only execute may be one"),
        ("{name: 'ok', execute() {}, risk: 'deadly'}", "risk"),
    ],
)
def test_bad_host_tools_are_refused_with_a_sentence(
    assistant: Assistant, tool: str, words: str
) -> None:
    told = assistant.element.evaluate(
        f"e => {{ try {{ e.registerTool({tool}); }} catch (error) {{ return error.message; }} }}"
    )
    assert words in told
    assert set(assistant.get("tools")) == {"add"}


def test_pause_switch_refuses_calls(assistant: Assistant, fake_server: FakeServer) -> None:
    pause = assistant.part("pause")
    expect(pause).to_have_role("switch")
    pause.evaluate(
        "pause => { const label = document.createElement('label'); "
        "label.htmlFor = pause.id = 'led';"
        " label.textContent = 'More'; label.dataset.part = 'trap'; pause.getRootNode()"
        ".querySelector('[data-part=thread]').append(label); }"
    )
    assistant.part("trap").click()
    expect(pause).not_to_be_checked()
    pause.click()
    expect(pause).to_be_checked()
    expect(pause).to_have_attribute("title", "Hands paused: the assistant can talk, but not act")
    fake_server.answer(stream(called(("c1", "add", {"a": 1, "b": 1}))), stream(said("I may not.")))
    assistant.say("Add")
    expect(assistant.answers).to_contain_text("I may not.")
    part = fake_server.requests[1]["messages"][-1]["parts"][-1]
    assert part["state"] == "output-error"
