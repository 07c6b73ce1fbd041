"""The port every model implements, and the one agents implement.

A model makes one step: it is shown the history and the tools and yields the chunks of its
content (texts, reasoning, calls) and last a `Finish` with its reason. It neither runs tools
nor opens steps. `backend.agent` turns a model into an agent.

An agent answers one request, in as many steps as it takes. It yields everything between
`start` and `finish`; `backend.writer` mends the order and adds what is missing.

Both are async generators, so closing one stops the work: a client that goes away closes the
agent, which closes the model, which closes its connection to the provider.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from backend.history import History, Message
from pagehand.wire.chunks import Chunk

Declaration: TypeAlias = dict[str, Any]
"""`{"description": ..., "inputSchema": ...}`, as `pagehand.wire.declarations` gives it."""


@dataclass(slots=True)
class Turn:
    """One accepted request.

    `tools` are the page's declarations by name. `principal` names who asks, for approvals;
    it is empty when nobody had to say. `client` is what limits are counted by.
    """

    history: History
    tools: dict[str, Declaration]
    client: str = ""
    chat_id: str = ""
    principal: str = ""
    trigger: str = "submit-message"
    resume: tuple[str, Any] | None = None
    """The reference of a suspended run, as it was given out, and the data it waits for."""
    used: set[str] = field(default_factory=set)
    """Approval ids and references that another replica had before: good no more."""
    usage: dict[str, int] = field(default_factory=dict)
    """Tokens, counted up by the agent: `input` and `output`."""


@dataclass(slots=True)
class Raw:
    """Bytes for the wire as they are: only scripts of tests yield them."""

    data: bytes


class CutError(Exception):
    """A script's wish that the connection breaks here."""


class ModelError(Exception):
    """A failure whose text may be shown to the person who asks; the cause goes to the log."""


class Model(Protocol):
    """Makes one step."""

    name: str

    def step(self, messages: list[Message], tools: dict[str, Declaration]) -> AsyncGenerator[Chunk]:
        """Yield the content of one step, last a `Finish`."""
        ...


class Agent(Protocol):
    """Answers one request. One that holds connections also has `async def aclose()`."""

    name: str

    def run(self, turn: Turn) -> AsyncGenerator[Chunk | Raw]:
        """Yield the answer: steps with their content, last a `Finish`."""
        ...
