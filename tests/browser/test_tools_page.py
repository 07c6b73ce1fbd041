"""Seeing, clicking, moving, waiting."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page

from browser.support.fake_server import FakeServer
from browser.support.workbench import Workbench

pytestmark = pytest.mark.browser


@pytest.fixture
def bench(page: Page, fake_server: FakeServer) -> Workbench:
    return Workbench(page, fake_server)


SEEN = """
<h1>Shop</h1><p>Hello <b>dear</b> reader.</p>
<p style="display:none">secret-by-display</p><p style="visibility:hidden">by-visibility</p>
<p style="opacity:0">by-opacity</p><p style="font-size:0">by-size</p>
<div style="visibility:hidden"><span style="visibility:visible">still here</span></div>
<button aria-expanded="false">More</button><button disabled>Off</button>
<label>Mail <input type="email" value="a@b.example"></label>
<label>Password <input type="password" value="hunter2"></label>
<my-card></my-card>
<iframe title="Inner" srcdoc="<h2>Framed</h2>"></iframe>
<iframe title="Elsewhere" sandbox srcdoc="<p>shut</p>"></iframe>
<page-hand><p>the assistant's own words</p></page-hand>
<div class="private">kept away</div>
<p>eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123</p>
<script>
  const root = document.querySelector("my-card").attachShadow({ mode: "open" });
  root.innerHTML = "<button>Deep</button><slot></slot>";
  document.querySelector("my-card").append("slotted text");
</script>"""


def test_the_outline(bench: Workbench) -> None:
    bench.show(SEEN, exclude=[".private"])
    bench.page.frame_locator("[title=Inner]").locator("h2").wait_for()
    outline = bench.call("read_page")["data"]["outline"]
    for line in (
        'heading "Shop" [level=1]',
        'text: "Hello dear reader."',
        'text: "still here"',
        'button "More" [collapsed]',
        'button "Off" [disabled]',
        ': "a@b.example"',
        'textbox "Password"',
        'button "Deep"',
        'text: "slotted text"',
        'heading "Framed" [level=2]',
        "another origin: cannot be read",
    ):
        assert line in outline, line
    for absent in ("secret-by", "by-", "hunter2", "own words", "kept away", "eyJ", "x<"):
        assert absent not in outline, absent
    assert outline.count("slotted text") == 1


def test_references_live_as_long_as_the_thing(bench: Workbench) -> None:
    bench.show("<div id=a><button>Save</button></div>")
    first = bench.call("read_element", target="Save")["data"]["ref"]
    bench.page.evaluate("a.innerHTML = '<button>Save</button>'")
    assert bench.call("read_element", target=first)["data"]["ref"] == first, "drawn anew"
    bench.page.evaluate("a.firstChild.textContent = 'Delete all'")
    changed = bench.call("click", target=first)
    assert changed["code"] == "stale_ref"
    bench.page.evaluate("a.replaceChildren()")
    assert bench.call("read_element", target=first)["code"] == "stale_ref"


def test_only_what_changed(bench: Workbench) -> None:
    bench.show("<p id=p>one</p>")
    bench.call("read_page")
    bench.page.evaluate("p.textContent = 'two'")
    data = bench.call("read_page", changes_only=True)["data"]
    assert (data["added"], data["removed"]) == (['- text: "two"'], ['- text: "one"'])


def test_a_page_too_big_is_cut_and_says_so(bench: Workbench) -> None:
    bench.show("".join(f"<p>Paragraph number {n} with some words</p>" for n in range(2000)))
    data = bench.call("read_page", max_chars=2000)["data"]
    assert len(data["outline"]) <= 2000
    assert (data["complete"], data["left_out"] > 0) == (False, True)


def test_finding_text(bench: Workbench) -> None:
    bench.show("<p>The <b>quick</b> brown fox</p><p hidden>quick</p><p>Quickly (v1.0)</p>")
    found = bench.call("find_in_page", text="quick brown")["data"]
    assert (found["total"], found["hits"][0]["match"]) == (1, "quick brown")
    assert bench.call("find_in_page", text="quick")["data"]["total"] == 2
    assert bench.call("find_in_page", text="quick", match_case=True)["data"]["total"] == 1
    assert bench.call("find_in_page", text="(v1.0)")["data"]["total"] == 1
    assert bench.call("find_in_page", text="v\\d", regex=True)["data"]["total"] == 1
    assert bench.call("find_in_page", text="(", regex=True)["code"] == "bad_pattern"
    assert bench.call("find_in_page", text="(\\w+)+!", regex=True)["code"] == "bad_pattern"
    fox = bench.call("find_in_page", text="\\bb\\w+ fox", regex=True)["data"]
    assert (fox["total"], fox["hits"][0]["match"], fox["complete"]) == (1, "brown fox", True)
    assert bench.call("find_in_page", text="nowhere")["code"] == "no_match"


def test_a_slow_pattern_ends_and_says_so(bench: Workbench) -> None:
    bench.show(f"<p>{'a' * 40_000}</p>")
    began = time.monotonic()
    data = bench.call("find_in_page", text="a*a*a*a*b", regex=True)["data"]
    assert data["complete"] is False
    assert "simpler" in data["hint"]
    assert time.monotonic() - began < 20


CLICKS = """
<button id=plain>Show</button><p id=out></p><button>Idle</button><button>Delete account</button>
<button id=covered>Under</button>
<div style="position:fixed;inset:auto 0 0 0;height:60px" id=bar></div>
<a href="https://other.example/x">Away</a><a href="/new" target="_blank">New window</a>
<a href="javascript:void 0" id=js>Scripted</a><a href="data:text/html,x">Data</a>
<select aria-label=Pick><option>1</option></select><input type=file aria-label=File>
<button id=ask>Ask</button><button id=who>Who</button><button disabled>Off</button>
<page-hand><button>Own button</button></page-hand>
<script>
  plain.onclick = () => { out.textContent = "shown"; };
  ask.onclick = () => { out.textContent = confirm("Really?") ? "yes" : "no"; };
  who.onclick = () => { out.textContent = prompt("Who?") === null ? "nobody" : "somebody"; };
  js.onclick = () => { out.textContent = "scripted"; };
  covered.style.cssText = "position:fixed;left:10px;bottom:10px";
