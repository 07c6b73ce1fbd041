"""A real AG-UI server: Pydantic AI's own adapter around an agent with a scripted model.

The script stands in the person's last words: steps divided by `;;`, in a step calls and words
divided by `&&`, as in `call NAME {"json": 1} && call OTHER {} ;; say done`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


class PydanticAi:
    """The application, and what its model was shown."""

    def __init__(self) -> None:
        self.seen: list[list[ModelMessage]] = []
        self.offered: list[list[str]] = []
        self.agent = Agent(
            FunctionModel(stream_function=self._play),
            output_type=[str, DeferredToolRequests],
        )
        self.agent.tool_plain(get_weather)
        self.agent.tool_plain(requires_approval=True)(delete_record)
        route = Route("/ag-ui", self._answer, methods=["POST"])
        cors = Middleware(
            CORSMiddleware, allow_origins=["*"], allow_methods=["*"], allow_headers=["*"]
        )
        self.app = Starlette(routes=[route], middleware=[cors])

    async def _answer(self, request: Request) -> Response:
        return await AGUIAdapter.dispatch_request(request, agent=self.agent)

    async def _play(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        self.seen.append(list(messages))
        self.offered.append(sorted(tool.name for tool in info.function_tools))
        words, since = _last_words(messages)
        steps = [step.strip() for step in words.split(";;")]
        for number, action in enumerate(steps[min(since, len(steps) - 1)].split("&&")):
            verb, _, rest = action.strip().partition(" ")
            if verb == "call":
                name, _, arguments = rest.partition(" ")
                call_id = f"{name}-{len(self.seen)}-{number}"
                yield {number: DeltaToolCall(name=name, tool_call_id=call_id)}
                for start in range(0, len(arguments), 9):
                    yield {number: DeltaToolCall(json_args=arguments[start : start + 9])}
            elif verb == "fail":
                raise RuntimeError(rest)
            else:
                for word in rest.split(" "):
                    yield f"{word} "


def get_weather(city: str) -> dict[str, Any]:
    """Weather of a city."""
    return {"city": city, "celsius": 21}


def delete_record(id: str) -> str:
    """Deletes a record."""
    return f"deleted {id}"


def _last_words(messages: list[ModelMessage]) -> tuple[str, int]:
    """What the person said last, and how often the model has answered since."""
    words, since = "", 0
    for message in messages:
        if isinstance(message, ModelResponse):
            since += 1
        elif isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, UserPromptPart):
                    words, since = str(part.content), 0
    return words, since
