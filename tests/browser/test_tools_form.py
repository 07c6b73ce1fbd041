"""Filling forms: every kind of control, what is refused, what frameworks notice."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from browser.support.fake_server import FakeServer
from browser.support.workbench import Workbench

pytestmark = pytest.mark.browser

FILLS: list[tuple[str, Any, str, Any]] = [
    ("User name", "张三", "[name=username]", "张三"),
    ("email", "mei@shop.example", "[name=email]", "mei@shop.example"),
    ("items[0].phone", 138, "[name='items[0].phone']", "138"),
    ("Quantity", 5, "[name=qty]", "5"),
    ("Price", "1.234,50", "[name=price]", "1234.5"),
    ("Day", "2026年3月18日", "[name=day]", "2026-03-18"),
    ("At", "9:30", "[name=at]", "09:30"),
    ("When", "2026-03-18 10:00", "[name=when]", "2026-03-18T10:00"),
    ("Month", "2026-03", "[name=month]", "2026-03"),
    ("Volume", 10, "[name=volume]", "10"),
    ("Colour", "#00ff00", "[name=colour]", "#00ff00"),
    ("Size", "Large", "[name=size]", "l"),
    ("Message", "two\r\nlines", "[name=message]", "two\nlines"),
]

REFUSED: list[tuple[str, Any, str]] = [
    ("User name", "12345678901", "bad_value"),
    ("email", "nope", "bad_value"),
    ("Quantity", 500, "bad_value"),
    ("Quantity", "abc", "bad_value"),
    ("Quantity", 1.5, "bad_value"),
    ("Day", "2025-01-01", "bad_value"),
    ("Day", "2026-02-30", "bad_value"),
    ("Volume", 7, "bad_value"),
    ("Volume", 500, "bad_value"),
    ("Size", "Extra", "bad_value"),
    ("Size", "Huge", "bad_value"),
    ("I agree", "perhaps", "bad_value"),
    ("Code", "ab1", "bad_value"),
    ("Password", "x", "secret_field"),
    ("Card number", "4111111111111111", "secret_field"),
    ("Locked", "x", "readonly"),
    ("Off", "x", "disabled"),
    ("Avatar", "x.png", "needs_person"),
    ("Trap", "x", "hidden_field"),
    ("csrf", "x", "not_found"),
    ("zzz],[type=hidden", "x", "not_found"),
    ("Send order", "x", "not_found"),
]


@pytest.fixture
def bench(page: Page, fake_server: FakeServer) -> Workbench:
    return Workbench(page, fake_server)


def fill(bench: Workbench, *pairs: tuple[str, Any], **more: Any) -> dict[str, Any]:
    fields = [{"name": name, "value": value} for name, value in pairs]
    return bench.call("fill_form_field", fields=fields, **more)


def test_every_kind_of_control(bench: Workbench) -> None:
    bench.open("controls.html")
    result = fill(
        bench,
        *[(name, value) for name, value, _, _ in FILLS],
        ("Tags", ["Alpha", "c"]),
        ("Payment", "Cash"),
        ("Notify", "SMS、Call"),
        ("I agree", True),
        ("Express", "on"),
        ("Dark mode", True),
        ("Notes", "new text"),
    )
    assert result["success"], result["summary"]
    held = {selector: bench.value(selector) for _, _, selector, _ in FILLS}
    assert held == {selector: value for _, _, selector, value in FILLS}
    chosen = "[...document.querySelectorAll(':checked')].map((one) => one.value)"
    assert bench.page.evaluate(chosen) == ["l", "a", "c", "cash", "sms", "call", "yes", "on"]
    assert bench.page.locator("#aria").get_attribute("aria-checked") == "true"
    assert bench.page.locator("#rich").inner_text() == "new text"

    question = bench.questions
    assert len(question) == 1, "one question for all fields"
    assert "User name: “张三”" in question[0]
    assert "Payment: “Cash”" in question[0]

    again = fill(bench, ("User name", "张三"), ("I agree", True))
    assert [entry["name"] for entry in again["data"]["unchanged"]] == ["User name", "I agree"]
    assert len(bench.questions) == 1, "nothing to write, nothing to ask"

    undone = bench.call("undo_fill")
    assert len(undone["data"]["restored"]) == len(FILLS) + 7
    assert bench.value("[name=username]") == ""
    assert bench.page.evaluate(chosen) == ["", "card", "mail"]


def test_what_is_refused_says_why_and_changes_nothing(bench: Workbench) -> None:
    bench.open("controls.html")
    before = bench.page.evaluate("[...new FormData(document.getElementById('f'))].join()")
    result = fill(bench, *[(name, value) for name, value, _ in REFUSED])
    codes = [(entry["name"], entry["code"]) for entry in result["data"]["failed"]]
    assert codes == [(name, code) for name, _, code in REFUSED]
    assert result["code"] == "not_filled"
    assert bench.questions == []
    assert bench.page.evaluate("[...new FormData(document.getElementById('f'))].join()") == before
    choices = next(entry for entry in result["data"]["failed"] if entry["reason"].endswith("Large"))
    assert choices["choices"] == ["Any", "Small", "Large"]
    assert "hunter2" not in str(bench.call("read_page"))


def test_a_no_leaves_the_form_alone(bench: Workbench) -> None:
    bench.open("controls.html")
    bench.answer(False)
    assert "declined" in fill(bench, ("User name", "Mei"))["failed"]
    assert bench.value("[name=username]") == ""


def test_what_fits_is_filled_and_the_rest_is_told(bench: Workbench) -> None:
    bench.open("controls.html")
    result = fill(bench, ("User name", "Mei"), ("Nobody", "x"), formId="f")
    assert result["code"] == "partly_filled"
    assert result["data"]["filled"][0] == {"name": "User name", "value": "Mei", "before": ""}
    available = result["data"]["failed"][0]["available"]
    assert {"User name", "E-mail"} <= {one["name"] for one in available}
    assert "Search" not in {one["name"] for one in available}, "another form"


def test_the_events_of_a_real_hand_and_the_focus_given_back(bench: Workbench) -> None:
    bench.open("controls.html")
    bench.page.locator("[name=q]").focus()
    bench.page.evaluate("log.length = 0")
    fill(bench, ("User name", "Mei"), ("I agree", True), ("Size", "Small"))
    log = bench.page.evaluate("log")
    text = [entry.split(":")[0] for entry in log if entry.endswith(":username")]
    assert text == ["focus", "beforeinput", "input", "change", "blur"]
    assert [entry for entry in log if entry.startswith(("click", "change:terms"))] == [
        "click:terms",
        "change:terms",
    ]
    assert [entry for entry in log if entry.endswith(":size")][1:3] == ["input:size", "change:size"]
    assert bench.page.evaluate("document.activeElement.name") == "q"


CONTROLLED = """
<label>Name <input id="name"></label><label>On <input type="checkbox" id="on"></label>
<script>
  // What React does: an own property on the instance hides writes from its tracker.
  window.state = {};
  for (const [id, key, type] of [["name", "value", "input"], ["on", "checked", "click"]]) {
    const element = document.getElementById(id);
    const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, key);
    let tracked = element[key];
    Object.defineProperty(element, key, {
      configurable: true,
      get() { return own.get.call(this); },
      set(value) { tracked = value; own.set.call(this, value); },
    });
    addEventListener(type, (event) => {
      const now = own.get.call(element);
      if (event.target === element && now !== tracked) tracked = state[id] = now;
    });
  }
