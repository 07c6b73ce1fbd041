"""The backend as an ASGI application, or as routes for an application you have.

app = create_app(Settings.from_env(os.environ))

api = routes(Settings(model="demo"))
host = FastAPI(routes=api, lifespan=api.lifespan)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from backend import telemetry
from backend.access import Authenticate, settings_authenticate
from backend.ag_ui import AgUiEndpoint
from backend.chat import ChatEndpoint, Door
from backend.models.port import Agent
from backend.models.registry import make_agent
from backend.playback import RESUMABLE
from backend.resume import ResumeEndpoint
from backend.server_tools import ServerTool, by_name
from backend.settings import Settings
from backend.site import Site


class Routes(list[BaseRoute]):
    """Routes for an application, and what ends them with it."""

    def __init__(self, door: Door, path: str = "/chat", ag_ui_path: str = "/ag-ui") -> None:
        super().__init__(_routes(door, path, ag_ui_path))
        self._door = door

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """For the application's own `lifespan`: at its end, open answers are ended properly."""
        yield
        await self._door.streams.drain(self._door.settings.grace)
        await self._door.aclose()


def create_app(
    settings: Settings,
    *,
    agent: Agent | None = None,
    server_tools: Iterable[ServerTool] = (),
    authenticate: Authenticate | None = None,
) -> Starlette:
    """The whole backend: the API, the health checks, and the page.

    Args:
        settings: See `Settings`.
        agent: What answers, instead of the model the settings name.
        server_tools: Tools that run here.
        authenticate: Says who asks, instead of the settings' token.

    Raises:
        SettingsError: The settings name a model that cannot work.
    """
    door = _door(settings, agent, server_tools, authenticate)
    api = Routes(door)
    site: list[BaseRoute] = []
    if settings.site:
        site.append(Mount("/", Site(Path(settings.site), settings.connect_origins)))
    app = Starlette(routes=[*api, *site], lifespan=api.lifespan)
    app.state.door = door
    return app


def routes(
    settings: Settings,
    *,
    agent: Agent | None = None,
    server_tools: Iterable[ServerTool] = (),
    authenticate: Authenticate | None = None,
    path: str = "/chat",
    ag_ui_path: str = "/ag-ui",
) -> Routes:
    """The API alone, for an application you have. CORS and all checks come with it.

    Give the application `lifespan` of what comes back, or enter it in the application's own: a
    mounted part has no say in when its host ends.

    Args:
        settings: As for `create_app`.
        agent: As for `create_app`.
        server_tools: As for `create_app`.
        authenticate: As for `create_app`.
        path: Where the chat answers.
        ag_ui_path: Where the same agent answers in AG-UI; empty for nowhere.

    Raises:
        SettingsError: As for `create_app`.
    """
    return Routes(_door(settings, agent, server_tools, authenticate), path, ag_ui_path)


def _door(
    settings: Settings,
    agent: Agent | None,
    server_tools: Iterable[ServerTool],
    authenticate: Authenticate | None,
) -> Door:
    settings.check()
    telemetry.check(settings)
    agent = agent or make_agent(settings, by_name(server_tools))
    return Door(settings, agent, authenticate or settings_authenticate(settings))


def _routes(door: Door, path: str, ag_ui_path: str) -> list[BaseRoute]:
    async def alive(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"}, headers={"cache-control": "no-store"})

    async def ready(_: Request) -> JSONResponse:
        draining = door.streams.draining
        body = {"status": "draining" if draining else "ok", "streams": len(door.streams)}
        if door.store is not None:
            body["shared"] = "ok" if await door.store.reached() else "not reached"
        return JSONResponse(body, 503 if draining else 200, {"cache-control": "no-store"})

    ag_ui = [Route(ag_ui_path, _cors(door, AgUiEndpoint(door)))] if ag_ui_path else []
    return [
        *ag_ui,
        Route(path, _cors(door, ChatEndpoint(door))),
        Route(f"{path.rstrip('/')}/{{chat_id}}/stream", _cors(door, ResumeEndpoint(door))),
        Route("/healthz", alive),
        Route("/readyz", ready),
    ]


def _cors(door: Door, app: ASGIApp) -> ASGIApp:
    """CORS around an endpoint; with no origin allowed it still answers preflights, with no."""
    return CORSMiddleware(
        app,
        allow_origin_regex=door.origins.pattern,
        allow_methods=["POST", "GET", "DELETE"],
        allow_headers=["content-type", "authorization"],
        expose_headers=["x-vercel-ai-ui-message-stream", RESUMABLE, "retry-after"],
        max_age=600,
    )
