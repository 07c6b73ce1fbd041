"""Reported faults that are about calls, addresses and secrets more than about one element.

As in test_tools_reports.py, the number before a page's name is that of the report; 98 and 101 are
about callbacks and stand in test_views_html.py.
"""

from __future__ import annotations

import json

import pytest

from browser.support.floor import Floor

pytestmark = pytest.mark.browser


def outline(floor: Floor) -> str:
    return str(floor.call("read_page")["data"]["outline"])


def test_12_of_two_secrets_no_end_is_left(floor: Floor) -> None:
    floor.report("12-two-secrets")
    seen = outline(floor)
    assert seen.count("[masked api key]") == 2
    assert not [part for part in ("sk-4f", "1111bbbb", "2222cccc") if part in seen]


def test_35_an_empty_address_is_no_place(floor: Floor) -> None:
    floor.report("35-empty-address")
    assert 'frame "Nothing yet"' in outline(floor)
    assert floor.call("navigate_to", path="about:blank")["code"] == "forbidden_scheme"
    assert floor.call("click", target="Leave for nothing")["code"] == "forbidden_scheme"
    floor.report("35-empty-address", root="#not-there")
    assert floor.call("read_page")["code"] == "no_root"


@pytest.mark.parametrize("name", ["number", "hex", "wide", "dot"])
def test_36_a_host_is_what_the_browser_makes_of_it(floor: Floor, name: str) -> None:
    # Allowed is a host of another name: no spelling of this machine's address counts as it.
    floor.report("36-other-spellings-of-a-host", urls=["http://localhost"])
    url = floor.page.locator(f"#{name}").get_attribute("href")
    assert floor.call("navigate_to", path=url)["code"] == "foreign_origin"
    refused = floor.call("click", target=f"css=#{name}")
    assert refused["code"] == "foreign_origin"
    assert "http://127.0.0.1/" in refused["error"], "the address that is meant is told"


def test_44_up_is_up_and_left_is_left(floor: Floor) -> None:
    floor.report("44-both-ways")
    places = []
    for direction, pixels in [("down", 900), ("up", 400), ("right", 700), ("left", 300)]:
        floor.call("scroll_to", direction=direction, pixels=pixels)
        places.append(floor.page.evaluate("[scrollX, scrollY]"))
    assert places == [[0, 900], [0, 500], [700, 500], [400, 500]]


def test_47_two_calls_at_once_do_not_mix(floor: Floor) -> None:
    floor.report("47-two-at-once")
    floor.python("""
import asyncio
await asyncio.gather(*(
    call("fill_form_field", json.dumps({"fields": [{"name": "Town", "value": value}]}))
    for value in ("Rome", "Bern")
))
""")
    seen = floor.page.evaluate("seen47")
    assert seen[-1] == "Bern"
    assert all("Rome".startswith(value) or "Bern".startswith(value) for value in seen), seen


def test_48_a_frame_gives_no_orders(floor: Floor) -> None:
    floor.report("48-a-frame-that-orders")
    floor.page.wait_for_function("heard48 === 4")
    assert 'button "Erase all"' in outline(floor)
    assert floor.page.evaluate("erased48") == 0


def test_53_words_in_a_frame_are_found(floor: Floor) -> None:
    floor.report("53-heading-in-a-frame")
    assert floor.call("wait_for", text="Delivery on Monday")["success"]
    assert floor.call("find_in_page", text="delivery")["data"]["hits"][0]["role"] == "heading"


def test_71_what_is_typed_is_not_said(floor: Floor) -> None:
    floor.report("71-what-is-typed-is-not-said")
    said: list[str] = []
    floor.page.on("console", lambda message: said.append(message.text))
    secret = "sk-4f0a0a4fAAAA1111bbbb"
    fields = [{"name": "Note", "value": secret}, {"name": "Access token", "value": secret}]
    told = json.dumps(floor.call("fill_form_field", fields=fields))
    floor.call("press_key", target="Note", key="End")
    assert floor.value("#note") == secret
    assert not [text for text in [*said, told, outline(floor)] if secret in text]
    assert "tok-4f0a" not in outline(floor)


def test_86_a_controlled_number_is_updated(floor: Floor) -> None:
    floor.report("86-controlled-number")
    fields = [{"name": "Amount", "value": "42.5"}]
    assert floor.call("fill_form_field", fields=fields)["success"]
    assert (floor.value("#amount"), floor.text("#state")) == ("42.5", "42.5")


def test_90_what_is_asked_waits_for_the_answer(floor: Floor) -> None:
    floor.report("90-an-approval-that-waits")
    before, after = json.loads(
        floor.python("""
import asyncio
from js import document

asked = []
waiting = Engine(page_tools(), confirm=asked.append)
task = asyncio.ensure_future(waiting.invoke("click", {"target": "Delete the account"}))
while not asked:
    await asyncio.sleep(0.01)
early = [task.done(), document.getElementById("count").textContent]
asked[0].answer(True)
await task
json.dumps([early, document.getElementById("count").textContent])
""")
    )
    assert before == [False, "0"]
    assert after == "1"


def test_92_nine_calls_are_nine_clicks(floor: Floor) -> None:
    floor.report("92-drawn-anew")
    for _ in range(9):
        assert floor.call("click", target="Add")["success"]
    assert floor.page.evaluate("clicks92") == 9
