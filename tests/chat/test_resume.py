"""Behaviours 75 to 77, 83, 84, 112 to 114, 130: taking up an answer that is still given."""

from __future__ import annotations

import asyncio
from typing import Any

from chat.support import FakeEngine, World, accepted, asked, call, said, turns, wants
from pagehand.chat import closing
from pagehand.chat.scripted import Answer, answer
from pagehand.errors import HttpStatusError, InterruptedStreamError, NetworkError
from pagehand.wire import chunks as c

USER = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}


def half(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    return [USER, {"id": "m1", "role": "assistant", "parts": [{"type": "step-start"}, *parts]}]


async def test_b112_resume_builds_the_message() -> None:
    world = World(answer(*said("Hi"), message_id="m1"), messages=[USER])
    assert await world.chat.resume()
    assert world.last.text == "Hi"
    assert world.last.id == "m1"
    request = world.transport.requests[0]
    assert (request.method, request.body) == ("GET", None)
    assert request.url("/chat?x=1") == "/chat/chat/stream?x=1"
    assert world.statuses == ["submitted", "streaming", "ready"]


async def test_an_answer_that_follows_leaves_no_call_of_the_one_before_open() -> None:
    open_call = call("output-available", output=1, preliminary=True)
    world = World(answer(*said("Hi"), message_id="m2"), messages=half(open_call))
    assert await world.chat.resume()
    assert [message.id for message in world.chat.messages] == ["u1", "m1", "m2"]
    part = world.chat.messages[1].tool_parts()[0]
    assert (part.state, part.error_text) == ("output-error", closing.BROKEN_OFF)


async def test_b113_nothing_to_resume_shows_nothing() -> None:
    for status in (204, 404, 405, 501):
        world = World(Answer(status=status), messages=[USER])
        assert not await world.chat.resume()
        assert world.statuses == []
        assert world.chat.error is None


async def test_b114_a_failing_resume_is_an_error_without_a_flash() -> None:
    world = World(Answer(status=500), messages=[USER])
    assert not await world.chat.resume()
    assert world.statuses == ["error"]
    assert isinstance(world.chat.error, HttpStatusError)


async def test_b083_a_complete_answer_is_not_written_into() -> None:
    done = {"type": "text", "text": "One", "state": "done"}
    world = World(answer(*said("Two"), message_id="m2"), messages=half(done))
    await world.chat.resume()
    assert [message.text for message in world.chat.messages] == ["Hello", "One", "Two"]


async def test_b123_a_replay_of_a_complete_answer_shows_it_once() -> None:
    done = {"type": "text", "text": "One", "state": "done"}
    world = World(answer(*said("One"), message_id="m1"), messages=half(done))
    await world.chat.resume()
    assert [message.text for message in world.chat.messages] == ["Hello", "One"]


async def test_a_replay_does_not_rewrite_what_was_said_long_ago() -> None:
    done = {"type": "text", "text": "One", "state": "done"}
    later = [{"id": "u2", "role": "user", "content": "And?"}]
    world = World(answer(*said("Two"), message_id="m1"), messages=half(done) + later)
    await world.chat.resume()
    assert [message.text for message in world.chat.messages] == ["Hello", "One", "And?", "Two"]
    assert world.last.id != "m1"


async def test_a_replay_replaces_half_a_text() -> None:
    world = World(
        answer(*said("Hello there"), message_id="m1"),
        messages=half({"type": "text", "text": "Hel", "state": "streaming"}),
    )
    await world.chat.resume()
    assert [message.text for message in world.chat.messages] == ["Hello", "Hello there"]


async def test_s14_results_and_approvals_survive_a_replay() -> None:
    """The AI SDK empties the message."""
    answered = call("approval-responded", "delete", "c2", approval={"id": "p", "approved": True})
    engine = FakeEngine(open="again")
    world = World(
        Answer(
            c.Start("m1"),
            c.ToolOutputAvailable("c2", "deleted"),
            c.StartStep(),
            *said("Done"),
            c.FinishStep(),
            c.Finish("stop"),
        ),
        messages=half(call("output-available", output="opened"), answered),
        engine=engine,
    )
    await world.chat.resume()
    assert [part.output for part in world.last.tool_parts()] == ["opened", "deleted"]
    assert world.last.text == "Done"
    assert engine.started == []


async def test_a_call_that_was_answered_is_not_run_again() -> None:
    """The replay begins earlier than we think."""
    engine = FakeEngine(open="again")
    world = World(
        wants(asked("open", "c1", url="x"), *said("bye")),
        answer(*said("Done"), message_id="m1"),
        messages=half(
            call("output-available", input={"url": "x"}, output="opened"),
            {"type": "text", "text": "b", "state": "streaming"},
        ),
        engine=engine,
    )
    await world.chat.resume()
    await world.chat.idle()
    assert engine.started == []
    assert {part.output for part in world.last.tool_parts()} == {"opened"}


async def test_a_broken_off_answer_is_taken_up_where_it_began() -> None:
    engine = FakeEngine(open="opened")
    broken = Answer(
        c.Start("m1"), c.StartStep(), asked("open"), c.FinishStep(), NetworkError("gone")
    )
    whole = Answer(
        c.Start("m1"), c.StartStep(), asked("open"), c.FinishStep(), c.Finish("tool-calls")
    )
    world = World(broken, whole, answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert isinstance(world.chat.error, InterruptedStreamError)
    assert await world.chat.resume()
    await world.chat.idle()
    assert world.chat.error is None
    assert len(engine.started) == 1
    assert [part.type for part in world.last.parts] == [
        "step-start",
        "tool-open",
        "step-start",
        "text",
    ]
    assert not world.last.interrupted
    assert accepted(world)


async def test_a_call_cut_off_in_its_arguments_comes_back() -> None:
    engine = FakeEngine(open="opened")
    broken = Answer(
        c.Start("m1"),
        c.StartStep(),
        c.ToolInputStart("c1", "open"),
        c.ToolInputDelta("c1", '{"u'),
        NetworkError("gone"),
    )
    whole = wants(c.ToolInputStart("c1", "open"), c.ToolInputDelta("c1", "{}"), asked("open"))
    world = World(broken, whole, answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert world.last.tool_parts()[0].state == "output-error"
    await world.chat.resume()
    await world.chat.idle()
    assert world.last.tool_parts()[0].to_wire() == call("output-available", output="opened")


async def test_retry_after_a_broken_resume() -> None:
    broken = Answer(c.Start("m1"), c.StartStep(), *said("Hal"), NetworkError("gone"))
    again = Answer(c.Start("m1"), c.StartStep(), *said("Half"), NetworkError("gone"))
    world = World(broken, again, answer(*said("Whole"), message_id="m2"))
    await world.say()
    await world.chat.resume()
    assert world.last.text == "Half"
    assert isinstance(world.chat.error, InterruptedStreamError)
    await world.chat.retry()
    assert [message.text for message in world.chat.messages] == ["Hello", "Whole"]


async def test_b063_b075_stop_on_a_resumed_stream() -> None:
    gate = asyncio.Event()
    resumed = answer(c.TextStart("t"), c.TextDelta("t", "Hel"), gate, c.TextDelta("t", "lo"))
    world = World(resumed, messages=[USER])
    task = asyncio.ensure_future(world.chat.resume())
    await turns()
    await world.chat.stop()
    gate.set()
    await task
    assert world.last.text == "Hel"
    assert world.transport.aborts[0].aborted


async def test_b076_stop_while_looking() -> None:
    gate = asyncio.Event()
    world = World(messages=[USER])

    async def slow(request: Any, abort: Any) -> Any:
        await gate.wait()

    world.transport.open = slow  # type: ignore[method-assign]
    task = asyncio.ensure_future(world.chat.resume())
    await turns()
    await world.chat.stop()
    await task
    assert len(world.chat.messages) == 1
    assert world.statuses == []


async def test_b077_only_the_newest_look_counts() -> None:
    gate = asyncio.Event()
    world = World(
        answer(gate, *said("old"), message_id="m1"),
        answer(*said("new"), message_id="m1"),
        messages=[USER],
    )
    first = asyncio.ensure_future(world.chat.resume())
    await asyncio.sleep(0)
    second = asyncio.ensure_future(world.chat.resume())
    await second
    gate.set()
    await first
    assert [message.text for message in world.chat.messages][1:] == ["new"]


async def test_b084_speaking_ends_a_look() -> None:
    gate = asyncio.Event()
    world = World(answer(*said("Hi"), message_id="m1"), messages=[USER])
    opened = world.transport.open

    async def slow(request: Any, abort: Any) -> Any:
        if request.method == "GET":
            await gate.wait()
        return await opened(request, abort)

    world.transport.open = slow  # type: ignore[method-assign]
    look = asyncio.ensure_future(world.chat.resume())
    await turns()
    await world.say("And?")
    gate.set()
    await look
    assert [message.text for message in world.chat.messages] == ["Hello", "And?", "Hi"]


async def test_while_a_person_is_asked_there_is_nothing_to_take_up() -> None:
    world = World(wants(asked("card")), engine=FakeEngine(card=FakeEngine.PERSON))
    await world.say()
    assert not await world.chat.resume()
    assert len(world.transport.requests) == 1


async def test_a_call_that_may_have_run_before_the_reload_stays_a_choice() -> None:
    engine = FakeEngine(open="ok")
    world = World(
        wants(asked("open"), *said("bye")), messages=half(call("input-available")), engine=engine
    )
    await world.chat.resume()
    await world.chat.idle()
    assert engine.started == []
    assert [part.tool_call_id for part in world.chat.pending_choices] == ["c1"]
    assert world.last.text == "bye"
    assert len(world.chat.messages) == 2


# Coming back


def broken() -> Answer:
    return Answer(c.Start("m1"), c.StartStep(), *said("Hal"), NetworkError("gone"))


async def recovering(world: World) -> asyncio.Task[bool]:
    task = asyncio.ensure_future(world.chat.recover())
    await turns()
    return task


async def test_b130_recovery_takes_the_answer_up() -> None:
    world = World(broken(), answer(*said("Half"), message_id="m1"))
    await world.say()
    assert await world.chat.recover()
    assert world.last.text == "Half"
    assert world.chat.status == "ready"


async def test_recovery_backs_off_while_the_network_is_away() -> None:
    world = World(broken())
    await world.say()
    task = await recovering(world)
    assert len(world.transport.requests) == 2
    world.clock.advance(1)
    await turns()
    assert len(world.transport.requests) == 3
    world.transport.answers.append(answer(*said("Half"), message_id="m1"))
    world.clock.advance(2)
    assert await task
    assert world.last.text == "Half"


async def test_recovery_gives_up_and_keeps_the_error() -> None:
    world = World(broken())
    await world.say()
    task = await recovering(world)
    for _ in range(5):
        world.clock.advance(10)
        await turns()
    assert not await task
    assert isinstance(world.chat.error, InterruptedStreamError)


async def test_recovery_believes_a_server_that_has_nothing() -> None:
    world = World(broken(), Answer(status=204))
    await world.say()
    assert not await world.chat.recover()
    assert isinstance(world.chat.error, InterruptedStreamError)
    assert world.last.text == "Hal"


async def test_without_a_broken_answer_nothing_is_asked() -> None:
    world = World(answer(*said("Hi")))
    await world.say()
    assert not await world.chat.recover()
    assert len(world.transport.requests) == 1
