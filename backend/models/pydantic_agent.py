"""An existing Pydantic AI `Agent` behind our `/chat`, with all that belongs to it.

    app = create_app(settings, agent=PydanticAgent(my_agent, settings))

Its own tools run here, the page's run in the page, both in one step if the model wants it. Its
instructions, toolsets, retries, hooks and output types are its own; what its UI adapters do (and
refuse) is done by our reader, guard and writer instead. A tool with `requires_approval`, and one
of the page that the settings name, waits for a person, with an approval that only we can have
asked for.

Calls of the page's tools are deferred (`backend.models.page_tools`). Arguments that cannot be
used go back to the model at once. A name of the agent's own hides a page's tool of that name.

Needs the extra `providers`; import it from here when you have such an agent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolOutput
from pydantic_ai.agent import AgentRun
from pydantic_ai.capabilities import ReinjectSystemPrompt
from pydantic_ai.messages import FunctionToolResultEvent, ModelResponse, ToolCallPart
from pydantic_ai.models import Model, infer_model
from pydantic_core import to_jsonable_python

from backend.approvals import Approvals
from backend.models.convert import to_messages
from backend.models.direct import Events, explained
from backend.models.page_tools import Page, PageCapability
from backend.models.port import Turn
from backend.settings import Settings
from backend.step import Step
from backend.words import say
from pagehand.wire.chunks import (
    Chunk,
    Finish,
    FinishStep,
    StartStep,
    TextDelta,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)
from pagehand.wire.jsontext import dumps

_OUTPUT = "final_result"
"""How Pydantic AI names the tools of output types that have no name of their own."""

_STOPPED = "The answer was stopped before this call ran."

_START_STEP, _FINISH_STEP = StartStep(), FinishStep()


class PydanticAgent:
    """A Pydantic AI agent as one of ours.

    Args:
        agent: Its tools, instructions and model are used as they are.
        settings: For the limits, the approval secret, and the names of page tools that need
            approval. `instructions` come on top of the agent's own.
        deps: The agent's dependencies, or a function of the `Turn` that returns them.
        approvals: Makes and checks approvals; from the settings if not given.
        run_options: What else `Agent.iter` takes, as `model` or `model_settings`.
    """

    def __init__(
        self,
        agent: Agent[Any, Any],
        settings: Settings,
        *,
        deps: Any = None,
        approvals: Approvals | None = None,
        **run_options: Any,
    ) -> None:
        self.agent = agent
        self.settings = settings
        self.approvals = approvals or Approvals.from_settings(settings)
        self.run_options = run_options
        self._deps = deps
        kinds = agent.output_type
        self.outputs: list[Any] = [*kinds] if isinstance(kinds, list | tuple) else [kinds]
        if DeferredToolRequests not in self.outputs:
            self.outputs.append(DeferredToolRequests)
        model = run_options.get("model") or agent.model
        model = infer_model(model) if isinstance(model, str) else model
        self.provider = model.system if isinstance(model, Model) else ""
        self.name = f"agent:{agent.name or self.provider or 'pydantic-ai'}"

    def run(self, turn: Turn) -> AsyncGenerator[Chunk]:
        """Answer one request."""
        return _Run(self, turn).answer()

    def is_output(self, name: str) -> bool:
        """Whether a tool of this name would be in the way of the agent's output types."""
        named = {kind.name for kind in self.outputs if isinstance(kind, ToolOutput)}
        return name in named or name.startswith(_OUTPUT)

    def deps_of(self, turn: Turn) -> Any:
        """The dependencies for a turn."""
        return self._deps(turn) if callable(self._deps) else self._deps


