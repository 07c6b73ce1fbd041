"""From `MODEL=openai:NAME` and its like to a model. Needs the extra `providers`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from backend.settings import Settings, SettingsError

if TYPE_CHECKING:
    from backend.models.direct import DirectModel

PROVIDERS = ("openai", "openai-compatible", "anthropic", "google", "ollama")
_KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}


def make_provider(kind: str, name: str, settings: Settings) -> DirectModel:
    """The model of a provider.

    Raises:
        SettingsError: A missing name, key, address or package.
    """
    if not name:
        raise SettingsError(f"PAGEHAND_MODEL={kind}: needs a model, as in {kind}:NAME.")
    key = settings.api_key or _own_key(kind)
    if kind in _KEYS and not key:
        variables = " or ".join(_KEYS[kind])
        raise SettingsError(
            f"PAGEHAND_MODEL={kind}:{name} needs a key: set PAGEHAND_API_KEY or {variables}."
        )
    if kind == "openai-compatible" and not settings.base_url:
        raise SettingsError(
            "PAGEHAND_MODEL=openai-compatible:NAME needs PAGEHAND_BASE_URL, as in "
            "http://127.0.0.1:8080/v1."
        )
    try:
        return _make(kind, name, key, settings)
    except ImportError as error:
        raise SettingsError(
            f"PAGEHAND_MODEL={kind}:{name} needs more packages: pip install 'pagehand[providers]'."
        ) from error


def _own_key(kind: str) -> str:
    """The key in the provider's own variable."""
    return next((os.environ[name] for name in _KEYS.get(kind, ()) if os.environ.get(name)), "")


def _make(kind: str, name: str, key: str, settings: Settings) -> DirectModel:
    from backend.models.direct import DirectModel

    url = settings.base_url or None
    shown, instructions = f"{kind}:{name}", settings.instructions
    if kind == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        anthropic = AnthropicModel(name, provider=AnthropicProvider(api_key=key, base_url=url))
        return DirectModel(shown, anthropic, instructions, remote_files=True)
    if kind == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        google = GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=url))
        return DirectModel(shown, google, instructions)
    from pydantic_ai.models.openai import OpenAIChatModel

    if kind == "ollama":
        from pydantic_ai.providers.ollama import OllamaProvider

        address = url or "http://127.0.0.1:11434/v1"
        ollama = OpenAIChatModel(name, provider=OllamaProvider(address, api_key=key or None))
        return DirectModel(shown, ollama, instructions)
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=url, api_key=key or "none")
    return DirectModel(
        shown, OpenAIChatModel(name, provider=provider), instructions, remote_files=True
    )
