"""`/chat/{chat id}/stream`: taking up an answer whose connection broke, and stopping it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from backend.chat import ChatEndpoint
from backend.playback import Playback
from backend.recordings import recording_key
from backend.refusals import RefusalError
from backend.writer import StreamWriter


class ResumeEndpoint(ChatEndpoint):
    """The ASGI application behind `/chat/{chat id}/stream`.

    GET plays the answer of that chat to whoever asked for it, 204 when there is none.
    DELETE is the person's stop: the model stops, and whoever reads the answer is told.
    """

    async def _answer(self, request: Request) -> Response | Playback:
        door = self._door
        if request.method not in ("GET", "DELETE"):
            raise RefusalError(
                405, "GET takes up an answer, DELETE stops it.", {"allow": "GET, DELETE"}
            )
        principal, client = await door.enter(request)
        key = recording_key(principal, request.path_params["chat_id"])
        if request.method == "GET":
            taken = await door.recordings.take_up(key, client, StreamWriter.headers)
            if taken is not None:
                return taken
        else:
            await door.recordings.stop(key)
        return Response(status_code=204, headers={"cache-control": "no-store"})
