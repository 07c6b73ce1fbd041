"""A page in AG-UI, with a Pydantic AI agent behind it.

From the repository's folder, once `make run` has set everything up:

    .venv/bin/pip install "pydantic-ai-slim[openai]" ag-ui-protocol
    OPENAI_API_KEY=... .venv/bin/python examples/ag_ui/server.py

Without a key a model of a few lines answers: it looks at the page and tells its first words.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import uvicorn
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelMessage, ToolReturnPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


async def look_and_tell(
    messages: list[ModelMessage], info: AgentInfo
) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
    """Calls the page's `read_page`, then says what it gave."""
    results = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
    if results:
        yield "The page says: "
        yield json.dumps(results[0].content, ensure_ascii=False)[:300]
    else:
        yield {0: DeltaToolCall(name="read_page", json_args="{}", tool_call_id=os.urandom(8).hex())}


def chosen_model() -> Model | str:
    """A real model if there is a key for it."""
    if os.environ.get("OPENAI_API_KEY"):
        return "openai:gpt-4o-mini"
    return FunctionModel(stream_function=look_and_tell)


agent = Agent(chosen_model(), output_type=[str, DeferredToolRequests])


@agent.tool_plain
def office_hours(city: str) -> str:
    """When the office in a city is open. This tool runs here, not in the page."""
    return f"The office in {city} is open from 9 to 17."


async def answer(request: Request) -> Response:
    """One run: the page's tools come with the request."""
    return await AGUIAdapter.dispatch_request(request, agent=agent)


async def page(_: Request) -> Response:
    """The page with the assistant in it."""
    return FileResponse(HERE / "index.html")


app = Starlette(
    routes=[
        Route("/", page),
        Route("/ag-ui", answer, methods=["POST"]),
        Mount("/static", StaticFiles(directory=ROOT / "static")),
    ]
)

if __name__ == "__main__":
    print("http://127.0.0.1:8001/")
    uvicorn.run(app, port=8001, log_level="warning")
