"""Tapes on one real Valkey or Redis server that fails, forgets, or is asked at the same moment."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from replicas import replicas
from shared_server import SharedServer
from slow_answers import Server, until, words

from backend.shared import SharedStore
from backend.shared_tapes import SharedTapes, TapeCopy

KEY = "k"


class Watched:
    """What a copy hears."""

    def __init__(self, store: SharedStore) -> None:
        self.tapes = SharedTapes(store, 30)
        self.heard: list[str] = []

    async def begin(self) -> TapeCopy:
        copy = await self.tapes.begin(
            KEY,
            stopped=lambda: self.heard.append("stopped"),
            replaced=lambda: self.heard.append("replaced"),
        )
        assert copy is not None
        return copy

    async def name(self) -> Any:
        return await self.tapes.store.client.get(f"pagehand:{{{KEY}}}:run")


@pytest.fixture
async def watched(shared: SharedServer) -> AsyncIterator[Watched]:
    store = SharedStore(shared.url)
    yield Watched(store)
    await store.aclose()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that does not answer is given up soon, and asked again soon."""
    monkeypatch.setattr("backend.shared._WAIT", 0.2)
    monkeypatch.setattr("backend.shared._PAUSE", 0.2)


def copy_of(server: Server) -> Any:
    (recording,) = server.app.state.door.recordings._found.values()
    return recording.copy


async def test_a_beat_does_not_take_the_name_of_a_newer_answer(watched: Watched) -> None:
    for _ in range(20):
        old = await watched.begin()
        _, newer = await asyncio.gather(old.beat(), watched.begin())
        assert await watched.name() == newer._names.id.encode()
        await old.beat()
        assert watched.heard.pop() == "replaced"
        assert await watched.name() == newer._names.id.encode()


async def test_a_beat_does_not_name_again_what_was_dropped(watched: Watched) -> None:
    for _ in range(20):
        copy = await watched.begin()
        beat = asyncio.ensure_future(copy.beat())
        await asyncio.sleep(0)
        copy.drop()
        await beat
        await until(lambda copy=copy: copy._over)
        assert await watched.name() is None
        assert not await copy.beat()


async def test_a_stop_elsewhere_is_heard_and_the_name_stays_away(watched: Watched) -> None:
    copy = await watched.begin()
    await watched.tapes.stop(KEY)
    await copy.beat()
    assert watched.heard == ["stopped"]
    assert await watched.name() is None


async def test_a_name_that_the_server_forgot_is_said_again(
    watched: Watched, shared: SharedServer
) -> None:
    copy = await watched.begin()
    shared.empty()
    await copy.beat()
    assert await watched.name() == copy._names.id.encode()
    assert watched.heard == []


async def test_a_stop_is_for_the_answer_it_was_meant_for(shared: SharedServer) -> None:
    async with replicas(shared, 1) as (one,):
        one.post()
        await until(lambda: one.agent.running == 1)
        late = copy_of(one)._stopped
        second = one.post()
        await until(lambda: one.agent.runs == 2)
        late()
        one.agent.say("two", "two", None, None)
        await second.over()
        assert b'"abort"' not in second.body


async def test_of_two_at_once_the_same_is_the_newer_everywhere(shared: SharedServer) -> None:
    async with replicas(shared, 1) as (one,):
        store = one.app.state.door.store
        both = [one.post(), one.post()]
        await until(lambda: one.agent.runs == 2 and all(reply.status for reply in both))
        copy = copy_of(one)
        async with asyncio.timeout(10):
            while await store.client.get(copy._names.run) != copy._names.id.encode():
                await copy.beat()
        assert (await one.get()).status == 200


async def test_a_pause_of_the_server_loses_and_doubles_nothing(tmp_path: Path, hasty: None) -> None:
    with SharedServer(tmp_path) as shared:
        async with replicas(shared) as (one, two):
            first = one.post()
            one.agent.say("one")
            await first.has("one")
            copy = copy_of(one)
            await until(lambda: not copy._carrying)
            shared._process.send_signal(signal.SIGSTOP)
            one.agent.say("two")
            await first.has("two")
            await until(lambda: copy._unsure)
            one.agent.say("three")
            await first.has("three")
            shared._process.send_signal(signal.SIGCONT)
            await until(lambda: not copy._pending and not copy._entries)
            assert (await one.get()).status == 200
            far = await two.get()
            await far.has("three")
            one.agent.say(None)
            await far.over()
            assert far.complete
            assert words(far) == ["one", "two", "three"]


async def test_a_server_that_forgot_everything_takes_nothing_from_the_maker(
    tmp_path: Path, hasty: None
) -> None:
    with SharedServer(tmp_path) as shared:
        async with replicas(shared) as (one, two):
            first = one.post()
            one.agent.say("one")
            await first.has("one")
            copy = copy_of(one)
            await until(lambda: not copy._carrying)
            shared.stop()
            one.agent.say("two")
            await first.has("two")
            await until(lambda: copy._unsure)
            await first.leave()
            shared.start(shared.port)
            await until(lambda: one.app.state.door.store.answers)
            again = await one.get()
            await again.has("two")
            await until(lambda: not copy._pending and not copy._entries)
            far = await two.get()
            await far.over()
            assert not far.complete  # its beginning is gone: rather nothing than a part of it
            assert words(far) == []
            one.agent.say(None)
            await again.over()
            assert words(again) == ["one", "two"]


async def test_a_claim_sent_again_is_still_the_first(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = watched.tapes.store
    told = store.client.set

    async def reply_lost(*given: Any, **more: Any) -> Any:
        await told(*given, **more)
        return await told(*given, **more)

    monkeypatch.setattr(store.client, "set", reply_lost)
    assert await store.first("an approval", 60)
    assert not await store.first("an approval", 60)


class Slow:
    """Something whose beat takes as long as a test says."""

    at_once = 0
    most = 0

    def __init__(self, several: asyncio.Event) -> None:
        self._several = several

    async def beat(self) -> bool:
        Slow.at_once += 1
        Slow.most = max(Slow.most, Slow.at_once)
        if Slow.at_once > 1:
            self._several.set()
        await self._several.wait()
        Slow.at_once -= 1
        return False


async def test_beats_do_not_wait_for_each_other(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.shared._BEAT", 0.01)
    several, store = asyncio.Event(), watched.tapes.store
    for _ in range(100):
        store.beat(Slow(several))
    await until(lambda: not store._beating)
    assert 1 < Slow.most <= 50
