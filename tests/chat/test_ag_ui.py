"""A whole conversation in AG-UI: the same loop, over another protocol."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from chat.support import WAIT, FakeEngine, World, outputs, texts, turns
from pagehand.browser.fallback import FallbackTransport
from pagehand.chat.chat import Chat
from pagehand.chat.scripted import Answer, ScriptedTransport
from pagehand.engine.outcome import Failure
from pagehand.errors import RequestError
from pagehand.wire.ag_ui_calls import NO_RESULT, NOT_WANTED

Event = dict[str, Any]
STARTED: Event = {"type": "RUN_STARTED", "threadId": "chat", "runId": "r", "protocolVersion": "1.0"}
YES_OR_NO = {"type": "object", "properties": {"approved": {"type": "boolean"}}}


def run(*events: Event, **outcome: Any) -> Answer:
    """A run that ends well."""
    end = {"type": "RUN_FINISHED", "threadId": "chat", "runId": "r", "outcome": outcome or None}
    return Answer(STARTED, *events, end)


def words(text: str, id: str = "a1") -> list[Event]:
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text},
        {"type": "TEXT_MESSAGE_END", "messageId": id},
    ]


def asked(name: str, id: str = "c1", args: str = '{"n": 1}') -> list[Event]:
    start = {"toolCallId": id, "toolCallName": name, "parentMessageId": "p1"}
    return [
        {"type": "TOOL_CALL_START", **start},
        {"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args},
        {"type": "TOOL_CALL_END", "toolCallId": id},
    ]


def result(id: str, content: Any, message: str = "t1") -> Event:
    return {"type": "TOOL_CALL_RESULT", "messageId": message, "toolCallId": id, "content": content}


def world(*answers: Answer, engine: FakeEngine | None = None, **options: Any) -> World:
    return World(*answers, engine=engine, protocol="ag-ui", **options)


def messages(body: dict[str, Any]) -> list[tuple[str, Any]]:
    """What was said, by role; of calls their names."""
    told: list[tuple[str, Any]] = []
    for message in body["messages"]:
        calls = [call["function"]["name"] for call in message.get("toolCalls", [])]
        told.append((message["role"], calls or message["content"]))
    return told


async def test_text() -> None:
    here = world(run(*words("Hi there")), run(*words("Again", "a2")))
    await here.say("Hello")
    assert texts(here) == ["Hello", "Hi there"]
    assert (here.chat.status, here.chat.error) == ("ready", None)
    (body,) = here.bodies
    run_id = body.pop("runId")
    assert body == {
        "threadId": "chat",
        "protocolVersion": "1.0",
        "state": {},
        "messages": [{"id": "id1", "role": "user", "content": "Hello"}],
        "tools": [],
        "context": [],
        "forwardedProps": {},
    }
    await here.say("More")
    assert here.bodies[1]["runId"] != run_id
    assert here.bodies[1]["messages"][1] == {"id": "a1", "role": "assistant", "content": "Hi there"}


async def test_a_call_of_ours_and_its_continuation() -> None:
    here = world(
        run(*words("Let me see"), *asked("open")),
        run(*words("Done", "a2")),
        engine=FakeEngine(open={"ok": True}),
    )
    await here.say()
    assert texts(here) == ["Hello", "Let me see\n\nDone"]
    assert outputs(here) == [{"ok": True}]
    first, second = here.bodies
    assert first["tools"] == second["tools"] == [
        {"name": "open", "description": "open", "parameters": {"type": "object"}}
    ]  # fmt: skip
    assert messages(second) == [
        ("user", "Hello"),
        ("assistant", "Let me see"),
        ("assistant", ["open"]),
        ("tool", '{"ok":true}'),
    ]
    assert [message["id"] for message in second["messages"]] == ["id1", "a1", "p1", "c1-result"]


async def test_parallel_calls_are_one_message_and_one_continuation() -> None:
    here = world(
        run(*asked("open"), *asked("mark", "c2"), type="success", pendingToolCallIds=["c1", "c2"]),
        run(*words("Done")),
        engine=FakeEngine(open=1, mark=Failure("No.")),
    )
    await here.say()
    assert len(here.bodies) == 2
    _, asking, one, two = here.bodies[1]["messages"]
    assert [call["id"] for call in asking["toolCalls"]] == ["c1", "c2"]
    assert (one["content"], two["content"], two["error"]) == ("1", "No.", "No.")


async def test_nothing_of_ours_runs_before_the_run_has_ended() -> None:
    gate = asyncio.Event()
    script = Answer(STARTED, *asked("open"), gate, {"type": "RUN_FINISHED"})
    here = world(script, run(*words("Done")), engine=FakeEngine(open=1))
    sending = asyncio.ensure_future(here.say())
    await turns()
    assert here.engine.started == []
    gate.set()
    await sending
    assert [call.tool_name for call in here.engine.started] == ["open"]


async def test_the_servers_own_calls_are_left_to_it() -> None:
    here = world(
        run(*asked("lookup"), result("c1", '{"found": 2}'), *words("Two.")),
        engine=FakeEngine(open=1),
    )
    await here.say()
    assert here.engine.started == []
    (part,) = here.last.tool_parts()
    assert (part.output, part.provider_executed) == ({"found": 2}, True)
    assert [part.type for part in here.last.parts] == [
        "step-start", "tool-lookup", "step-start", "text",
    ]  # fmt: skip
    assert len(here.bodies) == 1


async def test_a_server_tool_beside_ours() -> None:
    here = world(
        run(*asked("lookup"), *asked("open", "c2"), result("c1", "found")),
        run(*words("Both.")),
        engine=FakeEngine(open={"ok": True}),
    )
    await here.say()
    assert outputs(here) == ["found", {"ok": True}]
    assert messages(here.bodies[1])[1:] == [
        ("assistant", ["lookup", "open"]),
        ("tool", "found"),
        ("tool", '{"ok":true}'),
    ]
    assert here.bodies[1]["messages"][2]["id"] == "t1"


async def test_a_server_call_without_a_result_loops_nowhere() -> None:
    here = world(run(*asked("lookup")), engine=FakeEngine(open=1))
    await here.say()
    (part,) = here.last.tool_parts()
    assert (part.state, part.error_text) == ("output-error", NO_RESULT)
    assert len(here.bodies) == 1


async def test_a_call_the_server_does_not_wait_for_does_not_run() -> None:
    here = world(
        run(*asked("open"), *asked("open", "c2"), type="success", pendingToolCallIds=["c2"]),
        run(*words("Done")),
        engine=FakeEngine(open=1),
    )
    await here.say()
    assert [call.tool_call_id for call in here.engine.started] == ["c2"]
    assert here.last.tool_parts()[0].error_text == NOT_WANTED


async def test_an_unknown_call_that_the_server_leaves_to_us_gets_an_answer() -> None:
    here = world(
        run(*asked("nobody"), type="success", pendingToolCallIds=["c1"]), run(*words("Sorry"))
    )
    await here.say()
    assert "no tool" in str(here.last.tool_parts()[0].error_text)
    assert here.bodies[1]["messages"][2]["error"] == "There is no tool 'nobody'."


async def test_a_placeholder_is_no_result() -> None:
    here = world(
        run(*asked("open"), result("c1", "Forwarded to client")),
        run(*words("Done")),
        engine=FakeEngine(open=1),
    )
    await here.say()
    assert outputs(here) == [1]


async def test_arguments_that_are_no_json_reach_the_engine_and_never_travel() -> None:
    here = world(
        run(*asked("open", args='{"n": ')),
        run(*words("Sorry")),
        engine=FakeEngine(open=lambda value: Failure(f"Not an object: {value}")),
    )
    await here.say()
    assert here.engine.started[0].args_text == '{"n": '
    assert here.bodies[1]["messages"][1]["toolCalls"][0]["function"]["arguments"] == "{}"


async def approval(here: World, *, approved: bool, reason: str | None = None) -> None:
    await here.say()
    (part,) = here.last.tool_parts()
    assert (part.state, here.chat.status) == ("approval-requested", "ready")
    here.chat.add_tool_approval_response("i1", approved, reason)
    await here.chat.idle()


INTERRUPT: Event = {"id": "i1", "reason": "tool_call", "toolCallId": "c1", "message": "May it?"}


async def test_an_approved_server_call_runs_there() -> None:
    here = world(
        run(*asked("sell"), type="interrupt", interrupts=[INTERRUPT]),
        run(result("c1", '{"sold": 1}'), *words("Sold.")),
    )
    await approval(here, approved=True)
    assert here.bodies[1]["resume"] == [
        {"interruptId": "i1", "status": "resolved", "payload": {"approved": True}}
    ]
    assert messages(here.bodies[1]) == [("user", "Hello"), ("assistant", ["sell"])]
    assert (outputs(here), texts(here)[-1]) == ([{"sold": 1}], "Sold.")
    await here.say("More")
    assert "resume" not in here.bodies[2]


async def test_a_call_that_was_held_back_is_shown_from_its_question() -> None:
    told = {"toolName": "sell", "args": {"sku": "A"}}
    held = {**INTERRUPT, "reason": "x:tool_approval", "metadata": {"mastra": told}}
    here = world(
        run(*words("Selling"), type="interrupt", interrupts=[held]),
        run(*asked("sell", args='{"sku": "A"}'), result("c1", "sold"), *words("Sold.", "a2")),
    )
    await approval(here, approved=True)
    (part,) = here.last.tool_parts()
    assert (part.tool_name, part.input, part.output) == ("sell", {"sku": "A"}, "sold")
    assert here.engine.started == []


async def test_a_denial_says_why_where_the_server_reads_it() -> None:
    schema = {**YES_OR_NO, "properties": {**YES_OR_NO["properties"], "reason": {"type": "string"}}}
    asking = {**INTERRUPT, "responseSchema": schema}
    here = world(
        run(*asked("sell"), type="interrupt", interrupts=[asking]), run(*words("Then not."))
    )
    await approval(here, approved=False, reason="Too dear")
    payload = here.bodies[1]["resume"][0]["payload"]
    assert payload == {"approved": False, "reason": "Too dear"}


async def test_an_approved_call_of_ours_runs_here() -> None:
    here = world(
        run(*asked("open"), type="interrupt", interrupts=[INTERRUPT]),
        run(type="success", pendingToolCallIds=["c1"]),
        run(*words("Opened.")),
        engine=FakeEngine(open=lambda value: {"got": value}),
    )
    await approval(here, approved=True)
    assert [call.tool_call_id for call in here.engine.started] == ["c1"]
    assert outputs(here) == [{"got": {"n": 1}}]
    assert messages(here.bodies[2])[-1] == ("tool", '{"got":{"n":1}}')


async def test_moving_on_cancels_what_was_asked() -> None:
    here = world(
        run(*asked("sell"), type="interrupt", interrupts=[INTERRUPT]), run(*words("All right."))
    )
    await here.say()
    await here.say("Forget it")
    body = here.bodies[1]
    assert body["resume"] == [{"interruptId": "i1", "status": "cancelled"}]
    assert messages(body) == [
        ("user", "Hello"), ("assistant", ["sell"]), ("user", "Forget it"),
    ]  # fmt: skip


async def test_open_questions_survive_a_reload_and_a_failed_answer() -> None:
    asking = run(*asked("sell"), type="interrupt", interrupts=[INTERRUPT])
    before = world(asking)
    await before.say()
    failed = Answer(STARTED, {"type": "RUN_ERROR", "message": "Try again."})
    here = world(failed, run(result("c1", "sold"), *words("Sold.")))
    here.chat.load(before.chat.dump())
    here.chat.add_tool_approval_response("i1", True)
    await here.chat.idle()
    assert str(here.chat.error) == "Try again."
    await here.chat.retry()
    await here.chat.idle()
    assert here.bodies[0]["resume"] == here.bodies[1]["resume"]
    assert texts(here)[-1] == "Sold."


async def test_a_run_that_waits_for_data() -> None:
    schema = {"type": "object", "properties": {"date": {"type": "string"}}}
    question = {"id": "i1", "reason": "input_required", "toolCallId": "c1", "message": "When?"}
    here = world(
        run(*asked("pick"), type="interrupt", interrupts=[{**question, "responseSchema": schema}]),
        run(result("c1", "booked"), *words("Booked.")),
    )
    await here.say()
    (part,) = here.last.tool_parts()
    assert part.suspension is not None
    assert (part.suspension.payload, part.suspension.schema) == ({"message": "When?"}, schema)
    here.chat.resume_call("c1", {"date": "2026-12-01"})
    await here.chat.idle()
    entry = {"interruptId": "i1", "status": "resolved", "payload": {"date": "2026-12-01"}}
    assert here.bodies[1]["resume"] == [entry]
    assert here.bodies[1]["forwardedProps"] == {}
    assert (outputs(here), texts(here)[-1]) == (["booked"], "Booked.")


async def test_an_error_ends_the_run_and_keeps_what_came() -> None:
    error = {"type": "RUN_ERROR", "message": "The model is busy.", "code": "busy"}
    here = world(Answer(STARTED, *words("Half"), *asked("open"), error), engine=FakeEngine(open=1))
    await here.say()
    assert (here.chat.status, str(here.chat.error)) == ("error", "The model is busy.")
    assert texts(here)[-1] == "Half"
    assert here.engine.started == []


async def test_a_stream_that_breaks_off_is_no_success() -> None:
    here = world(Answer(STARTED, *words("Half")))
    await here.say()
    assert "broke off" in str(here.chat.error)


async def test_a_cancelled_run_is_neither_an_error_nor_gone_on_with() -> None:
    here = world(run(*words("Half"), *asked("open"), type="cancelled"), engine=FakeEngine(open=1))
    await here.say()
    assert (here.chat.status, here.chat.error, here.engine.started) == ("ready", None, [])


async def test_half_of_a_call_never_runs() -> None:
    broken = {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": 5}
    start, args, end = asked("open")
    here = world(run(start, args, broken, end), engine=FakeEngine(open=1))
    await here.say()
    assert "TOOL_CALL_ARGS" in str(here.chat.error)
    assert here.engine.started == []


async def test_stop_ends_the_call_and_the_next_message_tells() -> None:
    here = world(run(*asked("open")), run(*words("Fine")), engine=FakeEngine(open=WAIT))
    await here.chat.send("Hello")
    await here.chat.stop()
    await here.say("And now?")
    (call_message,) = (m for m in here.bodies[1]["messages"] if m["role"] == "tool")
    assert "stopped" in call_message["error"]


async def test_the_agents_state_goes_back_to_it() -> None:
    delta = {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/n", "value": 2}]}
    snapshot = {"type": "STATE_SNAPSHOT", "snapshot": {"list": [1]}}
    here = world(run(snapshot, *words("One")), run(delta, *words("Two", "a2")), run(*words("3")))
    for _ in range(3):
        await here.say()
    states = [body["state"] for body in here.bodies]
    assert states == [{}, {"list": [1]}, {"list": [1], "n": 2}]


async def test_what_the_page_adds_is_forwarded() -> None:
    here = world(run(*words("Hi")), body={"tenant": "t1"})
    await here.chat.send("Hello", body={"mode": "short"})
    assert here.bodies[0]["forwardedProps"] == {"tenant": "t1", "mode": "short"}


async def test_nothing_is_asked_to_take_up_an_answer() -> None:
    here = world(Answer(STARTED, *words("Half")))
    await here.say()
    assert await here.chat.resume() is False
    assert await here.chat.recover() is False
    assert len(here.transport.requests) == 1


async def test_a_server_of_the_other_protocol_is_told_apart() -> None:
    here = world(Answer({"type": "start", "messageId": "m1"}, {"type": "finish"}))
    await here.say()
    assert 'set protocol="ui-message-stream"' in str(here.chat.error)


async def test_the_protocol_may_change_between_two_requests() -> None:
    here = World(run(*words("Hi")), run(*words("Hi")))
    await here.say()
    assert 'set protocol="ag-ui"' in str(here.chat.error)
    here.chat.protocol = "ag-ui"
    await here.say("Again")
    assert texts(here)[-1] == "Hi"
    with pytest.raises(RequestError, match="ui-message-stream or ag-ui"):
        here.chat.protocol = "agui"
    assert here.chat.protocol == "ag-ui"


async def test_the_demo_model_stands_in_for_a_server_of_either_protocol() -> None:
    told: list[bool] = []
    transport = FallbackTransport(
        ScriptedTransport(Answer(status=404)),
        allowed=lambda: True,
        tell=lambda: told.append(True),
    )
    engine = FakeEngine(get_info=lambda value: {"name": "Ada"})
    chat = Chat(transport, engine, protocol="ag-ui")
    await chat.send("get info")
    await chat.idle()
    assert (told, chat.error) == ([True], None)
    assert [call.tool_name for call in engine.started] == ["get-info"]
    assert "Ada" in chat.messages[-1].text
