"""The real chat clients of AI SDK 5, 6 and 7 against our backend, over HTTP."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from starlette.applications import Starlette

from backend.agent import ModelAgent
from backend.app import create_app
from backend.approvals import Approvals
from backend.history import Message
from backend.models.port import Declaration, ModelError
from backend.models.pydantic_agent import PydanticAgent
from backend.server_tools import ServerTool, by_name
from backend.settings import Settings
from pagehand.wire.chunks import (
    Chunk,
    Finish,
    ReasoningDelta,
    TextDelta,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
)
from peers.ui_clients import Seen, Served, UiClients

pytestmark = pytest.mark.peer

VERSIONS = (5, 6, 7)
APPROVING = (6, 7)
SCHEMA = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
TOOLS = {
    name: {"description": "Of the page.", "inputSchema": SCHEMA} for name in ("open", "mark", "bad")
}
OUTPUTS = {"open": {"success": True}, "mark": None, "bad": {"error": "blocked by the browser"}}
SKU = {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}


class Script:
    """A model that plays one step after the other, and keeps what it was shown."""

    name = "script"

    def __init__(self, *steps: list[Chunk] | Exception) -> None:
        self.steps = list(steps)
        self.seen: list[list[Message]] = []
        self.stopped = 0

    async def step(
        self, messages: list[Message], tools: dict[str, Declaration]
    ) -> AsyncGenerator[Chunk]:
        self.seen.append(json.loads(json.dumps(messages)))
        step = self.steps[min(len(self.seen), len(self.steps)) - 1]
        if isinstance(step, Exception):
            raise step
        for chunk in step:
            yield chunk
        if not isinstance(step[-1], Finish):
            try:
                await asyncio.Event().wait()  # silent until the client goes
            finally:
                self.stopped += 1

    def wait_until_stopped(self) -> None:
        """Returns when the step that went silent was closed."""
        deadline = time.monotonic() + 20
        while not self.stopped:
            assert time.monotonic() < deadline, "the model still runs"
            time.sleep(0.005)

    def outcomes(self) -> list[dict[str, Any]]:
        """The calls of the last message that the model was shown."""
        return [p for p in self.seen[-1][-1]["parts"] if p["type"].startswith("tool-")]


def say(words: str) -> list[Chunk]:
    return [*(TextDelta("t", f"{word} ") for word in words.split(" ")), Finish("stop")]


def call(*calls: tuple[str, Any], first: int = 1) -> list[Chunk]:
    out: list[Chunk] = []
    for number, (name, value) in enumerate(calls, first):
        text = value if isinstance(value, str) else json.dumps(value)
        out += [ToolInputStart(f"c{number}", name), ToolInputDelta(f"c{number}", text)]
        out.append(ToolInputAvailable(f"c{number}", name, value))
    return [*out, Finish("tool-calls")]


class Stage:
    """One backend around a script, and a client of one version in front of it."""

    def __init__(self, clients: UiClients, served: Served) -> None:
        self._clients = clients
        self._served = served
        self.did: list[str] = []

    def __call__(self, version: int, script: Script, **options: Any) -> UiClients:
        def stock(sku: str) -> dict[str, Any]:
            self.did.append(sku)
            return {"sku": sku, "left": 3}

        server_tools = [
            ServerTool("stock", "Counts.", SKU, stock),
            ServerTool("sell", "Sells.", SKU, stock, needs_approval=True),
        ]
        settings = Settings(rate=0, site="", **options.pop("settings", {}))
        agent = ModelAgent(
            script, settings, server_tools=by_name(server_tools), approvals=Approvals()
        )
        return self.show(version, create_app(settings, agent=agent), **options)

    def show(self, version: int, app: Starlette, **options: Any) -> UiClients:
        """A new chat with an application."""
        self._served.app = app
        options = {"tools": TOOLS, "outputs": OUTPUTS, **options}
        self._clients.open(version, f"{self._served.url}/chat", **options)
        return self._clients


@pytest.fixture(scope="module")
def clients() -> Iterator[UiClients]:
    with UiClients() as process:
        yield process


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    server = Served()
    yield server
    server.close()


@pytest.fixture
def stage(clients: UiClients, served: Served) -> Stage:
    return Stage(clients, served)


def one_answer(seen: Seen) -> None:
    """The client rests, and shows one answer under one id."""
    assert (seen.status, seen.error) == ("ready", None)
    assert seen.roles == ["user", "assistant"]
    later = [body["messages"][-1]["id"] for body in seen.requests[1:]]
    assert set(later) <= {seen.messages[-1]["id"]}


@pytest.mark.parametrize("version", VERSIONS)
def test_text_and_reasoning(stage: Stage, version: int) -> None:
    step = [ReasoningDelta("r", "let me see"), *say("Hello there")]
    client = stage(version, Script(step, say("Again.")))
    seen = client.do("say", text="hi")
    one_answer(seen)
    kinds = [part["type"] for part in seen.messages[-1]["parts"]]
    assert kinds == ["step-start", "reasoning", "text"]
    assert seen.text == "Hello there"
    seen = client.do("say", text="more")
    assert seen.roles == ["user", "assistant", "user", "assistant"]
    seen = client.do("regenerate")
    assert seen.requests[-1]["trigger"] == "regenerate-message"
    assert (seen.status, len(seen.messages), seen.text) == ("ready", 4, "Again.")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("runs", ["call", "finish"])
def test_a_call_of_the_page(stage: Stage, version: int, runs: str) -> None:
    script = Script(call(("open", {"url": "https://x"})), say("Opened."))
    seen = stage(version, script, runs=runs).do("say", text="open it")
    one_answer(seen)
    assert seen.ran == [{"tool": "open", "input": {"url": "https://x"}}]
    assert seen.text == "Opened."
    assert seen.calls[0]["state"] == "output-available"
    assert seen.requests[1]["clientTools"] == TOOLS
    assert script.outcomes()[0]["output"] == {"success": True}


@pytest.mark.parametrize("version", VERSIONS)
def test_parallel_calls_are_answered_in_one_request(stage: Stage, version: int) -> None:
    urls = ({"url": "a"}, {"url": "b"}, {"url": "c"})
    calls = zip(("open", "mark", "bad"), urls, strict=True)
    script = Script(call(*calls), say("Done."))
    seen = stage(version, script, runs="finish").do("say", text="all")
    one_answer(seen)
    assert len(seen.requests) == 2
    states = [part["state"] for part in script.outcomes()]
    assert states == ["output-available", "output-available", "output-error"]
    assert script.outcomes()[1]["output"] is None
    assert script.outcomes()[2]["errorText"] == "blocked by the browser"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_server_tool_and_the_pages_in_one_step(stage: Stage, version: int) -> None:
    script = Script(call(("stock", {"sku": "A"}), ("open", {"url": "x"})), say("Both."))
    seen = stage(version, script).do("say", text="both")
    one_answer(seen)
    assert stage.did == ["A"]
    assert [run["tool"] for run in seen.ran] == ["open"]
    assert [p["output"] for p in seen.calls] == [{"sku": "A", "left": 3}, {"success": True}]
    assert [p["state"] for p in script.outcomes()] == ["output-available"] * 2
    assert seen.text == "Both."


@pytest.mark.parametrize("version", VERSIONS)
def test_server_tools_need_no_round_of_the_client(stage: Stage, version: int) -> None:
    seen = stage(version, Script(call(("stock", {"sku": "A"})), say("3."))).do("say", text="stock")
    one_answer(seen)
    assert (len(seen.requests), seen.ran, seen.text) == (1, [], "3.")


@pytest.mark.parametrize("version", VERSIONS)
def test_arguments_that_cannot_be_used_are_mended(stage: Stage, version: int) -> None:
    script = Script(
        call(("open", '{"url": "ht')), call(("open", {"url": "x"}), first=2), say("Opened.")
    )
    seen = stage(version, script).do("say", text="open")
    one_answer(seen)
    assert [p["state"] for p in seen.calls] == ["output-error", "output-available"]
    assert seen.ran == [{"tool": "open", "input": {"url": "x"}}]


def _approve(stage: Stage, version: int, tool: str, value: Any, **answer: Any) -> tuple[Seen, Any]:
    script = Script(call((tool, value)), say("So be it."))
    client = stage(version, script, runs="finish", settings={"approve_tools": ("open",)})
    seen = client.do("say", text="go")
    assert (seen.status, seen.ran, stage.did) == ("ready", [], [])
    assert [p["state"] for p in seen.calls] == ["approval-requested"]
    seen = client.do("approve", **answer)
    one_answer(seen)
    return seen, script


@pytest.mark.parametrize("version", APPROVING)
def test_an_approved_call_of_the_page_runs_there(stage: Stage, version: int) -> None:
    seen, script = _approve(stage, version, "open", {"url": "x"}, approved=True)
    assert seen.ran == [{"tool": "open", "input": {"url": "x"}}]
    assert len(seen.calls) == 1
    assert script.outcomes()[0]["output"] == {"success": True}
    assert (len(seen.requests), seen.text) == (3, "So be it.")


@pytest.mark.parametrize("version", APPROVING)
def test_an_approved_server_tool_runs_here(stage: Stage, version: int) -> None:
    seen, script = _approve(stage, version, "sell", {"sku": "A"}, approved=True)
    assert (stage.did, seen.ran) == (["A"], [])
    assert [p["state"] for p in seen.calls] == ["output-available"]
    assert script.outcomes()[0]["output"] == {"sku": "A", "left": 3}
    assert (len(seen.requests), seen.text) == (2, "So be it.")


@pytest.mark.parametrize("version", APPROVING)
@pytest.mark.parametrize(("tool", "value"), [("open", {"url": "x"}), ("sell", {"sku": "A"})])
def test_a_denied_call_runs_nowhere(stage: Stage, version: int, tool: str, value: Any) -> None:
    seen, script = _approve(stage, version, tool, value, approved=False, reason="Not today.")
    assert (stage.did, seen.ran) == ([], [])
    assert [p["state"] for p in seen.calls] == ["output-denied"]
    assert script.outcomes()[0]["state"] == "output-denied"
    assert script.outcomes()[0]["approval"]["reason"] == "Not today."
    assert seen.text == "So be it."


@pytest.mark.parametrize("version", APPROVING)
@pytest.mark.parametrize(
    ("tool", "value", "altered"),
    [("open", {"url": "x"}, {"url": "evil"}), ("sell", {"sku": "A"}, {"sku": "B"})],
)
def test_an_altered_call_runs_nowhere(
    stage: Stage, version: int, tool: str, value: Any, altered: Any
) -> None:
    seen, script = _approve(stage, version, tool, value, approved=True, input=altered)
    assert (stage.did, seen.ran) == ([], [])
    assert [p["state"] for p in seen.calls] == ["output-error"]
    assert "does not fit the call" in script.outcomes()[0]["errorText"]


@pytest.mark.parametrize("version", APPROVING)
def test_an_approval_and_a_call_of_the_page_in_one_step(stage: Stage, version: int) -> None:
    script = Script(call(("sell", {"sku": "A"}), ("mark", {"url": "x"})), say("Both."))
    client = stage(version, script, runs="call")
    seen = client.do("say", text="both")
    assert [run["tool"] for run in seen.ran] == ["mark"]
    seen = client.do("approve", approved=True)
    one_answer(seen)
    assert stage.did == ["A"]
    assert [p["state"] for p in script.outcomes()] == ["output-available"] * 2
    assert seen.text == "Both."


def test_version_5_knows_no_approvals_and_runs_nothing(stage: Stage) -> None:
    client = stage(5, Script(call(("sell", {"sku": "A"}))))
    seen = client.do("say", text="go")
    assert (stage.did, seen.ran) == ([], [])
    assert "output" not in seen.calls[0]
    assert seen.status == "error"


STOPPED: list[tuple[str, list[Chunk]]] = [
    ("Half", [TextDelta("t", "Half")]),
    ("pondering", [ReasoningDelta("r", "pondering")]),
    ("tool-open", [ToolInputStart("c1", "open"), ToolInputDelta("c1", '{"url": "ht')]),
    ("input-available", [*call(("open", {"url": "x"}))[:-1]]),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("until", "begun"), STOPPED)
def test_stop_and_go_on(stage: Stage, version: int, until: str, begun: list[Chunk]) -> None:
    script = Script(begun, say("Here I am."))
    client = stage(version, script, runs="never")
    client.do("start", text="go", until=until)
    seen = client.do("stop")
    assert seen.status == "ready"
    seen = client.do("say", text="and now?")
    assert (seen.status, seen.error) == ("ready", None)
    assert seen.text == "Here I am."
    script.wait_until_stopped()
    assert seen.roles == ["user", "assistant", "user", "assistant"]
    if "tool" in until or "input" in until:
        shown = [p for p in script.seen[-1][1]["parts"] if p["type"] == "tool-open"]
        assert [p["state"] for p in shown] == ["output-error"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("error", "words"),
    [(ModelError("The model is busy."), "is busy"), (RuntimeError("secret"), "reference")],
)
def test_an_error_and_another_try(stage: Stage, version: int, error: Exception, words: str) -> None:
    client = stage(version, Script(error, say("Fine.")))
    seen = client.do("say", text="go")
    assert seen.status == "error"
    assert words in str(seen.error)
    assert "secret" not in str(seen.error)
    seen = client.do("regenerate")
    assert (seen.status, seen.text) == ("ready", "Fine.")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_refusal_is_a_sentence(stage: Stage, version: int) -> None:
    tools = {"no name": {"description": "", "inputSchema": SCHEMA}}
    seen = stage(version, Script(say("no")), tools=tools).do("say", text="go")
    assert seen.status == "error"
    assert "message" in json.loads(str(seen.error))


@pytest.mark.parametrize("version", VERSIONS)
def test_the_same_call_again_and_again_ends_in_words(stage: Stage, version: int) -> None:
    def again(number: int) -> list[Chunk]:
        return call(("open", {"url": "x"}), first=number)

    client = stage(version, Script(*map(again, range(1, 9))))
    seen = client.do("say", text="go")
    one_answer(seen)
    assert len(seen.ran) == 3
    assert "repeat the same call" in seen.text


@pytest.mark.parametrize("version", APPROVING)
def test_a_pydantic_ai_agent_completes_the_same(stage: Stage, version: int) -> None:
    async def play(messages: list[ModelMessage], info: AgentInfo) -> AsyncGenerator[Any]:
        if len(messages) > 1:
            yield "All three."
            return
        wanted = (("stock", '{"sku": "A"}'), ("sell", '{"sku": "B"}'), ("mark", '{"url": "x"}'))
        for number, (name, text) in enumerate(wanted):
            yield {number: DeltaToolCall(name, text, tool_call_id=f"c{number}")}

    agent = Agent(FunctionModel(stream_function=play))

    @agent.tool_plain
    def stock(sku: str) -> int:
        return 3

    @agent.tool_plain(requires_approval=True)
    def sell(sku: str) -> str:
        stage.did.append(sku)
        return "sold"

    settings = Settings(rate=0, site="")
    app = create_app(settings, agent=PydanticAgent(agent, settings))
    client = stage.show(version, app, runs="call")
    seen = client.do("say", text="all")
    assert ([run["tool"] for run in seen.ran], stage.did) == (["mark"], [])
    seen = client.do("approve", approved=True)
    one_answer(seen)
    assert stage.did == ["B"]
    assert [p["output"] for p in seen.calls] == [3, "sold", None]
    assert seen.text == "All three."
