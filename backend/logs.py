"""One JSON line for each answer and each fault. What was said is not in it.

An answer's line holds: an id, who asked (as a hash), the model, how many messages came, the
names of the tools offered and called, ids of calls that were left without a result, tokens
when the model counts them, the times to the first byte and to the end, and how it ended:
`done`, `error`, `client-closed`, `stopped`, `idle`, `limit` or `shutdown`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import sys
from functools import lru_cache
from time import gmtime, monotonic, strftime
from typing import Any

from backend.models.port import Turn

LOGGER = logging.getLogger("pagehand.backend")


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON; `extra={"fields": {...}}` adds keys."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, ASCII only, so that nothing in it can break or fake a line."""
        line: dict[str, Any] = {
            "time": _second(int(record.created)),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, separators=(",", ":"), default=str)


@lru_cache(maxsize=4)
def _second(since_1970: int) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(since_1970))


def configure(level: str) -> None:
    """Send the backend's and uvicorn's lines to standard error as JSON."""
    # No line says them, and finding them costs as much as all the rest of a line.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("pagehand.backend", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
    LOGGER.setLevel(level.upper())
    logging.getLogger("uvicorn").setLevel("WARNING")


def masked(error: BaseException, *, request: str = "") -> str:
    """Log an error whole and return the sentence that may leave: it holds only a reference."""
    reference = secrets.token_hex(4)
    LOGGER.error(
        "fault",
        exc_info=error,
        extra={"fields": {"reference": reference, **({"request": request} if request else {})}},
    )
    return f"Something went wrong on the server (reference {reference})."


class AnswerLog:
    """Collects what the line of one answer says."""

    def __init__(self, model: str, turn: Turn) -> None:
        self.request = secrets.token_hex(6)
        self._model = model
        self._turn = turn
        self._messages = len(turn.history.messages)
        self._started = monotonic()
        self._first: float | None = None

    def token(self) -> None:
        """The first bytes of the answer left, or more of them."""
        if self._first is None:
            self._first = monotonic()

    def write(self, end: str, calls: list[str], *, trace_id: str = "") -> None:
        """Write the line; `trace_id` finds the spans of the answer."""
        turn = self._turn
        fields: dict[str, Any] = {
            "request": self.request,
            "model": self._model,
            "end": end,
            "messages": self._messages,
            "offered": sorted(turn.tools),
            "called": calls,
            "ms": _ms(monotonic() - self._started),
        }
        if self._first is not None:
            fields["first_ms"] = _ms(self._first - self._started)
        if turn.principal:
            fields["principal"] = hashlib.sha256(turn.principal.encode()).hexdigest()[:12]
        if turn.history.interrupted:
            fields["interrupted"] = turn.history.interrupted
        if trace_id:
            fields["trace_id"] = trace_id
        if turn.usage:
            fields["usage"] = turn.usage
        if LOGGER.isEnabledFor(logging.INFO):
            # As LOGGER.info, without looking for the line of code that calls it.
            record = LOGGER.makeRecord(
                LOGGER.name, logging.INFO, __file__, 0, "answer", (), None, None, {"fields": fields}
            )
            LOGGER.handle(record)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)
