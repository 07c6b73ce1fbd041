"""How a request is refused: a status, one sentence, nothing of the request in it."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse


class RefusalError(Exception):
    """Ends a request before its stream began.

    Args:
        status: The HTTP status, 4xx or 503.
        message: What to change, for the person who wrote the client. Never holds input.
        headers: Headers of the answer, as Retry-After.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})

    def response(self) -> JSONResponse:
        """The answer: `{"message": ...}`."""
        headers = {"cache-control": "no-store", **self.headers}
        return JSONResponse({"message": self.message}, self.status, headers)
