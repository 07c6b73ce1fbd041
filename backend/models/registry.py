"""From the setting `MODEL` to an agent. What cannot work is said at start, not per request."""

from __future__ import annotations

from collections.abc import Mapping

from backend.agent import ModelAgent
from backend.approvals import Approvals
from backend.models.port import Agent, Model
from backend.models.providers import PROVIDERS, make_provider
from backend.server_tools import ServerTool
from backend.settings import Settings, SettingsError

_KINDS = "demo, script:FILE, openai:NAME, anthropic:NAME, google:NAME, ollama:NAME, "
_KINDS += "openai-compatible:NAME or mastra:AGENT"


def make_agent(settings: Settings, server_tools: Mapping[str, ServerTool]) -> Agent:
    """The agent that the settings name.

    Raises:
        SettingsError: No such model, a missing key, address, file or package.
    """
    kind, _, name = settings.model.partition(":")
    if kind == "script":
        from backend.models.script import ScriptAgent

        return ScriptAgent.from_file(name)
    approvals = Approvals.from_settings(settings)
    if kind == "mastra":
        return _mastra(name, settings, approvals)
    return ModelAgent(
        _make_model(kind, name, settings), settings, server_tools=server_tools, approvals=approvals
    )


def _mastra(name: str, settings: Settings, approvals: Approvals) -> Agent:
    if not name or "/" in name or not settings.mastra_url.startswith(("http://", "https://")):
        raise SettingsError(
            "PAGEHAND_MODEL=mastra:AGENT needs the agent's id, and PAGEHAND_MASTRA_URL as in "
            "http://127.0.0.1:4111."
        )
    from backend.models.mastra import MastraAgent

    return MastraAgent(name, settings, approvals)


def _make_model(kind: str, name: str, settings: Settings) -> Model:
    if kind == "demo" and not name:
        from backend.models.demo import DemoModel

        return DemoModel(settings.demo_delay)
    if kind in PROVIDERS:
        return make_provider(kind, name, settings)
    raise SettingsError(f"PAGEHAND_MODEL must be {_KINDS}.")
