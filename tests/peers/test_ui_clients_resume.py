"""The real chat clients of AI SDK 5, 6 and 7 take up an answer of our backend after a reload."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import httpx
import pytest

from backend.agent import ModelAgent
from backend.app import create_app
from backend.history import Message
from backend.models.port import Declaration
from backend.settings import Settings
from pagehand.wire.chunks import Chunk, Finish, TextDelta
from peers.ui_clients import Served, UiClients

pytestmark = pytest.mark.peer

CHAT = "chat-with-16-chars"
VERSIONS = pytest.mark.parametrize("version", [5, 6, 7])


class Halting:
    """A model that says one word, and the other when it is told to."""

    name = "halting"

    def __init__(self) -> None:
        self.go_on = threading.Event()

    async def step(
        self, messages: list[Message], tools: dict[str, Declaration]
    ) -> AsyncGenerator[Chunk]:
        yield TextDelta("t", "before ")
        await asyncio.to_thread(self.go_on.wait, 30)
        yield TextDelta("t", "and after")
        yield Finish("stop")


@pytest.fixture(scope="module")
def clients() -> Iterator[UiClients]:
    with UiClients() as clients:
        yield clients


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    server = Served()
    yield server
    server.close()


@pytest.fixture
def model(served: Served) -> Iterator[Halting]:
    model = Halting()
    settings = Settings(rate=0, site="", resume="always")
    served.app = create_app(settings, agent=ModelAgent(model, settings))
    yield model
    model.go_on.set()


def opened(clients: UiClients, served: Served, version: int, **options: Any) -> None:
    clients.open(version, f"{served.url}/chat", id=CHAT, **options)


@VERSIONS
def test_taken_up_after_a_reload(
    clients: UiClients, served: Served, model: Halting, version: int
) -> None:
    opened(clients, served, version)
    before = clients.do("start", text="hello", until="before")
    clients.do("stop")  # as a reload: the connection closes, nothing else is said
    opened(clients, served, version, messages=before.messages[:1])
    model.go_on.set()
    seen = clients.do("resumeStream")
    assert (seen.status, seen.error) == ("ready", None)
    assert seen.text == "before and after"
    assert seen.roles == ["user", "assistant"]
    assert seen.messages[1]["id"] == before.messages[1]["id"]


@VERSIONS
def test_nothing_to_take_up(
    clients: UiClients, served: Served, model: Halting, version: int
) -> None:
    model.go_on.set()
    opened(clients, served, version)
    before = clients.do("say", text="hello")
    opened(clients, served, version, messages=before.messages)
    seen = clients.do("resumeStream")
    assert (seen.status, seen.error) == ("ready", None)
    assert seen.messages == before.messages


@VERSIONS
def test_stopped_for_good(clients: UiClients, served: Served, model: Halting, version: int) -> None:
    opened(clients, served, version)
    before = clients.do("start", text="hello", until="before")
    clients.do("stop")
    assert httpx.delete(f"{served.url}/chat/{CHAT}/stream").status_code == 204
    opened(clients, served, version, messages=before.messages[:1])
    seen = clients.do("resumeStream")
    assert (seen.status, seen.error) == ("ready", None)
    assert seen.roles == ["user"]
