"""A Mastra agent behind our `/chat`: strict in front of it, masked behind it.

The server's own agent stream is used (`POST /api/agents/:id/stream`), which every Mastra
server has; approvals and suspensions are answered with `resume-stream`, which keeps the
page's tools where the approve and decline routes lose them. Mastra keeps a paused run under
its run id. The page gets that id inside a signed approval id, so nobody can answer for a
run that was not offered to them.

Mastra asks for one call of a step after the other. The person is asked for all of them at
once, as far as the server says which of its tools always ask, and the answers are kept until
Mastra asks. Its other calls are marked as run by the server, so that no page answers them.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import httpx

from backend.approvals import SUSPENDED, ApprovalError, Approvals
from backend.arguments import first_fault
from backend.logs import masked
from backend.models.mastra_answers import Answer, Answers, ask_later
from backend.models.port import Declaration, ModelError, Turn
from backend.parts import Part, tool_name
from backend.settings import Settings
from backend.step import asked_calls, call_key, parsed
from backend.words import say
from pagehand.errors import WireError
from pagehand.wire.chunks import (
    Chunk,
    Data,
    Error,
    Finish,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputError,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)
from pagehand.wire.mastra import mastra_codec
from pagehand.wire.stream import ChunkReader

_HIDDEN = ("tool-call-approval",)
"""Data parts that repeat, with the bare run id, what the approval request says."""

_HELD = (
    "The call did not run: a question to the person stands beside it, and Mastra would lose its "
    "result. Ask for it again."
)


class MastraAgent:
    """One agent of a Mastra server.

    Args:
        agent: Its id there.
        settings: For `mastra_url`, `mastra_authorization` and the limits.
        approvals: Signs what refers to a paused run.
        transport: For tests.
    """

    def __init__(
        self,
        agent: str,
        settings: Settings,
        approvals: Approvals,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.name = f"mastra:{agent}"
        self._path = f"/api/agents/{agent}"
        self._settings = settings
        self.approvals = approvals
        headers = {"authorization": settings.mastra_authorization}
        self._client = httpx.AsyncClient(
            base_url=settings.mastra_url,
            headers=headers if settings.mastra_authorization else None,
            timeout=httpx.Timeout(10.0, read=settings.idle_timeout or None),
            transport=transport,
        )

    async def run(self, turn: Turn) -> AsyncGenerator[Chunk]:
        """Answer one request."""
        limit = self._settings.max_continuations
        if turn.history.rounds() > limit:
            for chunk in say("too-many-rounds", turn.history.messages, count=limit):
                yield chunk
            return
        answers = Answers(self.approvals, turn)
        try:
            path, body = self._request(turn, answers)
        except ApprovalError as error:
            if not turn.history.answers:  # no call can say it: the answer to a suspended run
                raise ModelError(str(error)) from error
            for part in turn.history.answers:
                yield ToolOutputError(part["toolCallId"], str(error))
            yield Finish("stop")
            return
        async with aclosing(self._make(turn, answers, path, body)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def _make(
        self, turn: Turn, answers: Answers, path: str, body: dict[str, Any]
    ) -> AsyncGenerator[Chunk]:
        """The answer, in as many requests to the server as it takes."""
        mend = _Mend(self, turn, answers)
        answer = answers.waited_for
        while True:
            if answer is not None and not answer.part["approval"]["approved"]:
                yield mend.deny(answer.part["toolCallId"])
            async with aclosing(self._stream(path, body)) as chunks:
                async for chunk in chunks:
                    for mended in mend.take(chunk):
                        yield mended
            if mend.answer is None:
                break
            answer, mend.answer = mend.answer, None
            path, body = self._resume(*answer, turn)
        if mend.paused:
            for mended in mend.leave(await self._gated() if mend.left else frozenset()):
                yield mended
            # Mastra just stops here; our streams always say how they end.
            yield Finish("tool-calls")

    async def aclose(self) -> None:
        """Close the connections to the server."""
        await self._client.aclose()

    def _request(self, turn: Turn, answers: Answers) -> tuple[str, dict[str, Any]]:
        """Where to post what: a new turn, or the answer a paused run waits for."""
        if turn.history.answers:
            return self._resume(*answers.asked(), turn)
        if turn.resume is not None:
            signed, payload = turn.resume
            subject = self.approvals.redeem(signed, SUSPENDED, None, turn.principal, used=turn.used)
            run_id, _, call_id = subject.rpartition("::")
            return f"{self._path}/resume-stream", _resume(run_id, call_id, payload, turn)
        messages = [
            {"id": secrets.token_hex(8), **message}
            for message in turn.history.messages
            if message["parts"]
        ]
        return f"{self._path}/stream", {"messages": messages, "clientTools": _declared(turn)}

    def _resume(self, run_id: str, part: Part, turn: Turn) -> tuple[str, dict[str, Any]]:
        """Where to post what for the answered approval of a call."""
        approval = part["approval"]
        answer = {"approved": approval["approved"], "reason": approval["reason"]}
        return f"{self._path}/resume-stream", _resume(run_id, part["toolCallId"], answer, turn)

    async def _gated(self) -> frozenset[str]:
        """Its tools that ask before every call; none when the server does not say."""
        try:
            response = await self._client.get(self._path)
            response.raise_for_status()
            tools = response.json()["tools"]
            return frozenset(
                tool_name(name)
                for name, tool in tools.items()
                if isinstance(tool, dict) and tool.get("requireApproval") is True
            )
        except (httpx.HTTPError, ValueError, KeyError, TypeError, AttributeError) as error:
            masked(error)
            return frozenset()

    async def _stream(self, path: str, body: dict[str, Any]) -> AsyncGenerator[Chunk]:
        """The chunks of the server's answer; closing it stops the model there."""
        try:
            async with self._client.stream("POST", path, json=body) as response:
                if response.status_code != 200:
                    await response.aread()
                    _refused(response)
                kind = response.headers.get("content-type", "")
                reader = ChunkReader(content_type=kind, codec=mastra_codec)
                async for data in response.aiter_bytes():
                    for chunk in reader.feed(data):
                        yield chunk
                for chunk in reader.flush():
                    yield chunk
        except httpx.TimeoutException as error:
            raise ModelError("The agent did not answer in time.") from error
        except httpx.HTTPError as error:
            raise ModelError("The agent cannot be reached.") from error
        except WireError as error:
            raise ModelError("The agent's answer cannot be read.") from error

    def sign(self, subject: str, name: str, arguments: object, principal: str) -> str:
        """A signed reference to a paused run."""
        return self.approvals.issue(subject, name, arguments, principal)

    @property
    def max_repeats(self) -> int:
        """How often one call may be asked for since the user spoke."""
        return self._settings.max_repeats


