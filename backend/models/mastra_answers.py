"""What persons answered to the approvals of one Mastra run, until Mastra asks for it.

Mastra asks for one call of a step after the other, and an approved one has no result before
the last of its step was answered. We ask for those we know of at once. So a request may bring
the answer Mastra waits for, and others it will ask for only when it has that one.
"""

from __future__ import annotations

from typing import NamedTuple

from backend.approvals import ApprovalError, Approvals
from backend.models.port import Turn
from backend.parts import Part

_LATER = "later::"
"""Stands before what an approval refers to when Mastra itself has not asked yet."""


class Answer(NamedTuple):
    """An answered call, and the run it belongs to."""

    run_id: str
    part: Part


class Answers:
    """The answered approvals of a request; each is used up here.

    Args:
        approvals: Checks them.
        turn: The request.
    """

    def __init__(self, approvals: Approvals, turn: Turn) -> None:
        self.waited_for: Answer | None = None
        """The answer that Mastra waits for, if a good one came."""
        self._later: dict[str, Answer] = {}
        self._refusal: ApprovalError | None = None
        for part in turn.history.answers:
            name, approval_id = part["type"].removeprefix("tool-"), part["approval"]["id"]
            try:
                subject = approvals.redeem(
                    approval_id, name, part["input"], turn.principal, used=turn.used
                )
            except ApprovalError as error:
                self._refusal = self._refusal or error
                continue
            run_id, _, call_id = subject.removeprefix(_LATER).rpartition("::")
            if call_id != part["toolCallId"]:
                continue
            if subject.startswith(_LATER):
                self._later[f"{run_id}::{call_id}"] = Answer(run_id, part)
            else:
                self.waited_for = Answer(run_id, part)  # the newest is the one it waits for

    def asked(self) -> Answer:
        """The answer that Mastra waits for.

        Raises:
            ApprovalError: There is none that is good.
        """
        if self.waited_for is None:
            raise self._refusal or ApprovalError(
                "The approval does not belong to this call. It did not run."
            )
        return self.waited_for

    def take(self, subject: str) -> Answer | None:
        """The answer to what Mastra asks now, if the person gave it already; only once."""
        return self._later.pop(subject, None)


def ask_later(subject: str) -> str:
    """What an approval refers to whose call Mastra will ask for."""
    return f"{_LATER}{subject}"
