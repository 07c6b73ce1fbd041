"""Real providers through Pydantic AI's `direct` requests: one call of the model, streamed.

Its agent and its adapters are not used: they cost twenty times as much and refuse what our
reader takes. Needs the extra `providers`; imported only when such a model is configured.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator

from pydantic_ai import exceptions
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model as ProviderModel
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from backend.history import Message
from backend.models.convert import metadata_of, to_messages
from backend.models.port import Declaration, ModelError
from pagehand.wire.chunks import (
    Chunk,
    Finish,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    TextDelta,
    TextEnd,
    TextStart,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
)
from pagehand.wire.jsontext import dumps

_REASONS = {"tool_call": "tool-calls", "content_filter": "content-filter"}
_FAULTS: tuple[tuple[type[Exception], str], ...] = (
    (exceptions.ModelRateLimitError, "The model is busy. Try again in a moment."),
    (exceptions.ModelQuotaExceededError, "The model's quota is used up."),
    (exceptions.ModelOverloadedError, "The model is busy. Try again in a moment."),
    (exceptions.ModelUnavailableError, "The model is busy. Try again in a moment."),
    (exceptions.ModelAuthenticationError, "The model did not let the server in."),
    (exceptions.ModelNotFoundError, "The model is not known to its provider."),
    (exceptions.ModelContextWindowExceededError, "The conversation is too long for the model."),
    (exceptions.ContentFilterError, "The model's provider held the answer back."),
    (exceptions.ModelTimeoutError, "The model did not answer in time."),
    (exceptions.ModelRequestTimeout, "The model did not answer in time."),
    (exceptions.ModelConnectionError, "The model cannot be reached."),
    (exceptions.ModelServerError, "The model's server failed. Try again in a moment."),
    (exceptions.UnexpectedModelBehavior, "The model's answer could not be used. Try again."),
)


class DirectModel:
    """One model of a provider.

    Args:
        name: As in the settings, for the log.
        model: Pydantic AI's model.
        instructions: The system prompt.
        remote_files: Whether the provider fetches https addresses of images itself.
    """

    def __init__(
        self, name: str, model: ProviderModel, instructions: str = "", *, remote_files: bool = False
    ) -> None:
        self.name = name
        self._model = model
        self._instructions = instructions
        self._remote_files = remote_files

    async def aclose(self) -> None:
        """Close the connections to the provider."""
        async with self._model:
            pass  # leaving it is what closes them

    async def step(
        self, messages: list[Message], tools: dict[str, Declaration]
    ) -> AsyncGenerator[Chunk]:
        """One step."""
        history = to_messages(
            messages,
            self._instructions,
            provider=self._model.system,
            remote_files=self._remote_files,
        )
        parameters = ModelRequestParameters(
            function_tools=[
                ToolDefinition(
                    name=name,
                    description=tool["description"],
                    parameters_json_schema=tool["inputSchema"],
                    strict=False,  # strict would rewrite the schema the page declared
                )
                for name, tool in tools.items()
            ]
        )
        events = Events(self._model.system)
        try:
            async with model_request_stream(
                self._model, history, model_request_parameters=parameters
            ) as stream:
                async for event in stream:
                    for chunk in events.take(event):
                        yield chunk
                for chunk in events.end(stream.get()):
                    yield chunk
        except Exception as error:
            raise explained(error) from error


class Events:
    """Turns a provider's events into chunks.

    Args:
        provider: Whose signature stands under reasoning.
        hidden: Says which tools' calls are nobody's business.
    """

    def __init__(self, provider: str, hidden: Callable[[str], bool] = lambda _: False) -> None:
        self._provider = provider
        self._hidden = hidden
        self._unseen: set[str] = set()
        self._announced: set[str] = set()

    @property
    def hides(self) -> bool:
        """Whether a call came that nobody sees."""
        return bool(self._unseen)

    def take(self, event: ModelResponseStreamEvent) -> Iterator[Chunk]:
        """The chunks of an event."""
        key = str(getattr(event, "index", ""))
        if isinstance(event, PartStartEvent):
            yield from self._start(key, event.part)
        elif isinstance(event, PartDeltaEvent):
            yield from self._delta(key, event)
        elif isinstance(event, PartEndEvent):
            yield from self._end(key, event.part)

    def end(self, response: ModelResponse) -> Iterator[Chunk]:
        """What is left when the stream has ended: calls nobody closed, and the finish."""
        for index, part in enumerate(response.parts):
            if isinstance(part, ToolCallPart):
                yield from self._end(str(index), part)
        usage = {
            "input": response.usage.input_tokens or 0,
            "output": response.usage.output_tokens or 0,
        }
        reason = response.finish_reason or ("tool_call" if self._announced else "stop")
        yield Finish(_REASONS.get(reason, reason), {"usage": usage})

    def _start(self, key: str, part: object) -> Iterator[Chunk]:
        if isinstance(part, TextPart):
            yield TextStart(key)
            if part.content:
                yield TextDelta(key, part.content)
        elif isinstance(part, ThinkingPart):
            yield ReasoningStart(key)
            if part.content:
                yield ReasoningDelta(key, part.content)
        elif isinstance(part, ToolCallPart) and self._hidden(part.tool_name):
            self._unseen.add(part.tool_call_id)
        elif isinstance(part, ToolCallPart):
            yield ToolInputStart(part.tool_call_id, part.tool_name)
            if part.args:
                text = part.args if isinstance(part.args, str) else dumps(part.args)
                yield ToolInputDelta(part.tool_call_id, text)

    def _delta(self, key: str, event: PartDeltaEvent) -> Iterator[Chunk]:
        delta = event.delta
        if isinstance(delta, TextPartDelta):
            yield TextDelta(key, delta.content_delta)
        elif isinstance(delta, ThinkingPartDelta) and delta.content_delta:
            yield ReasoningDelta(key, delta.content_delta)
        elif isinstance(delta, ToolCallPartDelta) and delta.args_delta and delta.tool_call_id:
            text, call_id = delta.args_delta, delta.tool_call_id
            if call_id not in self._unseen:
                yield ToolInputDelta(call_id, text if isinstance(text, str) else dumps(text))

    def _end(self, key: str, part: object) -> Iterator[Chunk]:
        if isinstance(part, TextPart):
            yield TextEnd(key)
        elif isinstance(part, ThinkingPart):
            yield ReasoningEnd(key, metadata_of(part, self._provider))
        elif isinstance(part, ToolCallPart) and not (
            key in self._announced or self._hidden(part.tool_name)
        ):
            self._announced.add(key)  # not its id: two calls may come with the same
            arguments = {} if part.args in (None, "") else part.args
            yield ToolInputAvailable(part.tool_call_id, part.tool_name, arguments)


def explained(error: Exception) -> Exception:
    """A sentence for what is known; anything else stays as it is and will be masked."""
    for kind, text in _FAULTS:
        if isinstance(error, kind):
            return ModelError(text)
    status = getattr(error, "status_code", None)
    if status in (429, 529):
        return ModelError("The model is busy. Try again in a moment.")
    if status in (401, 403):
        return ModelError("The model did not let the server in.")
    return error