class _Mend:
    """Makes Mastra's chunks what our clients may rely on."""

    def __init__(self, agent: MastraAgent, turn: Turn, answers: Answers) -> None:
        self.paused = False
        """Whether the run waits for a person's answer."""
        self.answer: Answer | None = None
        """What the run waits for, when the person gave it already."""
        self.left: dict[str, ToolInputAvailable] = {}
        """Calls that have no outcome, by their ids; the page's only while they may run."""
        self._denied: set[str] = set()
        self._run = ""
        """The run that waits for an approval."""
        self._agent = agent
        self._answers = answers
        self._turn = turn
        self._tools: dict[str, Declaration] = turn.tools
        self._asked = asked_calls(turn.history)
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[str, tuple[str, Any]] = {
            part["toolCallId"]: (part["type"].removeprefix("tool-"), part["input"])
            for part in turn.history.calls()
        }

    def take(self, chunk: Chunk) -> list[Chunk]:
        """What goes to the client for a chunk."""
        if isinstance(chunk, ToolInputDelta):
            self._texts.setdefault(chunk.tool_call_id, []).append(chunk.input_text_delta)
        elif isinstance(chunk, ToolInputAvailable):
            return [self._call(chunk)]
        elif isinstance(chunk, ToolApprovalRequest):
            return self._approval(chunk)
        elif isinstance(chunk, ToolOutputAvailable):
            self.left.pop(chunk.tool_call_id, None)
        elif isinstance(chunk, ToolOutputDenied) and chunk.tool_call_id in self._denied:
            return []
        elif isinstance(chunk, ToolOutputError):
            self.left.pop(chunk.tool_call_id, None)
            text = masked(RuntimeError(f"Mastra: {chunk.error_text[:2_000]}"))
            return [ToolOutputError(chunk.tool_call_id, text)]
        elif isinstance(chunk, Error):
            raise ModelError("The agent failed.") from RuntimeError(chunk.error_text[:2_000])
        elif isinstance(chunk, Data):
            return self._data(chunk)
        return [chunk]

    def deny(self, call_id: str) -> Chunk:
        """The end of a call that the person denied; Mastra says it late, or not at all."""
        self._denied.add(call_id)
        return ToolOutputDenied(call_id)

    def _call(self, chunk: ToolInputAvailable) -> Chunk:
        """A call; one of the page's whose arguments cannot be used becomes an error."""
        self._calls[chunk.tool_call_id] = (chunk.tool_name, chunk.input)
        tool = self._tools.get(chunk.tool_name)
        self.left[chunk.tool_call_id] = chunk
        if tool is None:
            return chunk
        # Mastra says `{}` for a text that is no JSON: only the text tells.
        text = "".join(self._texts.get(chunk.tool_call_id, []))
        arguments = parsed(text) if text else chunk.input
        fault = "" if isinstance(arguments, dict) else "The arguments must be one JSON object."
        fault = fault or first_fault(tool["inputSchema"], arguments)
        key = call_key(chunk.tool_name, arguments)
        self._asked[key] = self._asked.get(key, 0) + 1
        if not fault and self._asked[key] > self._agent.max_repeats:
            fault = "This call was made too often with the same arguments."
        if fault:
            del self.left[chunk.tool_call_id]
            return ToolInputError(chunk.tool_call_id, chunk.tool_name, arguments, fault)
        return chunk

    def _approval(self, chunk: ToolApprovalRequest) -> list[Chunk]:
        """A question of Mastra's, unless its answer came with this request."""
        self.left.pop(chunk.tool_call_id, None)
        self.answer = self._answers.take(chunk.approval_id)
        if self.answer is not None:
            return []
        self.paused = True
        self._run = chunk.approval_id.rpartition("::")[0]
        return [self._question(chunk.approval_id, chunk.tool_call_id)]

    def _question(self, subject: str, call_id: str) -> Chunk:
        name, arguments = self._calls.get(call_id, ("", {}))
        signed = self._agent.sign(subject, name, arguments, self._turn.principal)
        return ToolApprovalRequest(signed, call_id)

    def leave(self, gated: frozenset[str]) -> list[Chunk]:
        """What is said of the calls that stand beside the one it asks for.

        Args:
            gated: The server's tools that always ask.
        """
        return [self._left_over(call, gated) for call in self.left.values()]

    def _left_over(self, call: ToolInputAvailable, gated: frozenset[str]) -> Chunk:
        call_id, name = call.tool_call_id, call.tool_name
        if name in self._tools:
            return ToolOutputError(call_id, _HELD)
        if self._run and name in gated:
            return self._question(ask_later(f"{self._run}::{call_id}"), call_id)
        return ToolInputAvailable(call_id, name, call.input, provider_executed=True)

    def _data(self, chunk: Data) -> list[Chunk]:
        if chunk.name in _HIDDEN:
            return []
        if chunk.name == SUSPENDED and isinstance(chunk.data, dict):
            self.paused = True
            self.left.pop(str(chunk.data.get("toolCallId")), None)
            subject = f"{chunk.data.get('runId')}::{chunk.data.get('toolCallId')}"
            signed = self._agent.sign(subject, SUSPENDED, None, self._turn.principal)
            return [Data(chunk.name, {**chunk.data, "runId": signed}, chunk.id)]
        return [chunk]


def _resume(run_id: str, call_id: str, data: Any, turn: Turn) -> dict[str, Any]:
    tools = _declared(turn)
    return {"runId": run_id, "toolCallId": call_id, "resumeData": data, "clientTools": tools}


def _declared(turn: Turn) -> dict[str, Any]:
    return {
        name: {"description": tool["description"], "inputSchema": tool["inputSchema"]}
        for name, tool in turn.tools.items()
    }


def _refused(response: httpx.Response) -> None:
    cause = RuntimeError(f"Mastra answered {response.status_code}: {response.text[:2_000]}")
    if response.status_code in (401, 403):
        raise ModelError("The agent did not let the server in.") from cause
    raise ModelError("The agent refused the request.") from cause
