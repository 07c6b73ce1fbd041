from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from backend.settings import ROOT, Settings, SettingsError


def read(**variables: str) -> Settings:
    return Settings.from_env({f"PAGEHAND_{name}": value for name, value in variables.items()})


def refused(**variables: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read(**variables)
    return str(caught.value)


def test_nothing_set_is_the_demo_on_this_machine() -> None:
    settings = Settings.from_env({"PATH": "/bin", "HOME": "/"})
    assert (settings.host, settings.port, settings.model) == ("127.0.0.1", 8000, "demo")
    assert "localhost" in settings.allowed_hosts


def test_values_are_read_by_their_kind() -> None:
    settings = read(
        PORT="0",
        ALLOWED_ORIGINS=" https://a.example , https://b.example ",
        IDLE_TIMEOUT="2.5",
        MAX_BODY="10",
        HOST="0.0.0.0",
    )
    assert settings.port == 0
    assert settings.allowed_origins == ("https://a.example", "https://b.example")
    assert settings.idle_timeout == 2.5
    assert settings.max_body == 10
    assert settings.allowed_hosts == ()


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("ALOWED_ORIGINS", "x", "Did you mean PAGEHAND_ALLOWED_ORIGINS?"),
        ("NOTHING_LIKE_IT_AT_ALL", "x", "Unknown setting"),
        ("PORT", "http", "PAGEHAND_PORT must be a number"),
        ("PORT", "70000", "0 to 65535"),
        ("PORT", "-1", "negative"),
        ("IDLE_TIMEOUT", "inf", "number"),
        ("MAX_BODY", "0", "at least 1"),
        ("ALLOWED_ORIGINS", "shop.example", "scheme"),
        ("ALLOWED_ORIGINS", "https://shop.example/path", "no path"),
        ("APPROVAL_SECRET", "short", "16 characters"),
        ("LOG_LEVEL", "loud", "debug, info, warning or error"),
        ("RESUME", "maybe", "asked, always or off"),
        ("TELEMETRY", "on", "empty or otel"),
        ("REDIS_URL", "localhost:6379", "redis://host:6379/0"),
        ("TRUSTED_PROXIES", "10.0.0.0/8, proxy", "10.0.0.0/8"),
        ("RESUME_SECONDS", "-1", "negative"),
        ("AUTH_TOKEN_FILE", "/no/such/file", "cannot be read"),
    ],
)
def test_what_cannot_work_is_said_with_its_name(name: str, value: str, word: str) -> None:
    text = refused(**{name: value})
    assert word in text
    assert "PAGEHAND_" in text


def test_a_secret_may_be_a_file_but_not_both(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("the token\n")
    assert read(AUTH_TOKEN_FILE=str(file)).auth_token == "the token"
    assert "both set" in refused(AUTH_TOKEN="x", AUTH_TOKEN_FILE=str(file))
    assert read(MASTRA_AUTHORIZATION_FILE=str(file)).mastra_authorization == "the token"


def test_the_programs_that_tests_use_are_no_settings() -> None:
    """Every variable with our prefix that a script or a test reads."""
    folders = (ROOT / "scripts", ROOT / "tests" / "browser", ROOT / "tests" / "bench")
    texts = [file.read_text("utf-8") for folder in folders for file in folder.rglob("*.py")]
    names = {name for text in texts for name in re.findall(r"environ[^\n]*?PAGEHAND_(\w+)", text)}
    assert {"CHROMIUM", "FIREFOX", "VALKEY"} <= names
    programs = names - {field.name.upper() for field in fields(Settings)}
    assert read(**dict.fromkeys(programs, "/usr/bin/program")) == read()


def test_secrets_are_never_shown() -> None:
    settings = read(
        AUTH_TOKEN="tok-123",
        APPROVAL_SECRET="sec-123-sec-123-",
        API_KEY="key-123",
        REDIS_URL="redis://:pw-123@h",
    )
    assert "123" not in repr(settings)


def test_every_setting_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "backend.md").read_text("utf-8")
    missing = [f.name.upper() for f in fields(Settings) if f"`{f.name.upper()}`" not in text]
    assert missing == []
