"""`/chat`: the front door. Strict about what it lets in, lenient about messages.

Everything that can be refused is refused here, before the stream begins, with a status and
one sentence. After that the answer is a stream with status 200, and faults travel in it.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from backend.access import (
    Authenticate,
    check_host,
    check_origin,
    client_of,
    origin_pattern,
    principal_of,
)
from backend.answer import Answer
from backend.approvals import SUSPENDED, ApprovalError, Approvals
from backend.body import check_content_type, read_json_object
from backend.declared import DeclarationReader
from backend.history import read_history
from backend.logs import masked
from backend.models.port import Agent, Turn
from backend.models.script import ScriptAgent
from backend.playback import Playback
from backend.rate import RateLimit, SharedRateLimit
from backend.recordings import Recordings
from backend.refusals import RefusalError
from backend.settings import Settings
from backend.shared import Seats, SharedStore
from backend.shared_tapes import SharedTapes
from backend.streams import AnswerStream, OpenStreams
from backend.telemetry import request_span
from backend.writer import StreamWriter
from pagehand.errors import DeclarationError
from pagehand.wire.declarations import Limits


@dataclass(slots=True)
class Door:
    """What every request passes: shared by all routes of one application."""

    settings: Settings
    agent: Agent
    authenticate: Authenticate | None
    streams: OpenStreams = field(init=False)
    recordings: Recordings = field(init=False)
    rate: RateLimit | SharedRateLimit = field(init=False)
    store: SharedStore | None = field(init=False)
    origins: re.Pattern[str] = field(init=False)
    declared: DeclarationReader = field(init=False)

    def __post_init__(self) -> None:
        settings = self.settings
        self.store = store = SharedStore(settings.redis_url) if settings.redis_url else None
        if store is None:
            self.streams = OpenStreams(settings)
            self.recordings = Recordings(settings, self.streams)
            self.rate = RateLimit(settings.rate, settings.burst)
        else:
            self.streams = OpenStreams(settings, Seats(store, settings.max_streams_per_client))
            tapes = SharedTapes(store, settings.resume_seconds)
            self.recordings = Recordings(settings, self.streams, tapes)
            self.rate = SharedRateLimit(store, settings.rate, settings.burst)
        self.origins = origin_pattern(settings.allowed_origins)
        self.declared = DeclarationReader(
            Limits(
                tools=settings.max_tools,
                description=settings.max_description,
                schema_bytes=settings.max_schema,
                all_schema_bytes=settings.max_schemas,
                depth=settings.max_schema_depth,
                properties=settings.max_schema_properties,
            )
        )

    async def enter(self, request: Request) -> tuple[str, str]:
        """Check everything that needs no body.

        Returns:
            The principal, and what limits are counted by.

        Raises:
            RefusalError: Not allowed, not signed in, not JSON, or too often.
        """
        check_host(request.headers, self.settings.allowed_hosts)
        check_origin(request.headers, self.origins)
        principal = await principal_of(request, self.authenticate)
        client = client_of(request, principal)
        if request.method == "POST":
            check_content_type(request)
        await self.rate.check(client)
        return principal, client

    async def admit(self, client: str) -> None:
        """Refuse a stream that would be one too many, before it begins.

        Raises:
            RefusalError: 429, or 503 while it shuts down.
        """
        await self.streams.admit(client)

    async def use_up_approvals(self, turn: Turn) -> None:
        """Have approvals that came to another replica before refused here too.

        The same for references to suspended runs. Only good ones are claimed, and the claim is
        this turn's alone: of two that come with the same approval at once, one gets it.
        """
        approvals, store = getattr(self.agent, "approvals", None), self.store
        if store is None or not isinstance(approvals, Approvals):
            return
        given = [
            (str(part["approval"].get("id")), part["type"].removeprefix("tool-"), part["input"])
            for part in turn.history.answers
        ]
        if turn.resume is not None and not given:
            given = [(turn.resume[0], SUSPENDED, None)]
        for approval_id, tool, arguments in given:
            try:
                approvals.check(approval_id, tool, arguments, turn.principal)
            except ApprovalError:
                continue  # refused in the answer
            if not await store.first(approval_id, self.settings.approval_seconds):
                turn.used.add(approval_id)

    async def aclose(self) -> None:
        """Give back what is held: the agent's connections and the store's."""
        close = getattr(self.agent, "aclose", None)
        if close is not None:
            await close()
        if self.store is not None:
            await self.store.aclose()


class ChatEndpoint:
    """The ASGI application behind `/chat`."""

    def __init__(self, door: Door) -> None:
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request: a stream, or a refusal. Never an unmasked fault."""
        request = Request(scope, receive)
        with request_span(self._door.settings, request) as span:
            try:
                answer = await self._answer_or_refuse(request)
            except ClientDisconnect:
                return
            if span is not None:
                span.answered(answer)
            await answer(scope, receive, send)

    async def _answer_or_refuse(self, request: Request) -> Response | AnswerStream | Playback:
        try:
            return await self._answer(request)
        except RefusalError as refusal:
            return refusal.response()
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001  # the last net: nothing leaves unmasked
            return JSONResponse({"message": masked(error)}, 500)

    async def _answer(self, request: Request) -> Response | AnswerStream | Playback:
        door = self._door
        if request.method != "POST":
            raise RefusalError(405, "Ask with POST.", {"allow": "POST"})
        principal, client = await door.enter(request)
        body = await read_json_object(request, door.settings)
        turn = read_turn(body, door, principal, client)
        if isinstance(door.agent, ScriptAgent):
            door.agent.refuse(turn)
        await door.admit(client)
        await door.use_up_approvals(turn)
        history = turn.history
        message_id = history.message_id
        if message_id is None and not history.continues:
            message_id = f"msg_{secrets.token_hex(8)}"
        writer = StreamWriter(message_id)
        if door.recordings.wanted(request.headers, turn.chat_id):
            answer = Answer(door.agent, turn, writer, door.settings)
            return await door.recordings.record(answer, turn.chat_id, writer.headers)
        return AnswerStream(door.agent, turn, writer, door.streams)


def read_turn(body: dict[str, Any], door: Door, principal: str, client: str) -> Turn:
    """The turn that a body asks for.

    Raises:
        RefusalError: 400.
    """
    for key in ("id", "trigger", "messageId"):
        if not isinstance(body.get(key, ""), str | None):
            raise RefusalError(400, f"{key} must be a string.")
    if "threadId" in body and isinstance(body.get("tools"), list):
        raise RefusalError(400, "This is a RunAgentInput of AG-UI: post it to /ag-ui.")
    resumes = isinstance(body.get("runId"), str) and body.get("resumeData") is not None
    try:
        tools = door.declared.read(body)
    except DeclarationError as error:
        raise RefusalError(400, str(error)) from None
    return Turn(
        read_history(body, door.settings),
        tools,
        client=client,
        chat_id=(body.get("id") or "")[:200],
        principal=principal,
        trigger=body.get("trigger") or "submit-message",
        resume=(body["runId"], body["resumeData"]) if resumes else None,
    )
