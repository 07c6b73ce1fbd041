"""Spans: which there are, what they count, and that nothing that was said is in them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest
from backend_fakes import JUMP, FakeModel, make_backend, text
from backend_process import Running
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from slow_answers import CHAT, Held, Server
from test_logs import Lines

from backend.app import create_app
from backend.logs import LOGGER
from backend.server_tools import ServerTool
from backend.settings import Settings, SettingsError
from pagehand.wire.chunks import Chunk, Finish, ToolInputAvailable

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}


@pytest.fixture(scope="session")
def provider() -> TracerProvider:
    made = TracerProvider()
    trace.set_tracer_provider(made)
    return made


@pytest.fixture
def spans(provider: TracerProvider) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    processor = SimpleSpanProcessor(exporter)
    provider.add_span_processor(processor)
    yield exporter
    processor.shutdown()


def by_name(spans: InMemorySpanExporter) -> dict[str, list[ReadableSpan]]:
    found: dict[str, list[ReadableSpan]] = {}
    for span in spans.get_finished_spans():
        found.setdefault(span.name, []).append(span)
    return found


def call(tool: str, call_id: str, **arguments: Any) -> list[Chunk]:
    finish = Finish("tool-calls", {"usage": {"input": 10, "output": 2}})
    return [ToolInputAvailable(call_id, tool, arguments), finish]


async def test_a_span_for_the_request_the_answer_and_each_step(
    spans: InMemorySpanExporter,
) -> None:
    seen: list[str] = []

    async def stock(sku: str) -> dict[str, Any]:
        seen.append(trace.get_current_span().name)  # type: ignore[attr-defined]
        return {"left": sku}

    tool = ServerTool("stock", "d", {"type": "object"}, stock)
    last: list[Chunk] = [*text("the answer")[:-1], Finish("stop", {"usage": {"input": 20}})]
    model = FakeModel(call("stock", "call-one", sku="secret"), last)
    backend = make_backend(model, server_tools=[tool], telemetry="otel")
    message = {"role": "user", "content": "the question"}
    await backend.post(
        {"messages": [message], "clientTools": {"open": JUMP}}, headers={**PARENT, "x-key": "k"}
    )
    found = by_name(spans)
    (request,), (answer,) = found["POST /chat"], found["invoke_agent fake"]
    first, second = found["chat fake"]
    assert request.kind is trace.SpanKind.SERVER
    assert f"{request.context.trace_id:032x}" == TRACE
    assert f"{request.parent.span_id:016x}" == "b7ad6b7169203331"
    assert request.attributes["http.response.status_code"] == 200
    assert answer.parent == request.context
    assert [step.parent for step in (first, second)] == [answer.context, answer.context]
    assert answer.attributes["pagehand.end"] == "done"
    assert answer.attributes["pagehand.tools.offered"] == 1
    assert answer.attributes["pagehand.tool_calls"] == 1
    assert [s.attributes["pagehand.tool_calls"] for s in (first, second)] == [1, 0]
    assert [s.attributes["gen_ai.usage.input_tokens"] for s in (first, second)] == [10, 20]
    assert answer.attributes["gen_ai.usage.input_tokens"] == 30
    assert seen == ["chat fake"]
    told = "".join(span.to_json() for span in spans.get_finished_spans())
    for word in ("question", "the answer", "secret", "call-one", '"k"'):
        assert word not in told


async def test_the_log_line_finds_the_trace(spans: InMemorySpanExporter) -> None:
    lines = Lines()
    LOGGER.addHandler(lines)
    LOGGER.setLevel("INFO")
    try:
        await make_backend(FakeModel(text("x")), telemetry="otel").say("hi")
    finally:
        LOGGER.removeHandler(lines)
        LOGGER.setLevel("NOTSET")
    (answer,) = by_name(spans)["invoke_agent fake"]
    assert f'"trace_id":"{answer.context.trace_id:032x}"' in lines.texts[0]
    assert answer.attributes["pagehand.request"] in lines.texts[0]


async def test_what_failed_is_marked(spans: InMemorySpanExporter) -> None:
    await make_backend(FakeModel(RuntimeError("the cause")), telemetry="otel").say("hi")
    (answer,) = by_name(spans)["invoke_agent fake"]
    assert answer.attributes["pagehand.end"] == "error"
    assert answer.status.status_code is trace.StatusCode.ERROR
    assert "the cause" not in answer.to_json()
    assert len(by_name(spans)["chat fake"]) == 1


async def test_a_refusal_is_a_request_without_an_answer(spans: InMemorySpanExporter) -> None:
    await make_backend(FakeModel(text("x")), telemetry="otel").post({"messages": []})
    (span,) = spans.get_finished_spans()
    assert (span.name, span.attributes["http.response.status_code"]) == ("POST /chat", 400)


async def test_an_answer_may_outlast_its_request(spans: InMemorySpanExporter) -> None:
    server = Server(Held(), telemetry="otel")
    first = server.post()
    server.agent.say("one")
    await first.has("one")
    await first.leave()
    assert list(by_name(spans)) == ["POST /chat"]
    second = await server.get()
    server.agent.say(None)
    await second.over()
    await server.quiet()
    found = by_name(spans)
    assert found["invoke_agent held"][0].parent == found["POST /chat"][0].context
    assert len(found["GET /chat/{chat_id}/stream"]) == 1
    assert not [name for name in found if CHAT in name]
    assert CHAT not in "".join(span.to_json() for span in spans.get_finished_spans())


async def test_many_at_once_keep_apart(spans: InMemorySpanExporter) -> None:
    backend = make_backend(FakeModel(text("x")), telemetry="otel")
    await asyncio.gather(*(backend.say("hi") for _ in range(20)))
    found = by_name(spans)
    answers = {span.context.span_id: span.parent.span_id for span in found["invoke_agent fake"]}
    assert set(answers.values()) == {span.context.span_id for span in found["POST /chat"]}
    assert {span.parent.span_id for span in found["chat fake"]} == set(answers)


async def test_none_without_the_setting(spans: InMemorySpanExporter) -> None:
    await make_backend(FakeModel(text("x"))).say("hi")
    assert spans.get_finished_spans() == ()


def test_missing_packages_stop_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(SettingsError, match=r"pip install -e '.\[otel\]'"):
        create_app(Settings(telemetry="otel"))


class Collector(HTTPServer):
    """Takes what is exported."""

    def __init__(self) -> None:
        self.bodies: list[tuple[str, bytes]] = []
        super().__init__(("127.0.0.1", 0), _Take)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Take(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.bodies.append((self.path, body))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_the_program_sends_them_to_a_collector(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with Collector() as collector:
        address = f"http://127.0.0.1:{collector.server_port}"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        monkeypatch.setenv("OTEL_SERVICE_NAME", "a-shop")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        running: Running = start(TELEMETRY="otel", DEMO_DELAY="0")
        body = {"messages": [{"role": "user", "content": "the question"}]}
        assert httpx.post(f"{running.url}chat", json=body).status_code == 200
        running.end()
        collector.shutdown()
    sent = b"".join(body for _, body in collector.bodies)
    assert [path for path, _ in collector.bodies] == ["/v1/traces"]
    for name in (b"a-shop", b"POST /chat", b"invoke_agent demo", b"chat demo"):
        assert name in sent
    assert b"the question" not in sent
