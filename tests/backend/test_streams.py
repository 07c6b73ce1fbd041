"""Open answers: bytes in their order, none lost, and clients that stop reading."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from time import monotonic

import pytest
from slow_answers import ASK, CHAT, Held, Reply, Server, others_turn, until, words

from backend.models.port import Turn
from backend.settings import Settings
from backend.streams import Open, OpenStreams
from pagehand.wire.chunks import Chunk, Start, StartStep, TextStart

PLAIN = {"accept": "text/event-stream"}


class Opening(Held):
    """Says at once that it begins: bytes that are held back for the first word."""

    async def run(self, turn: Turn) -> AsyncGenerator[Chunk]:
        for chunk in (Start(), StartStep(), TextStart("t")):
            yield chunk
        async for chunk in super().run(turn):
            yield chunk


def kinds(reply: Reply) -> list[str]:
    events = reply.body.decode().split("\n\n")
    return [json.loads(e[6:])["type"] for e in events if e.startswith("data: {")]


def only(server: Server) -> Open:
    (stream,) = server.streams._open
    return stream


@pytest.mark.parametrize("headers", [PLAIN, ASK], ids=["plain", "resumable"])
@pytest.mark.parametrize("word_first", [True, False])
async def test_what_is_held_back_goes_before_the_word_of_the_same_moment(
    word_first: bool, headers: dict[str, str]
) -> None:
    server = Server(Opening())
    reply = server.post(CHAT, **headers)
    await until(lambda: server.agent.running == 1)
    for stream in list(server.streams._open):
        if word_first:
            server.agent.say("one")
        stream.tick(monotonic())
    if not word_first:
        server.agent.say("one")
    server.agent.say(None)
    await reply.over()
    assert kinds(reply)[:4] == ["start", "start-step", "text-start", "text-delta"]


async def test_what_is_held_back_is_not_lost_at_the_end() -> None:
    server = Server(Opening())
    reply = server.post(CHAT, **PLAIN)
    await until(lambda: server.agent.running == 1)
    server.agent.say(None)
    only(server).tick(monotonic())
    await reply.over()
    assert kinds(reply)[:2] == ["start", "start-step"]
    assert reply.complete


async def test_a_beat_that_waits_for_the_client_is_not_overtaken() -> None:
    server = Server(Opening())
    reply = server.post(CHAT, **PLAIN)
    await until(lambda: server.agent.running == 1)
    await reply.begun()
    reply.reading.clear()
    only(server).tick(monotonic())
    await others_turn()
    server.agent.say("one", None)
    reply.reading.set()  # the word and the end are ready before the beat goes on
    await reply.over()
    assert kinds(reply)[:4] == ["start", "start-step", "text-start", "text-delta"]


@pytest.mark.parametrize("why", ["limit", "shutdown", "idle"])
async def test_a_stop_loses_nothing_that_waits_for_the_client(why: str) -> None:
    server = Server(Held())
    reply = server.post(CHAT, **PLAIN)
    await reply.begun()
    reply.reading.clear()
    server.agent.say("one")
    await until(server.agent.words.empty)
    await others_turn()
    only(server).stop(why)
    reply.reading.set()
    await reply.over()
    assert words(reply) == ["one"]
    assert kinds(reply)[:3] == ["start", "start-step", "text-start"]
    assert "error" in kinds(reply)
    assert reply.complete


@pytest.mark.parametrize("headers", [PLAIN, ASK], ids=["plain", "resumable"])
@pytest.mark.parametrize(
    "limits", [{"idle_timeout": 0.1}, {"idle_timeout": 0.0, "run_timeout": 0.1}]
)
@pytest.mark.parametrize("word", ["one", None], ids=["in the middle", "at the end"])
async def test_a_client_that_stops_reading_is_let_go(
    word: str | None, limits: dict[str, float], headers: dict[str, str]
) -> None:
    server = Server(Held(), resume_seconds=0.1, **limits)
    reply = server.post(CHAT, **headers)
    await reply.begun()
    reply.reading.clear()
    server.agent.say(word)
    await reply.over()
    assert not reply.complete
    await server.quiet()


async def test_a_client_that_reads_slowly_is_not_told_that_the_model_is_silent() -> None:
    server = Server(Held(), idle_timeout=30.0)
    reply = server.post(CHAT, **PLAIN)
    await until(lambda: server.agent.running == 1)
    await reply.begun()
    reply.reading.clear()
    server.agent.say("one")
    await until(server.agent.words.empty)
    await others_turn()
    only(server).tick(monotonic() + 20)
    reply.reading.set()
    await reply.has("one")
    only(server).tick(monotonic() + 40)
    server.agent.say("two", None)
    await reply.over()
    assert words(reply) == ["one", "two"]
    assert "error" not in kinds(reply)


async def test_who_reads_a_recorded_answer_that_is_over_counts() -> None:
    server = Server(Held(), idle_timeout=0.0, run_timeout=0.0)
    reply = server.post()
    await reply.begun()
    assert len(server.streams) == 1
    reply.reading.clear()
    server.agent.say("one", None)
    await until(lambda: server.agent.runs == 1 and not server.agent.running)
    await until(lambda: len(server.streams._open) == 1)
    assert len(server.streams) == 1
    reply.reading.set()
    await reply.over()
    assert len(server.streams) == 0


def test_no_limit_at_all_is_a_choice() -> None:
    none = {"idle_timeout": 0.0, "run_timeout": 0.0, "keep_alive": 0.0}
    assert OpenStreams(Settings(**none)).patience == 0.0  # type: ignore[arg-type]


async def test_two_who_wait_for_the_end_of_all_both_hear_of_it() -> None:
    server = Server(Held())
    reply = server.post(CHAT, **PLAIN)
    await reply.begun()
    first = asyncio.ensure_future(server.streams.drain(60.0))
    await others_turn()
    second = asyncio.ensure_future(server.streams.drain(60.0))
    await others_turn()
    server.agent.say(None)
    async with asyncio.timeout(10):
        await asyncio.gather(first, second)
    assert reply.complete
