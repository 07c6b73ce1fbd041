"""examples/embed: a foreign page with hostile CSS and scripts, its backend on another origin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser.support.backend import ROOT, Backend
from browser.support.element import Assistant
from browser.support.fake_server import FakeServer

pytestmark = pytest.mark.browser

FILES = ("index.html", "hostile.css", "host.js", "my_tools.py")
EXAMPLE = ROOT / "examples/embed"


@pytest.fixture(scope="module")
def backend(vendored: None) -> Iterator[Backend]:
    backend = Backend(model="demo", demo_delay="0", allowed_origins="http://127.0.0.1:*")
    yield backend
    backend.close()


@pytest.fixture
def host(backend: Backend, fake_server: FakeServer) -> str:
    """The example's page on an origin of its own, pointing at this test's backend."""
    for name in FILES:
        text = (EXAMPLE / name).read_text(encoding="utf-8")
        fake_server.file(name, text.replace("http://127.0.0.1:8000", backend.url))
    return f"{fake_server.url}/made/index.html"


@pytest.fixture
def assistant(page: Page, host: str) -> Assistant:
    page.goto(host)
    assistant = Assistant(page)
    assistant.wait_ready()
    return assistant


def test_readme_says_how_to_run_it() -> None:
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    page = (EXAMPLE / "index.html").read_text(encoding="utf-8")
    assert "PAGEHAND_ALLOWED_ORIGINS=http://127.0.0.1:8100 make run" in readme
    assert 'endpoint="http://127.0.0.1:8000/chat"' in page
    assert 'src="http://127.0.0.1:8000/static/pagehand.js"' in page


LOOKS = """element => {
  const look = (part, ...names) => {
    const style = getComputedStyle(element.shadowRoot.querySelector(part));
    return names.map((name) => style[name]);
  };
  return {
    text: look("[data-part=textarea]", "display", "fontSize", "letterSpacing", "textTransform",
               "visibility", "pointerEvents", "cursor"),
    title: look(".ph-title", "fontSize", "fontFamily", "opacity", "transform", "filter"),
    send: look("[data-part=send]", "display", "width", "height"),
    panel: look("[data-part=panel]", "color", "direction", "boxSizing"),
    host: ["opacity", "filter", "visibility", "display"].map((n) => getComputedStyle(element)[n]),
  };
}"""


def test_hostile_css_does_not_reach_in(page: Page, host: str, fake_server: FakeServer) -> None:
    page.goto(host)
    hostile = Assistant(page)
    expect(hostile.part("send")).to_be_visible()  # the whole shell, with its sheets
    seen = hostile.element.evaluate(LOOKS)
    page.goto(fake_server.page('<page-hand style="height: 620px"></page-hand>'))
    calm = Assistant(page)
    expect(calm.part("send")).to_be_visible()
    assert seen == calm.element.evaluate(LOOKS)


def test_the_integrators_tools_run_on_their_page(page: Page, assistant: Assistant) -> None:
    assert set(assistant.get("tools")) == {"list-records", "add-to-basket", "basket-total"}
    assistant.say("add-to-basket hr-2")
    expect(assistant.call("add-to-basket")).to_have_attribute("data-state", "output-available")
    expect(page.locator("#basket")).to_have_text("hr-2")
    assistant.wait_status("ready")
    assistant.say("basket-total")
    expect(assistant.call("basket-total")).to_have_attribute("data-state", "output-available")
    assistant.wait_status("ready")
    outputs = [
        part["output"]
        for message in assistant.get("messages")
        for part in message["parts"]
        if part["type"] == "tool-basket-total"
    ]
    assert outputs == [{"records": 1, "euros": 24}]


def test_the_pages_shortcuts_and_the_assistant_leave_each_other_alone(
    page: Page, assistant: Assistant
) -> None:
    assistant.textarea.type("bob")
    expect(page.locator("#basket")).to_have_text("empty")
    assert page.evaluate("hostSaw.keys") == []
    expect(assistant.textarea).to_have_value("bob")
    page.locator("h1").click()
    page.keyboard.press("b")
    expect(page.locator("#basket")).to_have_text("emptied by a shortcut")


def test_nothing_but_json_leaves(page: Page, assistant: Assistant, backend: Backend) -> None:
    with page.expect_request(f"{backend.url}/chat") as sent:
        assistant.say("list-records")
    body = sent.value.post_data_json
    assert set(body) == {"id", "messages", "trigger", "clientTools"}
    for entry in body["clientTools"].values():
        assert set(entry) == {"description", "inputSchema"}
    expect(assistant.call("list-records")).to_have_attribute("data-state", "output-available")
    assistant.wait_status("ready")


def test_own_css_of_the_assistant_does_not_leak_out(page: Page, assistant: Assistant) -> None:
    names = page.evaluate("[...document.querySelectorAll('link, style')].map(e => e.href)")
    assert all(name.endswith("hostile.css") for name in names)
    assert page.evaluate("document.body.children.length") == 2
