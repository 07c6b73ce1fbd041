"""Approvals that only we can have asked for.

An approval's id is `CALL.EXPIRY.MAC`: the call's id, the second it ends, and a code over
call, tool, arguments, principal and expiry. It stands in the id itself because that is the
one field every client version sends back. So nobody can have a tool run that we did not
offer, nor alter its arguments after a person agreed, nor use another's approval, nor an old
one, nor (in one process) the same one twice. Any replica with the same secret can check.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Container

from backend.arguments import canonical
from backend.parts import Part
from backend.settings import Settings
from pagehand.wire.chunks import Chunk, ToolOutputDenied, ToolOutputError

SUSPENDED = "tool-call-suspended"
"""Stands for the tool in a reference to a suspended run, which has no arguments."""
_REMEMBERED = 10_000
_OTHER_CALL = "The approval does not belong to this call. It did not run."


class ApprovalError(Exception):
    """An approval that must not be used. The text is for the model and the person."""


class Approvals:
    """Makes approval ids and checks the ones that come back.

    Args:
        secret: Shared by all replicas. Without one a random one is made, which ends with
            the process.
        previous: The secret before the last change: still accepted.
        seconds: How long an approval may wait for its answer.
        clock: The time in seconds since 1970.
    """

    def __init__(
        self,
        secret: str = "",
        previous: str = "",
        *,
        seconds: float = 3600.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._secrets = [secret.encode() if secret else secrets.token_bytes(32)]
        if previous:
            self._secrets.append(previous.encode())
        self._seconds = seconds
        self._clock = clock
        self._used: OrderedDict[str, None] = OrderedDict()

    @classmethod
    def from_settings(cls, settings: Settings) -> Approvals:
        """With the secrets and the time that the settings name."""
        return cls(
            settings.approval_secret,
            settings.approval_secret_previous,
            seconds=settings.approval_seconds,
        )

    def issue(self, subject: str, tool: str, arguments: object, principal: str) -> str:
        """The approval id for a subject: a call's id, perhaps with more to find it by."""
        expiry = str(int(self._clock() + self._seconds))
        mac = _mac(self._secrets[0], subject, tool, arguments, principal, expiry)
        return f"{subject}.{expiry}.{mac}"

    def settle(
        self, part: Part, principal: str, *, offered: bool = True, used: Container[str] = ()
    ) -> Chunk | None:
        """What an answered approval of a call of ours comes to; uses it up if it is good.

        Args:
            part: The call; gets the state it has from now on, unless it may run.
            principal: Who answered.
            offered: Whether its tool still is there.
            used: Approval ids that another replica had before.

        Returns:
            None if the call may run, else the chunk that says why it does not.
        """
        call_id = part["toolCallId"]
        name = part["type"].removeprefix("tool-")
        refusal = self.refusal(part, name, principal, used=used)
        if not part["approval"]["approved"]:
            # Used up as well: what was denied cannot be approved afterwards.
            part["state"] = "output-denied"
            return ToolOutputDenied(call_id)
        if refusal is None and not offered:
            refusal = "The page no longer offers this tool. It did not run."
        if refusal is None:
            return None
        part.update(state="output-error", errorText=refusal)
        return ToolOutputError(call_id, refusal)

    def refusal(
        self, part: Part, tool: str, principal: str, *, used: Container[str] = ()
    ) -> str | None:
        """Check the answered approval of a call of ours; use it up if it is good.

        Returns:
            None if it is good, else a sentence for the model and the person.
        """
        try:
            approval_id = part["approval"]["id"]
            subject = self.redeem(approval_id, tool, part["input"], principal, used=used)
        except ApprovalError as error:
            return str(error)
        return None if subject == part["toolCallId"] else _OTHER_CALL

    def redeem(
        self,
        approval_id: str,
        tool: str,
        arguments: object,
        principal: str,
        *,
        used: Container[str] = (),
    ) -> str:
        """Check an approval id and use it up; those in `used` another replica had before.

        Returns:
            Its subject.

        Raises:
            ApprovalError: Forged, altered, too old, or used before.
        """
        subject = self.check(approval_id, tool, arguments, principal)
        if approval_id in self._used or approval_id in used:
            raise ApprovalError("The approval was used before. The call was not run again.")
        self._used[approval_id] = None
        if len(self._used) > _REMEMBERED:
            self._used.popitem(last=False)
        return subject

    def check(self, approval_id: str, tool: str, arguments: object, principal: str) -> str:
        """Check an approval id without using it up.

        Returns:
            Its subject.

        Raises:
            ApprovalError: Forged, altered, or too old.
        """
        head, _, given = approval_id.rpartition(".")
        subject, _, expiry = head.rpartition(".")
        if not subject or not expiry.isascii() or not expiry.isdigit() or len(expiry) > 15:
            raise ApprovalError(_OTHER_CALL)
        macs = [
            _mac(secret, subject, tool, arguments, principal, expiry) for secret in self._secrets
        ]
        mac = given.encode("utf-8", "replace")
        if not any(hmac.compare_digest(good.encode(), mac) for good in macs):
            raise ApprovalError(
                "The approval does not fit the call as it was asked for. It did not run."
            )
        if int(expiry) < self._clock():
            raise ApprovalError("The approval came too late. Ask again.")
        return subject


def _mac(
    secret: bytes, subject: str, tool: str, arguments: object, principal: str, expiry: str
) -> str:
    text = json.dumps([canonical([subject, tool, arguments]), principal, expiry])
    digest = hmac.new(secret, text.encode(), hashlib.sha256).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
