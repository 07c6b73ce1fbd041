"""The helpers that the other tests stand on."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from peers import peer as peers
from peers.peer import Peer, PeerError, install

pytestmark = pytest.mark.peer


@pytest.mark.parametrize("fixture", ["mastra", "aisdk"])
def test_any_origin_may_call(fixture: str, request: pytest.FixtureRequest) -> None:
    server: Peer = request.getfixturevalue(fixture)
    asked = {
        "origin": "http://127.0.0.1:1",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    answer = httpx.options(f"{server.url}/chat", headers=asked)
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    answer = httpx.post(f"{server.url}/chat", json={"messages": [{}]}, headers=asked)
    assert answer.status_code >= 400
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("fixture", ["mastra", "aisdk"])
def test_it_remembers_until_it_is_reset(fixture: str, request: pytest.FixtureRequest) -> None:
    server: Peer = request.getfixturevalue(fixture)
    body = {
        "messages": [{"id": "u", "role": "user", "parts": [{"type": "text", "text": "say hi"}]}]
    }
    with server.chat(body) as response:
        response.read()
    assert server.bodies() == [body]
    assert len(server.model()["seen"]) == 1
    server.reset()
    assert server.bodies() == []
    assert server.model() == {"seen": [], "aborts": 0}


def test_a_server_that_does_not_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "server.mjs").write_text("throw new Error('no such luck')", encoding="utf-8")
    monkeypatch.setattr(peers, "HERE", tmp_path)
    monkeypatch.setattr(peers, "install", lambda *_: None)
    with pytest.raises(PeerError, match="no such luck"):
        Peer("broken")


def test_packages_are_installed_once(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    lock = tmp_path / "package-lock.json"
    lock.write_text("{}", encoding="utf-8")
    calls: list[str] = []

    class Npm:
        def run_npm(self, *words: str, cwd: Path) -> None:
            calls.append(words[0])
            (cwd / "node_modules").mkdir(exist_ok=True)

    install(tmp_path, Npm())  # type: ignore[arg-type]
    install(tmp_path, Npm())  # type: ignore[arg-type]
    assert calls == ["ci"]
    lock.write_text('{"other": 1}', encoding="utf-8")
    install(tmp_path, Npm())  # type: ignore[arg-type]
    assert calls == ["ci", "ci"]
