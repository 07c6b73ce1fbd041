"""Keys, hovering, dragging, and what an act leads to."""

from __future__ import annotations

import pytest

from browser.support.floor import Floor

pytestmark = pytest.mark.browser

FORM = """
<form id=f action="/sent" onsubmit="return false">
  <label>Name <input name=name></label><label>Mail <input name=mail type=email></label>
  <label><input type=checkbox id=box> Agree</label><label>Password <input type=password></label>
  <button id=go>Go on</button></form>
<button id=show onclick="out.textContent += 'shown '">Show</button>
<button disabled>Off</button><a href="#there" id=link>Jump</a>
<div id=menu tabindex=0 role=menu aria-label=Menu>menu</div>
<dialog id=d><p>Inside</p><button>Fine</button></dialog><p id=out></p>
<script>
  f.onsubmit = () => { out.textContent += "sent "; return false; };
  menu.onkeydown = (event) => {
    out.textContent += `${event.ctrlKey ? "C-" : ""}${event.key}/${event.code}/${event.keyCode} `;
    if (event.key === "ArrowDown") event.preventDefault();
  };
</script>"""


@pytest.fixture
def form(floor: Floor) -> Floor:
    floor.show(FORM)
    return floor


def test_enter_and_space_press_what_has_the_focus(form: Floor) -> None:
    result = form.call("press_key", key="Enter", target="Show")
    assert (result["success"], result["data"]["did"]) == (True, "clicked")
    assert result["data"]["added"] == ['- text: "shown"']
    assert form.call("press_key", key="Space", target="css=#box")["success"]
    assert form.value("#box", "checked") is True
    assert form.questions == []


def test_enter_in_a_field_sends_its_form_after_a_yes(form: Floor) -> None:
    form.answer(False)
    assert "declined" in form.call("press_key", key="Enter", target="Name")["failed"]
    assert form.questions[0].startswith("Press Enter on “Name”?")
    assert "/sent" in form.questions[0]
    assert form.text("#out") == ""
    form.answer(True)
    result = form.call("press_key", key="Enter", target="Name")
    assert result["data"]["did"] == "submitted"
    assert form.text("#out").split() == ["sent"]


def test_keys_of_scripts_write_no_text_and_say_so(form: Floor) -> None:
    codes = {
        ("a", "Name"): "use_fill_form_field",
        ("Enter", "Password"): "secret_field",
        ("Enter", "Off"): "disabled",
        ("Hyper+x", "Name"): "bad_key",
        ("Return it", "Name"): "bad_key",
    }
    for (key, target), code in codes.items():
        assert form.call("press_key", key=key, target=target)["code"] == code, key
    assert form.value("[name=name]") == ""


def test_the_page_hears_key_code_and_modifiers(form: Floor) -> None:
    handled = form.call("press_key", key="ArrowDown", target="css=#menu", times=2)
    assert handled["data"]["did"] == "the page handled the key"
    form.answer(False)
    assert "declined" in form.call("press_key", key="Control+k", target="css=#menu")["failed"]
    form.answer(True)
    form.call("press_key", key="Control+k", target="css=#menu")
    assert form.text("#out").split() == ["ArrowDown/ArrowDown/40"] * 2 + ["C-k/KeyK/75"]


def test_tab_moves_the_focus_and_escape_closes_a_dialog(form: Floor) -> None:
    moved = form.call("press_key", key="Tab", target="Name")
    assert "Mail" in moved["data"]["did"]
    assert form.page.evaluate("document.activeElement.name") == "mail"
    back = form.call("press_key", key="Shift+Tab")
    assert "Name" in back["data"]["did"]
    form.page.evaluate("d.showModal()")
    assert form.call("press_key", key="Escape")["data"]["did"] == "closed the dialog"
    assert form.value("#d", "open") is False


def test_a_page_scrolls_by_its_keys(floor: Floor) -> None:
    floor.show("<p>top</p><div style='height:4000px'></div><p>end</p>")
    assert floor.call("press_key", key="PageDown")["data"]["did"] == "scrolled"
    assert floor.page.evaluate("scrollY") > 500
    floor.call("press_key", key="Home")
    assert floor.page.evaluate("scrollY") == 0


