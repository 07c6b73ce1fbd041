from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

# This folder cannot be a package (its name is the backend's own), so its helpers are found
# by name.
sys.path.insert(0, str(Path(__file__).parent))

if TYPE_CHECKING:
    from backend_process import Running
    from shared_server import SharedServer

# A busy machine must not fail a test.
settings.register_profile("backend", deadline=None)
settings.load_profile("backend")


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    """Starts backends as processes; ends them with the test."""
    from backend_process import Running

    running: list[Running] = []

    def begin(**variables: str) -> Running:
        running.append(Running(**variables))
        return running[-1]

    yield begin
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()


@pytest.fixture(scope="session")
def shared_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    from shared_server import SharedServer

    with SharedServer(tmp_path_factory.mktemp("shared")) as server:
        yield server


@pytest.fixture
def shared(shared_process: SharedServer) -> SharedServer:
    """A real Valkey or Redis server, empty."""
    shared_process.empty()
    return shared_process
