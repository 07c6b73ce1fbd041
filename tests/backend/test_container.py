"""The image and the compose file: no engine runs here, so what can be checked without one is."""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from backend_process import ROOT, environment

from backend.app import create_app
from backend.settings import PREFIX, Settings

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES = COMPOSE["services"]
REPLICAS = [service for service in SERVICES.values() if "build" in service]


def instructions(text: str) -> list[tuple[str, str]]:
    """Instruction and the rest of each line of a Dockerfile, continued lines joined."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    pairs = (line.split(maxsplit=1) for line in joined.splitlines() if line.strip())
    return [(pair[0].upper(), pair[1]) for pair in pairs]


def stages() -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for name, rest in instructions(DOCKERFILE):
        if name == "FROM":
            found.append([])
        found[-1].append((name, rest))
    return found


def copies(stage: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Stage it comes from (empty: this folder), source and target of each COPY."""
    found = []
    for name, rest in stage:
        if name != "COPY":
            continue
        words = shlex.split(rest)
        origin = words.pop(0).partition("=")[2] if words[0].startswith("--from=") else ""
        *sources, target = words
        found += [(origin, source, target) for source in sources]
    return found


def image_settings() -> dict[str, str]:
    text = " ".join(rest for name, rest in stages()[-1] if name == "ENV")
    pairs = (word.split("=", 1) for word in shlex.split(text))
    return {name: value for name, value in pairs if name.startswith(PREFIX)}


def test_what_is_copied_exists_and_is_not_ignored() -> None:
    admitted = []
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        if line.startswith("!"):
            assert (ROOT / line[1:]).exists(), line
            admitted.append(line[1:])
    for stage in stages():
        for origin, source, _ in copies(stage):
            if origin:
                continue
            assert (ROOT / source).exists(), source
            assert any(fnmatch.fnmatch(source, pattern) for pattern in admitted), source


def test_every_base_is_one_python_that_the_project_takes() -> None:
    bases = {rest.split()[0] for name, rest in instructions(DOCKERFILE) if name == "FROM"}
    (base,) = bases
    version = re.fullmatch(r"python:3\.(\d+)-slim", base)
    assert version
    assert int(version.group(1)) >= 11


def test_it_runs_without_rights_and_hears_the_signal() -> None:
    stage = dict(stages()[-1])
    assert stage["USER"] == "pagehand"
    assert json.loads(stage["CMD"])[-2:] == ["-m", "backend"]  # a list: no shell in between
    assert json.loads(stage["HEALTHCHECK"].split("CMD", 1)[1])


def test_its_settings_are_known() -> None:
    settings = Settings.from_env(image_settings())
    assert (settings.host, settings.port) == ("0.0.0.0", 8000)
    assert dict(stages()[-1])["EXPOSE"] == str(settings.port)
    assert f"127.0.0.1:{settings.port}/healthz" in DOCKERFILE


