"""Forms of real frameworks: what the tools write is what the framework's own state holds."""

from __future__ import annotations

from typing import Any

import pytest

from browser.support.gallery import Gallery

pytestmark = pytest.mark.browser

FRAMEWORKS = ["react16", "react17", "react18", "react19", "preact", "vue2", "vue3"]
FRAMEWORKS += ["svelte", "angular", "angularjs", "alpine", "lit"]

FILLS: list[tuple[str, Any]] = [
    ("Name", "张三"),
    ("Message", "two\nlines"),
    ("Amount", "12"),
    ("Day", "2026-03-18"),
    ("Volume", 10),
    ("Agree", True),
    ("Plan", "Pro"),
    ("Size", "Large"),
    ("Tags", ["Alpha", "Gamma"]),
    ("Lazy", "late"),
]
FILLED = {
    "name": "张三",
    "message": "two\nlines",
    "amount": 12,
    "day": "2026-03-18",
    "volume": 10,
    "agree": True,
    "plan": "pro",
    "size": "l",
    "tags": ["a", "c"],
    "lazy": "late",
}


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_control_reaches_the_state(gallery: Gallery, name: str) -> None:
    gallery.draw(name)
    result = gallery.fill(*FILLS)
    assert result["success"], result
    assert gallery.state() == FILLED

    again = gallery.fill(*FILLS)
    assert again["success"]
    assert len(again["data"]["unchanged"]) == len(FILLS), again


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_emptying_switching_off_and_undoing(gallery: Gallery, name: str) -> None:
    gallery.draw(name)
    before = gallery.state()
    assert gallery.fill(*FILLS)["success"]
    assert gallery.call("undo_fill")["success"]
    after = gallery.state()
    assert {**after, "volume": 0} == {**before, "volume": 0}

    assert gallery.fill(("Name", ""), ("Tags", []))["success"]
    assert gallery.call("set_checked", target="Agree", checked=True)["success"]
    assert gallery.call("set_checked", target="Agree", checked=False)["success"]
    assert gallery.call("select_option", target="Size", options=["Small"])["success"]
    held = gallery.state()
    assert (held["name"], held["tags"], held["agree"], held["size"]) == ("", [], False, "s")


@pytest.mark.parametrize("name", ["react16", "react17", "react18", "react19"])
def test_one_fill_is_one_change(gallery: Gallery, name: str) -> None:
    gallery.draw(name)
    assert gallery.fill(("Name", ""))["success"]
    assert gallery.state()["name"] == ""
    assert gallery.page.evaluate("shown.changes()") == 1
