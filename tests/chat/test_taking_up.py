"""An answer that the page left: taken up, or offered anew; and telling the server to stop."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from chat.support import FakeEngine, World, asked, call, said, texts, turns, wants
from pagehand.chat.scripted import Answer, answer
from pagehand.errors import HttpStatusError, InterruptedStreamError, NetworkError
from pagehand.wire import chunks as c

USER = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}
KEEPS = {"x-pagehand-resumable": "1"}
NOTHING = Answer(status=204)


def half(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    return [USER, {"id": "m1", "role": "assistant", "parts": [{"type": "step-start"}, *parts]}]


def kept(*pieces: Any, **options: Any) -> Answer:
    """An answer of a server that goes on without us."""
    script = answer(*pieces, **options)
    script.headers.update(KEEPS)
    return script


# After a reload


async def test_s11_half_a_text_nobody_gives_any_more_is_told_and_asked_anew() -> None:
    cut = half({"type": "text", "text": "Hel", "state": "streaming"})
    world = World(NOTHING, answer(*said("Hello you"), message_id="m2"), messages=cut)
    assert not await world.chat.take_up()
    assert world.chat.status == "error"
    assert isinstance(world.chat.error, InterruptedStreamError)
    assert texts(world) == ["Hello", "Hel"]
    await world.chat.retry()
    assert world.chat.status == "ready"
    assert texts(world) == ["Hello", "Hello you"]
    assert [m["role"] for m in world.bodies[0]["messages"]] == ["user"]


async def test_an_answer_that_never_began_is_asked_anew() -> None:
    world = World(NOTHING, answer(*said("Hi"), message_id="m1"), messages=[USER])
    await world.chat.take_up(unfinished=True)
    assert world.chat.status == "error"
    await world.chat.retry()
    assert texts(world) == ["Hello", "Hi"]


async def test_a_question_that_was_stopped_before_its_answer_is_left_in_peace() -> None:
    world = World(NOTHING, messages=[USER])
    assert not await world.chat.take_up()
    assert world.chat.status == "ready"


async def test_a_result_that_was_not_sent_on_is_sent_by_retry_and_not_made_again() -> None:
    engine = FakeEngine(open="again")
    done = half(call("output-available", output="opened"))
    world = World(NOTHING, answer(*said("Done")), messages=done, engine=engine)
    await world.chat.take_up(unfinished=True)
    assert world.chat.status == "error"
    await world.chat.retry()
    assert engine.started == []
    assert [part.output for part in world.last.tool_parts()] == ["opened"]
    assert world.last.text == "Done"
    assert world.bodies[0]["messageId"] == "m1"


async def test_a_left_over_call_is_a_choice_and_no_error() -> None:
    engine = FakeEngine(open="ok")
    world = World(NOTHING, messages=half(call("input-available")), engine=engine)
    await world.chat.take_up(unfinished=True)
    assert world.chat.status == "ready"
    assert len(world.chat.pending_choices) == 1


async def test_a_server_that_fails_when_asked_keeps_the_way_back() -> None:
    cut = half(
        call("output-available", output="opened"),
        {"type": "step-start"},
        {"type": "text", "text": "Hel", "state": "streaming"},
    )
    engine = FakeEngine(open="again")
    world = World(Answer(status=500), answer(*said("Done")), messages=cut, engine=engine)
    await world.chat.take_up()
    assert isinstance(world.chat.error, HttpStatusError)
    await world.chat.retry()
    assert [part.output for part in world.last.tool_parts()] == ["opened"]
    assert world.last.text == "Done"


async def test_what_is_whole_is_not_asked_for() -> None:
    world = World(messages=half({"type": "text", "text": "Hi", "state": "done"}))
    assert not await world.chat.take_up()
    assert world.transport.requests == []


# Attempts


async def test_s18_attempts_do_not_run_together() -> None:
    broken = Answer(c.Start("m1"), c.StartStep(), *said("Hal"), NetworkError("gone"))
    world = World(broken)
    await world.say()
    first = asyncio.ensure_future(world.chat.recover())
    await turns()
    assert len(world.transport.requests) == 2
    second = asyncio.ensure_future(world.chat.recover())
    await turns()
    assert len(world.transport.requests) == 3  # it was waiting, and tried at once
    world.clock.advance(2)
    await turns()
    assert len(world.transport.requests) == 4
    world.transport.answers.append(answer(*said("Half"), message_id="m1"))
    world.clock.advance(5)
    assert await first
    assert await second
    assert len(world.transport.requests) == 5
    assert world.last.text == "Half"


async def test_a_kept_answer_is_taken_up_by_itself() -> None:
    broken = kept(*said("Hal"), NetworkError("gone"), finish=None, done=False)
    world = World(broken, kept(*said("Half"), message_id="m1"))
    await world.say()
    await turns()
    assert [request.method for request in world.transport.requests] == ["POST", "GET"]
    assert texts(world) == ["Hello", "Half"]
    assert world.chat.status == "ready"


def cut(text: str) -> Answer:
    return kept(*said(text), NetworkError("gone"), message_id="m1", finish=None, done=False)


async def test_a_kept_answer_that_breaks_again_is_taken_up_again() -> None:
    world = World(cut("Ha"), cut("Hal"), cut("Half"), kept(*said("Half done"), message_id="m1"))
    await world.say()
    await turns(60)
    assert [request.method for request in world.transport.requests] == ["POST", *3 * ["GET"]]
    assert texts(world) == ["Hello", "Half done"]
    assert world.chat.status == "ready"


async def test_after_it_broke_again_the_network_gets_its_time() -> None:
    world = World(cut("Ha"), cut("Hal"))
    await world.say()
    await turns()
    assert len(world.transport.requests) == 3  # taken up, broken again, nobody there
    world.transport.answers.append(kept(*said("Half"), message_id="m1"))
    world.clock.advance(1)
    await turns()
    assert texts(world) == ["Hello", "Half"]


async def test_an_answer_that_gets_no_further_is_given_up() -> None:
    world = World(*(cut("Ha") for _ in range(20)))
    task = None
    await world.say()
    for _ in range(30):
        await turns()
        task = task or asyncio.ensure_future(world.chat.recover())
        world.clock.advance(10)
    assert len(world.transport.requests) < 10
    assert task is not None
    assert await task is False
    assert isinstance(world.chat.error, InterruptedStreamError)


async def test_an_answer_asked_anew_while_attempts_wait_is_taken_up_as_well() -> None:
    world = World(cut("Ha"))
    await world.say()
    for seconds in (0, 1, 2, 5):
        world.clock.advance(seconds)
        await turns()
    assert len(world.transport.requests) == 5  # the last attempt waits
    world.transport.answers.append(cut("Hi"))
    await world.chat.retry()
    await turns()
    for seconds in (10, 0, 1):
        world.clock.advance(seconds)
        await turns()
    world.transport.answers.append(kept(*said("Hi there"), message_id="m1"))
    world.clock.advance(2)
    await turns()
    assert texts(world) == ["Hello", "Hi there"]


async def test_an_answer_nobody_keeps_is_not_asked_for_by_itself() -> None:
    broken = Answer(c.Start("m1"), c.StartStep(), *said("Hal"), NetworkError("gone"))
    world = World(broken)
    await world.say()
    await turns()
    assert len(world.transport.requests) == 1


async def test_a_closed_chat_tries_no_more() -> None:
    broken = kept(*said("Hal"), NetworkError("gone"), finish=None, done=False)
    world = World(broken)
    await world.say()
    await turns()
    world.chat.close()
    world.clock.advance(100)
    await turns()
    assert [request.method for request in world.transport.requests] == ["POST", "GET"]


# Stop


@pytest.mark.parametrize("way", ["stop", "clear", "edit"])
async def test_s02_stop_tells_a_server_that_goes_on_by_itself(way: str) -> None:
    gate = asyncio.Event()
    world = World(kept(c.TextStart("t"), c.TextDelta("t", "Hel"), gate), Answer(status=204))
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    if way == "stop":
        await world.chat.stop()
    elif way == "clear":
        world.chat.clear()
    else:
        world.transport.answers.append(answer(*said("New")))
        await world.chat.edit(world.chat.messages[0].id, "Other words")
    await task
    await turns()
    methods = [request.method for request in world.transport.requests]
    assert methods == ["POST", "DELETE", *(["POST"] if way == "edit" else [])]
    farewell = world.transport.requests[1]
    assert farewell.url("/chat") == "/chat/chat/stream"
    assert farewell.body is None
    assert "content-type" not in farewell.headers


async def test_stop_tells_nothing_to_a_server_that_keeps_nothing() -> None:
    gate = asyncio.Event()
    world = World(answer(c.TextStart("t"), c.TextDelta("t", "Hel"), gate))
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    await world.chat.stop()
    await task
    await turns()
    assert len(world.transport.requests) == 1


async def test_leaving_the_page_is_no_stop() -> None:
    gate = asyncio.Event()
    world = World(kept(c.TextStart("t"), c.TextDelta("t", "Hel"), gate))
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    world.chat.close()
    await task
    await turns()
    assert [request.method for request in world.transport.requests] == ["POST"]


async def test_a_farewell_that_fails_or_hangs_holds_nobody_up() -> None:
    gate = asyncio.Event()
    world = World(kept(c.TextStart("t"), c.TextDelta("t", "Hel"), gate))
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    await world.chat.stop()
    await task
    world.transport.answers.append(answer(*said("Well")))
    await world.say("Again")
    assert world.last.text == "Well"


# Patience


async def test_a_long_wait_is_told_and_can_be_cut_short() -> None:
    busy = Answer(status=429, headers={"Retry-After": "600"})
    world = World(busy, answer(*said("Hi")))
    await world.say()
    assert world.chat.status == "error"
    task = asyncio.ensure_future(world.chat.retry())
    await turns()
    assert world.chat.status == "submitted"
    (notice,) = world.chat.notices
    assert (notice.code, notice.actions) == ("waiting", ("now", "stop"))
    assert 599 <= notice.values["seconds"] <= 600
    assert len(world.bodies) == 1
    world.chat.send_now()
    await task
    assert world.last.text == "Hi"
    assert world.chat.notices == []


async def test_a_wait_that_is_stopped_is_told_no_more() -> None:
    busy = Answer(status=429, headers={"Retry-After": "20"})
    world = World(busy, answer(*said("Hi")))
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    assert world.codes == ["waiting"]
    await world.chat.stop()
    await task
    assert world.codes == []
    assert world.chat.status == "ready"


async def test_a_wait_that_was_cut_short_counts_for_the_stall_watch() -> None:
    gate = asyncio.Event()
    busy = Answer(status=429, headers={"Retry-After": "20"})
    world = World(busy, answer(gate, *said("Hi")), stall_after=30)
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    world.chat.send_now()
    await turns()
    for _ in range(31):
        world.clock.advance(1)
        await turns(5)
    await task
    assert world.chat.error is not None
    assert world.chat.error.code == "stalled"


async def test_now_means_nothing_when_nobody_waits() -> None:
    world = World(answer(*said("Hi")))
    world.chat.send_now()
    await world.say()
    assert world.last.text == "Hi"


async def test_an_error_without_words_gets_some() -> None:
    from pagehand.engine.outcome import Failure

    engine = FakeEngine(open=lambda value: Failure(" "))
    world = World(wants(asked("open")), answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    (part,) = world.bodies[1]["messages"][1]["parts"][1:]
    assert part["errorText"] == "The call failed without saying why."
