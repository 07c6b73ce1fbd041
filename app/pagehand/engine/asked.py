"""What a running tool asked the person, and was answered: so that a reload need not ask again.

The note is plain JSON: `{"answers": [{"payload", "answer"}], "payload": ...}`, the last key
only while a question is open.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from pagehand.errors import UnsendableValueError


class Asked:
    """The questions of one call, in order.

    Args:
        note: What an earlier run of the same call left, or None.
    """

    def __init__(self, note: dict[str, Any] | None) -> None:
        answers = (note or {}).get("answers")
        self._before = [one for one in answers if _whole(one)] if isinstance(answers, list) else []
        self._given: list[dict[str, Any]] = []

    def knows(self, payload: Any) -> bool:
        """Whether the next question is the one that was answered before.

        A run that asks something else than before is on another way: its old answers are void.
        """
        if self._before and self._before[0]["payload"] != payload:
            self._before.clear()
        return bool(self._before)

    def take(self) -> Any:
        """The answer from before; it counts as given again."""
        known = self._before.pop(0)
        self._given.append(known)
        return known["answer"]

    def open(self, payload: Any) -> dict[str, Any]:
        """A question is asked; gives the note."""
        return {"answers": list(self._given), "payload": payload}

    def close(self, payload: Any, answer: Any) -> dict[str, Any]:
        """It is answered; an answer that JSON cannot carry is asked for again after a reload."""
        from pagehand.toolkit.result import to_wire

        with suppress(UnsendableValueError):
            self._given.append({"payload": payload, "answer": to_wire(answer, "answer")})
        return {"answers": list(self._given)}


def _whole(one: Any) -> bool:
    return isinstance(one, dict) and "payload" in one and "answer" in one
