"""A Mastra agent behind our `/chat`: strict in front of it, masked behind it.

The server's own agent stream is used (`POST /api/agents/:id/stream`), which every Mastra
server has; approvals and suspensions are answered with `resume-stream`, which keeps the
page's tools where the approve and decline routes lose them. Mastra keeps a paused run under
its run id. The page gets that id inside a signed approval id, so nobody can answer for a
run that was not offered to them.
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
from backend.models.port import Declaration, ModelError, Turn
from backend.parts import Part
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
    ToolOutputError,
)
from pagehand.wire.mastra import mastra_codec
from pagehand.wire.stream import ChunkReader

_HIDDEN = ("tool-call-approval",)
"""Data parts that repeat, with the bare run id, what the approval request says."""


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
        try:
            path, body = self._request(turn)
        except ApprovalError as error:
            if not turn.history.answers:  # no call can say it: the answer to a suspended run
                raise ModelError(str(error)) from error
            for part in turn.history.answers:
                yield ToolOutputError(part["toolCallId"], str(error))
            yield Finish("stop")
            return
        mend = _Mend(self, turn)
        async with aclosing(self._stream(path, body)) as chunks:
            async for chunk in chunks:
                for mended in mend.take(chunk):
                    yield mended
        if mend.paused:
            # Mastra just stops here; our streams always say how they end.
            yield Finish("tool-calls")

    async def aclose(self) -> None:
        """Close the connections to the server."""
        await self._client.aclose()

    def _request(self, turn: Turn) -> tuple[str, dict[str, Any]]:
        """Where to post what: a new turn, or the answer a paused run waits for."""
        tools = {
            name: {"description": tool["description"], "inputSchema": tool["inputSchema"]}
            for name, tool in turn.tools.items()
        }
        if turn.history.answers:
            run_id, part = self._answered(turn)
            approval = part["approval"]
            answer = {"approved": approval["approved"], "reason": approval["reason"]}
            resume = _resume(run_id, part["toolCallId"], answer, tools)
            return f"{self._path}/resume-stream", resume
        if turn.resume is not None:
            signed, payload = turn.resume
            subject = self.approvals.redeem(signed, SUSPENDED, None, turn.principal, used=turn.used)
            run_id, _, call_id = subject.rpartition("::")
            return f"{self._path}/resume-stream", _resume(run_id, call_id, payload, tools)
        messages = [
            {"id": secrets.token_hex(8), **message}
            for message in turn.history.messages
            if message["parts"]
        ]
        return f"{self._path}/stream", {"messages": messages, "clientTools": tools}

    def _answered(self, turn: Turn) -> tuple[str, Part]:
        """The run that waits for an answer, and the call that has it.

        Mastra asks for one call of a step after the other, and an approved one has no result
        before the last was answered. So the newest answer is the one it waits for.
        """
        refusal = None
        for part in reversed(turn.history.answers):
            name, approval_id = part["type"].removeprefix("tool-"), part["approval"]["id"]
            try:
                subject = self.approvals.redeem(
                    approval_id, name, part["input"], turn.principal, used=turn.used
                )
            except ApprovalError as error:
                refusal = refusal or error
                continue
            run_id, _, call_id = subject.rpartition("::")
            if call_id == part["toolCallId"]:
                return run_id, part
        raise refusal or ApprovalError("The approval does not belong to this call. It did not run.")

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

    def __init__(self, agent: MastraAgent, turn: Turn) -> None:
        self.paused = False
        """Whether the run waits for a person's answer."""
        self._agent = agent
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
            self.paused = True
            return [self._approval(chunk)]
        elif isinstance(chunk, ToolOutputError):
            text = masked(RuntimeError(f"Mastra: {chunk.error_text[:2_000]}"))
            return [ToolOutputError(chunk.tool_call_id, text)]
        elif isinstance(chunk, Error):
            raise ModelError("The agent failed.") from RuntimeError(chunk.error_text[:2_000])
        elif isinstance(chunk, Data):
            return self._data(chunk)
        return [chunk]

    def _call(self, chunk: ToolInputAvailable) -> Chunk:
        """A call; one of the page's whose arguments cannot be used becomes an error."""
        self._calls[chunk.tool_call_id] = (chunk.tool_name, chunk.input)
        tool = self._tools.get(chunk.tool_name)
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
            return ToolInputError(chunk.tool_call_id, chunk.tool_name, arguments, fault)
        return chunk

    def _approval(self, chunk: ToolApprovalRequest) -> Chunk:
        name, arguments = self._calls.get(chunk.tool_call_id, ("", {}))
        signed = self._agent.sign(chunk.approval_id, name, arguments, self._turn.principal)
        return ToolApprovalRequest(signed, chunk.tool_call_id)

    def _data(self, chunk: Data) -> list[Chunk]:
        if chunk.name in _HIDDEN:
            return []
        if chunk.name == SUSPENDED and isinstance(chunk.data, dict):
            self.paused = True
            subject = f"{chunk.data.get('runId')}::{chunk.data.get('toolCallId')}"
            signed = self._agent.sign(subject, SUSPENDED, None, self._turn.principal)
            return [Data(chunk.name, {**chunk.data, "runId": signed}, chunk.id)]
        return [chunk]


def _resume(run_id: str, call_id: str, data: Any, tools: dict[str, Any]) -> dict[str, Any]:
    return {"runId": run_id, "toolCallId": call_id, "resumeData": data, "clientTools": tools}


def _refused(response: httpx.Response) -> None:
    cause = RuntimeError(f"Mastra answered {response.status_code}: {response.text[:2_000]}")
    if response.status_code in (401, 403):
        raise ModelError("The agent did not let the server in.") from cause
    raise ModelError("The agent refused the request.") from cause
