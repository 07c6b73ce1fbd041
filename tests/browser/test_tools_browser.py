"""Waiting, options, files, the network, cookies, code, and the cards for the person's own click."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, Reply, called, said, stream
from browser.support.floor import Floor
from browser.support.workbench import Workbench

pytestmark = pytest.mark.browser


def test_waiting_for_elements_texts_and_rest(floor: Floor) -> None:
    floor.show("<p id=p>Loading</p><div id=spin role=progressbar aria-label=Busy>…</div>")
    floor.page.evaluate(
        "setTimeout(() => { p.textContent = 'Sold out'; spin.remove();"
        " const b = document.createElement('button'); b.textContent = 'Retry';"
        " document.body.append(b); }, 300)"
    )
    found = floor.call("wait_for", any_of=["Ready", "Sold out"], element="Retry")
    assert (found["success"], found["data"]["found"]) == (True, "Sold out")
    assert floor.call("wait_for", element_gone="Busy", gone="Loading")["success"]
    never = floor.call("wait_for", element="Nothing", seconds=1)
    assert (never["code"], never["success"]) == ("timeout", False)
    assert floor.call("wait_for", element="css=!!", seconds=1)["code"] == "bad_selector"
    assert floor.call("wait_for", seconds=0)["data"]["waited"] == 0


def test_waiting_until_the_page_is_at_rest(floor: Floor) -> None:
    floor.show("<p id=p>0</p>")
    floor.page.evaluate(
        "{ let n = 0; const timer = setInterval(() => { p.textContent = ++n;"
        " if (n === 8) clearInterval(timer); }, 100); }"
    )
    assert floor.call("wait_for", idle=True)["success"]
    assert floor.text("#p") == "8"
    floor.page.evaluate("window.timer = setInterval(() => { p.textContent += 1; }, 50); 0")
    assert floor.call("wait_for", idle=True, seconds=1)["code"] == "timeout"
    floor.page.evaluate("clearInterval(window.timer)")


OPTIONS = """
<label>Size <select id=size><option value="">Any</option><optgroup label=Real>
<option value=s selected>Small</option><option value=x disabled>Extra</option></optgroup></select>
</label><label>Town <select id=late></select></label>
<fieldset><legend>Pay</legend><label><input type=radio name=pay value=card checked> Card</label>
<label><input type=radio name=pay value=cash> Cash</label></fieldset>
<label>Tea <input list=teas value=Assam></label><datalist id=teas><option>Assam<option>Sencha
</datalist><div id=combo role=combobox tabindex=0 aria-label=Fruit aria-expanded=false
 aria-controls=fruits>Pear</div><label>Name <input></label>
<script>
  late.onmousedown = () => setTimeout(() => { late.innerHTML = "<option>Oslo<option>Rome"; }, 300);
  combo.onclick = () => {
    combo.setAttribute("aria-expanded", "true");
    const box = document.createElement("div");
    box.id = "fruits";
    box.setAttribute("role", "listbox");
    box.innerHTML = "<div role=option aria-selected=true data-value=1>Pear</div>" +
      "<div role=option aria-disabled=true>Fig</div>";
    setTimeout(() => document.body.append(box), 150);
  };
  combo.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    combo.setAttribute("aria-expanded", "false");
    fruits.remove();
  };
