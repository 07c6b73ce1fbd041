"""Answers that outlive their connection: taken up, stopped, bounded, and nobody else's."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from typing import Any

import pytest
from slow_answers import ASK, CHAT, STREAM, Held, Server, until, words
from starlette.requests import Request


async def test_taken_up_from_the_beginning_then_live() -> None:
    server = Server(Held())
    first = server.post()
    server.agent.say("one", "two")
    await first.has("two")
    assert first.headers["x-pagehand-resumable"] == "1"
    await first.leave()
    assert not first.complete
    second = await server.get()
    await second.has("two")
    assert second.headers["x-pagehand-resumable"] == "1"
    assert second.headers["x-vercel-ai-ui-message-stream"] == "v1"
    server.agent.say("three", None)
    await second.over()
    assert second.complete
    assert words(second) == ["one", "two", "three"]
    assert second.body.startswith(first.body)
    assert second.body.endswith(b"data: [DONE]\n\n")
    assert server.agent.runs == 1
    await server.quiet()
    assert (await server.get()).status == 204


async def test_the_first_reader_and_a_second_read_the_same_bytes() -> None:
    server = Server(Held())
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    second = await server.get()
    server.agent.say("two", None)
    await first.over()
    await second.over()
    assert first.body == second.body
    assert words(first) == ["one", "two"]


async def test_an_end_that_nobody_had_is_still_told_once() -> None:
    server = Server(Held())
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    await first.leave()
    server.agent.say("two", None)
    await server.quiet()
    late = await server.get()
    await late.over()
    assert words(late) == ["one", "two"]
    assert (await server.get()).status == 204


async def test_an_end_that_was_had_is_not_told_again() -> None:
    server = Server(Held())
    first = server.post()
    server.agent.say("one", None)
    await first.over()
    assert first.complete
    assert (await server.get()).status == 204


@pytest.mark.parametrize(
    ("settings", "chat", "headers"),
    [
        ({}, CHAT, {"accept": "*/*"}),
        ({}, "short", ASK),
        ({"resume": "off"}, CHAT, ASK),
        ({"resume": "always"}, "short", ASK),
    ],
    ids=["not asked for", "an id to guess", "switched off", "always, but an id to guess"],
)
async def test_others_stop_the_model_by_leaving(
    settings: dict[str, Any], chat: str, headers: dict[str, str]
) -> None:
    server = Server(Held(), **settings)
    first = server.post(chat, **headers)
    server.agent.say("one")
    await first.has("one")
    assert "x-pagehand-resumable" not in first.headers
    await first.leave()
    await server.quiet()
    assert (await server.get(f"/chat/{chat}/stream")).status == 204


async def test_always_needs_no_asking() -> None:
    server = Server(Held(), resume="always")
    first = server.post(CHAT, accept="*/*")
    server.agent.say(None)
    await first.over()
    assert first.headers["x-pagehand-resumable"] == "1"


async def test_delete_is_the_stop() -> None:
    server = Server(Held())
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    assert await server.delete() == 204
    await first.over()
    await server.quiet()
    kinds = [json.loads(e[6:])["type"] for e in first.body.decode().split("\n\n") if "{" in e]
    assert kinds[-4:] == ["text-end", "abort", "finish-step", "finish"]
    assert first.body.endswith(b"[DONE]\n\n")
    assert (await server.get()).status == 204
    assert await server.delete() == 204


async def test_what_nobody_reads_is_stopped() -> None:
    server = Server(Held(), resume_seconds=0.05, idle_timeout=0.2)
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    await first.leave()
    await server.quiet()
    assert (await server.get()).status == 204


async def test_what_is_read_is_not_stopped() -> None:
    server = Server(Held(), resume_seconds=0.0, run_timeout=0.2)
    first = server.post()
    server.agent.say("one")
    await first.over()
    assert b"took too long" in first.body


async def test_another_answer_of_the_chat_takes_its_place() -> None:
    server = Server(Held(), idle_timeout=0.2)
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    second = server.post()
    await second.begun()
    await first.leave()
    await until(lambda: server.agent.running == 1)
    server.agent.say("two")
    await second.has("two")
    third = await server.get()
    await third.has("two")
    assert words(third) == ["two"]
    server.agent.say(None)
    await second.over()


async def test_nobody_elses() -> None:
    def who(request: Request) -> str | None:
        return request.headers.get("x-user")

    server = Server(Held(), who)
    ann, bob = {"x-user": "ann"}, {"x-user": "bob"}
    first = server.post(CHAT, **ASK, **ann)
    server.agent.say("secret")
    await first.has("secret")
    assert (await server.get()).status == 401
    assert (await server.get(**bob)).status == 204
    assert await server.delete() == 401
    assert await server.delete(**bob) == 204
    own = await server.get(**ann)
    await own.has("secret")
    server.agent.say(None)
    await own.over()
    assert own.complete


async def test_the_same_checks_as_for_a_post() -> None:
    server = Server(Held(), allowed_hosts=("backend.test",), rate=1, burst=3)
    foreign = {"origin": "https://foreign.example"}
    assert (await server.get(**foreign)).status == 403
    assert await server.delete(**foreign) == 403
    assert (await server.get(host="other.test")).status == 403
    for _ in range(3):
        assert (await server.get()).status == 204
    refused = await server.get()
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) >= 1
    wrong = server.ask("PUT", STREAM)
    await wrong.over()
    assert (wrong.status, wrong.headers["allow"]) == (405, "GET, DELETE")


async def test_readers_and_what_nobody_reads_count() -> None:
    server = Server(Held(), max_streams_per_client=2)
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    await first.leave()
    reader = await server.get()
    assert reader.status == 200
    refused = await server.get()
    assert (refused.status, refused.headers["retry-after"]) == (429, "5")
    server.agent.say(None)
    await reader.over()


async def test_a_long_answer_goes_on_to_its_reader_alone() -> None:
    server = Server(Held(), resume_bytes=2_000)
    first = server.post()
    server.agent.say("a" * 1_500)
    await first.has("aaa")
    early = await server.get()
    await early.has("aaa")
    server.agent.say("b" * 1_500)
    await first.has("bbb")
    assert (await server.get()).status == 204
    server.agent.say("c", None)
    await first.over()
    await early.over()
    assert [len(w) for w in words(first)] == [1_500, 1_500, 1]
    assert first.body == early.body


async def test_a_long_answer_that_nobody_reads_is_stopped_at_once() -> None:
    server = Server(Held(), resume_bytes=2_000, idle_timeout=0.2)
    first = server.post()
    server.agent.say("a" * 1_500)
    await first.has("aaa")
    await first.leave()
    server.agent.say("b" * 1_500)
    await server.quiet()


async def test_all_tapes_together_are_bounded() -> None:
    server = Server(Held(), resume_total=5_000)
    for n in range(4):
        reply = server.post(f"{CHAT}-{n}")
        server.agent.say("x" * 2_000)
        await reply.has("xxx")
        await reply.leave()
        server.agent.say(None)
        await server.quiet()
    kept = [(await server.get(f"/chat/{CHAT}-{n}/stream")).status for n in range(4)]
    assert kept == [204, 204, 200, 200]


async def test_shutdown_tells_those_who_read() -> None:
    server = Server(Held())
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    await server.streams.drain(0.01)
    await first.over()
    assert b"The server is restarting" in first.body
    assert first.complete


async def test_shutdown_does_not_wait_for_what_nobody_reads() -> None:
    server = Server(Held(), idle_timeout=0.2)
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    await first.leave()
    async with asyncio.timeout(10):
        await server.streams.drain(60.0)
    assert server.agent.running == 0
    refused = server.post("chat-of-sixteen-2")
    await refused.over()
    assert (refused.status, refused.headers["retry-after"]) == (503, "2")


async def test_silence_is_filled_for_each_reader() -> None:
    server = Server(Held(), keep_alive=0.05)
    first = server.post()
    await first.has(": keep-alive")
    second = await server.get()
    await second.has(": keep-alive")
    server.agent.say(None)
    await first.over()
    await second.over()
    assert first.complete
    assert second.complete


async def test_pages_of_other_origins_are_told_and_may_stop() -> None:
    server = Server(Held(), allowed_origins=("https://shop.example",))
    asked = {
        "origin": "https://shop.example",
        "access-control-request-method": "DELETE",
        "access-control-request-headers": "authorization",
    }
    preflight = server.ask("OPTIONS", STREAM, **asked)
    await preflight.over()
    assert preflight.status == 200
    assert "DELETE" in preflight.headers["access-control-allow-methods"]
    answer = await server.get(origin="https://shop.example")
    assert "x-pagehand-resumable" in answer.headers["access-control-expose-headers"]


async def test_what_was_had_leaves_nothing_behind() -> None:
    server = Server(Held())
    found = server.app.state.door.recordings._found
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    (recording,) = found.values()
    answer = weakref.ref(recording._answer)
    server.agent.say(None)
    await first.over()
    await server.quiet()
    recording, tape = weakref.ref(recording), recording.tape
    assert not tape._pieces
    gc.collect()
    assert (answer(), recording()) == (None, None)


async def test_an_end_that_is_kept_does_not_keep_what_was_asked() -> None:
    server = Server(Held())
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    (recording,) = server.app.state.door.recordings._found.values()
    answer = weakref.ref(recording._answer)
    await first.leave()
    server.agent.say(None)
    await server.quiet()
    gc.collect()
    assert answer() is None
    assert recording.tape.kept
    assert (await server.get()).status == 200
