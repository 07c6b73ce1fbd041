"""Making the request: what the person, the page and the protocol put into it.

Keys of the body, in this order, as the AI SDK's transport writes them: the chat's own
`body`, the turn's `body`, `id`, `messages`, `trigger`, `messageId`; then the declarations.
With the protocol `ag-ui` the body is a `RunAgentInput` (`wire.ag_ui_input`), and what the
chat and the turn add travels in its `forwardedProps`.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from pagehand.chat.transport import ChatRequest
from pagehand.errors import RequestError

if TYPE_CHECKING:
    from pagehand.wire.chunks import JsonObject
    from pagehand.wire.stream import Codec

Values = Mapping[str, Any]
Provider = Values | Callable[[], Values | Awaitable[Values]] | None
"""A mapping, or a function (sync or async) that gives one: asked anew for every request."""

SUBMIT = "submit-message"
REGENERATE = "regenerate-message"
RESUME = "resume-stream"

UI_STREAM = "ui-message-stream"
AG_UI = "ag-ui"
PROTOCOLS = (UI_STREAM, AG_UI)

_TOOL_KEYS = ("tools", "clientTools")


class TurnOptions:
    """What a person's message brings along; its continuations carry it too."""

    __slots__ = ("body", "headers", "metadata")

    def __init__(
        self, headers: Values | None = None, body: Values | None = None, metadata: Any = None
    ) -> None:
        self.headers = headers or {}
        self.body = body or {}
        self.metadata = metadata


class Draft:
    """A request before it leaves, as the `prepare_request` hook sees it.

    The hook changes it in place, or returns a mapping with `body`, `headers`, `api` or
    `credentials` that replace the draft's own.
    """

    __slots__ = (
        "api",
        "body",
        "credentials",
        "headers",
        "id",
        "message_id",
        "messages",
        "metadata",
        "trigger",
    )

    def __init__(
        self,
        *,
        id: str,
        trigger: str,
        message_id: str | None,
        messages: list[JsonObject],
        body: JsonObject,
        headers: dict[str, str],
        metadata: Any,
    ) -> None:
        self.id = id
        self.trigger = trigger
        self.message_id = message_id
        self.messages = messages
        self.body = body
        self.headers = headers
        self.metadata = metadata
        self.api: str | None = None
        self.credentials: str | None = None


PrepareRequest = Callable[[Draft], Values | Awaitable[Values | None] | None]


class RequestSettings:
    """The parts of every request that do not depend on the conversation."""

    __slots__ = (
        "body",
        "credentials",
        "declarations",
        "headers",
        "prepare",
        "protocol",
        "tools_field",
    )

    def __init__(
        self,
        declarations: Callable[[], dict[str, JsonObject]],
        *,
        protocol: str = UI_STREAM,
        tools_field: str = "clientTools",
        headers: Provider = None,
        body: Provider = None,
        credentials: str | None = None,
        prepare: PrepareRequest | None = None,
    ) -> None:
        self.declarations = declarations
        self.protocol = checked_protocol(protocol)
        self.tools_field = checked_field(tools_field)
        self.headers = headers
        self.body = body
        self.credentials = credentials
        self.prepare = prepare


def checked_protocol(protocol: str) -> str:
    """The name, if it is a protocol that we speak.

    Raises:
        RequestError: It is not.
    """
    if protocol not in PROTOCOLS:
        raise RequestError(f"protocol must be {UI_STREAM} or {AG_UI}, not {protocol!r}")
    return protocol


def checked_field(tools_field: str) -> str:
    """The name, if declarations may travel under it.

    Raises:
        RequestError: They may not.
    """
    if tools_field not in _TOOL_KEYS:
        raise RequestError(f"tools_field must be clientTools or tools, not {tools_field!r}")
    return tools_field


async def build_request(
    settings: RequestSettings,
    *,
    chat_id: str,
    messages: list[JsonObject],
    trigger: str,
    message_id: str | None,
    options: TurnOptions,
) -> ChatRequest:
    """Make the request to post.

    Raises:
        DeclarationError: The tools' declarations may not travel.
    """
    extra = {**await _ask(settings.body), **options.body}
    for key in ("id", "messages", "trigger", "messageId", *_TOOL_KEYS):
        extra.pop(key, None)
    tools = _declared(settings)
    if settings.protocol == AG_UI:
        body = _run_input(chat_id, messages, tools, extra)
    else:
        body = {**extra, "id": chat_id, "messages": messages, "trigger": trigger}
        if message_id is not None:
            body["messageId"] = message_id
        body.update(_to_wire(settings, tools))
    draft = Draft(
        id=chat_id,
        trigger=trigger,
        message_id=message_id,
        messages=messages,
        body=body,
        headers=merge_headers(await _ask(settings.headers), options.headers),
        metadata=options.metadata,
    )
    await _prepare(settings, draft)
    headers = {"content-type": "application/json", **merge_headers(draft.headers)}
    return ChatRequest(
        draft.body,
        headers,
        chat_id=chat_id,
        endpoint=draft.api,
        credentials=draft.credentials or settings.credentials,
        messages=messages,
        tools=tools,
        codec=_codec(settings, draft.body),
    )


async def build_resume(
    settings: RequestSettings, *, chat_id: str, options: TurnOptions, method: str = "GET"
) -> ChatRequest | None:
    """Make the request that takes up a running answer, or with DELETE ends it.

    Gives None where the protocol knows no such thing.
    """
    if settings.protocol == AG_UI:
        return None
    headers = merge_headers(await _ask(settings.headers), options.headers)
    headers.pop("content-type", None)
    return ChatRequest(
        None, headers, method=method, chat_id=chat_id, credentials=settings.credentials
    )


def _declared(settings: RequestSettings) -> dict[str, JsonObject]:
    """The declarations of this moment, checked."""
    from pagehand.wire.declarations import check_declarations

    declarations = settings.declarations()
    check_declarations(declarations)
    return declarations


def _to_wire(settings: RequestSettings, tools: dict[str, JsonObject]) -> JsonObject:
    from pagehand.wire.declarations import to_wire

    return to_wire(tools, settings.tools_field)


def _run_input(
    chat_id: str,
    messages: list[JsonObject],
    tools: dict[str, JsonObject],
    extra: JsonObject,
) -> JsonObject:
    from pagehand.wire.ag_ui_input import run_input

    run_id = os.urandom(8).hex()
    return run_input(messages, tools, thread_id=chat_id, run_id=run_id, forwarded=extra)


def _codec(settings: RequestSettings, body: JsonObject) -> Codec | None:
    """What reads the answer to this body; None for the chat's own."""
    if settings.protocol != AG_UI:
        return None
    from pagehand.wire.ag_ui import decoder_for

    return decoder_for(body)


def merge_headers(*many: Values) -> dict[str, str]:
    """Headers with names in lower case; later ones replace earlier ones, None removes nothing."""
    merged: dict[str, str] = {}
    for headers in many:
        for name, value in headers.items():
            if value is not None:
                merged[str(name).lower()] = str(value)
    return merged


async def _prepare(settings: RequestSettings, draft: Draft) -> None:
    if settings.prepare is None:
        return
    changes = await _settled(settings.prepare(draft))
    for name in ("body", "headers", "api", "credentials"):
        if changes and changes.get(name) is not None:
            setattr(draft, name, changes[name])


async def _ask(provider: Provider) -> Values:
    if provider is None:
        return {}
    return await _settled(provider()) if callable(provider) else provider


async def _settled(values: Values | Awaitable[Values | None] | None) -> Values:
    """What a function gave, or what it promised."""
    if isinstance(values, Awaitable):
        values = await values
    return values or {}
