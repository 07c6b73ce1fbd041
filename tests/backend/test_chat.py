from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from backend_fakes import JUMP, FakeModel, make_backend, text

HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "hello"}]}
JSON = {"content-type": "application/json"}


async def test_answers_with_the_streams_headers() -> None:
    answer = await make_backend(FakeModel(text("Hi"))).post(HELLO)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert answer.headers["cache-control"] == "no-cache, no-transform"
    assert answer.headers["x-accel-buffering"] == "no"
    assert answer.text == "Hi"
    assert answer.events[-1] == "[DONE]"


@pytest.mark.parametrize(
    "body",
    [
        {**HELLO, "clientTools": {"open": JUMP}},
        {**HELLO, "tools": {"open": {"description": "d", "parameters": JUMP["inputSchema"]}}},
        {**HELLO, "tools": {"open": {"description": "d", "schema": JUMP["inputSchema"]}}},
        {
            **HELLO,
            "clientTools": {
                "open": {"description": "d", "inputSchema": {"jsonSchema": JUMP["inputSchema"]}}
            },
        },
        {**HELLO, "clientTools": {"open": JUMP}, "tools": None, "id": None, "extra": [1]},
    ],
)
async def test_every_form_of_a_declaration_reaches_the_model_alike(body: dict[str, Any]) -> None:
    model = FakeModel(text("Hi"))
    answer = await make_backend(model).post(body)
    assert answer.status == 200
    assert model.offered[0]["open"]["inputSchema"] == JUMP["inputSchema"]


@pytest.mark.parametrize(
    ("tools", "word"),
    [
        ({"../evil": {"description": "bad"}}, "tool name"),
        ({"x" * 64: JUMP}, "tool name"),
        ({"open": {**JUMP, "execute": "function..."}}, "execute"),
        ({"open": {"description": "d", "inputSchema": "not-object"}}, "JSON Schema object"),
        ({"open": {"description": 7, "inputSchema": {}}}, "description"),
        ({"open": {"description": "d" * 5_000, "inputSchema": {}}}, "description"),
        ({"open": "text"}, "open"),
        ([JUMP], "clientTools"),
        ({f"t{n}": JUMP for n in range(65)}, "64"),
        (
            {
                "open": {
                    "description": "d",
                    "inputSchema": {
                        "type": "object",
                        "properties": {f"p{n}": {} for n in range(300)},
                    },
                }
            },
            "open",
        ),
        ({"open": {"description": "d", "inputSchema": {"$ref": "https://x/y"}}}, "open"),
    ],
)
async def test_wrong_declarations_are_refused_before_the_model_is_asked(
    tools: Any, word: str
) -> None:
    model = FakeModel(text("Hi"))
    answer = await make_backend(model).post({**HELLO, "clientTools": tools})
    assert answer.status == 400
    assert word in answer.message
    assert list(answer.response.json()) == ["message"]
    assert model.seen == []


async def test_both_keys_at_once_have_their_fixed_text() -> None:
    answer = await make_backend().post({**HELLO, "clientTools": {}, "tools": {}})
    assert answer.status == 400
    assert answer.message == "clientTools and tools cannot be provided at the same time"


@pytest.mark.parametrize(
    "raw",
    [
        b"[]",
        b"7",
        b'"x"',
        b"null",
        b"{}",
        b'{"messages": {}}',
        b'{"messages": "hi"}',
        b'{"messages": [], "id": 1}',
        b'{"messages": [{"role": "user", "content": "x"}], "trigger": 7}',
    ],
)
async def test_other_bodies_are_refused(raw: bytes) -> None:
    answer = await make_backend().post(raw)
    assert answer.status == 400
    assert answer.message


async def test_a_refusal_never_shows_what_was_sent() -> None:
    bodies = [
        {"messages": [{"role": "SECRET", "content": "x"}]},
        {
            **HELLO,
            "clientTools": {"open": {"description": "d", "inputSchema": {"type": "SECRET" * 50}}},
        },
        {**HELLO, "clientTools": {"open": {"SECRET": 1, "execute": "SECRET"}}},
    ]
    for body in bodies:
        answer = await make_backend().post(body)
        assert answer.status == 400
        assert answer.message.count("SECRET") <= 4  # at most a short piece, to find the place
        assert len(answer.message) < 300


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "",
        "application/json; charset=utf-16",
    ],
)
async def test_415_for_what_is_not_json(content_type: str) -> None:
    answer = await make_backend().post(b"{}", headers={"content-type": content_type})
    assert answer.status == 415
    assert answer.message


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/json; charset=utf-8", 'APPLICATION/JSON;charset="UTF-8"'],
)
async def test_json_with_parameters_is_json(content_type: str) -> None:
    body = json.dumps(HELLO)
    answer = await make_backend(FakeModel(text("Hi"))).post(
        body, headers={"content-type": content_type}
    )
    assert answer.status == 200


async def test_415_for_a_compressed_body() -> None:
    answer = await make_backend().post(b"x", headers={"content-encoding": "gzip"})
    assert answer.status == 415


async def test_413_by_the_declared_length_and_by_counting() -> None:
    backend = make_backend(max_body=1_000)
    answer = await backend.post(b"x" * 1_001)
    assert (answer.status, "1,000" in answer.message) == (413, True)

    async def pieces() -> Any:
        for _ in range(3):
            yield b" " * 500

    response = await backend.client.post("/chat", content=pieces(), headers=JSON)
    assert response.status_code == 413


