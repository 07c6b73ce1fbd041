"""OpenTelemetry spans, when the setting `telemetry` is `otel`. What was said is not in them.

    POST /chat                      one for each request; its parent comes from `traceparent`
      invoke_agent MODEL            one for each answer; may outlast its request
        chat MODEL                  one for each step of the model, current while it works

They carry the model's name, how it ended, counts of messages, tools and calls, tokens, and
the id that the log line of the answer has. Names follow OpenTelemetry's `gen_ai` conventions.

An application that mounts the routes has its own tracer provider, and that one is used.
`python -m backend` makes one that sends to `OTEL_EXPORTER_OTLP_ENDPOINT` (see `configure`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from backend.models.port import Turn
from backend.settings import Settings, SettingsError
from pagehand.wire.chunks import Chunk, FinishStep, StartStep, ToolInputAvailable, ToolInputError

if TYPE_CHECKING:
    from contextvars import Token

    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer
    from starlette.requests import Request
    from starlette.responses import Response

_FAILED = ("error", "idle", "limit")


def check(settings: Settings) -> None:
    """Raise SettingsError when spans are wanted and the packages are missing."""
    if settings.telemetry:
        try:
            import opentelemetry.sdk.trace  # noqa: F401
        except ImportError as error:
            raise SettingsError(
                "PAGEHAND_TELEMETRY needs more packages: pip install -e '.[otel]'."
            ) from error


def configure(settings: Settings) -> None:
    """Send spans by OTLP, as OpenTelemetry's own `OTEL_*` variables say."""
    if not settings.telemetry:
        return
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = Resource({"service.name": "pagehand"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=named)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def close(settings: Settings) -> None:
    """Send what is left; may take seconds."""
    if settings.telemetry:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider

        provider = trace.get_tracer_provider()
        if isinstance(provider, TracerProvider):
            provider.shutdown()


@contextmanager
def request_span(settings: Settings, request: Request) -> Iterator[RequestSpan | None]:
    """A span around a request, current meanwhile; None when none is wanted."""
    if not settings.telemetry:
        yield None
        return
    from opentelemetry import propagate, trace

    inner = trace.get_current_span().get_span_context().is_valid
    parent = None if inner else propagate.extract(dict(request.headers))
    route = request.scope["path"]
    for name, value in request.path_params.items():
        route = route.replace(value, f"{{{name}}}")  # a chat's id is a secret of its owner
    with _tracer().start_as_current_span(
        f"{request.method} {route}",
        parent,
        trace.SpanKind.INTERNAL if inner else trace.SpanKind.SERVER,
        {"http.request.method": request.method, "http.route": route},
    ) as span:
        yield RequestSpan(span)


class RequestSpan:
    """The span of a request."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def answered(self, answer: Response | object) -> None:
        """Note the status."""
        self._span.set_attribute("http.response.status_code", getattr(answer, "status_code", 200))


class AnswerSpan:
    """The span of an answer, and those of its steps.

    Args:
        model: The model's name.
        turn: What was asked: only counted.
        request: The id in the log line.
    """

    def __init__(self, model: str, turn: Turn, request: str) -> None:
        self._model = model
        self._turn = turn
        self._step: Span | None = None
        self._calls = 0
        self._before: dict[str, int] = {}
        self._tokens: list[Token[Context]] = []
        self._span = _tracer().start_span(
            f"invoke_agent {model}",
            attributes={
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.request.model": model,
                "pagehand.request": request,
                "pagehand.messages": len(turn.history.messages),
                "pagehand.tools.offered": len(turn.tools),
            },
        )

    @property
    def trace_id(self) -> str:
        """The trace, for the log."""
        return f"{self._span.get_span_context().trace_id:032x}"

    def begin(self) -> None:
        """Make it the current span of this task."""
        self._enter(self._span)

    def saw(self, chunk: Chunk) -> None:
        """Follow the answer: borders of steps, and calls."""
        if isinstance(chunk, StartStep):
            self._end_step()
            self._before = dict(self._turn.usage)
            self._step = _tracer().start_span(
                f"chat {self._model}",
                attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": self._model},
            )
            self._enter(self._step)
        elif isinstance(chunk, FinishStep):
            self._end_step()
        elif isinstance(chunk, ToolInputAvailable | ToolInputError):
            self._calls += 1

    def finish(self, end: str, calls: int) -> None:
        """End what is open; call it in the task that began."""
        from opentelemetry.trace import StatusCode

        self._end_step()
        span = self._span
        span.set_attribute("pagehand.end", end)
        span.set_attribute("pagehand.tool_calls", calls)
        _count_tokens(span, self._turn.usage, {})
        if end in _FAILED:
            span.set_status(StatusCode.ERROR)
        while self._tokens:
            self._leave()
        span.end()

    def _end_step(self) -> None:
        if self._step is None:
            return
        self._step.set_attribute("pagehand.tool_calls", self._calls)
        _count_tokens(self._step, self._turn.usage, self._before)
        self._step.end()
        self._step, self._calls = None, 0
        self._leave()

    def _enter(self, span: Span) -> None:
        from opentelemetry import context, trace

        self._tokens.append(context.attach(trace.set_span_in_context(span)))

    def _leave(self) -> None:
        from opentelemetry import context

        context.detach(self._tokens.pop())


def answer_span(settings: Settings, model: str, turn: Turn, request: str) -> AnswerSpan | None:
    """The span of an answer; None when none is wanted."""
    return AnswerSpan(model, turn, request) if settings.telemetry else None


def _tracer() -> Tracer:
    from opentelemetry import trace

    return trace.get_tracer("pagehand.backend")


def _count_tokens(span: Span, usage: dict[str, Any], before: dict[str, int]) -> None:
    for key in ("input", "output"):
        if key in usage:
            span.set_attribute(f"gen_ai.usage.{key}_tokens", usage[key] - before.get(key, 0))
