"""Behaviours 85 to 89: results go back, and the conversation goes on by itself."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from chat.support import (
    WAIT,
    FakeEngine,
    World,
    accepted,
    asked,
    call,
    outputs,
    said,
    turns,
    wants,
)
from pagehand.chat.scripted import Answer, answer
from pagehand.engine.outcome import Failure
from pagehand.errors import NetworkError, RequestError, ServerStreamError
from pagehand.wire import chunks as c


async def test_what_a_stream_held_and_nobody_could_use_is_told_to_the_developer() -> None:
    told: list[str] = []
    strange = b'data: {"type":"text-delta"}\n\ndata: {oops\n\n'
    later = c.ToolOutputAvailable("never-announced", 1)
    world = World(answer(strange, later, *said("Done")), on_warning=told.append)
    await world.say()
    assert world.last.text == "Done"
    first, second, third = told
    assert first == "An event was passed over. A text-delta event whose id is missing or no str"
    assert second.startswith("An event was passed over. This is not JSON")
    assert third == "the outcome of a call that was never announced was skipped"


# The main road


async def test_b086_a_result_continues_the_conversation() -> None:
    engine = FakeEngine(open=lambda input: {"opened": input["url"]})
    world = World(
        wants(asked("open", url="x")), answer(*said("Done"), message_id="m1"), engine=engine
    )
    await world.say()
    assert world.last.text == "Done"
    assert len(world.bodies) == 2
    body = world.bodies[1]
    assert list(body) == ["id", "messages", "trigger", "messageId", "clientTools"]
    assert (body["trigger"], body["messageId"]) == ("submit-message", "m1")
    assert body["messages"][1] == {
        "id": "m1",
        "role": "assistant",
        "parts": [
            {"type": "step-start"},
            call("output-available", input={"url": "x"}, output={"opened": "x"}),
        ],
    }
    assert body["clientTools"] == world.bodies[0]["clientTools"] != {}
    assert accepted(world)


async def test_the_status_never_says_ready_in_between() -> None:
    engine = FakeEngine(open="ok")
    world = World(wants(asked("open")), answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert world.statuses == ["submitted", "streaming", "submitted", "streaming", "ready"]


async def test_b087_an_error_of_a_tool_continues_too() -> None:
    engine = FakeEngine(open=Failure("No such page"))
    world = World(wants(asked("open")), answer(*said("Sorry"), message_id="m1"), engine=engine)
    await world.say()
    assert world.bodies[1]["messages"][1]["parts"][1]["errorText"] == "No such page"
    assert world.last.text == "Sorry"


async def test_b088_dynamic_tools_continue_too() -> None:
    engine = FakeEngine(open="ok")
    dynamic = c.ToolInputAvailable("c1", "open", {}, dynamic=True)
    world = World(wants(dynamic), answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert world.bodies[1]["messages"][1]["parts"][1]["type"] == "dynamic-tool"


async def test_the_other_form_of_declarations() -> None:
    engine = FakeEngine(open="ok")
    answers = wants(asked("open")), answer(*said("Done"), message_id="m1")
    world = World(*answers, engine=engine, tools_field="tools")
    await world.say()
    for body in world.bodies:
        assert "clientTools" not in body
        assert body["tools"] == {"open": {"description": "open", "parameters": {"type": "object"}}}


async def test_falsy_results_are_results() -> None:
    engine = FakeEngine(a=None, b=False, d="", e=0)
    calls = [asked(name, id=name) for name in "abde"]
    world = World(wants(*calls), answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    posted = world.bodies[1]["messages"][1]["parts"][1:]
    assert [part["output"] for part in posted] == [None, False, "", 0]
    assert accepted(world)


async def test_parallel_calls_continue_once() -> None:
    engine = FakeEngine(open=WAIT, read=WAIT)
    world = World(
        wants(asked("open", "c1"), asked("read", "c2")),
        answer(*said("Done"), message_id="m1"),
        engine=engine,
    )
    await world.chat.send("Hello")
    assert [each.tool_call_id for each in engine.started] == ["c1", "c2"]
    engine.settle("c2", "second")
    await turns()
    assert len(world.bodies) == 1
    engine.settle("c1", "first")
    await world.chat.idle()
    assert len(world.bodies) == 2
    assert outputs(world) == ["first", "second"]


async def test_s03_fifty_results_at_once_continue_once() -> None:
    engine = FakeEngine(read="ok")
    calls = [asked("read", f"c{n}", row=n) for n in range(50)]
    world = World(wants(*calls), answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert len(world.bodies) == 2
    assert len(engine.started) == 50


async def test_a_chain_of_steps_grows_one_message() -> None:
    engine = FakeEngine(open="ok", read="ok")
    world = World(
        wants(asked("open", "c1")),
        wants(asked("read", "c2")),
        answer(*said("Done"), message_id="m1"),
        engine=engine,
    )
    await world.say()
    assert len(world.chat.messages) == 2
    assert [part.type for part in world.last.parts] == [
        "step-start",
        "tool-open",
        "step-start",
        "tool-read",
        "step-start",
        "text",
    ]
    assert [each.step for each in engine.started] == [1, 2]


async def test_s05_the_local_message_stays_whatever_id_the_server_sends() -> None:
    engine = FakeEngine(open="ok")
    world = World(wants(asked("open")), answer(*said("Done"), message_id="another"), engine=engine)
    await world.say()
    assert [message.id for message in world.chat.messages] == ["id1", "m1"]
    assert world.last.text == "Done"


async def test_b092_b093_s16_headers_and_body_of_the_turn_go_with_its_continuations() -> None:
    engine = FakeEngine(open="ok")
    world = World(
        wants(asked("open")),
        answer(*said("Done"), message_id="m1"),
        answer(*said("Bye")),
        engine=engine,
    )
    await world.chat.send("Hello", headers={"X-Turn": "1"}, body={"mood": "good"})
    await world.chat.idle()
    await world.say("And?")
    assert [request.headers.get("x-turn") for request in world.transport.requests] == [
        "1",
        "1",
        None,
    ]
    assert [body.get("mood") for body in world.bodies] == ["good", "good", None]


# When a call runs


async def test_a_call_runs_when_its_step_has_ended_not_before() -> None:
    ends, rest = asyncio.Event(), asyncio.Event()
    engine = FakeEngine(open="ok")
    world = World(
        Answer(c.Start("m1"), c.StartStep(), asked("open"), ends, c.FinishStep(), rest),
        engine=engine,
    )
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    assert engine.started == []
    ends.set()
    await turns()
    assert len(engine.started) == 1
    await world.chat.stop()
    await task


async def test_b085_a_result_during_the_stream_is_shown_and_sent_afterwards() -> None:
    rest = asyncio.Event()
    engine = FakeEngine(open="ok")
    tail = c.Finish("tool-calls")
    first = Answer(c.Start("m1"), c.StartStep(), asked("open"), c.FinishStep(), rest, tail)
    world = World(first, answer(*said("Done"), message_id="m1"), engine=engine)
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    assert outputs(world) == ["ok"]
    assert len(world.bodies) == 1
    rest.set()
    await task
    await world.chat.idle()
    assert len(world.bodies) == 2


async def test_a_call_the_server_answers_is_not_run() -> None:
    engine = FakeEngine(weather=WAIT)
    world = World(
        answer(asked("weather"), c.ToolOutputAvailable("c1", "sunny"), finish="stop"), engine=engine
    )
    await world.say()
    assert engine.started == []
    assert len(world.bodies) == 1


async def test_b020_calls_of_the_provider_are_not_run() -> None:
    engine = FakeEngine(search=WAIT)
    world = World(
        answer(c.ToolInputAvailable("c1", "search", {}, provider_executed=True)), engine=engine
    )
    await world.say()
    assert engine.started == []


async def test_an_unknown_tool_is_answered_with_an_error() -> None:
    world = World(wants(asked("fly")), answer(*said("Sorry"), message_id="m1"))
    await world.say()
    assert world.bodies[1]["messages"][1]["parts"][1]["errorText"] == "There is no tool 'fly'."
    assert world.last.text == "Sorry"


@pytest.mark.parametrize(
    "trouble",
    [
        [c.Error("boom"), c.FinishStep(), c.Finish("error")],
        [c.Abort("no"), c.Finish("other")],
        [NetworkError("gone")],
        [],
        [c.FinishStep(), c.Finish("error")],
    ],
)
async def test_nothing_runs_after_trouble(trouble: list[Any]) -> None:
    engine = FakeEngine(open="ok")
    world = World(Answer(c.Start("m1"), c.StartStep(), asked("open"), *trouble), engine=engine)
    await world.say()
    finished_step = trouble and isinstance(trouble[0], c.FinishStep)
    assert len(engine.started) == (1 if finished_step else 0)
    assert len(world.bodies) == 1
    assert all(part.finished for part in world.last.tool_parts())


async def test_b089_s04_an_error_after_a_result_continues_nothing() -> None:
    """In the AI SDK a late output still sends."""
    engine = FakeEngine(open=WAIT)
    gate = asyncio.Event()
    first = Answer(
        c.Start("m1"), c.StartStep(), asked("open"), c.FinishStep(), gate, c.Error("x"), c.Finish()
    )
    world = World(first, engine=engine)
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    gate.set()
    await task
    assert isinstance(world.chat.error, ServerStreamError)
    engine.settle("c1", "late")
    await turns()
    assert outputs(world) == ["late"]
    assert len(world.bodies) == 1


async def test_b020_s20_a_server_abort_closes_what_is_open() -> None:
    ends: list[Any] = []
    world = World(
        Answer(
            c.Start("m1"), c.TextStart("t"), c.TextDelta("t", "1 2"), c.Abort(), c.Finish("other")
        ),
        on_finish=ends.append,
    )
    await world.say()
    assert ends[0].is_abort
    assert world.chat.status == "ready"
    assert world.last.interrupted
    assert world.last.to_wire()["parts"] == [{"type": "text", "text": "1 2", "state": "done"}]


async def test_the_engine_is_told_of_arguments_as_they_arrive() -> None:
    engine = FakeEngine(draw="ok")
    fed: list[tuple[str, str, str]] = []
    engine.feed = lambda id, name, text: fed.append((id, name, text))  # type: ignore[attr-defined]
    start = c.ToolInputStart("c1", "draw")
    other = c.ToolInputStart("c2", "weather")
    deltas = [c.ToolInputDelta("c1", piece) for piece in ('{"a"', ":1}")]
    world = World(
        wants(start, *deltas, asked("draw", a=1), other, c.ToolOutputError("c2", "no")),
        answer(*said("Done"), message_id="m1"),
        engine=engine,
    )
    await world.say()
    assert fed == [("c1", "draw", ""), ("c1", "draw", '{"a"'), ("c1", "draw", ":1}")]


async def test_arguments_that_come_in_one_read_are_told_whole() -> None:
    engine = FakeEngine(draw="ok")
    fed: list[str] = []
    engine.feed = lambda id, name, text: fed.append(text)  # type: ignore[attr-defined]
    batch = [
        {"type": "tool-input-start", "toolCallId": "c1", "toolName": "draw"},
        {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": '{"a":'},
        {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": "1}"},
        {"type": "tool-input-available", "toolCallId": "c1", "toolName": "draw", "input": {"a": 1}},
    ]
    read = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in batch)
    world = World(wants(read), answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert fed == ['{"a":1}']
    assert len(engine.started) == 1


async def test_the_form_of_declarations_can_change_between_requests() -> None:
    world = World(answer(*said("Hi")), answer(*said("Ho")))
    await world.say()
    world.chat.tools_field = "tools"
    await world.say()
    assert ["tools" in body for body in world.bodies] == [False, True]
    with pytest.raises(RequestError):
        world.chat.tools_field = "functions"
    assert world.chat.tools_field == "tools"