</script>"""


def test_a_framework_that_watches_the_instance_notices(bench: Workbench) -> None:
    bench.show(CONTROLLED)
    assert fill(bench, ("Name", "Mei"), ("On", True))["success"]
    assert bench.page.evaluate("state") == {"name": "Mei", "on": True}


def test_a_field_that_does_not_keep_the_value_is_told(bench: Workbench) -> None:
    bench.show(
        "<label>Code <input id=c></label>"
        "<script>c.addEventListener('input', () => { c.value = c.value.toUpperCase(); })</script>"
    )
    result = fill(bench, ("Code", "abc"))
    assert result["success"] is False
    assert result["data"]["failed"][0] | {"reason": ""} == {
        "name": "Code",
        "value": "ABC",
        "wanted": "abc",
        "code": "not_accepted",
        "reason": "",
    }


def test_shadow_roots_frames_and_names_that_shadow_a_form(bench: Workbench) -> None:
    bench.show(
        "<my-field></my-field><iframe srcdoc='<label>Inner <input id=i></label>'></iframe>"
        "<form id=clash><input name=id><input name=elements aria-label=Second></form>"
        "<script>const root = document.querySelector('my-field').attachShadow({mode: 'open'});"
        "root.innerHTML = '<label>Deep <input id=d></label>'; window.heard = 0;"
        "addEventListener('input', () => { heard += 1; })</script>"
    )
    bench.page.frame_locator("iframe").locator("input").wait_for()
    assert fill(bench, ("Deep", "one"), ("Inner", "two"))["success"]
    assert bench.page.locator("#d").input_value() == "one"
    assert bench.page.frame_locator("iframe").locator("#i").input_value() == "two"
    assert bench.page.evaluate("heard") == 1, "input crosses the shadow root"
    assert fill(bench, ("Second", "x"), formId="clash")["success"]
    assert "clash" in fill(bench, ("Second", "x"), formId="nope")["summary"]


def test_styled_boxes_are_pressed_by_their_label(bench: Workbench) -> None:
    bench.show(
        "<style>input { position: absolute; opacity: 0; width: 0; height: 0 }</style>"
        "<label><input type=checkbox id=box> Subscribe</label>"
        "<label><input type=radio name=r value=a> One</label>"
        "<label><input type=radio name=r value=b> Two</label>"
    )
    assert fill(bench, ("Subscribe", True), ("Two", True))["success"]
    assert bench.value("#box", "checked") is True
    assert bench.value("[value=b]", "checked") is True


def test_several_that_fit_are_listed_not_guessed(bench: Workbench) -> None:
    bench.show(
        "<form id=a><label>Name <input></label></form><form id=b><label>Name <input></label></form>"
    )
    result = fill(bench, ("Name", "x"))
    candidates = result["data"]["failed"][0]["candidates"]
    assert len(candidates) == 2
    assert fill(bench, (candidates[1]["ref"], "x"))["success"]
    assert bench.page.evaluate("[...document.querySelectorAll('input')].map((i) => i.value)") == [
        "",
        "x",
    ]


def test_of_two_that_fit_the_name_the_one_that_takes_the_value_is_meant(bench: Workbench) -> None:
    bench.show(
        "<label>E-mail <input type=email id=a></label>"
        "<label><input type=checkbox id=b> E-mail</label>"
    )
    assert fill(bench, ("e-mail", "mei@shop.example"))["success"]
    assert fill(bench, ("E-mail", True))["success"]
    assert [bench.value("#a"), bench.value("#b", "checked")] == ["mei@shop.example", True]


def test_a_list_drawn_by_scripts(bench: Workbench) -> None:
    bench.show(
        """<div id=box role=combobox tabindex=0 aria-expanded=false aria-label=Fruit>choose</div>
        <script>
          box.addEventListener("mousedown", () => {
            box.setAttribute("aria-expanded", "true");
            const list = document.createElement("div");
            for (const name of ["Apple", "Pear"]) {
              const option = Object.assign(document.createElement("div"), { textContent: name });
              option.setAttribute("role", "option");
              option.addEventListener("click", () => {
                box.textContent = name; list.remove(); box.setAttribute("aria-expanded", "false");
              });
              list.append(option);
            }
            document.body.append(list);
          });
        </script>"""
    )
    assert fill(bench, ("Fruit", "Pear"))["success"]
    assert bench.page.locator("#box").inner_text() == "Pear"


def test_switching_and_choosing_one(bench: Workbench) -> None:
    bench.open("controls.html")
    assert bench.call("set_checked", target="I agree", checked=True)["success"]
    assert bench.value("[name=terms]", "checked") is True
    assert bench.call("set_checked", target="Cash", checked=True)["success"]
    assert bench.call("set_checked", target="Cash", checked=False)["code"] == "bad_value"
    assert bench.call("set_checked", target="User name", checked=True)["code"] == "not_a_field"
    assert bench.call("select_option", target="Tags", options=["Beta"])["success"]
    assert bench.page.evaluate("document.querySelector('[name=tags]').value") == "b"


def test_submitting(bench: Workbench) -> None:
    bench.open("controls.html")
    result = bench.call("submit_form", form="f")
    assert result["data"]["said"] == ["Thank you"]
    assert bench.questions == ["Submit “Order”?"]
    assert "There are 2 forms" in bench.call("submit_form")["failed"]
    bench.show("<form id=x><label>Must <input required></label><button>Go</button></form>")
    missing = bench.call("submit_form")["failed"]
    assert "not complete: Must:" in missing
    assert len(bench.questions) == 0, "nobody is asked in vain"
