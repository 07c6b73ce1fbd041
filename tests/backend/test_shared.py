"""Two replicas in this process around one real Valkey or Redis server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from replicas import replicas
from shared_server import SharedServer
from slow_answers import ASK, CHAT, Reply, Server, until, words
from starlette.requests import Request

from backend.app import create_app
from backend.settings import Settings, SettingsError


async def status(wanted: int, ask: Callable[[], Any]) -> Reply:
    """Ask until the status is that: the other replica hears of things within a second or two."""
    async with asyncio.timeout(15):
        while (reply := await ask()).status != wanted:
            await reply.leave()
    return reply


async def test_taken_up_at_the_other_replica(shared: SharedServer) -> None:
    async with replicas(shared) as (one, two):
        first = one.post()
        one.agent.say("one", "two")
        await first.has("two")
        await first.leave()
        second = await two.get()
        assert second.headers["x-pagehand-resumable"] == "1"
        await second.has("two")
        one.agent.say("three", None)
        await second.over()
        assert second.complete
        assert words(second) == ["one", "two", "three"]
        assert two.agent.runs == 0
        await status(204, two.get)
        await status(204, one.get)


async def test_an_end_that_nobody_had_is_kept_for_the_other_replica(shared: SharedServer) -> None:
    async with replicas(shared) as (one, two):
        first = one.post()
        one.agent.say("one")
        await first.has("one")
        await first.leave()
        one.agent.say(None)
        await one.quiet()
        late = await two.get()
        await late.over()
        assert late.complete
        assert words(late) == ["one"]


async def test_an_end_that_was_had_is_over_everywhere(shared: SharedServer) -> None:
    async with replicas(shared) as (one, two):
        first = one.post()
        one.agent.say("one", None)
        await first.over()
        await status(204, two.get)
        assert (await one.get()).status == 204


async def test_stopped_at_the_other_replica(shared: SharedServer) -> None:
    async with replicas(shared) as (one, two):
        first = one.post()
        one.agent.say("one")
        await first.has("one")
        far = await two.get()
        await far.has("one")
        assert await two.delete() == 204
        await first.over()
        await far.over()
        assert b'"type":"abort"' in first.body
        assert first.body == far.body
        await one.quiet()
        assert (await two.get()).status == 204
        assert (await one.get()).status == 204


async def test_a_reader_at_the_other_replica_keeps_it_going(shared: SharedServer) -> None:
    async with replicas(shared, resume_seconds=1.5) as (one, two):
        first = one.post()
        one.agent.say("one")
        await first.has("one")
        far = await two.get()
        await far.has("one")
        await first.leave()
        recording = next(iter(one.app.state.door.recordings._found.values()))
        await until(lambda: recording.copy.read_elsewhere)
        assert one.agent.running == 1
        await far.leave()
        await one.quiet()  # and without any reader it ends


async def test_a_newer_answer_at_the_other_replica_takes_its_place(shared: SharedServer) -> None:
    async with replicas(shared) as (one, two):
        first = one.post()
        one.agent.say("old")
        await first.has("old")
        await first.leave()
        second = two.post()
        two.agent.say("new")
        await second.has("new")
        at_one = await one.get()
        await at_one.has("new")
        assert words(at_one) == ["new"]
        await until(lambda: not one.agent.running)
        two.agent.say(None)
        await second.over()


async def test_the_maker_disappears(shared: SharedServer) -> None:
    async with replicas(shared) as (one, two):
        first = one.post()
        one.agent.say("one")
        await first.has("one")
        far = await two.get()
        await far.has("one")
        one.app.state.door.store._heart.cancel()  # as when its process is killed
        shared.forget(":run")
        await far.over()
        assert not far.complete
        assert (await two.get()).status == 204


async def test_nobody_elses_at_the_other_replica(shared: SharedServer) -> None:
    def who(request: Request) -> str | None:
        return request.headers.get("x-user")

    ann, bob = {"x-user": "ann"}, {"x-user": "bob"}
    async with replicas(shared, authenticate=who) as (one, two):
        first = one.post(CHAT, **ASK, **ann)
        one.agent.say("secret")
        await first.has("secret")
        assert (await two.get(**bob)).status == 204
        assert await two.delete(**bob) == 204
        own = await two.get(**ann)
        await own.has("secret")
        assert not [name for name in shared.names() if "ann" in name or CHAT in name]


async def test_a_long_answer_is_no_longer_kept(shared: SharedServer) -> None:
    async with replicas(shared, resume_bytes=2_000) as (one, two):
        first = one.post()
        one.agent.say("a" * 1_500, "b" * 1_500)
        await first.has("bbb")
        await status(204, two.get)
        one.agent.say(None)
        await first.over()
        assert first.complete


async def test_nothing_is_left_in_the_store(shared: SharedServer) -> None:
    async with replicas(shared, rate=60, burst=10) as (one, two):
        first = one.post()
        one.agent.say("one", None)
        await first.over()
        await status(204, two.get)
        assert shared.without_end() == []


async def test_the_rate_is_counted_over_all(shared: SharedServer) -> None:
    async with replicas(shared, rate=1, burst=4) as (one, two):
        asked = [await server.get() for server in (one, two, one, two, one, two)]
        assert [reply.status for reply in asked] == [204, 204, 204, 204, 429, 429]
        assert 1 <= int(asked[-1].headers["retry-after"]) <= 240


async def test_open_answers_are_counted_over_all(shared: SharedServer) -> None:
    async with replicas(shared, max_streams_per_client=1) as (one, two):
        first = one.post("chat-of-sixteen-1")
        one.agent.say("one")
        await first.has("one")
        refused = two.post("chat-of-sixteen-2")
        await refused.over()
        assert (refused.status, refused.headers["retry-after"]) == (429, "5")
        one.agent.say(None)
        await first.over()

        async def again() -> Reply:
            reply = two.post("chat-of-sixteen-2")
            await reply.begun()
            return reply

        await status(200, again)
        two.agent.say(None)


async def test_the_seat_of_an_answer_about_to_open_is_kept(
    shared: SharedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with replicas(shared, max_streams_per_client=2) as (one, _):
        first = one.post("chat-of-sixteen-1")
        one.agent.say("one")
        await first.has("one")
        door, may = one.app.state.door, asyncio.Event()
        monkeypatch.setattr(type(door), "use_up_approvals", lambda door, turn: may.wait())
        second = one.post("chat-of-sixteen-2")
        seats = door.streams._seats
        await until(lambda: len(*seats._held.values()) == 2)
        one.agent.say(None)
        await first.over()
        await until(lambda: not len(one.streams) and not door.store._tasks)
        (name,) = [name for name in shared.names() if "seats" in name]
        assert await door.store.client.zcard(name) == 1
        may.set()
        one.agent.say("two")
        await second.has("two")
        one.agent.say(None)
        await second.over()
        await until(lambda: not len(one.streams) and not door.store._tasks)
        assert (seats._held, seats._coming) == ({}, {})
        assert await door.store.client.zcard(name) == 0


async def test_without_the_store_each_goes_on_alone(tmp_path: Path) -> None:
    with SharedServer(tmp_path) as shared:
        async with replicas(shared, 1, rate=60, burst=3) as (one,):
            assert await shared_state(one) == "ok"
            shared.stop()
            first = one.post()
            one.agent.say("one")
            await first.has("one")
            assert first.headers["x-pagehand-resumable"] == "1"
            await first.leave()
            second = await one.get()
            await second.has("one")
            one.agent.say(None)
            await second.over()
            assert second.complete
            assert (await one.get()).status == 204
            assert (await one.get()).status == 429
            assert await shared_state(one) == "not reached"


async def test_a_store_that_fails_in_the_middle_breaks_nothing_here(tmp_path: Path) -> None:
    with SharedServer(tmp_path) as shared:
        async with replicas(shared) as (one, two):
            first = one.post()
            one.agent.say("one")
            await first.has("one")
            far = await two.get()
            await far.has("one")
            shared.stop()
            await far.over()
            assert not far.complete
            one.agent.say("two", None)
            await first.over()
            assert words(first) == ["one", "two"]
            assert first.complete


async def shared_state(server: Server) -> str:
    reply = server.ask("GET", "/readyz")
    await reply.over()
    return str(json.loads(reply.body)["shared"])


@pytest.mark.parametrize("url", ["redis://host:port/0", "redis://host/0?socket_timeout=soon"])
def test_an_address_that_cannot_be_read_stops_the_start(url: str) -> None:
    with pytest.raises(SettingsError, match="PAGEHAND_REDIS_URL"):
        create_app(Settings(redis_url=url))


def test_missing_packages_stop_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "limits", None)
    with pytest.raises(SettingsError, match=r"pip install -e '.\[redis\]'"):
        create_app(Settings(redis_url="redis://127.0.0.1"))


async def test_valkey_addresses_are_taken(shared: SharedServer) -> None:
    app = create_app(Settings(redis_url=shared.url.replace("redis://", "valkey://"), site=""))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://host.test"
    ) as client:
        assert (await client.get("/readyz")).json()["shared"] == "ok"
    await app.state.door.aclose()