</script>"""


def test_clicking_tells_what_changed(bench: Workbench) -> None:
    bench.show(CLICKS)
    shown = bench.call("click", target="Show")
    assert shown["data"]["added"] == ['- text: "shown"']
    assert bench.call("click", target="Idle")["code"] == "no_observable_change"
    asked = bench.call("click", target="Ask")
    assert (asked["code"], asked["success"]) == ("dialog_declined", False)
    assert asked["data"]["dialogs"] == [{"kind": "confirm", "message": "Really?"}]
    assert bench.page.locator("#out").inner_text() == "no"
    assert bench.call("click", target="Who")["code"] == "dialog_declined"
    assert bench.page.locator("#out").inner_text() == "nobody"
    assert bench.page.evaluate("confirm.toString()").endswith("{ [native code] }")
    assert bench.call("click", target="Scripted")["success"]
    assert bench.questions == []


def test_weighty_clicks_are_asked_and_impossible_ones_explained(bench: Workbench) -> None:
    bench.show(CLICKS)
    bench.answer(False)
    assert "declined" in bench.call("click", target="Delete account")["failed"]
    assert "declined" in bench.call("click", target="Away")["failed"]
    assert "https://other.example/x" in bench.questions[1]
    codes = {
        "New window": "needs_user_gesture",
        "Data": "forbidden_scheme",
        "Pick": "use_select_option",
        "File": "needs_user_gesture",
        "Off": "disabled",
        "Under": "covered",
        "Own button": "not_found",
        "css=page-hand button": "not_found",
        "css=!!": "bad_selector",
        "Nowhere": "not_found",
    }
    assert {target: bench.call("click", target=target)["code"] for target in codes} == codes
    assert len(bench.questions) == 2


def test_what_changed_since_the_question_is_asked_anew(bench: Workbench) -> None:
    bench.show("<button id=b>Delete one</button>")
    bench.python(
        "import js\n"
        "def confirm(c):\n"
        "    questions.append(c.title)\n"
        "    js.document.getElementById('b').textContent = 'Delete all'\n"
        "    c.answer(len(questions) == 1)\n"
        "engine = Engine(page_tools(), confirm=confirm)"
    )
    bench.page.evaluate("b.onclick = () => { window.clicked = true; }; 0")
    result = bench.call("click", target="css=button")
    assert bench.questions == ["Click “Delete one”?", "Click “Delete all”?"]
    assert result["code"] == "denied"
    assert bench.page.evaluate("window.clicked") is None


LONG = (
    "<header style='position:sticky;top:0;height:60px;background:#fff'>Bar</header>"
    "<div style='height:3000px'></div><h2 id=target>Target</h2><div style='height:3000px'></div>"
    "<p>Last words</p>"
)


def test_a_section_its_heading_and_its_link_are_one_place(bench: Workbench) -> None:
    bench.show(
        "<nav><a href='#returns'>Returns</a></nav><div style='height:2000px'></div>"
        "<section id=returns aria-labelledby=h><h2 id=h>Returns</h2>"
        "<div style='height:2000px'></div></section>"
    )
    assert bench.call("scroll_to", selector="Returns")["data"]["in_view"]
    assert bench.page.evaluate("scrollY") > 1500
    bench.show("<h2>Same</h2><p>x</p><h2>Same</h2>")
    assert len(bench.call("scroll_to", selector="Same")["data"]["candidates"]) == 2


def test_scrolling(bench: Workbench) -> None:
    bench.show(LONG)
    there = bench.call("scroll_to", selector="Target")
    assert there["data"]["in_view"] is True
    assert bench.page.locator("#target").bounding_box()["y"] >= 60, "not under the bar"  # type: ignore[index]
    assert bench.call("scroll_to", selector="#target")["success"]
    words = bench.call("scroll_to", text="last WORDS", behavior="smooth")["data"]
    assert (words["at_bottom"], words["in_view"]) == (True, True)
    assert bench.call("scroll_to", direction="bottom")["code"] == "no_change"
    assert bench.call("scroll_to", direction="up")["data"]["moved"] is True
    assert bench.call("scroll_to")["data"]["at_top"] is True
    assert bench.call("scroll_to", selector="#missing")["code"] == "not_found"
    assert bench.call("scroll_to", selector="div >")["code"] == "not_found"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("javascript:alert(1)", "forbidden_scheme"),
        ("//evil.example/x", "foreign_origin"),
        ("\\\\evil.example", "foreign_origin"),
        ("/\t/evil.example", "foreign_origin"),
        ("https://user:pw@127.0.0.1/", "credentials_in_url"),
        ("http://[", "bad_url"),
    ],
)
def test_navigation_stays_here(bench: Workbench, path: str, code: str) -> None:
    bench.show("<p>x</p>")
    assert bench.call("navigate_to", path=path)["code"] == code
    assert bench.questions == []


def test_going_to_a_place_on_the_page(bench: Workbench) -> None:
    bench.show(
        f"<a href='#target' id=link>Go</a>{LONG}"
        "<script>link.onclick = () => { window.used = 1 }</script>"
    )
    result = bench.call("navigate_to", path="#target")
    assert result["data"]["url"].endswith("#target")
    assert bench.page.evaluate("window.used") == 1, "the page's own link was taken"
    assert bench.call("navigate_to", path="#target")["code"] == "no_change"
    bench.answer(False)
    assert "declined" in bench.call("navigate_to", path="/elsewhere?a=../b")["failed"]


def test_waiting(bench: Workbench) -> None:
    bench.show("<p id=p>Loading</p>")
    bench.page.evaluate("setTimeout(() => { p.textContent = 'Ready'; }, 300)")
    assert bench.call("wait_for", text="Ready")["success"]
    assert bench.call("wait_for", gone="Loading")["success"]
    late = bench.call("wait_for", text="Never", seconds=1)
    assert (late["code"], late["success"]) == ("timeout", False)


def test_the_selection_and_the_highlight(bench: Workbench) -> None:
    bench.show("<p id=p>Pick these words</p>")
    assert bench.call("read_selection")["code"] == "no_selection"
    bench.page.evaluate("getSelection().selectAllChildren(p)")
    assert bench.call("read_selection")["data"]["text"] == "Pick these words"
    assert bench.call("highlight", target="css=#p", seconds=1)["success"]
    assert bench.page.evaluate("p.getAnimations().length") == 1


def test_the_tools_keep_to_their_root(bench: Workbench) -> None:
    bench.show("<div id=in><button>Inside</button></div><button>Outside</button>", root="#in")
    assert "Outside" not in bench.call("read_page")["data"]["outline"]
    assert bench.call("click", target="Inside")["success"]
    assert bench.call("click", target="Outside")["code"] == "not_found"
    bench.show("<p>x</p>", root="#in")
    assert bench.call("read_page")["code"] == "no_root"


def test_results_speak_chinese_on_a_chinese_page(bench: Workbench) -> None:
    bench.show("<h2 id=t>标题</h2>", lang="zh-CN")
    assert bench.call("scroll_to", selector="标题")["summary"] == "已滚动到“标题”。"
    assert "没有找到" in bench.call("click", target="没有")["error"]


NESTED = """
<form action="/sent"><button><span id=inner><b id=deep>Apply now</b></span></button></form>
<form id=f2 action="/other"><label id=says>Go <input type=submit hidden value=x></label></form>
<a href="https://other.example/x"><span id=away>Away</span></a>
<a href="/n" target="_blank"><span id=window>Fresh</span></a>
<button disabled><span id=off>Off</span></button>
<label id=file>Upload <input type=file hidden></label>
<form><button type=reset><i id=empty>Start over</i></button></form>
<div id=bare>Delete everything</div>
<slot-button><span id=slotted>Fine words</span></slot-button>
<label id=tick>I read it <input type=checkbox></label>
<script>
  const root = document.querySelector("slot-button").attachShadow({ mode: "open" });
  root.innerHTML = "<button aria-label='Remove account'><slot></slot></button>";
  addEventListener("submit", (event) => { event.preventDefault(); window.sent = true; });
  addEventListener("click", () => { window.clicked = true; });