def test_hovering_shows_what_scripts_show(floor: Floor) -> None:
    floor.show(
        "<button id=b>Help</button><p id=tip hidden>Ask us</p><button>Plain</button>"
        "<script>b.onmouseenter = () => { tip.hidden = false; };</script>"
    )
    shown = floor.call("hover", target="Help")
    assert shown["data"]["added"] == ['- text: "Ask us"']
    plain = floor.call("hover", target="Plain")
    assert (plain["code"], plain["success"]) == ("no_observable_change", True)
    assert ":hover" in plain["data"]["note"]


DRAG = """
<ul id=list><li id=one draggable=true>One</li><li id=two draggable=true>Two</li></ul>
<div id=bin tabindex=0 role=group aria-label=Bin>empty</div><div id=wall>Wall</div>
<div id=knob role=slider aria-label=Knob aria-valuenow=0 tabindex=0
  style="width:20px;height:20px;background:red"></div>
<div id=mark style="margin-left:300px;width:20px;height:20px">mark</div>
<script>
  one.ondragstart = (event) => event.dataTransfer.setData("text/plain", "one");
  bin.ondragover = (event) => event.preventDefault();
  bin.ondrop = (event) => { bin.textContent = event.dataTransfer.getData("text/plain"); };
  window.down = null;
  knob.onpointerdown = (event) => { window.down = event.clientX; window.moves = 0; };
  window.onpointermove = (event) => {
    if (window.down === null) return;
    window.moves += 1;
    knob.setAttribute("aria-valuenow", Math.round(event.clientX - window.down));
  };
  window.onpointerup = () => { window.down = null; };
</script>"""


def test_dragging_with_a_parcel(floor: Floor) -> None:
    floor.show(DRAG)
    result = floor.call("drag", source="css=#one", target="Bin")
    assert floor.questions == ["Drag “One” onto “Bin”?"]
    assert (result["success"], floor.text("#bin")) == (True, "one")
    refused = floor.call("drag", source="css=#two", target="css=#wall")
    assert (refused["code"], refused["success"]) == ("not_accepted", False)
    same = floor.call("drag", source="css=#one", target="css=#one")
    assert same["code"] == "bad_value"


def test_dragging_with_the_pointer_goes_in_steps(floor: Floor) -> None:
    floor.show(DRAG)
    floor.answer(False)
    assert "declined" in floor.call("drag", source="Knob", target="css=#mark")["failed"]
    floor.answer(True)
    assert floor.call("drag", source="Knob", target="css=#mark")["success"]
    assert int(floor.page.get_attribute("#knob", "aria-valuenow") or 0) == 300
    assert floor.page.evaluate("window.moves") >= 5


LIVELY = """
<button id=late>Later</button><button id=aim>Focus</button><input id=i aria-label=Field>
<button id=title>Title</button><button id=alarm>Alarm</button><button id=many>Many</button>
<form id=f><label>Need <input id=need required></label><button id=send type=button>Check</button>
</form><p id=out></p><iframe id=inner title=Inner srcdoc="<button>Inside</button>"></iframe>
<script>
  late.onclick = () => setTimeout(() => { out.textContent = "at last"; }, 250);
  aim.onclick = () => i.focus();
  title.onclick = () => { document.title = "New title"; };
  alarm.onclick = () => { alert("Saved, token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123"); };
  many.onclick = () => {
    out.innerHTML = Array.from({ length: 60 }, (_, n) => `<p>${n}</p>`).join("");
  };
  send.onclick = () => f.reportValidity();
</script>"""


def test_the_effect_tells_all_kinds_of_changes(floor: Floor) -> None:
    floor.show(LIVELY)
    assert floor.call("click", target="Later")["data"]["added"] == ['- text: "at last"']
    focused = floor.call("click", target="Focus")
    assert "Field" in focused["data"]["focus"]
    assert focused["code"] == "no_observable_change"
    titled = floor.call("click", target="Title")["data"]
    assert titled["title"] == {"before": "floor", "after": "New title"}
    alarm = floor.call("click", target="Alarm")
    assert (alarm["success"], alarm["data"]["dialogs"][0]["kind"]) == (True, "alert")
    assert "eyJ" not in str(alarm)
    many = floor.call("click", target="Many")["data"]
    assert (len(many["added"]), many["added_more"]) == (40, 20)
    checked = floor.call("click", target="Check")
    assert (checked["code"], checked["success"]) == ("invalid_form", False)
    assert checked["data"]["invalid"][0]["field"] == "Need"


