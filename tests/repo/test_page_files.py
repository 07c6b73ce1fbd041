"""What the page is told to load is what is on disk."""

from __future__ import annotations

import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest

from repo.sources import ROOT, tracked

CONFIG = ROOT / "pyscript.toml"
VENDOR = "static/vendor/"


class _Addresses(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {"href", "src", "config"} if tag in {"link", "script", "img"} else set()
        self.found += [value for key, value in attrs if key in names and value]


def _addresses(page: Path) -> list[str]:
    reader = _Addresses()
    reader.feed(page.read_text(encoding="utf-8"))
    return [a for a in reader.found if not a.startswith(("data:", "#"))]


def test_pyscript_config_names_only_files_on_disk() -> None:
    config = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    named = [
        config["interpreter"],
        *config.get("files", {}),
        *config.get("js_modules", {}).get("main", {}),
    ]
    for address in named:
        assert not re.match(r"[a-z]+:|//|/", address), f"{address} is not relative to the page"
        relative = address.removeprefix("./")
        assert relative.startswith(VENDOR) or (ROOT / relative).is_file(), f"{address} is missing"
    assert "packages" not in config, "`packages`, even empty, asks for a wheel we do not serve"


def test_index_loads_only_relative_addresses_that_exist() -> None:
    for address in _addresses(ROOT / "index.html"):
        assert not re.match(r"[a-z]+:|//|/", address), f"{address} is not relative"
        relative = address.removeprefix("./").split("?")[0]
        assert relative.startswith(VENDOR) or (ROOT / relative).is_file(), f"{address} is missing"


@pytest.mark.parametrize("path", tracked(".css"), ids=str)
def test_stylesheets_load_nothing_from_elsewhere(path: Path) -> None:
    if path.parts[0] != "static":
        return
    text = (ROOT / path).read_text(encoding="utf-8")
    for address in re.findall(r"url\(\s*['\"]?([^'\")]+)", text):
        assert not re.match(r"(?!data:)[a-z]+:|//", address), f"{path} loads {address}"
