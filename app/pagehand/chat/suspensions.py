"""A server's pause at one call: Mastra's `data-tool-call-suspended` and `data-tool-call-approval`.

A suspended run waits, under its run id, for data of the shape that `resumeSchema` says. The
answer travels as `runId` and `resumeData` in the body of the next request; it stands in the
data part as well, so that a reload knows that it was given.
Source: Mastra, measured on `@mastra/ai-sdk` 1.10.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.errors import AnswerError, MalformedEventError
from pagehand.wire.jsontext import loads

if TYPE_CHECKING:
    from pagehand.chat.parts import DataPart
    from pagehand.wire.chunks import JsonObject

SUSPENDED = "tool-call-suspended"
APPROVAL = "tool-call-approval"


class Suspension:
    """A suspended call.

    Args:
        data: What the server sent: `runId`, `toolCallId`, `suspendPayload`, `resumeSchema`.
        part: The data part that holds it, or None for one that is not kept.
        approval: Whether it asks for a yes or no, as a server of the protocol's version 5 does.
    """

    __slots__ = ("_part", "approval", "data")

    def __init__(
        self, data: JsonObject, part: DataPart | None = None, *, approval: bool = False
    ) -> None:
        self.data = data
        self.approval = approval
        self._part = part

    @property
    def question(self) -> JsonObject:
        """An approval in the form that later versions of the protocol have for it."""
        id = f"{self.data['runId']}::{self.data['toolCallId']}"
        answer = self.data.get("resumeData")
        return {"id": id, **(answer if isinstance(answer, dict) else {})}

    @property
    def payload(self) -> Any:
        """What the tool wants to be shown."""
        return self.data.get("suspendPayload")

    @property
    def answered(self) -> bool:
        """Whether somebody has answered."""
        return "resumeData" in self.data

    @property
    def schema(self) -> JsonObject | None:
        """The JSON Schema of the answer, or None when the server does not say."""
        schema = self.data.get("resumeSchema")
        if isinstance(schema, str):
            try:
                schema = loads(schema)
            except MalformedEventError:
                return None
        return schema if isinstance(schema, dict) else None

    @property
    def body(self) -> JsonObject:
        """What goes into the body of the request that resumes the run."""
        keys = ("runId", "toolCallId", "resumeData")
        return {key: self.data[key] for key in keys if key in self.data}

    def check(self, answer: Any) -> None:
        """Refuses an answer that breaks the schema: a server would use the run up for it.

        Raises:
            AnswerError: Saying what is wrong.
        """
        schema = self.schema
        if schema is None:
            return
        try:
            from jsonschema.exceptions import SchemaError  # type: ignore[import-untyped]
            from jsonschema.validators import validator_for  # type: ignore[import-untyped]
        except ModuleNotFoundError:  # the library is not loaded in this page
            return
        kind = validator_for(schema)
        try:
            kind.check_schema(schema)
        except SchemaError:
            return
        error = next(iter(kind(schema).iter_errors(answer)), None)
        if error is not None:
            where = ".".join(str(step) for step in error.absolute_path)
            raise AnswerError(f"{where}: {error.message}" if where else str(error.message))

    def take_over(self, old: Suspension | None) -> None:
        """Has the answer that was given before: the server sends its stream again."""
        if old is not None and old.answered and old.data.get("runId") == self.data.get("runId"):
            self.take(old.data["resumeData"])

    def take(self, answer: Any) -> None:
        """Notes the answer."""
        self.data = {**self.data, "resumeData": answer}
        if self._part is not None:
            self._part.data = self.data
            self._part.revision += 1


def read_pause(part: DataPart) -> Suspension | None:
    """The pause that a data part tells of; None for all other data."""
    data = part.data
    if part.name not in (SUSPENDED, APPROVAL) or not isinstance(data, dict):
        return None
    if not isinstance(data.get("runId"), str) or not isinstance(data.get("toolCallId"), str):
        return None
    return Suspension(data, part, approval=part.name == APPROVAL)
