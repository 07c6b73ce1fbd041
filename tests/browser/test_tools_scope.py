"""What `page_tools(root=, include=, exclude=)` keeps the tools to: what is outside stays unsaid."""

from __future__ import annotations

import json
from typing import Any

import pytest

from browser.support.floor import Floor

pytestmark = pytest.mark.browser


# Every text, name, address and title that no region holds says OUT.
REGIONS = """<script>document.title = "OUT title";</script>
<h1 id=head>OUT heading</h1><nav aria-label="OUT nav"><a href="/OUT">OUT link</a></nav>
<main aria-label="OUT main"><section class=part aria-label="First">
  <p>Open words <span class=private>OUT aside</span></p>
  <label for=mail>Mail</label><input id=mail value="a@b.example">
  <button id=go>Go on <i class=private>OUT mark</i></button>
  <select id=kind aria-label=Kind><option>Plain<option class=private>OUT option</select>
  <div class=private><button id=never>OUT never</button></div>
  <input id=far aria-labelledby=head><fieldset class=private><legend>OUT legend</legend></fieldset>
</section></main>
<table id=outer><caption>OUT caption</caption><tr><td>OUT cell<td>OUT other</table>
<form aria-label="OUT form"><label for=lone>OUT label</label>
  <fieldset aria-label="OUT group"><input id=lone class=part type=radio name=r></fieldset>
  <button id=send>OUT send</button></form>
<div id=late></div>
<ul class=part><li>One<li class=private>OUT item<li>Three <b class=private>OUT bold</b></ul>
<div class=part id=data><table><caption>Orders</caption>
  <tr><th>No<th>Buyer<th class=private>OUT column</tr>
  <tr><td>1<td>Ada<td class=private>OUT note</tr>
  <tr class=private><td>2<td>OUT row<td>OUT</tr>
  <tr><td>3<td>Mei <i class=private>OUT star</i><td class=private>OUT note</tr></table></div>
<a class=part href="/inside">Inside link</a><p id=tail>OUT tail</p>"""
ONLY = {"include": ".part", "exclude": ".private"}


def test_the_outline_holds_the_regions_alone(floor: Floor) -> None:
    floor.show(REGIONS, **ONLY)
    read = floor.call("read_page")["data"]
    assert "OUT" not in json.dumps(read).replace("/OUT", "OUT")
    assert "title" not in read
    assert read["scope"].startswith("Tools may use only parts of this page")
    lines = [line.strip(" -") for line in read["outline"].split("\n")]
    plain = [line.partition(" [")[0] for line in lines]
    assert plain == [
        'region "First"',
        'text: "Open words"',
        'textbox "Mail"',
        'button "Go on"',
        'combobox "Kind"',
        'options: "Plain"',
        "textbox",
        "radio",
        'text: "One"',
        'text: "Three"',
        'table "Orders"',
        "row: No | Buyer",
        "row: 1 | Ada",
        "row: 3 | Mei",
        'link "Inside link"',
    ]


def test_nothing_outside_is_found_by_any_name(floor: Floor) -> None:
    floor.show(REGIONS, **ONLY)
    for target in (
        "OUT link",
        "OUT never",
        "css=#never",
        "#send",
        "OUT send",
        "css=nav a",
        "outer",
    ):
        for tool in ("read_element", "click", "hover", "highlight", "read_page"):
            told = floor.call(tool, target=target)
            assert told["code"] == "not_found", (tool, target, told)
    assert floor.call("find_in_page", text="OUT")["data"]["total"] == 0
    assert floor.call("find_in_page", text="words")["data"]["hits"][0]["before"] == "Open"
    assert floor.call("find_in_page", text="Open words Mail")["data"]["total"] == 1
    assert floor.call("scroll_to", text="OUT tail")["code"] == "not_found"
    assert floor.call("wait_for", text="OUT tail", seconds=1)["code"] == "timeout"
    assert floor.call("wait_for", element="#tail", seconds=1)["code"] == "timeout"
    assert floor.call("wait_for", element="#go")["success"]
    filled = floor.call("fill_form_field", fields=[{"name": "OUT label", "value": True}])
    assert not filled["success"]
    assert "OUT" not in json.dumps(filled["data"]).replace("OUT label", ""), "but what was asked"
    refused = floor.call("submit_form", form="OUT form")["failed"]
    assert refused == 'No form "OUT form" here; there are none with a name. {"forms":[]}'
    dragged = floor.call("drag", source="Inside link", target="css=#tail")
    assert dragged["code"] == "not_found"
    links = floor.call("extract_links")["data"]["links"]
    assert [link["text"] for link in links] == ["Inside link"]


