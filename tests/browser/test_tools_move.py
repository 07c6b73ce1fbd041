"""Scrolling boxes, and going to other places: routers, history, and loads that end the page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, called, said, stream
from browser.support.floor import Floor

pytestmark = pytest.mark.browser

BOXES = (
    "<div id=box tabindex=0 role=region aria-label=Orders style='height:200px;overflow:auto'>"
    "<div style='height:1500px'>Rows <b id=first>first</b></div><p id=last>Last row</p></div>"
    "<div id=wide style='width:300px;overflow-x:auto' role=region aria-label=Wide>"
    "<div style='width:2000px'>wide</div></div><div style='height:3000px'></div><p>End</p>"
)


def test_a_box_scrolls_by_itself(floor: Floor) -> None:
    floor.show(BOXES)
    down = floor.call("scroll_to", container="Orders", direction="down")["data"]
    assert (down["top"], down["moved"], floor.page.evaluate("scrollY")) == (170, True, 0)
    assert down["container"].startswith("e")
    inside = floor.call("scroll_to", container="css=#first", direction="bottom")["data"]
    assert inside["at_bottom"] is True
    assert floor.call("scroll_to", container="Orders", direction="bottom")["code"] == "no_change"
    right = floor.call("scroll_to", container="Wide", direction="right", pixels=120)["data"]
    assert (right["left"], right["at_right"]) == (120, False)
    left = floor.call("scroll_to", container="Wide", direction="left", pixels=20)["data"]
    assert left["left"] == 100


def test_pixels_keep_their_direction_and_nothing_is_a_number(floor: Floor) -> None:
    floor.show(BOXES)
    assert floor.call("scroll_to", pixels=300)["data"]["top"] == 300
    assert floor.call("scroll_to", direction="up", pixels=100)["data"]["top"] == 200
    still = floor.call("scroll_to", direction="down", pixels=0)
    assert (still["code"], still["data"]["top"]) == ("no_change", 200)


def test_an_element_inside_a_box_is_brought_into_view(floor: Floor) -> None:
    floor.show(BOXES)
    data = floor.call("scroll_to", selector="css=#last", behavior="smooth")["data"]
    assert (data["in_view"], data["moved"]) == (True, True)
    assert floor.page.evaluate("box.scrollTop") > 1000


def test_the_hosts_router_goes_first(floor: Floor) -> None:
    floor.show("<a href='/orders'>Orders</a>")
    floor.python(
        "import js\n"
        "went = []\n"
        "async def router(path):\n"
        "    went.append(path)\n"
        "    js.history.replaceState(None, '', path)\n"
        "engine = Engine(page_tools(router=router), confirm=confirm)"
    )
    at = floor.page.evaluate("location.pathname")
    result = floor.call("navigate_to", path="/orders/:id", params={"id": "a/b", "tab": 2})
    assert floor.python("json.dumps(went)") == '["/orders/a%2Fb?tab=2"]'
    assert result["data"]["way"] == "router"
    assert result["data"]["url"].endswith("/orders/a%2Fb?tab=2")
    floor.python("def router(path): pass\nengine = Engine(page_tools(router=router))")
    floor.page.evaluate("at => history.replaceState(null, '', at)", at)


def test_routers_that_listen_to_popstate_get_one(floor: Floor) -> None:
    floor.show("<p id=p>start</p>", router="history")
    floor.page.evaluate(
        "window.onpopstate = () => { p.textContent = location.search; }; window.kept = 1; 0"
    )
    here = floor.page.evaluate("location.pathname")
    result = floor.call("navigate_to", path=f"{here}?page=2")
    assert floor.questions == [f"Go to {floor.server.url}{here}?page=2?"]
    assert (result["success"], floor.text("#p")) == (True, "?page=2")
    back = floor.call("go_back")
    assert (back["success"], back["data"]["url"].endswith("?page=2")) == (True, False)
    assert floor.page.evaluate("window.kept") == 1
    floor.page.evaluate("window.onpopstate = null; 0")


def test_what_is_typed_and_not_sent_is_named_in_the_question(floor: Floor) -> None:
    floor.show("<label>Note <textarea id=t></textarea></label>")
    floor.answer(False)
    floor.call("reload")
    floor.page.fill("#t", "half a thought")
    floor.call("reload")
    floor.call("navigate_to", path="/elsewhere")
    assert ["may be lost" in one for one in floor.questions] == [False, True, True]
    assert "“Note”" in floor.questions[1]


OTHER = """<!doctype html><meta charset=utf-8><title>Orders</title>
<script type=module src="/static/pagehand.js"></script><h1>Orders</h1><page-hand></page-hand>"""
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"


@pytest.fixture
def assistant(page: Page, fake_server: FakeServer) -> Assistant:
    fake_server.file("orders.html", OTHER)
    fake_server.file("moved.html", f"<script>location.replace('/made/orders.html')</script>{OTHER}")
    two = OTHER.replace("<page-hand>", "<page-hand thread=other></page-hand><page-hand>")
    fake_server.file("two.html", two)
    to = f"/made/orders.html#id_token={TOKEN}"
    fake_server.file("signed.html", f"<script>location.replace('{to}')</script>{OTHER}")
    page.goto(
        fake_server.page(
            "<h1>Start</h1><a id=leave href='/made/orders.html'>Orders</a>"
            "<form action='/made/orders.html'><button>Search</button></form><page-hand></page-hand>"
        )
    )
    assistant = Assistant(page)
    assistant.wait_ready()
    return assistant


def _run(assistant: Assistant, server: FakeServer, tool: str, **arguments: Any) -> dict[str, Any]:
    """Lets the model call one tool, says yes, and waits for the request that carries its answer."""
    server.answer(stream(called(("c1", tool, arguments))), stream(said("There we are.")))
    assistant.say("Go")
    yes = assistant.part("confirmation").locator('[data-action="confirm"][aria-disabled="false"]')
    yes.click()
    expect(assistant.answers.last).to_contain_text("There we are.", timeout=60_000)
    parts = server.requests[-1]["messages"][-1]["parts"]
    output: dict[str, Any] = next(one for one in parts if one["type"] == f"tool-{tool}")["output"]
    return output


def test_a_load_keeps_the_conversation_and_answers_the_call(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    output = _run(assistant, fake_server, "navigate_to", path="/made/orders.html")
    assert (output["success"], output["code"]) == (True, "page_loaded")
    assert output["data"]["url"] == f"{fake_server.url}/made/orders.html"
    assert output["data"]["title"] == "Orders"
    assert len(fake_server.requests) == 2
    expect(assistant.questions).to_have_count(1)


def test_a_load_that_ends_elsewhere_says_where(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    output = _run(assistant, fake_server, "navigate_to", path="/made/moved.html")
    assert (output["success"], output["code"]) == (False, "elsewhere")
    assert output["data"]["url"].endswith("/made/orders.html")


def test_a_token_in_the_address_stays_in_the_page(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    output = _run(assistant, fake_server, "navigate_to", path="/made/signed.html")
    assert assistant.page.evaluate("location.hash") == f"#id_token={TOKEN}"
    assert "/made/orders.html" in output["data"]["url"]
    assert output["data"]["untrusted"] is True
    assert "eyJ" not in str(fake_server.requests[-1])


def test_a_reload_is_answered_after_it(assistant: Assistant, fake_server: FakeServer) -> None:
    output = _run(assistant, fake_server, "reload")
    assert (output["success"], output["data"]["loaded"]) == (True, True)
    assert assistant.page.evaluate("sessionStorage.getItem('pagehand:left')") is None


def test_a_click_that_leaves_is_answered_on_the_next_page(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    output = _run(assistant, fake_server, "click", target="Search")
    assert output["code"] == "page_loaded"
    assert "/made/orders.html" in output["data"]["url"]


def test_another_assistant_of_the_next_page_leaves_the_answer_alone(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    output = _run(assistant, fake_server, "navigate_to", path="/made/two.html")
    assert (output["success"], output["code"]) == (True, "page_loaded")
    expect(assistant.element).to_have_count(2)


def test_a_call_that_left_is_answered_when_its_tab_leads_again(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    """The load gives the lead to another tab; what the call did is known in this one."""
    second = Assistant(assistant.page.context.new_page())
    second.page.goto(assistant.page.url)
    second.wait_ready()
    elsewhere = '[data-part=notice][data-code="elsewhere"]'
    expect(second.element.locator(elsewhere)).to_be_visible()
    fake_server.answer(stream(called(("c1", "reload", {}))), stream(said("There we are.")))
    assistant.say("Go")
    assistant.part("confirmation").locator('[data-action="confirm"][aria-disabled="false"]').click()
    expect(second.part("choice")).to_be_visible(timeout=60_000)
    here = assistant.element.locator(f'{elsewhere} [data-action="here"]')
    here.click(timeout=60_000)
    expect(assistant.answers.last).to_contain_text("There we are.")
    parts = fake_server.requests[-1]["messages"][-1]["parts"]
    output = next(one for one in parts if one["type"] == "tool-reload")["output"]
    assert (output["success"], output["data"]["loaded"]) == (True, True)
    assert len(fake_server.requests) == 2
