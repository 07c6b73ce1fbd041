"""Bodies nobody sent on purpose: every one is answered with 200 or 4xx, soon and in little memory.

`FUZZ_BODIES=20000 pytest tests/backend/test_fuzz.py` tries that many and also holds every
single one to 50 ms and 20 MB; `--log-cli-level=WARNING` says how long the worst took.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import tracemalloc
from pathlib import Path
from time import process_time
from typing import Any

import httpx
from backend_fakes import Backend, make_backend

COUNT = int(os.environ.get("FUZZ_BODIES", "400"))
LONG = COUNT > 1_000
LOG = logging.getLogger(__name__)
DATA = Path(__file__).parents[1] / "data"


def words(*lines: str) -> list[str]:
    return [word for line in lines for word in line.split()]


KEYS = words(
    "id role parts content type text toolCallId toolName input output state errorText args result",
    "toolInvocation toolInvocations tool_calls tool_call_id function name arguments approval value",
    "isError approved url mediaType data image reason clientTools tools description inputSchema",
    "parameters jsonSchema properties items required enum $ref $defs anyOf createdAt execute",
    "schema additionalProperties messages trigger messageId metadata __proto__ constructor",
)
TYPES = words(
    "text reasoning file image step-start tool-open dynamic-tool tool-call tool-result tool- tool",
    "tool-invocation source-url data-x custom steering-message reasoning-file",
)
STATES = words(
    "input-streaming input-available output-available output-error output-denied result call",
    "approval-requested approval-responded",
)
ROLES = ["user", "assistant", "system", "tool", "developer", "data", "", "USER"]
SCALARS = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    1e308,
    2**63,
    10**30,
    "",
    "x",
    "open https://example.com",
    "\ud800",
    "\u0000",
    "中文",
    "a" * 300,
    "#/$defs/a",
    "object",
    "[[[[",
    "{}",
    '{"url": "x"}',
    "\u2028",
)


class Grammar:
    """Writes bodies that look right in most places and wrong in some."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, depth: int = 0) -> Any:
        pick = self.random.random()
        if depth > 5 or pick < 0.55:
            return self.random.choice(SCALARS)
        if pick < 0.75:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        return {
            self.random.choice(KEYS): self.value(depth + 1) for _ in range(self.random.randrange(5))
        }

    def maybe(self, value: Any) -> Any:
        return self.value() if self.random.random() < 0.08 else value

    def part(self) -> Any:
        choose = self.random.choice
        part: dict[str, Any] = {"type": choose(TYPES)}
        for key, values in (
            ("text", SCALARS),
            ("toolCallId", ("c1", "c2", "", 7)),
            ("toolName", ("open", "x.y", 1)),
            ("state", STATES),
            ("input", ({"url": "x"}, None, [1], "text")),
            ("output", SCALARS),
            ("args", ({}, '{"a": 1}', '{"a')),
            ("result", SCALARS),
            ("errorText", ("no", None, 7)),
            ("approval", ({"id": "c1.9.x", "approved": True}, {"id": 7}, None)),
            ("url", ("https://x/y.png", "data:,", "x")),
            ("mediaType", ("image/png", None)),
            ("parts", ([{"type": "text", "text": "s"}], 7)),
            (
                "toolInvocation",
                ({"state": "result", "toolCallId": "c3", "toolName": "t", "result": 1}, 7),
            ),
        ):
            if self.random.random() < 0.4:
                part[key] = self.maybe(choose(values))
        return self.maybe(part)

    def message(self) -> Any:
        message: dict[str, Any] = {"role": self.random.choice(ROLES)}
        if self.random.random() < 0.5:
            message["id"] = self.maybe(self.random.choice(("m1", "m2", "")))
        parts = [self.part() for _ in range(self.random.randrange(5))]
        key = self.random.choice(("parts", "parts", "content", "tool_calls", "toolInvocations"))
        message[key] = self.maybe(parts)
        if self.random.random() < 0.3:
            message["content"] = self.maybe("open https://example.com")
        return self.maybe(message)

    def schema(self, depth: int = 0) -> Any:
        schema: dict[str, Any] = {
            "type": self.maybe(self.random.choice(("object", "string", "array")))
        }
        if depth < 4 and self.random.random() < 0.7:
            schema["properties"] = {f"p{n}": self.schema(depth + 1) for n in range(3)}
        if self.random.random() < 0.2:
            schema["$ref"] = "#/$defs/a"
            schema["$defs"] = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}
        if self.random.random() < 0.3:
            schema[self.random.choice(KEYS)] = self.value()
        return self.maybe(schema)

    def tools(self) -> Any:
        names = ("open", "scroll_to", "a-b", "1x", "../evil", "中", "constructor", "x" * 64)
        tools = {}
        for name in self.random.sample(names, self.random.randrange(4)):
            key = self.random.choice(("inputSchema", "parameters", "schema"))
            tools[name] = self.maybe({"description": self.maybe("Opens it."), key: self.schema()})
        return self.maybe(tools)

    def body(self) -> bytes:
        body: dict[str, Any] = {
            "messages": self.maybe([self.message() for _ in range(self.random.randrange(1, 5))])
        }
        if self.random.random() < 0.6:
            body[self.random.choice(("clientTools", "tools"))] = self.tools()
        if self.random.random() < 0.3:
            body[self.random.choice(KEYS)] = self.value()
        text = json.dumps(body)
        return self.spoiled(text.encode()) if self.random.random() < 0.15 else text.encode()

    def large(self) -> bytes:
        """A body near one of the limits: many parts, wide results, long texts, many tools."""
        size, random = self.random.randrange(1_000, 40_000), self.random
        rows: Any = random.choice(
            ([1] * size, [{"a": 1}] * (size // 2), "a" * size * 5, "中" * size, {"b": [[]] * size})
        )
        call = {"type": "tool-open", "state": random.choice(STATES), "input": {"url": "x"}}
        raw_input = random.choice(("[" * size, '{"a":' * size, "9" * size, "[[]]" * (size // 4)))
        part = random.choice(
            (
                {**call, "output": rows},
                {**call, "errorText": rows},
                {**call, "input": None, "rawInput": raw_input},
                {**call, "approval": {"id": "c1.9.x", "approved": True}},
                {"type": "text", "text": "open it " * (size // 8)},
            )
        )
        times = max(1, min(1_900, 900_000 // len(json.dumps(part, ensure_ascii=False).encode())))
        parts = [{**part, "toolCallId": f"c{n}"} for n in range(random.randrange(1, times + 1))]
        messages = [
            {"role": "user", "content": "open https://example.com"},
            {"role": "assistant", "parts": parts},
        ]
        tools = {f"t{n}": {"inputSchema": self.schema()} for n in range(random.randrange(70))}
        body = {"messages": messages, "clientTools": tools if random.random() < 0.3 else {}}
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")

    def spoiled(self, raw: bytes) -> bytes:
        """With a piece cut, doubled, or replaced."""
        start = self.random.randrange(len(raw))
        end = min(len(raw), start + self.random.randrange(1, 40))
        middle = self.random.choice(
            (b"", raw[start:end] * 2, b"\xff", b"1e999", b"NaN", b"[" * 300, b"\\ud800")
        )
        return raw[:start] + middle + raw[end:]


def recorded() -> list[bytes]:
    """The bodies that real clients sent."""
    bodies = []
    for file in sorted(DATA.glob("*/*.request.json")):
        record = json.loads(file.read_text("utf-8"))
        body = record.get("body", record) if isinstance(record, dict) else record
        bodies.append(body.encode() if isinstance(body, str) else json.dumps(body).encode())
    return bodies


def bodies(count: int) -> list[bytes]:
    grammar = Grammar(20_261_129)
    real = recorded()
    found = [*real]
    while len(found) < count:
        found.append(grammar.large() if grammar.random.random() < 0.01 else grammar.body())
        if real and grammar.random.random() < 0.3:
            found.append(grammar.spoiled(grammar.random.choice(real)))
    return found[: max(count, len(real))]


async def ask(backend: Backend, raw: bytes) -> httpx.Response:
    return await backend.client.post(
        "/chat", content=raw, headers={"content-type": "application/json"}
    )


async def test_every_body_gets_200_or_4xx() -> None:
    backend = make_backend()
    statuses: dict[int, int] = {}
    for raw in bodies(COUNT):
        response = await ask(backend, raw)
        statuses[response.status_code] = statuses.get(response.status_code, 0) + 1
        assert response.status_code == 200 or 400 <= response.status_code < 500, raw
        if response.status_code == 200:
            assert response.content.endswith(b"data: [DONE]\n\n"), raw
            assert b"Something went wrong" not in response.content, raw
        else:
            assert list(response.json()) == ["message"], raw
            assert len(response.content) < 500, raw
    assert statuses[200] > COUNT / 20
    assert statuses[400] > COUNT / 20


async def test_no_body_takes_long_or_much() -> None:
    backend = make_backend()
    await ask(backend, b'{"messages": [{"role": "user", "content": "hello"}]}')
    probe = Probe()
    longest = most = 0.0
    for raw in bodies(COUNT if LONG else 40):
        seconds = min([await timed(backend, raw) for _ in range(2)])
        if seconds > 0.03:
            seconds = min([await undisturbed(backend, raw, probe) for _ in range(8)])
        tracemalloc.start()
        await ask(backend, raw)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20_000_000, raw
        assert seconds < (0.05 if LONG else 1.0), raw
        longest, most = max(longest, seconds), max(most, peak)
        await asyncio.sleep(0)
    LOG.warning("The worst body took %.1f ms and %.1f MB.", longest * 1e3, most / 1e6)


async def timed(backend: Backend, raw: bytes) -> float:
    """Seconds of this process's time."""
    started = process_time()
    await ask(backend, raw)
    return process_time() - started


class Probe:
    """Always the same work: how slow others make this machine at the moment."""

    def __init__(self) -> None:
        self._best = float("inf")
        for _ in range(50):
            self.slowness()

    def slowness(self) -> float:
        """How many times as long as at best it takes now."""
        started = process_time()
        found = [{"key": str(n), "list": [n]} for n in range(5_000)]
        seconds = process_time() - started
        assert len(found) == 5_000
        self._best = min(self._best, seconds)
        return seconds / self._best


async def undisturbed(backend: Backend, raw: bytes, probe: Probe) -> float:
    """Seconds of this process's time, as if nobody else used the machine."""
    before = probe.slowness()
    seconds = await timed(backend, raw)
    return seconds / max(1.0, (before + probe.slowness()) / 2)
