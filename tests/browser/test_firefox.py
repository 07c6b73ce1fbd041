"""Forms, gestures and storage in Firefox, through its own WebDriver BiDi."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Page

from browser.support.fake_server import FakeServer
from browser.support.firefox import Firefox
from browser.support.gallery import PAGE, SHOW, build
from browser.support.workbench import Workbench
from browser.test_frameworks_forms import FILLED
from browser.test_frameworks_forms import FILLS as FRAMEWORK_FILLS
from browser.test_tools_form import FILLS, REFUSED

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def firefox(vendored: None) -> Iterator[Firefox]:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
    import firefox as program

    found = program.ensure()
    if found is None:
        pytest.skip("there is no Firefox, and none can be installed here")
    with Firefox(found) as browser:
        yield browser


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    server = FakeServer()
    yield server
    server.close()


@pytest.fixture
def bench(firefox: Firefox, server: FakeServer) -> Workbench:
    return Workbench(cast("Page", firefox.page), server)


def fill(bench: Workbench, *pairs: tuple[str, Any]) -> dict[str, Any]:
    return bench.call(
        "fill_form_field", fields=[{"name": name, "value": value} for name, value in pairs]
    )


def test_every_kind_of_control(bench: Workbench) -> None:
    bench.open("controls.html")
    result = fill(
        bench,
        *[(name, value) for name, value, _, _ in FILLS],
        ("Tags", ["Alpha", "c"]),
        ("Payment", "Cash"),
        ("Notify", "SMS、Call"),
        ("I agree", True),
        ("Dark mode", True),
        ("Notes", "new text"),
    )
    assert result["success"], result["summary"]
    held = {selector: bench.value(selector) for _, _, selector, _ in FILLS}
    assert held == {selector: value for _, _, selector, value in FILLS}
    chosen = "[...document.querySelectorAll(':checked')].map((one) => one.value)"
    assert bench.page.evaluate(chosen) == ["l", "a", "c", "cash", "sms", "call", "yes"]
    assert bench.value("#rich", "innerText").strip() == "new text"
    assert bench.call("undo_fill")["success"]
    assert bench.value("[name=username]") == ""


def test_what_is_refused(bench: Workbench) -> None:
    bench.open("controls.html")
    result = fill(bench, *[(name, value) for name, value, _ in REFUSED])
    codes = [(entry["name"], entry["code"]) for entry in result["data"]["failed"]]
    assert codes == [(name, code) for name, _, code in REFUSED]
    assert "hunter2" not in str(bench.call("read_page"))


def test_frameworks_notice(bench: Workbench) -> None:
    build()
    bench.show(PAGE)
    bench.page.evaluate("(() => { window.styles = []; })()")
    for name in ("react16", "react19", "vue2", "vue3", "svelte", "angular", "lit"):
        bench.page.evaluate(SHOW, name)
        assert fill(bench, *FRAMEWORK_FILLS)["success"], name
        assert bench.page.evaluate("(window.shown.state())") == FILLED, name


def test_what_needs_the_persons_own_press(firefox: Firefox, bench: Workbench) -> None:
    bench.show(
        "<a href='/made/bench.html' target=_blank>Elsewhere</a>"
        "<button id=own>Open</button><script>own.onclick = () => {"
        " window.opened = Boolean(window.open('about:blank')); }</script>"
    )
    before = len(firefox.tabs)
    assert bench.call("click", target="Elsewhere")["code"] == "needs_user_gesture"
    told = bench.call("click", target="Open")
    assert bench.page.evaluate("window.opened") is False, told
    assert len(firefox.tabs) == before
    firefox.page.press("document.getElementById('own')")
    assert bench.page.evaluate("window.opened") is True
    assert len(firefox.tabs) == before + 1


def test_storage(bench: Workbench) -> None:
    bench.show("<p>storage</p>", storage=["draft.*"])
    assert bench.call("write_storage", key="draft.a", value="kept")["success"]
    assert bench.page.evaluate("localStorage.getItem('draft.a')") == "kept"
    bench.page.evaluate("localStorage.setItem('authToken', 'abcdefgh12345678')")
    assert bench.call("read_storage", key="draft.a")["data"]["value"] == "kept"
    assert "abcdefgh12345678" not in str(bench.call("read_storage", key="authToken"))
    listed = str(bench.call("list_storage"))
    assert "draft.a" in listed
    assert "kept" not in listed
    assert bench.call("remove_storage", key="draft.a")["success"]
    assert bench.page.evaluate("localStorage.getItem('draft.a')") is None