async def test_408_for_a_body_that_does_not_come() -> None:
    backend = make_backend(body_timeout=0.05)
    sent: list[Any] = []

    async def receive() -> Any:
        if not sent:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json"), (b"host", b"x")]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/chat",
        "headers": headers,
        "query_string": b"",
        "raw_path": b"/chat",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "server": ("x", 80),
        "client": ("127.0.0.1", 1),
    }
    async with asyncio.timeout(2):
        await backend.app(scope, receive, send)
    assert sent[0]["status"] == 408


async def test_other_methods() -> None:
    client = make_backend().client
    response = await client.get("/chat")
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert response.json()["message"]


async def test_an_origin_that_is_not_ours_is_refused_before_anything_runs() -> None:
    model = FakeModel(text("Hi"))
    backend = make_backend(model, allowed_origins=("https://shop.example", "http://127.0.0.1:*"))
    for origin in (
        "https://evil.example",
        "https://shop.example.evil.example",
        "null",
        "http://shop.example",
    ):
        answer = await backend.post(HELLO, headers={"origin": origin})
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers
    assert model.seen == []
    for origin in ("https://shop.example", "http://127.0.0.1:9000", "http://backend.test"):
        answer = await backend.post(HELLO, headers={"origin": origin})
        assert answer.status == 200
    answer = await backend.post(HELLO, headers={"origin": "https://shop.example"})
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"
    assert "x-vercel-ai-ui-message-stream" in answer.headers["access-control-expose-headers"]


async def test_a_star_alone_allows_every_origin() -> None:
    backend = make_backend(FakeModel(text("Hi")), allowed_origins=("*",))
    for origin in ("https://shop.example", "http://127.0.0.1:9000", "null"):
        answer = await backend.post(HELLO, headers={"origin": origin})
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == origin


async def test_refusals_carry_cors_headers_so_that_the_page_can_read_them() -> None:
    backend = make_backend(allowed_origins=("https://shop.example",))
    answer = await backend.post(b"{", headers={"origin": "https://shop.example"})
    assert answer.status == 400
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"


async def test_a_preflight_is_answered_for_listed_origins_only() -> None:
    client = make_backend(allowed_origins=("https://shop.example",)).client
    ask = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,authorization",
    }
    good = await client.options("/chat", headers={"origin": "https://shop.example", **ask})
    assert good.status_code == 200
    assert good.headers["access-control-allow-origin"] == "https://shop.example"
    bad = await client.options("/chat", headers={"origin": "https://evil.example", **ask})
    assert bad.status_code == 400
    assert "access-control-allow-origin" not in bad.headers


async def test_a_foreign_host_name_is_refused_where_hosts_are_listed() -> None:
    backend = make_backend(allowed_hosts=("127.0.0.1", "localhost", "*.localhost"))
    for host, status in (
        ("evil.example", 403),
        ("localhost:8000", 400),
        ("127.0.0.1", 400),
        ("a.localhost", 400),
        ("[::1]:80", 403),
    ):
        answer = await backend.post(b"{", headers={"host": host})
        assert answer.status == status, host


async def test_a_token_is_asked_for_and_compared() -> None:
    backend = make_backend(FakeModel(text("Hi")), auth_token="a long token")
    for given in (
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": "Basic a long token"},
        {"authorization": b"Bearer \xe9"},
    ):
        answer = await backend.post(HELLO, headers=given)
        assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    answer = await backend.post(HELLO, headers={"authorization": "bearer a long token"})
    assert answer.status == 200


async def test_429_with_retry_after_before_the_stream() -> None:
    backend = make_backend(FakeModel(text("Hi")), rate=60, burst=2)
    statuses = [(await backend.post(HELLO)).status for _ in range(3)]
    assert statuses == [200, 200, 429]
    answer = await backend.post(HELLO)
    assert 1 <= int(answer.headers["retry-after"]) <= 2
    assert answer.message


class Never:
    """A model that starts and then waits until it is closed."""

    name = "never"

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.closed = asyncio.Event()

    async def step(self, messages: Any, tools: Any) -> Any:
        try:
            yield text("Hm")[0]
            self.started.set()
            await asyncio.Event().wait()
        finally:
            self.closed.set()


async def test_too_many_open_streams_are_refused() -> None:
    model = Never()
    backend = make_backend(model, max_streams_per_client=1)
    first = asyncio.ensure_future(backend.post(HELLO))
    await asyncio.wait_for(model.started.wait(), 2)
    answer = await backend.post(HELLO)
    assert (answer.status, answer.headers["retry-after"]) == (429, "5")
    first.cancel()
    await asyncio.wait_for(model.closed.wait(), 2)


async def test_lone_surrogates_travel_as_replacement() -> None:
    body = b'{"messages": [{"role": "user", "content": "\\ud800 hello"}]}'
    answer = await make_backend().post(body)
    assert answer.status == 200
    assert "\\ud800" not in answer.response.text


async def test_a_fault_in_our_own_code_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("backend.chat.read_turn", broken)
    answer = await make_backend().post(HELLO)
    assert answer.status == 500
    assert "secret" not in answer.response.text
    assert "reference" in answer.message


async def test_a_continuation_keeps_the_messages_id() -> None:
    done = {
        "type": "tool-open",
        "toolCallId": "c1",
        "state": "output-available",
        "input": {},
        "output": 1,
    }
    messages = [HELLO["messages"][0], {"id": "a7", "role": "assistant", "parts": [done]}]
    answer = await make_backend(FakeModel(text("ok"))).post({"messages": messages})
    assert answer.chunks[0] == {"type": "start", "messageId": "a7"}
    del messages[1]["id"]
    answer = await make_backend(FakeModel(text("ok"))).post({"messages": messages})
    assert answer.chunks[0] == {"type": "start"}
    first = await make_backend(FakeModel(text("ok"))).post(HELLO)
    assert first.chunks[0]["messageId"].startswith("msg_")