class _Run:
    """The answering of one request."""

    def __init__(self, agent: PydanticAgent, turn: Turn) -> None:
        self._agent = agent
        self._turn = turn
        self._messages = turn.history.messages
        if not turn.history.continues:
            self._messages.append({"role": "assistant", "parts": []})
        declared = {n: t for n, t in turn.tools.items() if not agent.is_output(n)}
        self._page = Page(declared, agent.settings.approve_tools)
        self._step: Step | None = None
        self._steps = 0
        self._repairs = 0
        self._hides = False
        self._reason = "stop"
        self._end: Iterable[Chunk] | None = None

    async def answer(self) -> AsyncGenerator[Chunk]:
        for chunk in self._settle_answers():
            yield chunk
        limit = self._agent.settings.max_continuations
        if self._turn.history.rounds() > limit:
            for chunk in say("too-many-rounds", self._messages, count=limit):
                yield chunk
            return
        try:
            async with aclosing(self._iterate()) as chunks:
                async for chunk in chunks:
                    yield chunk
        except Exception as error:
            raise explained(error) from error
        for chunk in self._end or [Finish(self._reason)]:
            yield chunk

    def _settle_answers(self) -> Iterator[Chunk]:
        """What follows from approvals that came back, without running anything."""
        for part in self._turn.history.answers:
            turn = self._turn
            settled = self._agent.approvals.settle(part, turn.principal, used=turn.used)
            if settled is None:
                self._page.approved.add(part["toolCallId"])
            else:
                yield settled

    async def _iterate(self) -> AsyncGenerator[Chunk]:
        """The agent's nodes, one after the other, until it is over or has to wait."""
        async with self._agent.agent.iter(**self._options()) as run:
            node = run.next_node
            while not Agent.is_end_node(node):
                if Agent.is_model_request_node(node):
                    self._steps += 1
                    if self._steps > self._agent.settings.max_steps:
                        limit = self._agent.settings.max_steps
                        self._end = say("too-many-steps", self._messages, count=limit)
                        return
                    async with aclosing(self._ask(run, node)) as chunks:
                        async for chunk in chunks:
                            yield chunk
                    node = await run.next(node)
                    continue
                if Agent.is_call_tools_node(node):
                    async with aclosing(self._act(run, node)) as chunks:
                        async for chunk in chunks:
                            yield chunk
                    if self._end is not None:
                        return
                node = await run.next(node)
                for chunk in self._after(run):
                    yield chunk
                if self._end is not None:
                    return

    def _options(self) -> dict[str, Any]:
        agent, approved = self._agent, self._page.approved
        answered = self._messages[-1]["parts"]
        history = to_messages(
            self._messages if answered else self._messages[:-1],
            agent.settings.instructions,
            provider=agent.provider,
            remote_files=False,
            resumes=bool(approved),
        )
        results = DeferredToolResults(approvals=dict.fromkeys(approved, True))
        return {
            "message_history": history,
            "deferred_tool_results": results if approved else None,
            "output_type": agent.outputs,
            "capabilities": [
                ReinjectSystemPrompt(replace_existing=True),
                PageCapability(self._page),
            ],
            "deps": agent.deps_of(self._turn),
            **agent.run_options,
        }

    async def _ask(self, run: AgentRun[Any, Any], node: Any) -> AsyncGenerator[Chunk]:
        """One request of the model: a step of ours."""
        settings, manager = self._agent.settings, run.ctx.deps.tool_manager
        self._step = step = Step(self._turn.history, self._page.tools, settings.max_repeats)
        self._page.faulty = step.faulty

        def is_output(name: str) -> bool:
            tool = manager.get_tool_def(name)
            return tool is not None and tool.kind == "output"

        events = Events(self._agent.provider, is_output)
        yield _START_STEP
        async with node.stream(run.ctx) as stream:
            manager = run.ctx.deps.tool_manager
            async for event in stream:
                for chunk in events.take(event):
                    for known in step.take(chunk):
                        yield known
            for chunk in events.end(stream.response):
                for known in step.take(chunk):
                    yield known
        self._hides = events.hides

    async def _act(self, run: AgentRun[Any, Any], node: Any) -> AsyncGenerator[Chunk]:
        """What follows from the calls of a step, or of the one before that was approved."""
        step = self._step
        if step is not None:
            _rename(node.model_response, step)
            if step.repeated:
                for part in step.calls:
                    yield ToolOutputError(part["toolCallId"], _STOPPED)
                yield _FINISH_STEP
                self._end = say("repeated", self._messages)
                return
        async with node.stream(run.ctx) as events:
            async for event in events:
                if isinstance(event, FunctionToolResultEvent):
                    for chunk in self._outcome(event):
                        yield chunk

    def _outcome(self, event: FunctionToolResultEvent) -> Iterator[Chunk]:
        part, call_id = event.part, event.part.tool_call_id
        if call_id in self._page.faulty:
            return  # what is wrong with it was said already
        if part.outcome == "success":
            yield ToolOutputAvailable(call_id, _plain(part.content))
        elif part.outcome == "denied":
            yield ToolOutputDenied(call_id)
        else:
            yield ToolOutputError(call_id, part.model_response_str(wrap_if_error=False)[:2_000])

    def _after(self, run: AgentRun[Any, Any]) -> Iterator[Chunk]:
        """The end of a step: what waits, what came out, and whether to go on."""
        step, self._step = self._step, None
        if run.result is not None:
            yield from self._last(run.result.output, step)
        if step is None:
            return
        yield _FINISH_STEP
        self._messages[-1]["parts"].extend([{"type": "step-start"}, *step.parts()])
        for key, count in step.usage.items():
            self._turn.usage[key] = self._turn.usage.get(key, 0) + count
        self._repairs = self._repairs + 1 if step.faulty else 0
        if run.result is None and self._repairs > self._agent.settings.max_repairs:
            self._end = say("not-repaired", self._messages)

    def _last(self, output: object, step: Step | None) -> Iterator[Chunk]:
        if isinstance(output, DeferredToolRequests):
            self._reason = "tool-calls"
            for call in output.approvals:
                approval_id = self._agent.approvals.issue(
                    call.tool_call_id,
                    call.tool_name,
                    _input_of(call, step),
                    self._turn.principal,
                )
                yield ToolApprovalRequest(approval_id, call.tool_call_id)
            for call in output.calls:
                if call.tool_call_id in self._page.approved:
                    arguments = call.args_as_dict()
                    yield ToolInputAvailable(call.tool_call_id, call.tool_name, arguments)
            return
        self._reason = step.reason if step is not None else "stop"
        if self._hides:  # the model gave it as arguments, which nobody saw
            self._reason = "stop"
            text = output if isinstance(output, str) else dumps(_plain(output))
            yield TextDelta("output", text)


def _rename(response: ModelResponse, step: Step) -> None:
    """Give the calls of a response the ids they have on the wire, where those differ."""
    named = list(step.named)
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            pair = next((pair for pair in named if pair[0] == part.tool_call_id), None)
            if pair is not None:
                named.remove(pair)
                part.tool_call_id = pair[1]


def _input_of(call: ToolCallPart, step: Step | None) -> object:
    """A call's arguments as they were announced, which is how they come back."""
    for part in step.calls if step is not None else ():
        if part["toolCallId"] == call.tool_call_id:
            return part["input"]
    return call.args_as_dict()


def _plain(value: object) -> Any:
    """A result as JSON values; what JSON cannot carry as text."""
    return to_jsonable_python(value, fallback=str)