</script>"""


def test_listing_options_of_every_kind(floor: Floor) -> None:
    floor.show(OPTIONS)

    def listed(target: str, **more: Any) -> list[dict[str, Any]]:
        options: list[dict[str, Any]] = floor.call("list_options", target=target, **more)["data"][
            "options"
        ]
        return options

    assert [(one["label"], one["selected"], one.get("group")) for one in listed("Size")] == [
        ("Any", False, None),
        ("Small", True, "Real"),
        ("Extra", False, "Real"),
    ]
    assert listed("Size")[2]["disabled"] is True
    assert [one["label"] for one in listed("Size", contains="SMA")] == ["Small"]
    assert [one["label"] for one in listed("Town")] == ["Oslo", "Rome"], "filled when opened"
    assert [(one["label"], one["selected"]) for one in listed("Pay")] == [
        ("Card", True),
        ("Cash", False),
    ]
    assert [(one["label"], one["selected"]) for one in listed("Tea")] == [
        ("Assam", True),
        ("Sencha", False),
    ]
    fruits = listed("Fruit")
    assert [(one["label"], one["selected"], one.get("disabled")) for one in fruits] == [
        ("Pear", True, None),
        ("Fig", False, True),
    ]
    assert floor.page.get_attribute("#combo", "aria-expanded") == "false", "closed again"
    assert floor.call("list_options", target="Name")["code"] == "no_options"


def test_files_made_of_text_go_into_file_fields(floor: Floor) -> None:
    floor.show(
        "<label>Report <input type=file id=one accept='.csv, image/*'></label>"
        "<label>All <input type=file id=all multiple></label><label>Off <input type=file disabled>"
        "</label><label>Name <input></label><p id=out></p><script>"
        "for (const type of ['input', 'change']) one.addEventListener(type,"
        " () => { out.textContent += `${type} `; });</script>"
    )
    result = floor.call("attach_file", target="Report", name="../a<b>.csv", text="x,y\n1,2")
    assert "x,y" in floor.questions[0]
    assert (result["success"], result["data"]["files"]) == (True, ["a_b_.csv"])
    assert floor.text("#out") == "input change"
    held = floor.page.evaluate("one.files[0].text()")
    assert (held, floor.page.evaluate("one.files[0].type")) == ("x,y\n1,2", "text/csv")
    for name in ("a.txt", "b.md"):
        floor.call("attach_file", target="All", name=name, text=name)
    assert floor.page.evaluate("[...all.files].map((file) => file.name)") == ["a.txt", "b.md"]
    codes = {
        ("Report", "a.txt"): "bad_value",
        ("Report", "run.exe"): "bad_file",
        ("Report", "page.html"): "bad_file",
        ("Off", "a.txt"): "disabled",
        ("Name", "a.txt"): "not_a_field",
    }
    asked = len(floor.questions)
    for (target, name), code in codes.items():
        assert floor.call("attach_file", target=target, name=name, text="x")["code"] == code, name
    assert len(floor.questions) == asked, "nobody is asked in vain"


@pytest.fixture
def served(floor: Floor) -> Floor:
    server = floor.server
    server.file("orders.json", '{"id": 7, "access_token": "abcdefgh12345"}', "application/json")
    server.file("words.txt", "word " * 1000)
    server.file("pic.png", "not a picture", "image/png")
    floor.show("<p>Shop</p>")
    return floor


def test_reading_from_this_site(served: Floor) -> None:
    data = served.call("http_get", path="/made/orders.json")["data"]
    assert (data["status"], data["json"]["id"], data["untrusted"]) == (200, 7, True)
    assert data["json"]["access_token"] == "[masked access_token]"
    words = served.call("http_get", path="words.txt", max_chars=100)["data"]
    assert (words["truncated"], words["characters"], len(words["text"])) == (True, 5000, 100)
    assert "note" in served.call("http_get", path="/made/pic.png")["data"]
    missing = served.call("http_get", path="/nowhere")
    assert (missing["code"], missing["success"], missing["data"]["status"]) == (
        "http_error",
        False,
        404,
    )
    assert served.questions == []


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("https://evil.example/x", "foreign_origin"),
        ("//evil.example/x", "foreign_origin"),
        ("javascript:alert(1)", "forbidden_scheme"),
        ("data:text/plain,x", "forbidden_scheme"),
        ("http://a:b@127.0.0.1/", "credentials_in_url"),
    ],
)
def test_requests_stay_on_this_site(served: Floor, path: str, code: str) -> None:
    assert served.call("http_get", path=path)["code"] == code
    assert "stays on this site" in served.call("http_post", path=path, body="{}")["failed"]
    assert served.watch.outside == []
    assert served.questions == []


def test_a_read_that_sounds_like_a_deed_is_asked_about(served: Floor) -> None:
    served.answer(False)
    for path in ("/account/delete", "/x?action=send", "/auth/logout"):
        assert "declined" in served.call("http_get", path=path)["failed"]
    served.answer(True)
    served.call("http_get", path="/made/orders.json?page=2")
    assert len(served.questions) == 3
    served.call("read_page")
    served.call("http_get", path="/made/orders.json?note=what+the+page+said")
    assert len(served.questions) == 4, "with data, after text of the page was read"


def test_sending_is_confirmed_with_address_and_data(served: Floor) -> None:
    served.server.requests.clear()
    served.server.answer(Reply(201, b'{"made": true}', "application/json"))
    served.answer(False)
    assert "declined" in served.call("http_post", path="/api/notes", body='{"a": 1}')["failed"]
    assert served.server.requests == []
    served.answer(True)
    result = served.call("http_post", path="/api/notes", body='{"a": 1}')
    assert (result["data"]["status"], result["data"]["json"]) == (201, {"made": True})
    assert served.server.requests == [{"a": 1}]
    assert "/api/notes" in served.questions[0]
    assert '{"a":1}' in served.questions[0]
    wrong = served.call("http_post", path="/api/notes", body="{broken")
    assert "not JSON" in wrong["failed"]


def test_cookies_by_name_if_allowed(floor: Floor) -> None:
    floor.show("<p>x</p>", cookies=["theme", "ab_*"])
    floor.page.evaluate(
        "document.cookie = 'theme=dark%20blue'; document.cookie = 'sid=s3cret';"
        "document.cookie = 'ab_key=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123'; 0"
    )
    assert floor.call("read_cookie", name="theme")["data"]["value"] == "dark blue"
    masked = floor.call("read_cookie", name="ab_key")["data"]
    assert (masked["masked"], "eyJ" in masked["value"]) == (True, False)
    assert floor.call("read_cookie", name="sid")["code"] == "refused"
    missing = floor.call("read_cookie", name="ab_none")
    assert (missing["code"], missing["data"]["there"]) == ("no_such_key", ["ab_key", "theme"])
    floor.show("<p>x</p>")
    assert "no tool 'read_cookie'" in floor.call("read_cookie", name="theme")["failed"]


def test_code_runs_only_as_an_opt_in_and_after_a_yes(floor: Floor) -> None:
    floor.show("<p id=p>Words</p>")
    assert "no tool" in floor.call("run_javascript", code="return 1")["failed"]
    floor.show("<p id=p>Words</p>", javascript=True)
    result = floor.call("run_javascript", code="return { said: p.textContent, at: await 7 };")
    assert result["data"]["value"] == {"said": "Words", "at": 7}
    assert "p.textContent" in floor.questions[0]
    assert floor.call("run_javascript", code="const x = 1;")["data"]["value"] is None
    assert floor.call("run_javascript", code="return )")["code"] == "bad_script"
    failed = floor.call("run_javascript", code="throw new Error('no luck');")
    assert (failed["code"], "no luck" in failed["error"]) == ("script_failed", True)
    dialog = floor.call("run_javascript", code="return confirm('Sure?');")
    assert (dialog["code"], dialog["data"]["value"]) == ("dialog_declined", False)


@pytest.mark.parametrize(
    "policy", ["script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'", "trusted"]
)
def test_a_policy_against_code_is_said(page: Page, fake_server: FakeServer, policy: str) -> None:
    bench = Workbench(page, fake_server)
    trusted = "require-trusted-types-for 'script'; trusted-types 'none'"
    rule = trusted if policy == "trusted" else policy
    bench.show(
        f'<html><meta http-equiv="Content-Security-Policy" content="{rule}"><p>x</p></html>',
        javascript=True,
    )
    result = bench.call("run_javascript", code="return 1")
    assert (result["code"], result["success"]) == ("blocked_by_policy", False)
    assert bench.call("read_page")["success"], "all other tools need no such thing"


def test_printing_is_asked_and_done(floor: Floor) -> None:
    floor.show("<p>Paper</p>")
    floor.page.evaluate("window.print = () => { window.printed = document.title; }; 0")
    floor.answer(False)
    floor.call("print_page")
    assert floor.page.evaluate("window.printed") is None
    floor.answer(True)
    assert floor.call("print_page")["success"]
    assert floor.page.evaluate("window.printed") == "floor"


@pytest.fixture
def assistant(page: Page, fake_server: FakeServer) -> Assistant:
    page.goto(
        fake_server.page(
            "<h1>Start</h1><button id=help onclick=\"window.open('/made/help.html')\">Help</button>"
            "<label>Photo <input type=file id=photo></label><form action='/made/help.html'"
            " target=_blank><button>Look it up</button></form><page-hand></page-hand>"
        )
    )
    fake_server.file("help.html", "<title>Help</title>")
    assistant = Assistant(page)
    assistant.wait_ready()
    return assistant


def _asked(assistant: Assistant, server: FakeServer, tool: str, **arguments: Any) -> Locator:
    """Lets the model call one tool; its card."""
    server.answer(stream(called(("c1", tool, arguments))), stream(said("So it is.")))
    assistant.say("Go")
    card = assistant.call(tool)
    expect(card).to_be_visible()
    return card


def _output(assistant: Assistant, server: FakeServer, tool: str) -> dict[str, Any]:
    expect(assistant.answers.last).to_contain_text("So it is.")
    parts = server.requests[-1]["messages"][-1]["parts"]
    output: dict[str, Any] = next(one for one in parts if one["type"] == f"tool-{tool}")["output"]
    return output


def test_a_text_is_saved_as_a_file_by_the_persons_click(
    assistant: Assistant, fake_server: FakeServer, tmp_path: Path
) -> None:
    card = _asked(assistant, fake_server, "download_file", name="orders.csv", text="No,Amount\n1,2")
    expect(card).to_contain_text("No,Amount")
    with assistant.page.expect_download() as saved:
        card.locator('[data-action="confirm"]').click()
    assert saved.value.suggested_filename == "orders.csv"
    saved.value.save_as(tmp_path / "orders.csv")
    assert (tmp_path / "orders.csv").read_text(encoding="utf-8") == "No,Amount\n1,2"
    output = _output(assistant, fake_server, "download_file")
    assert output == {
        "success": True,
        "code": "ok",
        "summary": "Saved orders.csv.",
        "data": {"name": "orders.csv", "characters": 13},
    }


def test_a_file_that_a_computer_would_run_is_not_made(
    assistant: Assistant, fake_server: FakeServer
) -> None:
    card = _asked(assistant, fake_server, "download_file", name="setup.exe", text="MZ")
    expect(card.get_by_role("alert")).to_contain_text("no name for a text file")
    card.locator('[data-action="cancel"]').click()
    expect(assistant.answers.last).to_contain_text("So it is.")
    assert "no name for a text file" in json.dumps(fake_server.requests[-1])


def test_the_person_gives_the_clipboard(
    assistant: Assistant, fake_server: FakeServer, context: BrowserContext
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    assistant.page.evaluate("navigator.clipboard.writeText('copied words')")
    card = _asked(assistant, fake_server, "read_clipboard", reason="for the note")
    expect(card).to_contain_text("for the note")
    card.locator('[data-action="confirm"]').click()
    output = _output(assistant, fake_server, "read_clipboard")
    assert output["data"] == {"text": "copied words", "untrusted": True}


def test_a_notification_of_the_system(
    assistant: Assistant, fake_server: FakeServer, context: BrowserContext
) -> None:
    context.grant_permissions(["notifications"])
    assistant.page.evaluate(
        "window.shown = []; window.Notification = class { constructor(title, options) {"
        " shown.push([title, options.body]); }"
        " static async requestPermission() { return window.allowed ?? 'denied'; } }; 0"
    )
    card = _asked(assistant, fake_server, "show_notification", title="Done", body="All of it")
    card.locator('[data-action="confirm"]').click()
    expect(card.get_by_role("alert")).to_contain_text("does not allow it")
    assistant.page.evaluate("window.allowed = 'granted'; 0")
    card.locator('[data-action="confirm"]').click()
    assert _output(assistant, fake_server, "show_notification")["success"] is True
    assert assistant.page.evaluate("window.shown") == [["Done", "All of it"]]


def test_a_button_stands_ready_for_a_window_and_opens_it(
    assistant: Assistant, fake_server: FakeServer, context: BrowserContext
) -> None:
    card = _asked(assistant, fake_server, "click", target="Help")
    output = _output(assistant, fake_server, "click")
    assert (output["success"], output["code"]) == (True, "needs_user_gesture")
    assert len(context.pages) == 1
    with context.expect_page() as opened:
        card.locator('a[data-action="open"]').click()
    assert opened.value.url == f"{fake_server.url}/made/help.html"


def test_a_button_stands_ready_for_the_persons_own_file(
    assistant: Assistant, fake_server: FakeServer, tmp_path: Path
) -> None:
    photo = tmp_path / "me.txt"
    photo.write_text("me", encoding="utf-8")
    card = _asked(assistant, fake_server, "click", target="Photo")
    assert _output(assistant, fake_server, "click")["code"] == "needs_user_gesture"
    with assistant.page.expect_file_chooser() as chooser:
        card.locator('[data-action="press"]').click()
    chooser.value.set_files(photo)
    assert assistant.page.evaluate("photo.files[0].name") == "me.txt"


def test_a_button_stands_ready_for_a_form_that_answers_in_a_window(
    assistant: Assistant, fake_server: FakeServer, context: BrowserContext
) -> None:
    card = _asked(assistant, fake_server, "click", target="Look it up")
    output = _output(assistant, fake_server, "click")
    assert (output["code"], output["data"]["ready"]) == ("needs_user_gesture", "press")
    with context.expect_page() as opened:
        card.locator('[data-action="press"]').click()
    opened.value.wait_for_load_state()
    assert opened.value.url.startswith(f"{fake_server.url}/made/help.html")
