"""One request and its answer: silence, grace, patience, disconnects."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from chat.support import FakeEngine, World, asked, said, turns, wants
from pagehand.chat.scripted import Answer, answer
from pagehand.chat.transport import Response
from pagehand.errors import (
    ChatError,
    HttpStatusError,
    NetworkError,
    ServerStreamError,
    StalledStreamError,
)
from pagehand.wire import chunks as c


async def speaking(world: World) -> asyncio.Task[None]:
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    return task


async def passing(world: World, seconds: int) -> None:
    """Let time pass second by second."""
    for _ in range(seconds):
        world.clock.advance(1)
        await turns(5)


async def test_s18_silence_for_too_long_is_an_error() -> None:
    world = World(answer(c.TextStart("t"), c.TextDelta("t", "Hel"), asyncio.Event()))
    task = await speaking(world)
    await passing(world, 59)
    assert world.chat.status == "streaming"
    await passing(world, 2)
    await task
    assert isinstance(world.chat.error, StalledStreamError)
    assert world.last.text == "Hel"
    assert world.transport.aborts[0].aborted


async def test_a_server_that_never_answers_is_an_error_too() -> None:
    world = World(stall_after=10)

    async def never(request: Any, abort: Any) -> Any:
        await asyncio.Event().wait()

    world.transport.open = never  # type: ignore[method-assign]
    task = await speaking(world)
    await passing(world, 11)
    await task
    assert isinstance(world.chat.error, StalledStreamError)


async def test_s18_keep_alive_comments_are_signs_of_life() -> None:
    beats = [asyncio.Event() for _ in range(4)]
    pieces: list[Any] = [c.TextStart("t"), c.TextDelta("t", "a")]
    for beat in beats:
        pieces += [beat, b": keep-alive\n\n"]
    world = World(answer(*pieces, c.TextEnd("t")), stall_after=10)
    task = await speaking(world)
    for beat in beats:
        await passing(world, 8)
        beat.set()
        await turns()
    await task
    assert world.chat.status == "ready"


async def test_a_connection_left_open_after_the_end_is_closed() -> None:
    engine = FakeEngine(open="ok")
    first = Answer(
        c.Start("m1"),
        c.StartStep(),
        asked("open"),
        c.FinishStep(),
        c.Finish("tool-calls"),
        asyncio.Event(),
    )
    world = World(first, answer(*said("Done"), message_id="m1"), engine=engine)
    await speaking(world)
    await passing(world, 2)
    await world.chat.idle()
    assert world.last.text == "Done"
    assert world.chat.error is None


async def test_a_connection_left_open_after_an_error_is_closed() -> None:
    world = World(Answer(c.Start("m1"), c.Error("boom"), asyncio.Event()))
    task = await speaking(world)
    await passing(world, 4)
    await task
    assert isinstance(world.chat.error, ServerStreamError)
    assert str(world.chat.error) == "boom"


async def test_chunks_after_done_are_still_read() -> None:
    late = c.MessageMetadata({"late": True})
    world = World(answer(*said("Hi"), c.Finish("stop"), b"data: [DONE]\n\n", late))
    await world.say()
    assert world.last.metadata == {"late": True}


async def test_s10_one_malformed_event_does_not_lose_the_rest() -> None:
    world = World(
        answer(c.TextStart("t"), b"data: {nope\n\n", c.TextDelta("t", "Hi"), c.TextEnd("t"))
    )
    await world.say()
    assert world.last.text == "Hi"
    assert world.chat.status == "ready"


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_server_is_asked_again_when_it_says_so(status: int) -> None:
    busy = Answer(status=status, headers={"Retry-After": "5"})
    world = World(busy, answer(*said("Hi")))
    task = await speaking(world)
    assert world.codes == ["waiting"]
    await passing(world, 4)
    assert len(world.bodies) == 1
    await passing(world, 2)
    await task
    assert len(world.bodies) == 2
    assert world.last.text == "Hi"
    assert world.chat.notices == []


async def test_waiting_can_be_stopped() -> None:
    world = World(Answer(status=429, headers={"Retry-After": "20"}), answer(*said("Hi")))
    task = await speaking(world)
    await world.chat.stop()
    await task
    await passing(world, 30)
    assert len(world.bodies) == 1
    assert world.chat.status == "ready"


async def test_a_server_that_stays_busy_is_an_error() -> None:
    busy = [Answer(status=503, headers={"Retry-After": "1"}) for _ in range(5)]
    world = World(*busy)
    task = await speaking(world)
    await passing(world, 5)
    await task
    assert len(world.bodies) == 3
    assert isinstance(world.chat.error, HttpStatusError)


async def test_a_long_wait_is_left_to_the_person_and_still_respected() -> None:
    world = World(Answer(status=429, headers={"Retry-After": "100"}), answer(*said("Hi")))
    await world.say()
    error = world.chat.error
    assert isinstance(error, HttpStatusError)
    assert error.retry_after == 100
    world.clock.advance(70)
    task = asyncio.ensure_future(world.chat.retry())
    await turns()
    assert world.codes == ["waiting"]
    assert len(world.bodies) == 1
    await passing(world, 31)
    await task
    assert world.last.text == "Hi"


@pytest.mark.parametrize("status", [429, 503])
async def test_without_a_word_when_to_come_back_nothing_is_repeated(status: int) -> None:
    world = World(Answer(status=status), answer(*said("Hi")))
    await world.say()
    assert len(world.bodies) == 1


@pytest.mark.parametrize("pieces", [[], [c.Start("m1"), *said("Hal")]])
async def test_a_post_is_never_repeated_by_itself(pieces: list[c.Chunk]) -> None:
    world = World(Answer(*pieces, NetworkError("gone")), answer(*said("Hi")))
    await world.say()
    assert world.chat.status == "error"
    assert len(world.bodies) == 1


async def test_the_network_s_own_words_are_shown_when_nothing_came() -> None:
    world = World(Answer(NetworkError("You are offline.")))
    await world.say()
    assert str(world.chat.error) == "You are offline."


async def test_a_connection_that_breaks_after_the_end_does_no_harm() -> None:
    world = World(answer(*said("Hi"), NetworkError("x"), finish="stop"))
    world.transport.answers = [
        Answer(c.Start("m1"), *said("Hi"), c.Finish("stop"), NetworkError("reset"))
    ]
    await world.say()
    assert world.chat.status == "ready"


async def test_a_bug_in_a_transport_does_not_hang_the_chat() -> None:
    world = World(Answer(c.Start("m1"), *said("Hal"), RuntimeError("bug")))
    await world.say()
    assert isinstance(world.chat.error, ChatError)
    assert "bug" in str(world.chat.error)
    assert world.chat.error.code == "chat"


async def test_declarations_that_may_not_travel_are_told() -> None:
    engine = FakeEngine()
    engine.tools = {"../evil": 1}
    world = World(wants(), engine=engine)
    await world.say()
    assert world.chat.error is not None
    assert world.chat.error.code == "request"
    assert world.bodies == []


async def test_results_that_json_cannot_carry_are_told() -> None:
    engine = FakeEngine(read=float("inf"))
    world = World(wants(asked("read")), engine=engine)
    await world.say()
    assert world.chat.error is not None
    assert world.chat.error.code == "request"


async def test_the_wait_is_respected_when_a_continuation_is_tried_again() -> None:
    engine = FakeEngine(open="ok")
    busy = Answer(status=429, headers={"Retry-After": "100"})
    world = World(wants(asked("open")), busy, answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert world.chat.status == "error"
    task = asyncio.ensure_future(world.chat.retry())
    await passing(world, 90)
    assert len(world.bodies) == 2
    await passing(world, 11)
    await task
    assert world.last.text == "Done"


async def test_a_wait_that_was_asked_for_ends_with_its_failure() -> None:
    busy = Answer(status=429, headers={"Retry-After": "9999"})
    world = World(busy, Answer(status=400), answer(*said("Hi")))
    await world.say()
    world.chat.clear()
    await world.say()
    await asyncio.wait_for(world.chat.retry(), 5)
    assert world.last.text == "Hi"


async def test_a_body_that_is_left_early_is_closed() -> None:
    closed = asyncio.Event()

    class Body:
        def __aiter__(self) -> Body:
            return self

        async def __anext__(self) -> bytes:
            await asyncio.Event().wait()
            return b""

        async def aclose(self) -> None:
            closed.set()

    world = World()

    async def opened(request: Any, abort: Any) -> Response:
        return Response(200, {"Content-Type": "text/event-stream"}, Body())

    world.transport.open = opened  # type: ignore[method-assign]
    task = await speaking(world)
    await world.chat.stop()
    await task
    assert closed.is_set()
