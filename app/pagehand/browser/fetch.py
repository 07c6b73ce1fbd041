"""The chat's transport over the browser's `fetch`.

    transport = FetchTransport(lambda: "/chat", headers=lambda: {"authorization": "Bearer ..."})
    response = await transport.open(request, abort)
    async for data in response.body: ...

Cancelling a Python task does not stop a request of the browser, so the body's reader always
ends in an abort of its own. An abort never carries a reason: with one that is not an Error,
the waiting Python would hang for ever.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException

from pagehand.chat.transport import Response
from pagehand.errors import NetworkError
from pagehand.wire.jsontext import dumps

if TYPE_CHECKING:
    from pagehand.chat.transport import ChatRequest
    from pagehand.engine.abort import Abort

Headers = dict[str, str]
HeaderSource = Callable[[], Headers | Awaitable[Headers]]

# We can take up an answer whose connection broke, and send DELETE when the person stops one.
_ACCEPT = "text/event-stream, text/event-stream;resumable=1"


class FetchTransport:
    """Posts to an address that may change between two requests.

    Args:
        address: Gives the address to post to, relative to the page or absolute.
        headers: Gives more headers, such as a fresh token, at once or awaited.
        credentials: `same-origin`, `include` or `omit`, as `fetch` knows them.
    """

    __slots__ = ("_address", "_credentials", "_headers")

    def __init__(
        self,
        address: Callable[[], str],
        *,
        headers: HeaderSource | None = None,
        credentials: str = "same-origin",
    ) -> None:
        self._address = address
        self._headers = headers
        self._credentials = credentials

    async def open(self, request: ChatRequest, abort: Abort) -> Response:
        """Sends the request and returns as soon as the answer's head is there.

        Raises:
            NetworkError: Nothing came back, or the request was aborted before it did.
        """
        accept = _ACCEPT if request.method == "POST" else "text/event-stream"
        headers = {"accept": accept, **request.headers, **await self._own_headers()}
        address = request.url(self._address())
        settings = {
            "method": request.method,
            "headers": headers,
            "credentials": request.credentials or self._credentials,
        }
        if request.body is not None:
            settings["body"] = dumps(request.body)
        options = js.JSON.parse(dumps(settings))
        controller = js.AbortController.new()
        forget = abort.on_abort(controller.abort)
        try:
            options.signal = controller.signal
            answer = await js.fetch(address, options)
        except JsException as error:
            forget()
            raise _no_answer(address, error) from error
        except BaseException:
            forget()
            controller.abort()
            raise
        body = _read(answer, controller, abort, forget)
        return Response(int(answer.status), _headers_of(answer), body)

    async def _own_headers(self) -> Headers:
        if self._headers is None:
            return {}
        given = self._headers()
        return await given if inspect.isawaitable(given) else given


async def _read(
    answer: Any, controller: Any, abort: Abort, forget: Callable[[], None]
) -> AsyncIterator[bytes]:
    """The body, piece by piece as it arrives; ends quietly after an abort."""
    if not answer.body:  # null in JavaScript, which is not None here: a 204
        forget()
        return
    reader = answer.body.getReader()
    ended = False
    try:
        while True:
            piece = await reader.read()
            if piece.done:
                ended = True
                return
            yield piece.value.to_bytes()
    except JsException as error:
        ended = True
        if abort.aborted:
            return
        raise NetworkError(
            "The connection broke while the answer was arriving. What has arrived is kept."
        ) from error
    finally:
        forget()
        if not ended:
            controller.abort()


def _headers_of(answer: Any) -> Headers:
    return {str(pair[0]).lower(): str(pair[1]) for pair in js.Array.from_(answer.headers)}


def _no_answer(address: str, error: Any) -> NetworkError:
    reason = str(getattr(error, "message", "") or error)
    return NetworkError(
        f"No answer from {address} ({reason}). The server may be down, the network away, or the"
        " server does not allow this page (CORS)."
    )


def make_abort() -> tuple[Any, Callable[[], None]]:
    """A signal that a tool can pass to `fetch`, and the function that sets it off."""
    controller = js.AbortController.new()
    return controller.signal, controller.abort
