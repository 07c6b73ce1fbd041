"""Server-Sent Events: bytes to the data of events, and back.

By the WHATWG standard: lines end with CR, LF or CRLF and nothing else (U+2028 and its like
may stand raw in JSON), comments and other fields are skipped, several data lines make one
event, a byte order mark at the start is dropped.

One deliberate difference: an event at the very end whose closing blank line never came is
delivered by `flush` instead of lost. Some servers forget that line; whether the event was
cut off is for the reader of its JSON to see.
"""

from __future__ import annotations

from codecs import getincrementaldecoder

from pagehand.errors import BufferLimitError

EVENT_LIMIT = 16_000_000
"""Default limit of one event, in characters."""


class SseDecoder:
    """Takes bytes as the network cuts them, gives the data of whole events.

    `comments` counts comment lines: servers send them to show that they are alive.
    """

    def __init__(self, limit: int = EVENT_LIMIT) -> None:
        self.comments = 0
        self._limit = limit
        self._utf8 = getincrementaldecoder("utf-8")("replace")
        self._at_start = True
        self._after_cr = False  # the last line ended with CR: an LF now belongs to it
        self._line: list[str] = []  # pieces of a line that has no end yet
        self._line_size = 0
        self._data: list[str] = []  # data lines of an event that has no end yet
        self._data_size = 0
        self._over = False

    def feed(self, data: bytes) -> list[str]:
        """Take the next bytes; return the data of each event that they complete.

        Raises:
            BufferLimitError: One event is larger than the limit. Events before it are
                returned first; the error then comes with the next call.
        """
        return self._take(self._utf8.decode(data))

    def flush(self) -> list[str]:
        """Take the end of the stream; return what it completes.

        Raises:
            BufferLimitError: As for `feed`.
        """
        self._after_cr = False
        return self._take(self._utf8.decode(b"", final=True) + "\n\n")

    def _take(self, text: str) -> list[str]:
        events: list[str] = []
        if not self._over:
            *lines, rest = self._split(text)
            if lines and self._line:
                lines[0] = "".join(self._line) + lines[0]
                self._line.clear()
                self._line_size = 0
            for line in lines:
                if line.startswith("data: "):
                    self._data.append(line[6:])
                    self._data_size += len(line) - 6
                elif line:
                    self._field(line)
                elif self._data:
                    events.append("\n".join(self._data))
                    self._data.clear()
                    self._data_size = 0
                if self._data_size > self._limit:
                    break
            self._line.append(rest)
            self._line_size += len(rest)
            self._over = self._data_size + self._line_size > self._limit
        if self._over and not events:
            raise BufferLimitError("One event", self._limit)
        return events

    def _split(self, text: str) -> list[str]:
        """The lines in the text; the last one has no end yet."""
        if self._at_start and text:
            self._at_start = False
            text = text.removeprefix("\ufeff")
        if self._after_cr and text:
            self._after_cr = False
            text = text.removeprefix("\n")
        if "\r" in text:
            self._after_cr = text.endswith("\r")
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text.split("\n")

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        if name == "data":
            value = value.removeprefix(" ")
            self._data.append(value)
            self._data_size += len(value)
        elif not name:
            self.comments += 1


def encode_event(text: str) -> bytes:
    """One event with this data. Line ends in it survive as LF."""
    if "\n" in text or "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\ndata: ")
    return f"data: {text}\n\n".encode(errors="replace")


def encode_comment(text: str) -> bytes:
    """A comment: a sign of life that no reader shows."""
    return f": {' '.join(text.split())}\n\n".encode(errors="replace")