def test_tables_and_lists_keep_to_the_regions(floor: Floor) -> None:
    floor.show(REGIONS, **ONLY)
    tables = floor.call("list_tables")["data"]["tables"]
    assert [(one.get("caption"), one["rows"]) for one in tables] == [("", 2), ("Orders", 2)] or [
        (one.get("caption"), one["rows"]) for one in tables
    ] == [(None, 2), ("Orders", 2)]
    found = floor.call("query_data", target="Orders")["data"]
    assert found["rows"] == [
        {"No": "1", "Buyer": "Ada", "col3": ""},
        {"No": "3", "Buyer": "Mei", "col3": ""},
    ]
    assert floor.call("query_data", target="list")["data"]["rows"] == [
        {"text": "One"},
        {"text": "Three"},
    ]
    assert "OUT" not in json.dumps([tables, found])
    options = floor.call("list_options", target="Kind")["data"]["options"]
    assert [one["label"] for one in options] == ["Plain"]


def test_a_selector_cannot_ask_about_what_is_outside(floor: Floor) -> None:
    floor.show(REGIONS, **ONLY)
    for selector in (
        "body:has(#tail) #go",
        "[aria-label^='OUT'] #go",
        "#outer ~ .part a, nav ~ ul li",
        "#go:has(.private)",
        ".private + #far",
    ):
        told = floor.call("read_element", target=f"css={selector}")
        assert told["code"] == "not_found", selector
    for selector in ("section > button", ".part #go", "section:has(#mail) #go"):
        assert floor.call("read_element", target=f"css={selector}")["data"]["id"] == "go"
    assert floor.call("click", target="css=section >")["code"] == "bad_selector"


def test_the_selection_is_cut_to_the_regions(floor: Floor) -> None:
    floor.show(REGIONS, **ONLY)
    floor.page.evaluate("getSelection().selectAllChildren(document.getElementById('tail'))")
    assert floor.call("read_selection")["code"] == "no_selection"
    floor.page.evaluate("getSelection().selectAllChildren(document.querySelector('main'))")
    told = floor.call("read_selection")["data"]
    assert "OUT" not in told["text"]
    assert told["text"].startswith("Open words")
    floor.page.evaluate("getSelection().selectAllChildren(document.body)")
    told = floor.call("read_selection")["data"]["text"]
    assert ("OUT" in told, "Open words" in told, "Ada" in told) == (False, True, True)


ACTING = """<div class=part><button id=b>Work</button>
<button id=q>Ask</button><a id=in href="#x">Jump</a></div>
<input id=focused aria-label="OUT field"><div id=log></div><script>
b.onclick = () => { document.title = "OUT title"; log.innerHTML = "<p>OUT added</p>";
  const dialog = document.createElement("dialog"); dialog.textContent = "OUT dialog";
  document.body.append(dialog); dialog.show(); focused.focus(); };
q.onclick = () => { alert("OUT alert"); document.querySelector(".part").append(" answered"); };
window.keys = []; focused.onkeydown = document.body.onkeydown = (event) => keys.push(event.key);
</script>"""


def test_effects_outside_are_not_told(floor: Floor) -> None:
    floor.show(ACTING, include=[".part"])
    done = floor.call("click", target="Work")
    assert (done["code"], floor.page.title()) == ("no_observable_change", "OUT title")
    assert "OUT" not in json.dumps(done)
    asked = floor.call("click", target="Ask")
    assert asked["data"]["dialogs"] == [{"kind": "alert"}]
    assert any("answered" in line for line in asked["data"]["added"])
    assert "OUT" not in json.dumps(asked)
    moved = floor.call("navigate_to", path="#x")
    assert ("title" in moved["data"], moved["success"]) == (False, True)


def test_keys_go_to_the_regions_alone(floor: Floor) -> None:
    floor.show(ACTING, include=[".part"])
    floor.page.focus("#focused")
    assert floor.call("press_key", key="a")["code"] == "out_of_reach"
    assert floor.call("press_key", key="Escape", target="css=#focused")["code"] == "not_found"
    assert floor.page.evaluate("keys") == []
    floor.page.focus("#q")
    assert floor.call("press_key", key="Tab")["success"]
    assert floor.page.evaluate("document.activeElement.id") == "in"
    assert floor.call("press_key", key="Tab")["success"]
    assert floor.page.evaluate("document.activeElement.id") == "b", "the field outside is no stop"


NESTED = """<div id=host></div><iframe id=frame srcdoc="<p>OUT inner</p>
<div class=part><button onclick='this.textContent = &quot;Pressed&quot;'>Framed</button></div>">
</iframe><div class=part><my-box></my-box></div><script>
host.attachShadow({ mode: "open" }).innerHTML =
  `<p>OUT shadow</p><div class=part><button id=deep>Deep</button>
   <p class=private>OUT deep</p></div>`;
document.querySelector("my-box").attachShadow({ mode: "open" }).innerHTML =
  "<b>Boxed</b><slot></slot><p class=private>OUT boxed</p>";
document.querySelector("my-box").append("slotted");
</script>"""


def test_regions_in_shadow_roots_and_frames(floor: Floor) -> None:
    floor.show(NESTED, **ONLY)
    floor.page.frame_locator("#frame").get_by_text("Framed").wait_for()
    outline = floor.call("read_page")["data"]["outline"]
    assert "OUT" not in outline
    for word in ("Framed", "Deep", "Boxed", "slotted"):
        assert word in outline, word
    assert floor.call("click", target="Framed")["success"]
    assert floor.page.frame_locator("#frame").get_by_text("Pressed").count() == 1
    assert floor.call("read_element", target="css=#deep")["data"]["name"] == "Deep"
    assert floor.call("find_in_page", text="OUT")["data"]["total"] == 0


