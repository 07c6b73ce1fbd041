"""The program itself: what it prints, how it refuses to start, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest
from backend_process import ROOT, Running, environment, script

HELLO = {"messages": [{"role": "user", "content": "hello"}]}
Start = Callable[..., Running]


def test_it_says_where_and_answers_at_once(start: Start) -> None:
    running = start(DEMO_DELAY="0")
    assert running.line.startswith("pagehand: http://127.0.0.1:")
    assert running.line.endswith("/\n")
    assert httpx.get(f"{running.url}readyz").json() == {"status": "ok", "streams": 0}
    answer = httpx.post(f"{running.url}chat", json=HELLO)
    assert answer.status_code == 200
    assert "server" not in answer.headers
    code, lines = running.end()
    assert code in (0, -signal.SIGTERM)
    (line,) = [line for line in lines if line["event"] == "answer"]
    assert (line["end"], line["model"], line["messages"]) == ("done", "demo", 1)
    assert "hello" not in json.dumps(lines)


@pytest.mark.parametrize(
    ("variables", "word"),
    [
        ({"PORTT": "1"}, "Did you mean PAGEHAND_PORT?"),
        ({"MODEL": "gpt"}, "PAGEHAND_MODEL must be"),
        ({"MODEL": "script:/no/such/file"}, "cannot be read"),
    ],
)
def test_what_cannot_work_is_one_sentence_and_a_code(variables: dict[str, str], word: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "backend"],
        cwd=ROOT,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_port_in_use_is_said(start: Start) -> None:
    port = start().url.rstrip("/").rpartition(":")[2]
    done = subprocess.run(
        [sys.executable, "-m", "backend"],
        cwd=ROOT,
        env=environment(PORT=port),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 2
    assert f"port {port}" in done.stderr


@pytest.mark.parametrize(
    ("trusted", "second"),
    [({}, 200), ({"TRUSTED_PROXIES": ""}, 429), ({"TRUSTED_PROXIES": "10.0.0.0/8"}, 429)],
    ids=["a proxy on this machine", "nobody", "a proxy elsewhere"],
)
def test_who_may_say_where_a_request_came_from(
    start: Start, trusted: dict[str, str], second: int
) -> None:
    running = start(DEMO_DELAY="0", RATE="1", BURST="1", **trusted)
    asked = [
        httpx.post(f"{running.url}chat", json=HELLO, headers={"x-forwarded-for": address})
        for address in ("203.0.113.1", "203.0.113.2")
    ]
    assert [answer.status_code for answer in asked] == [200, second]


async def lines_of(response: httpx.Response) -> list[str]:
    return [line async for line in response.aiter_lines()]


async def test_silence_is_filled_with_comments(start: Start, tmp_path: Path) -> None:
    model = script(tmp_path, {"do": [{"text": "a"}, {"delay": 0.6}, {"text": "b"}]})
    running = start(MODEL=model, KEEP_ALIVE="0.1")
    async with (
        httpx.AsyncClient() as client,
        client.stream("POST", f"{running.url}chat", json=HELLO) as response,
    ):
        lines = await lines_of(response)
    assert lines.count(": keep-alive") >= 2
    assert lines[-2] == "data: [DONE]" or lines[-1] == "data: [DONE]"


@pytest.mark.parametrize(
    ("limit", "end", "word"),
    [("IDLE_TIMEOUT", "idle", "silent"), ("RUN_TIMEOUT", "limit", "too long")],
)
async def test_a_model_that_does_not_end_is_ended(
    start: Start, tmp_path: Path, limit: str, end: str, word: str
) -> None:
    running = start(
        MODEL=script(tmp_path, {"do": [{"text": "a"}, {"delay": 60}]}), **{limit: "0.3"}
    )
    async with (
        httpx.AsyncClient(timeout=10) as client,
        client.stream("POST", f"{running.url}chat", json=HELLO) as response,
    ):
        text = "\n".join(await lines_of(response))
    assert word in text
    assert '"finishReason":"error"' in text
    assert "[DONE]" in text
    _, lines = running.end()
    assert [line["end"] for line in lines if line["event"] == "answer"] == [end]


async def test_a_client_that_leaves_stops_the_model(start: Start, tmp_path: Path) -> None:
    running = start(MODEL=script(tmp_path, {"do": [{"text": "a"}, {"delay": 60}]}))
    async with httpx.AsyncClient(timeout=10) as client:
        async with client.stream("POST", f"{running.url}chat", json=HELLO) as response:
            async for line in response.aiter_lines():
                if "text-delta" in line:
                    break
        async with asyncio.timeout(3):
            while (await client.get(f"{running.url}readyz")).json()["streams"]:
                pass
    _, lines = running.end()
    (line,) = [line for line in lines if line["event"] == "answer"]
    assert line["end"] == "client-closed"
    assert line["ms"] < 5_000


async def test_shutdown_ends_open_streams_with_an_error_the_client_can_show(
    start: Start, tmp_path: Path
) -> None:
    running = start(MODEL=script(tmp_path, {"do": [{"text": "a"}, {"delay": 60}]}), GRACE="0.4")
    text = ""
    async with (
        httpx.AsyncClient(timeout=10) as client,
        client.stream("POST", f"{running.url}chat", json=HELLO) as response,
    ):
        async for line in response.aiter_lines():
            text += line
            if "text-delta" in line:
                running.process.send_signal(signal.SIGTERM)
    assert "The server is restarting" in text
    assert text.endswith("data: [DONE]")
    code, lines = running.end()
    assert code in (0, -signal.SIGTERM)
    assert [line["end"] for line in lines if line["event"] == "answer"] == ["shutdown"]
    assert not [line for line in lines if "trace" in line]


async def test_shutdown_lets_a_stream_finish_within_the_grace_time(
    start: Start, tmp_path: Path
) -> None:
    model = script(tmp_path, {"do": [{"text": "a"}, {"delay": 0.6}, {"text": "the end"}]})
    running = start(MODEL=model, GRACE="10")
    text = ""
    async with (
        httpx.AsyncClient(timeout=10) as client,
        client.stream("POST", f"{running.url}chat", json=HELLO) as response,
    ):
        async for line in response.aiter_lines():
            text += line
            if '"delta":"a"' in line:
                running.process.send_signal(signal.SIGTERM)
    assert "the end" in text
    _, lines = running.end()
    assert [line["end"] for line in lines if line["event"] == "answer"] == ["done"]


async def test_a_script_may_cut_the_connection(start: Start, tmp_path: Path) -> None:
    running = start(MODEL=script(tmp_path, {"do": [{"text": "half"}, {"cut": True}]}))
    seen: list[str] = []

    async def read(response: httpx.Response) -> None:
        async for line in response.aiter_lines():
            seen.append(line)

    async with (
        httpx.AsyncClient(timeout=10) as client,
        client.stream("POST", f"{running.url}chat", json=HELLO) as response,
    ):
        with pytest.raises(httpx.RemoteProtocolError):
            await read(response)
    assert "half" in "".join(seen)
    assert "finish" not in "".join(seen)


SOCKETS = Path("/proc/self/fd")


@pytest.mark.skipif(not SOCKETS.exists(), reason="sockets are counted where /proc is")
@pytest.mark.parametrize("accept", ["*/*", "text/event-stream;resumable=1"])
def test_a_client_that_never_reads_keeps_no_socket(
    start: Start, tmp_path: Path, accept: str
) -> None:
    long = script(tmp_path, {"do": [{"text": ["x" * 200_000] * 40}]})
    running = start(MODEL=long, IDLE_TIMEOUT="0.5", RESUME_SECONDS="0.1")
    before = sockets_of(running)
    body = json.dumps({"id": "chat-with-16-chars", **HELLO}).encode()
    head = f"host: 127.0.0.1\r\naccept: {accept}\r\ncontent-type: application/json"
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(("127.0.0.1", int(running.url.rsplit(":", 1)[1].strip("/"))))
        request = f"POST /chat HTTP/1.1\r\n{head}\r\ncontent-length: {len(body)}\r\n\r\n"
        client.sendall(request.encode() + body)
        assert client.recv(12) == b"HTTP/1.1 200"
        assert sockets_of(running) == before + 1
        ends = monotonic() + 20
        while sockets_of(running) > before and monotonic() < ends:
            sleep(0.05)
        assert sockets_of(running) == before
        code, _ = running.end()  # at once: nothing is waited for
    assert code in (0, -signal.SIGTERM)


def sockets_of(running: Running) -> int:
    found = 0
    for file in Path(f"/proc/{running.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            found += os.readlink(file).startswith("socket:")
    return found
