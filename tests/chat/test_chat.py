"""Behaviours 70 to 112 of the chat: speaking, statuses, errors, editing, regenerating."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from chat.support import FakeEngine, World, asked, said, texts, turns
from pagehand.chat.scripted import Answer, answer
from pagehand.errors import (
    AnswerFormatError,
    ChatError,
    HttpStatusError,
    InterruptedStreamError,
    NetworkError,
    ServerStreamError,
)
from pagehand.wire import chunks as c


async def test_b070_b102_a_simple_exchange() -> None:
    ends: list[Any] = []
    world = World(answer(*said("Hi there"), message_id="m1"), on_finish=ends.append)
    await world.say("Hello")
    assert world.bodies == [
        {
            "id": "chat",
            "messages": [
                {"id": "id1", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}
            ],
            "trigger": "submit-message",
            "clientTools": {},
        }
    ]
    assert list(world.bodies[0]) == ["id", "messages", "trigger", "clientTools"]
    assert [message.to_wire() for message in world.chat.messages][1] == {
        "id": "m1",
        "role": "assistant",
        "parts": [{"type": "step-start"}, {"type": "text", "text": "Hi there", "state": "done"}],
    }
    assert len(ends) == 1
    assert ends[0].message is world.last
    assert (ends[0].is_abort, ends[0].is_error, ends[0].is_disconnect) == (False, False, False)
    assert ends[0].finish_reason == "stop"


async def test_b100_the_walk_of_the_status() -> None:
    world = World(answer(*said("Hi")))
    await world.say()
    assert world.statuses == ["submitted", "streaming", "ready"]


async def test_b081_the_status_stays_submitted_until_content_comes() -> None:
    gate = asyncio.Event()
    world = World(Answer(c.Start("m1", {"k": 1}), c.StartStep(), c.Data("x", 1, None, True), gate))
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    assert world.chat.status == "submitted"
    await world.chat.stop()
    await task


async def test_b099_the_message_is_there_at_once() -> None:
    world = World(answer(*said("Hi")))
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await asyncio.sleep(0)
    assert texts(world) == ["Hello"]
    assert world.chat.status == "submitted"
    await task


async def test_b116_views_are_told_once_for_each_read() -> None:
    whole = b"".join(
        f'data: {{"type":"text-delta","id":"t","delta":"{n}"}}\n\n'.encode() for n in range(9)
    )
    world = World(answer(c.TextStart("t"), whole, c.TextEnd("t")))
    changes: list[str] = []
    world.chat.subscribe(lambda change: changes.append(change.kind))
    await world.say()
    assert world.last.text == "012345678"
    assert changes.count("message") < 8


async def test_nothing_is_sent_without_words() -> None:
    world = World()
    await world.chat.send("   ")
    assert world.chat.messages == []
    assert world.bodies == []


async def test_b078_metadata_of_a_message_travels() -> None:
    world = World(answer(*said("Hi")))
    await world.chat.send("Hello", metadata={"from": "test"})
    assert world.bodies[0]["messages"][0]["metadata"] == {"from": "test"}


async def test_b109_files_come_before_the_words() -> None:
    world = World(answer(*said("Hi")), answer(*said("Hi")))
    file = {"mediaType": "text/plain", "url": "data:text/plain,x", "filename": "x.txt"}
    await world.chat.send("Look", [file])
    assert world.bodies[0]["messages"][0]["parts"] == [
        {"type": "file", **file},
        {"type": "text", "text": "Look"},
    ]
    await world.chat.send("", [file])
    assert world.bodies[1]["messages"][-1]["parts"] == [{"type": "file", **file}]


# Failures


async def test_b072_a_broken_connection_keeps_what_came() -> None:
    ends: list[Any] = []
    errors: list[ChatError] = []
    world = World(
        Answer(c.Start("m"), c.TextStart("t"), c.TextDelta("t", "Hel"), NetworkError("gone")),
        on_finish=ends.append,
        on_error=errors.append,
    )
    await world.say()
    assert (ends[0].is_disconnect, ends[0].is_error) == (True, True)
    assert isinstance(world.chat.error, InterruptedStreamError)
    assert errors == [world.chat.error]
    assert world.last.interrupted
    assert world.last.to_wire()["parts"] == [{"type": "text", "text": "Hel", "state": "done"}]


async def test_s11_a_stream_without_its_end_is_an_interruption() -> None:
    """The AI SDK takes it for a success."""
    world = World(Answer(c.Start("m"), *said("Half an ans")))
    await world.say()
    assert world.chat.status == "error"
    assert isinstance(world.chat.error, InterruptedStreamError)


async def test_done_without_finish_is_no_interruption() -> None:
    world = World(answer(*said("Hi"), finish=None))
    await world.say()
    assert world.chat.status == "ready"


async def test_b128_the_finish_reason_interrupted_is_an_interruption() -> None:
    world = World(
        answer(asked("open"), finish="interrupted"), engine=FakeEngine(open=FakeEngine.WAIT)
    )
    await world.say()
    assert isinstance(world.chat.error, InterruptedStreamError)
    assert len(world.bodies) == 1


async def test_b082_an_error_chunk_is_an_error() -> None:
    text = '{"message":"boom","name":"Error","stack":"Error: boom"}'
    world = World(answer(*said("Hel"), c.Error(text), finish="error"))
    await world.say()
    assert world.chat.status == "error"
    assert isinstance(world.chat.error, ServerStreamError)
    assert str(world.chat.error) == "boom"
    assert world.last.text == "Hel"


async def test_an_error_need_not_end_the_stream() -> None:
    world = World(answer(c.Error("boom"), *said("still said")))
    await world.say()
    assert world.last.text == "still said"
    assert world.chat.status == "error"


async def test_b101_an_http_error_shows_the_server_s_sentence() -> None:
    refusal = Answer(b'{"message":"clientTools and tools cannot be provided"}', status=400)
    world = World(refusal)
    await world.say()
    error = world.chat.error
    assert isinstance(error, HttpStatusError)
    assert (error.status, str(error)) == (400, "clientTools and tools cannot be provided")
    assert texts(world) == ["Hello"]


async def test_s12_html_instead_of_a_stream_is_named() -> None:
    page = Answer(b"<!doctype html><title>Sign in</title>", headers={"content-type": "text/html"})
    world = World(page)
    await world.say()
    assert isinstance(world.chat.error, AnswerFormatError)
    assert "web page" in str(world.chat.error)
    assert world.chat.error.code == "not-a-stream"


async def test_an_unreachable_server() -> None:
    world = World()
    await world.say()
    assert isinstance(world.chat.error, NetworkError)
    assert texts(world) == ["Hello"]


async def test_a_mistake_of_the_page_s_own_code_is_told() -> None:
    def broken() -> dict[str, str]:
        raise KeyError("token")

    world = World(answer(*said("Hi")), headers=broken)
    await world.say()
    assert world.chat.error is not None
    assert "KeyError" in str(world.chat.error)


async def test_an_empty_answer_is_told() -> None:
    world = World(answer(message_id="m"))
    await world.say()
    assert world.codes == ["empty"]
    assert texts(world) == ["Hello"]


@pytest.mark.parametrize("reason", ["length", "content-filter"])
async def test_a_shortened_answer_is_told(reason: str) -> None:
    world = World(answer(*said("Half"), finish=reason))
    await world.say()
    assert world.codes == [reason]


async def test_b091_an_error_goes_with_the_next_message() -> None:
    world = World(Answer(status=500), answer(*said("Hi")))
    await world.say("One")
    assert world.chat.status == "error"
    await world.say("Two")
    assert world.chat.error is None
    assert world.chat.status == "ready"
    assert texts(world) == ["One", "Two", "Hi"]


# Retry


async def test_retry_asks_the_same_again() -> None:
    world = World(Answer(status=500), answer(*said("Hi")))
    await world.say()
    await world.chat.retry()
    assert world.bodies[0] == world.bodies[1]
    assert texts(world) == ["Hello", "Hi"]


async def test_retry_takes_half_an_answer_back() -> None:
    broken = Answer(c.Start("m1"), *said("Half"), NetworkError("gone"))
    world = World(broken, answer(*said("Whole"), message_id="m2"))
    await world.say()
    assert texts(world) == ["Hello", "Half"]
    await world.chat.retry()
    assert texts(world) == ["Hello", "Whole"]
    assert [message["id"] for message in world.bodies[1]["messages"]] == ["id1"]


async def test_retry_of_a_continuation_keeps_what_was_done() -> None:
    engine = FakeEngine(open="opened")
    first = answer(asked("open"), message_id="m1", finish="tool-calls")
    broken = Answer(c.Start("m1"), c.StartStep(), *said("Half"), NetworkError("gone"))
    world = World(first, broken, answer(*said("Whole"), message_id="m1"), engine=engine)
    await world.say()
    assert world.chat.status == "error"
    await world.chat.retry()
    assert world.bodies[2]["messages"] == world.bodies[1]["messages"]
    assert world.bodies[2]["messageId"] == "m1"
    assert world.last.text == "Whole"
    assert len(engine.started) == 1


async def test_retry_never_throws_a_result_of_ours_away() -> None:
    engine = FakeEngine(open="opened")
    broken = Answer(
        c.Start("m1"),
        c.StartStep(),
        asked("open"),
        c.FinishStep(),
        c.StartStep(),
        *said("Half"),
        asyncio.Event(),
    )
    world = World(broken, answer(*said("Whole"), message_id="m1"), engine=engine, stall_after=5)
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns(40)
    world.clock.advance(6)
    await task
    assert world.chat.status == "error"
    await world.chat.retry()
    assert world.bodies[1]["messages"][1]["parts"][1]["output"] == "opened"
    assert world.bodies[1]["messageId"] == "m1"
    assert world.last.text == "Whole"
    assert len(engine.started) == 1


async def test_retry_without_an_error_asks_for_another_answer() -> None:
    world = World(answer(*said("One")), answer(*said("Two")))
    await world.say()
    await world.chat.retry()
    assert texts(world) == ["Hello", "Two"]
    assert world.bodies[1]["trigger"] == "regenerate-message"


# Editing and regenerating


async def test_b071_b110_regenerate_makes_a_new_message() -> None:
    world = World(
        answer(*said("One"), message_id="m1"),
        answer(*said("Two"), message_id="m2"),
        answer(*said("Three"), message_id="m3"),
    )
    await world.say("A")
    await world.say("B")
    await world.chat.regenerate()
    assert texts(world) == ["A", "One", "B", "Three"]
    assert world.bodies[2]["trigger"] == "regenerate-message"
    assert "messageId" not in world.bodies[2]
    assert [message.id for message in world.chat.messages] == ["id1", "m1", "id3", "m3"]


@pytest.mark.parametrize(
    ("name", "left"), [("m1", ["A"]), ("id1", ["A"]), ("m2", ["A", "One", "B"])]
)
async def test_b071_regenerate_an_older_message(name: str, left: list[str]) -> None:
    world = World(
        answer(*said("One"), message_id="m1"),
        answer(*said("Two"), message_id="m2"),
        answer(*said("New"), message_id="m3"),
    )
    await world.say("A")
    await world.say("B")
    await world.chat.regenerate(name)
    assert texts(world) == [*left, "New"]
    assert world.bodies[2]["messageId"] == name


async def test_a_failed_regenerate_leaves_the_old_answer() -> None:
    world = World(answer(*said("One"), message_id="m1"))
    await world.say()
    await world.chat.regenerate()
    assert texts(world) == ["Hello", "One"]
    assert world.chat.status == "error"
    world.transport.answers.append(answer(*said("Two"), message_id="m2"))
    await world.chat.retry()
    assert texts(world) == ["Hello", "Two"]


async def test_regenerate_needs_something_to_answer() -> None:
    world = World()
    with pytest.raises(ChatError):
        await world.chat.regenerate()
    with pytest.raises(ChatError, match="nobody"):
        await world.chat.regenerate("nobody")


async def test_b079_editing_cuts_and_sends_again() -> None:
    world = World(
        answer(*said("One"), message_id="m1"),
        answer(*said("Two"), message_id="m2"),
        answer(*said("New"), message_id="m3"),
    )
    await world.say("A")
    await world.say("B")
    first = world.chat.messages[0]
    before = first.revision
    await world.chat.edit("id1", "A, better")
    assert texts(world) == ["A, better", "New"]
    assert world.bodies[2]["messageId"] == "id1"
    assert world.bodies[2]["trigger"] == "submit-message"
    assert first.revision > before


async def test_editing_keeps_the_files_unless_others_are_given() -> None:
    file = {"mediaType": "text/plain", "url": "data:,"}
    world = World(*(answer(*said("x")) for _ in range(3)))
    await world.chat.send("A", [file])
    await world.chat.edit("id1", "B")
    assert [part["type"] for part in world.bodies[1]["messages"][0]["parts"]] == ["file", "text"]
    await world.chat.edit("id1", "C", [])
    assert [part["type"] for part in world.bodies[2]["messages"][0]["parts"]] == ["text"]


async def test_only_the_person_s_messages_can_be_edited() -> None:
    world = World(answer(*said("One"), message_id="m1"))
    await world.say()
    with pytest.raises(ChatError):
        await world.chat.edit("m1", "x")
    with pytest.raises(ChatError):
        await world.chat.edit("nobody", "x")
    assert texts(world) == ["Hello", "One"]