def test_regions_that_come_and_go(floor: Floor) -> None:
    floor.show("<p>OUT</p><div id=late></div>", include=["#one", ".two"])
    read = floor.call("read_page")["data"]
    assert (read["outline"], read["complete"]) == ("", True)
    floor.page.evaluate("late.innerHTML = '<div id=one><button>Now</button></div>'")
    ref = floor.call("read_element", target="Now")["data"]["ref"]
    floor.page.evaluate("late.insertAdjacentHTML('beforeend', '<p class=two>And</p>')")
    assert 'text: "And"' in floor.call("read_page")["data"]["outline"]
    floor.page.evaluate("document.getElementById('one').id = 'other'")
    assert floor.call("click", target=ref)["code"] == "stale_ref"
    assert floor.call("click", target="Now")["code"] == "not_found"


def test_regions_within_a_root(floor: Floor) -> None:
    floor.show(
        "<p class=part>OUT</p><main><p>OUT too</p><p class=part>Inside</p></main>",
        root="main",
        include=".part",
    )
    assert floor.call("read_page")["data"]["outline"] == '- text: "Inside"'


def test_what_covers_a_target_is_not_named(floor: Floor) -> None:
    veil = "<div style='position:fixed;inset:0;background:#fff'>OUT veil</div>"
    floor.show(f"<div class=part><button>Under</button></div>{veil}", include=".part")
    told = floor.call("click", target="Under")
    assert told["code"] == "covered"
    assert "OUT" not in json.dumps(told)
    inside = "position:absolute;inset:0"
    inner = f"<button class=private style={inside!r} onclick='window.hit = 1'>OUT</button>"
    style = "position:relative;height:90px"
    box = f"<div class=part tabindex=0 role=button aria-label=Box style={style!r}>{inner}</div>"
    floor.show(box, **ONLY)
    told = floor.call("click", target="Box")
    assert (told["code"], "OUT" in json.dumps(told)) == ("covered", False)
    assert floor.page.evaluate("window.hit") is None


EXCEPT = """<label for=pin class=private>Password</label><input id=pin value=hunter2>
<p>Seen <span class=private>OUT inline</span> text</p><button>Go <b class=private>OUT</b></button>
<label>Name <i class=private>OUT hint</i><input id=name aria-describedby=x></label>
<h2 class=private>OUT title</h2><ul><li>One</li><li class=private>OUT two</li></ul>
<dl><dt>Key<dd class=private>OUT value</dl><select aria-label=Pick>
<option class=private>OUT<option>In</select><form id=f action="#sent" onsubmit="return false">
<button class=private onclick="window.pressed = 1">OUT send</button></form>"""


def test_what_is_excluded_is_not_told_inside_other_texts(floor: Floor) -> None:
    floor.show(EXCEPT, exclude=".private")
    told = [
        floor.call("read_page"),
        floor.call("read_element", target="css=body > p"),
        floor.call("read_element", target="css=dl"),
        floor.call("list_tables"),
        floor.call("query_data", target="list"),
        floor.call("list_options", target="Pick"),
        floor.call("find_in_page", text="text"),
    ]
    assert "OUT" not in json.dumps(told)
    assert [one["data"].get("text") for one in told[1:2]] == ["Seen text"]
    assert told[0]["data"]["title"] == "floor", "an exception is no region"
    assert floor.call("read_element", target="css=#name")["data"]["name"] == "Name"
    assert floor.call("select_option", target="Pick", options=["OUT"])["success"] is False
    floor.call("submit_form")
    assert floor.page.evaluate("window.pressed") is None


def test_a_secret_stays_one_where_its_label_is_not_seen(floor: Floor) -> None:
    floor.show(EXCEPT, exclude=".private")
    assert "hunter2" not in json.dumps(floor.call("read_page"))
    told = floor.call("fill_form_field", fields=[{"name": "pin", "value": "x"}])
    assert told["success"] is False
    assert floor.value("#pin") == "hunter2"


SAME = """
from pagehand.tools import page_tools

def trouble(options):
    try:
        page_tools(**json.loads(options))
    except ValueError as error:
        return str(error)
    return ""
"""


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"include": "#a >"}, "include=...): '#a >' is no CSS selector"),
        ({"include": ["#a", "b[["]}, "include=...): 'b[[' is no CSS selector"),
        ({"exclude": "::nope("}, "exclude=...): '::nope(' is no CSS selector"),
        ({"root": "..x"}, "root=...): '..x' is no CSS selector"),
        ({"include": ["#a), (#b"]}, "'#a), (#b' is no CSS selector"),
    ],
)
def test_a_bad_selector_is_named_at_definition(
    floor: Floor, options: dict[str, Any], named: str
) -> None:
    floor.show("<p>x</p>")
    floor.python(SAME)
    assert named in floor.python(f"trouble({json.dumps(json.dumps(options))})")
