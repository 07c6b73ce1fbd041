"""Text that grows by small pieces, without ever being copied whole for one of them.

    text = GrowingText()
    text.append("Hel"); text.append("lo")
    text.value()       # "Hello"
    text.since(3)      # "lo": what a view has not painted yet

Servers written in JavaScript cut their deltas between UTF-16 units, so one character may
arrive as two lone surrogate halves. They are joined here: a first half waits for its second.
"""

from __future__ import annotations

_REPLACEMENT = "\ufffd"


class GrowingText:
    """Pieces in a list, joined only when somebody reads.

    `length` counts the characters that `value()` has.
    """

    __slots__ = ("_held", "_pieces", "length")

    def __init__(self, text: str = "") -> None:
        self._held = ""
        self._pieces: list[str] = []
        self.length = 0
        if text:
            self.append(text)

    def append(self, delta: str) -> None:
        """Add a piece: O(len(delta))."""
        if self._held or not delta.isascii():
            delta = self._join(delta)
        if delta:
            self._pieces.append(delta)
            self.length += len(delta)

    def close(self) -> bool:
        """Give up waiting for a second half; True when that changed the text."""
        if not self._held:
            return False
        self._held = ""
        self._pieces.append(_REPLACEMENT)
        self.length += 1
        return True

    def value(self) -> str:
        """The whole text so far."""
        if len(self._pieces) != 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def since(self, offset: int) -> str:
        """What follows the first `offset` characters: O(number of pieces it spans)."""
        missing = self.length - offset
        found: list[str] = []
        for piece in reversed(self._pieces):
            if missing <= 0:
                break
            found.append(piece if len(piece) <= missing else piece[-missing:])
            missing -= len(piece)
        found.reverse()
        return "".join(found)

    def _join(self, delta: str) -> str:
        text = self._held + delta
        self._held = ""
        if "\ud800" <= text[-1:] <= "\udbff":
            self._held = text[-1]
            text = text[:-1]
        try:
            text.encode()
        except UnicodeEncodeError:
            # Pairs become one character, halves without a partner become U+FFFD.
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return text
