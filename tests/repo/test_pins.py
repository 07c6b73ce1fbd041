"""One version of a thing everywhere it is named."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from repo.sources import ROOT, tracked


def _requirements(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {package.strip().lower(): version.strip() for package, version in pairs}


def _vendored() -> dict[str, str]:
    """Names and versions in the page's lock, whatever the nesting."""
    found: dict[str, str] = {}

    def walk(node: Any) -> None:
        if isinstance(node, list):
            for item in node:
                walk(item)
        elif isinstance(node, dict):
            if isinstance(node.get("name"), str) and isinstance(node.get("version"), str):
                found[node["name"].lower().replace("_", "-")] = node["version"]
            for value in node.values():
                walk(value)

    walk(json.loads((ROOT / "vendor.lock.json").read_text(encoding="utf-8")))
    return found


@pytest.mark.parametrize("package", ["pydantic", "jsonschema"])
def test_the_page_and_the_tests_use_one_version(package: str) -> None:
    assert _vendored()[package] == _requirements("requirements.txt")[package]


def test_every_requirement_is_pinned() -> None:
    for name in (path.name for path in ROOT.glob("requirements*.txt")):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            if line and not line.startswith(("#", "-r")):
                assert re.fullmatch(r"[A-Za-z0-9_.\-\[\]]+==[\w.]+", line), line


def test_project_version_and_changelog_agree() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## Unreleased" in changelog or f"## {version}" in changelog


@pytest.mark.parametrize("path", tracked("package.json"), ids=str)
def test_npm_dependencies_are_exact_and_locked(path: Any) -> None:
    package = json.loads((ROOT / path).read_text(encoding="utf-8"))
    wanted = {**package.get("dependencies", {}), **package.get("devDependencies", {})}
    for name, version in wanted.items():
        assert re.match(r"\d|npm:", version), f"{name} is not pinned to one version: {version}"
    lock = json.loads((ROOT / path.parent / "package-lock.json").read_text(encoding="utf-8"))
    for name in wanted:
        assert f"node_modules/{name}" in lock["packages"]
