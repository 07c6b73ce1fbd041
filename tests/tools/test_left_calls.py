"""What a call that took the page away says on the next page; no browser needed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from pagehand.wire.jsontext import dumps, loads

TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
NEEDS = ("pagehand.browser", "pagehand.tools")


class Session:
    """The tab's session storage."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def getItem(self, key: str) -> str | None:  # noqa: N802 - the browser's name
        return self.texts.get(key)

    def setItem(self, key: str, text: str) -> None:  # noqa: N802 - the browser's name
        self.texts[key] = text

    def removeItem(self, key: str) -> None:  # noqa: N802 - the browser's name
        self.texts.pop(key, None)

    def put(self, **notes: Any) -> None:
        self.texts["pagehand:left"] = dumps(notes)

    def kept(self) -> set[str]:
        return set(loads(self.texts.get("pagehand:left", "{}")))


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    js = MagicMock()
    js.sessionStorage = Session()
    js.location = SimpleNamespace(href="https://shop.example/orders")
    js.document.title = "Orders"
    before = {name for name in sys.modules if name.startswith(NEEDS)}
    for name in before:
        monkeypatch.delitem(sys.modules, name)
    for name in ("pyodide", "pyodide.ffi", "pagehand_shell"):
        monkeypatch.setitem(sys.modules, name, MagicMock(JsException=OSError))
    monkeypatch.setitem(sys.modules, "js", js)
    yield js
    for name in [name for name in sys.modules if name.startswith(NEEDS)]:
        sys.modules.pop(name)


def note(**more: Any) -> dict[str, Any]:
    return {"tool": "click", "to": "", "from": "https://a.example/", "at": time.time(), **more}


def test_no_secret_of_an_address_or_a_title_goes_out(page: Any) -> None:
    page.location.href = f"https://shop.example/#id_token={TOKEN}"
    page.document.title = f"Bearer {TOKEN}"
    travel = import_module("pagehand.tools.travel")
    for left in (
        note(**{"from": f"https://shop.example/in?code={TOKEN}"}),
        note(to=f"https://shop.example/?t={TOKEN}"),
        note(tool="reload"),
    ):
        for language in ("en", "zh-CN"):
            answer = travel.answer_after_load(left, language)
            assert "eyJ" not in dumps(answer)
            assert answer["data"]["untrusted"] is True


def test_an_address_without_a_secret_is_told_as_it_is(page: Any) -> None:
    travel = import_module("pagehand.tools.travel")
    answer = travel.answer_after_load(note(), "en")
    assert (answer["code"], answer["data"]["url"]) == ("page_loaded", "https://shop.example/orders")
    assert (answer["data"]["title"], answer["data"]["from"]) == ("Orders", "https://a.example/")


def test_notes_of_other_calls_wait_for_their_own_assistant(page: Any) -> None:
    leaving = import_module("pagehand.browser.leaving")
    page.sessionStorage.put(c1=note(), c2=note(tool="reload"))
    assert leaving.take_left([]) == {}
    assert leaving.take_left(["other"]) == {}
    assert page.sessionStorage.kept() == {"c1", "c2"}
    assert list(leaving.take_left(["c2", "c3"])) == ["c2"]
    assert page.sessionStorage.kept() == {"c1"}
    assert leaving.take_left(["c2"]) == {}, "given once"
    assert list(leaving.take_left(["c1"])) == ["c1"]
    assert page.sessionStorage.texts == {}


@pytest.mark.parametrize("old", [note(at=0), note(at="soon"), note(at=None), "no note"])
def test_what_is_old_or_broken_is_dropped(page: Any, old: Any) -> None:
    leaving = import_module("pagehand.browser.leaving")
    page.sessionStorage.put(c1=old, c2=note())
    assert leaving.take_left(["c1"]) == {}
    assert page.sessionStorage.kept() == {"c2"}