</script>"""


@pytest.mark.parametrize(
    ("target", "question"),
    [
        ("css=#inner", "Apply now"),
        ("css=#deep", "/sent"),
        ("css=#says", "/other"),
        ("css=#away", "https://other.example/x"),
        ("css=#empty", "Start over"),
        ("css=#bare", "Delete everything"),
        ("css=#slotted", "Remove account"),
    ],
)
def test_what_a_click_really_presses_is_asked_about(
    nested: Workbench, target: str, question: str
) -> None:
    assert "declined" in nested.call("click", target=target)["failed"]
    assert question in nested.questions[-1]
    assert nested.page.evaluate("[window.sent, window.clicked]") == [None, None]


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("css=#window", "needs_user_gesture"),
        ("css=#file", "needs_user_gesture"),
        ("css=#off", "disabled"),
    ],
)
def test_what_a_click_really_presses_is_refused(nested: Workbench, target: str, code: str) -> None:
    assert nested.call("click", target=target)["code"] == code
    assert nested.page.evaluate("window.clicked") is None


def test_a_reference_to_words_in_a_button_is_no_way_around_the_question(nested: Workbench) -> None:
    hit = nested.call("find_in_page", text="Apply now")["data"]["hits"][0]
    assert hit["role"] != "button"
    assert "declined" in nested.call("click", target=hit["ref"])["failed"]
    nested.answer(True)
    assert nested.call("click", target=hit["ref"])["data"]["clicked"] == "Apply now"
    assert nested.page.evaluate("window.sent") is True


def test_a_label_presses_its_box_without_a_question(nested: Workbench) -> None:
    assert nested.call("click", target="css=#tick")["data"]["clicked"] == "I read it"
    assert nested.page.locator("#tick input").is_checked()
    assert nested.questions == []


@pytest.fixture
def nested(bench: Workbench) -> Workbench:
    bench.show(NESTED)
    bench.answer(False)
    return bench
