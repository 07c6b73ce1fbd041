"""Our chat, without a page, talking to a server over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx

from pagehand.chat.transport import ChatRequest, Response
from pagehand.engine.abort import Abort
from pagehand.errors import NetworkError
from pagehand.wire.jsontext import dumps


class HttpTransport:
    """Posts to one address.

    Args:
        address: Where to.
        client: Sends; closed by who made it.
    """

    def __init__(self, address: str, client: httpx.AsyncClient) -> None:
        self._address = address
        self._client = client
        self.bodies: list[dict[str, object]] = []

    async def open(self, request: ChatRequest, abort: Abort) -> Response:
        """Send; the body ends when the connection does, or with the abort."""
        assert request.body is not None
        self.bodies.append(request.body)
        message = self._client.build_request(
            request.method, self._address, headers=request.headers, content=dumps(request.body)
        )
        try:
            answer = await self._client.send(message, stream=True)
        except httpx.HTTPError as error:
            raise NetworkError(str(error)) from error
        return Response(answer.status_code, dict(answer.headers), _read(answer))


async def _read(answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for data in answer.aiter_raw():
            yield data
    except httpx.HTTPError as error:
        raise NetworkError(str(error)) from error
    finally:
        await answer.aclose()
