"""A conversation as the JSON text that is written down, made anew only where it has changed.

A long conversation is written again and again while an answer comes in: what that costs must
not grow with what was said before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pagehand.wire.jsontext import dumps

if TYPE_CHECKING:
    from pagehand.chat.messages import Message
    from pagehand.chat.threads import Record


class RecordText:
    """Writes one conversation after the other; remembers the text of each message of the last."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, tuple[Message, tuple[int, ...], str]] = {}

    def write(self, facts: Record, messages: Sequence[Message]) -> str:
        """The text of `{**facts, "messages": [...]}`.

        Args:
            facts: All but the messages; not empty.
            messages: As the chat holds them.
        """
        before, self._known = self._known, {}
        texts = []
        for message in messages:
            mark = (message.revision, *(part.revision for part in message.parts))
            known = before.get(message.id)
            if known is None or known[0] is not message or known[1] != mark:
                known = (message, mark, dumps(message.to_wire()))
            self._known[message.id] = known
            texts.append(known[2])
        return f'{dumps(facts)[:-1]},"messages":[{",".join(texts)}]}}'