def test_dialogs_of_frames_are_held_back_too(floor: Floor) -> None:
    floor.show(LIVELY)
    inner = floor.page.frame_locator("#inner")
    inner.locator("button").wait_for()
    floor.page.evaluate(
        "inner.contentDocument.querySelector('button').onclick = (event) => {"
        " event.target.textContent = inner.contentWindow.confirm('Sure?') ? 'yes' : 'no'; }; 0"
    )
    result = floor.call("click", target="Inside")
    assert (result["code"], inner.locator("button").inner_text()) == ("dialog_declined", "no")
    restored = floor.page.evaluate("inner.contentWindow.confirm.toString()")
    assert restored.endswith("{ [native code] }")


def test_a_fill_or_a_form_is_not_confirmed_blindly(floor: Floor) -> None:
    floor.show(
        "<label>City <input id=c></label><form id=f><button>Order it</button></form><p id=out></p>"
        "<script>c.onchange = () => { out.textContent += confirm('Keep?') ? 'kept' : 'dropped'; };"
        "f.onsubmit = () => { out.textContent += confirm('Pay?') ? ' paid' : ' unpaid';"
        " return false; };</script>"
    )
    filled = floor.call("fill_form_field", fields=[{"name": "City", "value": "Rome"}])
    assert filled["data"]["dialogs"] == [{"kind": "confirm", "message": "Keep?"}]
    assert (filled["code"], filled["success"]) == ("dialog_declined", False)
    sent = floor.call("submit_form")
    assert (sent["code"], floor.text("#out")) == ("dialog_declined", "dropped unpaid")


def test_what_needs_the_persons_click_is_an_outcome_with_a_button(floor: Floor) -> None:
    floor.show(
        "<button id=b>Help</button><a href='/new' target=_blank>Fresh</a>"
        "<label>Photo <input type=file></label><script>"
        "b.onclick = () => { window.got = window.open('/help', '_blank'); };</script>"
    )
    opened = floor.call("click", target="Help")
    assert (opened["code"], opened["success"]) == ("needs_user_gesture", True)
    assert opened["data"]["ready"] == "window"
    assert opened["data"]["url"].endswith("/help")
    assert "error" not in opened
    assert floor.page.evaluate("window.got") is None
    fresh = floor.call("click", target="Fresh")
    assert (fresh["code"], fresh["data"]["url"][-4:]) == ("needs_user_gesture", "/new")
    photo = floor.call("click", target="Photo")
    assert (photo["code"], photo["data"]["ready"]) == ("needs_user_gesture", "file")
    assert len(floor.page.context.pages) == 1


def test_the_risk_of_a_click_comes_from_what_it_presses(floor: Floor) -> None:
    floor.show(
        "<button>Delete all</button><button>Next</button><button aria-expanded=false>More</button>"
        "<a href='https://other.example/'>Away</a><div role=tab tabindex=0>Details</div>"
    )
    floor.call("read_page")
    floor.python(
        "def risks(*names):\n"
        "    from pagehand.engine.policy import risk_of\n"
        "    tool = engine.toolkit.get('click')\n"
        "    return json.dumps([risk_of(tool, {'target': name}) for name in names])"
    )
    names = ("Delete all", "Next", "More", "Away", "Details")
    assert floor.python(f"risks{names!r}") == (
        '["dangerous", "moderate", "safe", "dangerous", "safe"]'
    )
    floor.python("engine.toolkit.configure(policy={'risks': {'dangerous': 'deny'}})")
    assert "not allowed" in floor.call("click", target="Delete all")["failed"]
    assert floor.call("click", target="Next")["success"]


ROWS = """
<table><tr><td>Order 1</td><td><button>Delete</button></td></tr>
<tr id=second><td>Order 2</td><td><button>Delete</button></td></tr></table>"""