def test_what_the_image_holds_is_enough(tmp_path: Path) -> None:
    """The last stage's files alone, started by its command, answer and serve the page."""
    for origin, source, target in copies(stages()[-1]):
        if origin:
            continue  # the environment, and the big files that only the page needs
        here, there = ROOT / source, tmp_path / target
        if here.is_dir():
            shutil.copytree(here, there, ignore=shutil.ignore_patterns("vendor", "__pycache__"))
        else:
            shutil.copy(here, there)
    command = json.loads(dict(stages()[-1])["CMD"])
    process = subprocess.Popen(
        [sys.executable, *command[1:]],
        cwd=tmp_path,
        env={**environment(PORT="0", DEMO_DELAY="0"), "PYTHONSAFEPATH": ""},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("pagehand: ").strip()
        served = ("", "healthz", "pyscript.toml", "static/pagehand.js", "app/pagehand/errors.py")
        assert [httpx.get(url + path).status_code for path in served] == [200] * len(served)
        body = {"messages": [{"role": "user", "content": "hello"}]}
        assert "[DONE]" in httpx.post(f"{url}chat", json=body).text
    finally:
        process.kill()
        process.communicate()


def test_two_replicas_that_agree() -> None:
    assert len(REPLICAS) == 2
    assert REPLICAS[0] == REPLICAS[1]
    assert REPLICAS[0]["build"] == "."


def test_their_settings_are_known_and_are_what_replicas_need(tmp_path: Path) -> None:
    given: dict[str, str] = dict(REPLICAS[0]["environment"])
    secret = tmp_path / "secret"
    secret.write_text("a secret of more than 16 characters")
    path = given["PAGEHAND_APPROVAL_SECRET_FILE"]
    assert path == f"/run/secrets/{REPLICAS[0]['secrets'][0]}"
    assert set(REPLICAS[0]["secrets"]) == set(COMPOSE["secrets"])
    settings = Settings.from_env({**given, "PAGEHAND_APPROVAL_SECRET_FILE": str(secret)})
    assert settings.approval_secret
    assert settings.redis_url.split("//")[1].partition(":")[0] in SERVICES
    (network,) = COMPOSE["networks"].values()
    assert list(settings.trusted_proxies) == [c["subnet"] for c in network["ipam"]["config"]]
    # uvicorn waits for the grace time and five seconds more.
    assert int(REPLICAS[0]["stop_grace_period"].removesuffix("s")) > settings.grace + 5


def run_settings() -> dict[str, str]:
    """What the `docker run` line at the top of the Dockerfile sets."""
    (line,) = re.findall(r"^# +docker run (.*?[^\\])$", DOCKERFILE, re.MULTILINE | re.DOTALL)
    words = shlex.split(line.replace("\\\n#", " "))
    assert any(word.startswith("127.0.0.1:") for word in words)
    given = [value for flag, value in pairwise(words) if flag == "-e"]
    return dict(value.split("=", 1) for value in given)


@pytest.mark.parametrize("how", ["docker run", "compose"])
async def test_a_foreign_name_that_points_to_this_machine_is_refused(how: str) -> None:
    """Published on loopback only, but the process listens to all, so it must be told its names."""
    own: dict[str, str] = run_settings() if how == "docker run" else REPLICAS[0]["environment"]
    others = ("REDIS_URL", "APPROVAL_SECRET_FILE")  # nothing of it is here
    given = {**image_settings(), **own, "PAGEHAND_RATE": "0"}
    for name in others:
        given.pop(PREFIX + name, None)
    app = create_app(Settings.from_env(given))
    transport = httpx.ASGITransport(app=app)
    body = {"messages": [{"role": "user", "content": "hello"}]}
    answers = {}
    for host in ("127.0.0.1:8000", "localhost:8000", "evil.example:8000"):
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            answers[host] = (await client.post("/chat", json=body)).status_code
            assert (await client.get("/healthz")).status_code == 200
    assert list(answers.values()) == [200, 200, 403]


def test_images_are_pinned_and_only_the_front_is_reached_from_this_machine() -> None:
    for name, service in SERVICES.items():
        if "image" in service:
            assert re.fullmatch(r"[a-z/]+:\d+\.\d+", service["image"]), name
        assert bool(service.get("ports")) is (name == "front")
    (published,) = SERVICES["front"]["ports"]
    assert published.startswith("127.0.0.1:")
    command = SERVICES["front"]["command"]
    replicas = [name for name, service in SERVICES.items() if "build" in service]
    assert [f"--to {name}:8000" in command for name in replicas] == [True, True]


def test_what_is_waited_for_can_be_healthy() -> None:
    for service in SERVICES.values():
        for name, wait in service.get("depends_on", {}).items():
            assert wait == {"condition": "service_healthy"}
            awaited: dict[str, Any] = SERVICES[name]
            assert "healthcheck" in awaited or awaited.get("build") == "."


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", ".dockerignore"])
def test_no_word_that_must_not_be_here(name: str) -> None:
    from repo.test_words import MACHINE, REGISTRIES, UNFINISHED

    text = (ROOT / name).read_text("utf-8")
    for pattern in (REGISTRIES, MACHINE, UNFINISHED):
        assert not pattern.search(text)
