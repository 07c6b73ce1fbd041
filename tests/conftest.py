"""Fixtures: real servers, started once for all tests, reset before each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from peers.peer import Peer


@pytest.fixture(scope="session")
def mastra_server() -> Iterator[Peer]:
    with Peer("mastra") as peer:
        yield peer


@pytest.fixture(scope="session")
def aisdk_server() -> Iterator[Peer]:
    with Peer("aisdk") as peer:
        yield peer


@pytest.fixture
def mastra(mastra_server: Peer) -> Peer:
    mastra_server.reset()
    return mastra_server


@pytest.fixture
def aisdk(aisdk_server: Peer) -> Peer:
    aisdk_server.reset()
    return aisdk_server