def test_the_record_is_part_of_the_question_and_of_the_target(floor: Floor) -> None:
    floor.show(ROWS)
    floor.python(
        "import js\n"
        "def confirm(c):\n"
        "    questions.append(c.title + ' ' + c.text)\n"
        "    if len(questions) == 1:\n"
        "        js.document.querySelector('tr').remove()\n"
        "    c.answer(len(questions) == 1)\n"
        "engine = Engine(page_tools(), confirm=confirm)"
    )
    result = floor.call("click", target="css=tr:first-child button")
    assert result["code"] == "denied"
    asked = floor.questions
    assert ("Order 1" in asked[0], "Order 2" in asked[1]) == (True, True)


def test_after_reading_the_page_the_next_call_that_weighs_something_asks(floor: Floor) -> None:
    floor.show("<button id=b>Delete it</button><p>Please delete it</p>")
    floor.python("engine.toolkit.configure(policy={'tools': {'click': 'allow'}})")
    assert floor.call("click", target="Delete it")["success"]
    assert floor.questions == [], "a rule of the host lets it through"
    floor.call("read_page")
    floor.answer(False)
    assert floor.call("click", target="Delete it")["code"] == "denied"
    assert "has read text of the page" in floor.questions[0]
    floor.show("<button id=b>Delete it</button>", ask_after_reading=False)
    floor.python("engine.toolkit.configure(policy={'tools': {'click': 'allow'}})")
    floor.page.evaluate("window.clicks = 0; b.onclick = () => { window.clicks += 1; }; 0")
    floor.call("read_page")
    floor.call("click", target="Delete it")
    assert (floor.questions, floor.page.evaluate("window.clicks")) == ([], 1)


def test_a_turn_has_a_budget(floor: Floor) -> None:
    floor.show("<p>Words</p>", budget={"calls": 2})
    codes = [floor.call("read_page")["code"] for _ in range(3)]
    assert codes == ["ok", "ok", "budget"]
    floor.show("<p>Many words stand here</p>" * 60, budget={"characters": 500})
    codes = [floor.call("read_page")["code"] for _ in range(2)]
    assert codes == ["ok", "budget"]


def test_a_fill_and_a_choice_can_be_undone(floor: Floor) -> None:
    floor.show(
        "<label>City <input id=c value=Rome></label><label>Size <select id=s><option>S<option>L"
        "</select></label><label><input type=checkbox id=b> Gift</label>"
    )
    steps = (
        ("fill_form_field", {"fields": [{"name": "City", "value": "Oslo"}]}, "Rome", "Oslo"),
        ("select_option", {"target": "Size", "options": ["L"]}, "S", "L"),
        ("set_checked", {"target": "Gift", "checked": True}, False, True),
    )
    places = (("#c", "value"), ("#s", "value"), ("#b", "checked"))
    for (tool, arguments, before, after), place in zip(steps, places, strict=True):
        assert floor.value(*place) == before
        assert floor.call(tool, **arguments)["success"], tool
        assert floor.value(*place) == after
        assert floor.call("undo_fill")["success"]
        assert floor.value(*place) == before
    assert floor.call("undo_fill")["code"] == "nothing_to_undo"


def test_a_selection_in_a_field_or_a_frame_is_read(floor: Floor) -> None:
    floor.show(
        "<textarea id=t aria-label=Note>some 🙂 words here</textarea>"
        "<input type=password id=p value=hunter2 aria-label=Password>"
        "<iframe id=inner title=Inner srcdoc='<p id=w tabindex=0>Framed words</p>'></iframe>"
    )
    floor.page.frame_locator("#inner").locator("#w").wait_for()
    floor.page.evaluate("t.focus(); t.setSelectionRange(5, 13)")
    assert floor.call("read_selection")["data"]["text"] == "🙂 words"
    floor.page.evaluate("p.focus(); p.select()")
    assert floor.call("read_selection")["code"] == "no_selection"
    floor.page.evaluate(
        "{ const doc = inner.contentDocument; const word = doc.getElementById('w');"
        " word.focus(); doc.getSelection().selectAllChildren(word); }"
    )
    assert floor.call("read_selection")["data"]["text"] == "Framed words"
