"""`/ag-ui`: the same agent behind the same door, for clients that speak AG-UI 1.0.

A `RunAgentInput` comes in, a stream of AG-UI events goes out. Everything else is as at
`/chat`: what is refused, what is limited, and that the model stops when the client leaves.
AG-UI has no way to take up a running answer, so none is offered here.
"""

from __future__ import annotations

from starlette.requests import Request

from backend.ag_ui_input import read_run
from backend.ag_ui_writer import AgUiWriter
from backend.body import read_json_object
from backend.chat import ChatEndpoint
from backend.models.script import ScriptAgent
from backend.refusals import RefusalError
from backend.streams import AnswerStream


class AgUiEndpoint(ChatEndpoint):
    """The ASGI application behind `/ag-ui`."""

    async def _answer(self, request: Request) -> AnswerStream:
        door = self._door
        if request.method != "POST":
            raise RefusalError(405, "Ask with POST.", {"allow": "POST"})
        principal, client = await door.enter(request)
        body = await read_json_object(request, door.settings)
        run = read_run(body, door, principal, client)
        if isinstance(door.agent, ScriptAgent):
            door.agent.refuse(run.turn)
        await door.admit(client)
        await door.use_up_approvals(run.turn)
        writer = AgUiWriter(
            run.turn.chat_id,
            run.id,
            known={part["toolCallId"] for part in run.turn.history.calls()},
            usage=run.turn.usage,
        )
        return AnswerStream(door.agent, run.turn, writer, door.streams)
