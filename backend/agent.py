"""Turns a model into an agent: its steps, the tools that run here, approvals, and limits.

A step is one call of the model and what follows at once. After it:

- a call the page must run, or one a person must approve, ends the answer with the reason
  `tool-calls`; the page posts again when it has the results;
- outcomes of server tools and arguments that cannot be used go back to the model in a next
  step, for a bounded number of times;
- else the answer is over.

Calls of the page's tools are announced (`tool-input-available`) only when their name was
declared and their arguments can be used. Ids are unique in the conversation. A model that
asks for the same call again and again, or goes on for too many rounds, is stopped with a
text that says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Iterable, Mapping
from contextlib import aclosing

from backend.approvals import Approvals
from backend.models.port import Declaration, Model, Turn
from backend.parts import Part
from backend.server_tools import ServerTool
from backend.settings import Settings
from backend.step import Step
from backend.words import say
from pagehand.wire.chunks import (
    Chunk,
    Finish,
    FinishStep,
    StartStep,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolOutputAvailable,
)

_START_STEP, _FINISH_STEP = StartStep(), FinishStep()


class ModelAgent:
    """An agent around one model.

    Args:
        model: Makes the steps.
        settings: For the limits, and for the names of page tools that need approval.
        server_tools: Tools that run here.
        approvals: Makes and checks approvals.
    """

    def __init__(
        self,
        model: Model,
        settings: Settings,
        *,
        server_tools: Mapping[str, ServerTool] | None = None,
        approvals: Approvals | None = None,
    ) -> None:
        self.name = model.name
        self.model = model
        self.settings = settings
        self.server_tools = server_tools or {}
        self.approvals = approvals or Approvals()

    async def aclose(self) -> None:
        """Give back what the model holds."""
        close = getattr(self.model, "aclose", None)
        if close is not None:
            await close()

    def run(self, turn: Turn) -> AsyncGenerator[Chunk]:
        """Answer one request."""
        return _Run(self, turn).answer()


class _Run:
    """The answering of one request."""

    def __init__(self, agent: ModelAgent, turn: Turn) -> None:
        self._agent = agent
        self._turn = turn
        self._messages = turn.history.messages
        own = {name: tool.declaration for name, tool in agent.server_tools.items()}
        self._tools: dict[str, Declaration] = {**turn.tools, **own}
        self._repairs = 0
        self._waiting = False  # a call waits for the page or for a person
        if not turn.history.continues:
            self._messages.append({"role": "assistant", "parts": []})
        self._parts: list[Part] = self._messages[-1]["parts"]

    async def answer(self) -> AsyncGenerator[Chunk]:
        agent, history = self._agent, self._turn.history
        if history.answers:
            async for chunk in self._settle_answers():
                yield chunk
        end, left = self._end_before_steps(), agent.settings.max_steps
        while end is None and left:
            left -= 1
            step = Step(history, self._tools, agent.settings.max_repeats)
            yield _START_STEP
            messages = self._messages if self._parts else self._messages[:-1]
            # One generator in another, no more: each costs every chunk that passes.
            async with aclosing(agent.model.step(messages, self._tools)) as chunks:
                async for chunk in chunks:
                    for known in step.take(chunk):
                        yield known
            self._keep(step)
            for known in await self._follow(step):
                yield known
            yield _FINISH_STEP
            end = self._end_after(step)
        if end is None:
            end = say("too-many-steps", self._messages, count=agent.settings.max_steps)
        for chunk in end:
            yield chunk

    def _end_before_steps(self) -> Iterable[Chunk] | None:
        """How the answer ends without a step; None to go on."""
        limit = self._agent.settings.max_continuations
        if self._waiting:
            return [Finish("tool-calls")]
        if self._turn.history.rounds() > limit:
            return say("too-many-rounds", self._messages, count=limit)
        return None

    def _end_after(self, step: Step) -> Iterable[Chunk] | None:
        """How the answer ends after a step; None to go on with another."""
        self._repairs = self._repairs + 1 if step.faulty else 0
        if self._waiting:
            return [Finish("tool-calls")]
        if not step.outcomes and not step.faulty:
            return [Finish(step.reason)]
        if step.repeated:
            return say("repeated", self._messages)
        if self._repairs > self._agent.settings.max_repairs:
            return say("not-repaired", self._messages)
        return None

    def _keep(self, step: Step) -> None:
        """Add a step to the history and to the count of tokens."""
        self._parts.extend([{"type": "step-start"}, *step.parts()])
        for key, count in step.usage.items():
            self._turn.usage[key] = self._turn.usage.get(key, 0) + count

    async def _follow(self, step: Step) -> list[Chunk]:
        """What follows from the calls: a question, a run here, or waiting for the page."""
        chunks: list[Chunk] = []
        runs: list[Awaitable[Chunk]] = []
        for part in step.calls:
            name, call_id = part["type"].removeprefix("tool-"), part["toolCallId"]
            tool = self._agent.server_tools.get(name)
            if self._needs_approval(name, tool, part):
                approvals = self._agent.approvals
                approval_id = approvals.issue(call_id, name, part["input"], self._turn.principal)
                chunks.append(ToolApprovalRequest(approval_id, call_id))
                self._waiting = True
            elif tool is None:
                self._waiting = True
            else:
                runs.append(self._run_here(tool, part))
        step.outcomes = len(runs)
        return [*chunks, *await asyncio.gather(*runs)] if runs else chunks

    def _needs_approval(self, name: str, tool: ServerTool | None, part: Part) -> bool:
        if tool is not None:
            return tool.needs_approval(part["input"])
        return name in self._agent.settings.approve_tools

    async def _run_here(self, tool: ServerTool, part: Part) -> Chunk:
        outcome = await tool.call(part["toolCallId"], part["input"])
        if isinstance(outcome, ToolOutputAvailable):
            part.update(state="output-available", output=outcome.output)
        else:
            part.update(state="output-error", errorText=outcome.error_text)
        return outcome

    async def _settle_answers(self) -> AsyncGenerator[Chunk]:
        """What follows from the approvals that came back; before any step, as clients need."""
        for part in self._turn.history.answers:
            name, call_id = part["type"].removeprefix("tool-"), part["toolCallId"]
            tool = self._agent.server_tools.get(name)
            offered = tool is not None or name in self._turn.tools
            settled = self._agent.approvals.settle(
                part, self._turn.principal, offered=offered, used=self._turn.used
            )
            if settled is not None:
                yield settled
            elif tool is not None:
                yield await self._run_here(tool, part)
            else:
                self._waiting = True
                part["state"] = "input-available"
                yield ToolInputAvailable(call_id, name, part["input"])
