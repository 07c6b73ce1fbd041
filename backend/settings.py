"""What the backend can be told from outside: `PAGEHAND_*` in the environment.

    settings = Settings.from_env(os.environ)

Every variable with the prefix must be known, and every value must fit, or the start fails
with a sentence that names the variable and what it takes. A secret may also be given as
`..._FILE`, the path of a file that holds it. Nothing here is ever printed with its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from ipaddress import ip_network
from math import inf, isfinite
from pathlib import Path
from typing import Any

PREFIX = "PAGEHAND_"
ROOT = Path(__file__).resolve().parent.parent
"""The folder that holds index.html, app/ and static/."""

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SECRETS = (
    "approval_secret",
    "approval_secret_previous",
    "auth_token",
    "api_key",
    "mastra_authorization",
    "redis_url",
)
_CHOICES = {
    "log_level": ("debug", "info", "warning", "error"),
    "resume": ("asked", "always", "off"),
    "telemetry": ("", "otel"),
}
_REDIS = ("redis://", "rediss://", "valkey://", "valkeys://", "unix://")
_OTHERS = ("chromium", "firefox", "valkey")
"""Variables with our prefix that the tests read: programs they use. Not settings."""


class SettingsError(Exception):
    """A setting that cannot work. The text names the variable and what to change."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings; the name of the variable is the field's name in capitals with the prefix.

    Sizes are bytes of UTF-8 unless the field says characters; times are seconds.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    model: str = "demo"
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    mastra_url: str = ""
    mastra_authorization: str = field(default="", repr=False)
    instructions: str = ""
    demo_delay: float = 0.015

    allowed_origins: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    auth_token: str = field(default="", repr=False)
    approval_secret: str = field(default="", repr=False)
    approval_secret_previous: str = field(default="", repr=False)
    approval_seconds: float = 3600.0
    approve_tools: tuple[str, ...] = ()

    site: str = str(ROOT)
    connect_origins: tuple[str, ...] = ()
    log_level: str = "info"

    max_body: int = 1_048_576
    max_messages: int = 500
    max_parts: int = 2_000
    max_result: int = 262_144
    max_depth: int = 100
    max_tools: int = 64
    max_description: int = 4_096
    max_schema: int = 32_768
    max_schemas: int = 131_072
    max_schema_depth: int = 12
    max_schema_properties: int = 256

    body_timeout: float = 10.0
    run_timeout: float = 120.0
    idle_timeout: float = 30.0
    keep_alive: float = 15.0
    grace: float = 10.0

    rate: int = 600
    burst: int = 100
    max_streams: int = 1_000
    max_streams_per_client: int = 100

    resume: str = "asked"
    resume_seconds: float = 30.0
    resume_bytes: int = 1_048_576
    resume_total: int = 67_108_864
    redis_url: str = field(default="", repr=False)

    trusted_proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    telemetry: str = ""

    max_repeats: int = 3
    max_continuations: int = 12
    max_repairs: int = 2
    max_steps: int = 8

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Settings:
        """Read the settings from the environment.

        Raises:
            SettingsError: An unknown variable, or a value that does not fit.
        """
        known = {f.name: f for f in fields(cls)}
        given: dict[str, Any] = {}
        for variable, raw in environ.items():
            if not variable.startswith(PREFIX):
                continue
            name, text = variable.removeprefix(PREFIX).lower(), raw
            if name in _OTHERS:
                continue
            if name.removesuffix("_file") in _SECRETS and name.endswith("_file"):
                name, text = name.removesuffix("_file"), _read_secret(variable, raw)
            if name not in known:
                raise SettingsError(_unknown(variable, known))
            if name in given:
                raise SettingsError(f"{variable} and its _FILE form are both set: keep one.")
            given[name] = _convert(variable, text, known[name].default)
        settings = cls(**given)
        settings.check()
        if not settings.allowed_hosts and settings.host in _LOOPBACK:
            # Only this machine can reach us, so only its names may stand in the Host header:
            # a foreign page whose name was made to point here (DNS rebinding) is refused.
            return replace(settings, allowed_hosts=(*_LOOPBACK, "*.localhost"))
        return settings

    def check(self) -> None:
        """Raise SettingsError if two settings do not fit each other or a value is out of range."""
        self._check_numbers()
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                shown = [choice or "empty" for choice in choices]
                listed = f"{', '.join(shown[:-1])} or {shown[-1]}"
                raise SettingsError(f"{PREFIX}{name.upper()} must be {listed}.")
        for origin in self.allowed_origins:
            _check_origin(origin)
        for address in self.trusted_proxies:
            _check_proxy(address)
        for name in ("approval_secret", "approval_secret_previous"):
            if 0 < len(getattr(self, name)) < 16:
                raise SettingsError(
                    f"{PREFIX}{name.upper()} is too short: use at least 16 characters, "
                    "the same on every replica."
                )
        if self.redis_url and not self.redis_url.startswith(_REDIS):
            raise SettingsError(
                f"{PREFIX}REDIS_URL must be an address such as redis://host:6379/0, rediss://, "
                "valkey:// or unix:///path/to/socket."
            )

    def _check_numbers(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, int | float) and value < 0:
                raise SettingsError(f"{PREFIX}{f.name.upper()} must not be negative.")
        if self.port > 65_535:
            raise SettingsError(f"{PREFIX}PORT must be a port from 0 to 65535.")
        for name in ("max_body", "max_messages", "max_parts", "max_depth", "max_steps"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{PREFIX}{name.upper()} must be at least 1.")


def _read_secret(variable: str, path: str) -> str:
    try:
        return Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{variable} names a file that cannot be read as text.") from error


def _unknown(variable: str, known: Mapping[str, object]) -> str:
    from difflib import get_close_matches

    name = variable.removeprefix(PREFIX).lower()
    close = get_close_matches(name, known, n=1)
    hint = f" Did you mean {PREFIX}{close[0].upper()}?" if close else ""
    return f"Unknown setting {variable}.{hint} All settings are listed in docs/backend.md."


def _convert(variable: str, text: str, default: object) -> object:
    text = text.strip()
    if isinstance(default, tuple):
        return tuple(item.strip() for item in text.split(",") if item.strip())
    if isinstance(default, int | float):
        try:
            value = float(text) if isinstance(default, float) else int(text)
        except ValueError:
            value = inf
        if not isfinite(value):
            raise SettingsError(f"{variable} must be a number, as in {variable}={default}.")
        return value
    return text


def _check_proxy(address: str) -> None:
    if address == "*":
        return
    try:
        ip_network(address)
    except ValueError as error:
        raise SettingsError(
            f"{PREFIX}TRUSTED_PROXIES takes addresses and networks such as 10.0.0.7 or "
            "10.0.0.0/8, divided by commas. `*` trusts whoever connects."
        ) from error


def _check_origin(origin: str) -> None:
    scheme, separator, rest = origin.partition("://")
    good = scheme in ("http", "https") and separator and rest and "/" not in rest
    if origin not in ("*", "null") and not good:
        raise SettingsError(
            f"{PREFIX}ALLOWED_ORIGINS takes origins such as https://shop.example, divided by "
            "commas: scheme, host and port, no path. `*` stands for every origin."
        )
