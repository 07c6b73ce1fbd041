"""The page itself: the whole way from a wish to an opened window, and what may go wrong on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, called, said, stream

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
expect.set_options(timeout=15_000)  # a boot and a busy machine fit into it
BLOCK = "window.open = () => null;"


@pytest.fixture
def assistant(page: Page, open_page: Open, site_url: str) -> Assistant:
    open_page(f"{site_url}/?lang=zh")
    return Assistant(page)


def bodies_of(page: Page) -> list[dict[str, Any]]:
    """Collects the bodies that are posted from now on."""
    bodies: list[dict[str, Any]] = []
    page.on(
        "request",
        lambda request: request.method == "POST" and bodies.append(request.post_data_json),
    )
    return bodies


def test_the_main_path(
    page: Page,
    context: BrowserContext,
    assistant: Assistant,
    allow_outside: Callable[[str], None],
) -> None:
    allow_outside("https://example.com/")
    bodies = bodies_of(page)
    assistant.say("帮我打开 https://example.com")
    card = assistant.call("jump-url-tool")
    expect(card).to_have_attribute("data-state", "input-available")
    with context.expect_page() as opened:
        card.locator('[data-action="confirm"]').click()
    window = opened.value
    window.wait_for_load_state()
    assert window.url == "https://example.com/"
    assert window.evaluate("[window.opener, document.referrer]") == [None, ""]

    expect(card).to_have_attribute("data-state", "output-available")
    expect(assistant.answers.last).to_contain_text("已为你打开 https://example.com")
    assistant.wait_status("ready")

    messages = assistant.get("messages")
    assert [message["role"] for message in messages] == ["user", "assistant"]
    part = next(part for part in messages[1]["parts"] if part["type"] == "tool-jump-url-tool")
    assert part["state"] == "output-available"
    assert part["output"] == {
        "success": True,
        "url": "https://example.com",
        "message": "已打开：https://example.com",
    }
    assert len(bodies) == 2
    assert [set(body["clientTools"]) for body in bodies] == [set(assistant.get("tools"))] * 2
    assert "execute" not in json.dumps(bodies)
    assert bodies[1]["messages"][1]["id"] == messages[1]["id"]


def test_the_person_may_say_no(page: Page, context: BrowserContext, assistant: Assistant) -> None:
    assistant.say("帮我打开 https://example.com")
    assistant.call("jump-url-tool").locator('[data-action="cancel"]').click()
    assistant.wait_status("ready")
    output = assistant.get("messages")[1]["parts"][1]["output"]
    assert (output["success"], output["cancelled"]) == (False, True)
    assert len(context.pages) == 1


def test_a_blocked_window_is_said_and_can_be_opened_by_hand(
    page: Page,
    context: BrowserContext,
    assistant: Assistant,
    allow_outside: Callable[[str], None],
) -> None:
    allow_outside("https://example.com/")
    page.evaluate(BLOCK)
    assistant.say("帮我打开 https://example.com")
    card = assistant.call("jump-url-tool")
    card.locator('[data-action="confirm"]').click()
    blocked = card.locator('[data-part="popup-blocked"]')
    expect(blocked).to_contain_text("浏览器拦截了新窗口")
    expect(card).to_have_attribute("data-state", "input-available")
    link = blocked.locator('[data-action="open-link"]')
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    with context.expect_page() as opened:
        link.click()
    assert opened.value.url.startswith("https://example.com")
    expect(card).to_have_attribute("data-state", "output-available")
    expect(assistant.answers.last).to_contain_text("已为你打开")


def test_a_script_of_the_page_cannot_press_the_card(
    page: Page, context: BrowserContext, assistant: Assistant
) -> None:
    assistant.say("帮我打开 https://example.com")
    button = assistant.call("jump-url-tool").locator('[data-action="confirm"]')
    button.wait_for()
    button.evaluate("button => { button.click(); button.dispatchEvent(new MouseEvent('click')); }")
    cancel = assistant.call("jump-url-tool").locator('[data-action="cancel"]')
    cancel.evaluate("button => button.click()")
    page.evaluate("new Promise((done) => setTimeout(done, 100))")
    expect(assistant.call("jump-url-tool")).to_have_attribute("data-state", "input-available")
    assert len(context.pages) == 1


DANGEROUS = [
    ("javascript:alert(document.domain)", "javascript:"),
    (" java\nscript:alert(1)", "javascript:"),
    ("data:text/html,<script>alert(1)</script>", "data:"),
    ("blob:https://example.com/1", "blob:"),
    ("file:///etc/passwd", "file:"),
    ("vbscript:msgbox", "vbscript:"),
    ("about:blank", "about:"),
    ("https://user:secret@example.com/", "password"),
    ("https://", "not an address"),
    ("", "not an address"),
]


def test_dangerous_addresses_never_get_a_button(
    page: Page, context: BrowserContext, open_page: Open, fake_server: FakeServer
) -> None:
    open_page(f"{fake_server.url}/index.html")
    assistant = Assistant(page)
    for number, (address, words) in enumerate(DANGEROUS):
        asked = called((f"c{number}", "jump-url-tool", {"url": address}), message_id=f"m{number}")
        fake_server.answer(
            stream(asked), stream(said(f"Refused {number}.", message_id=f"m{number}"))
        )
        assistant.say("open it")
        card = assistant.call("jump-url-tool").last
        expect(card).to_have_attribute("data-tool-call-id", f"c{number}")
        expect(card).to_have_attribute("data-state", "output-error")
        expect(assistant.answers.last).to_contain_text(f"Refused {number}.")
        assistant.wait_status("ready")
        assert words in assistant.get("messages")[-1]["parts"][1]["errorText"], address
    expect(assistant.element.locator('[data-action="confirm"]')).to_have_count(0)
    assert len(context.pages) == 1


LEADS = [
    ("example.com/a b", "https://example.com/a%20b"),
    ("//example.com/x", "http://example.com/x"),
    ("localhost:8000/x", "http://localhost:8000/x"),
    ("https://exаmple.com/", "https://xn--exmple-4nf.com/"),
]


def test_the_card_shows_where_it_really_leads(
    page: Page, open_page: Open, fake_server: FakeServer
) -> None:
    calls = [(f"c{n}", "jump-url-tool", {"url": address}) for n, (address, _) in enumerate(LEADS)]
    fake_server.answer(stream(called(*calls)))
    open_page(f"{fake_server.url}/index.html")
    assistant = Assistant(page)
    assistant.say("open them")
    shown = assistant.call("jump-url-tool").locator("code")
    expect(shown).to_have_text([address for _, address in LEADS])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_suggestions_are_answered(
    page: Page, open_page: Open, site_url: str, lang: str
) -> None:
    open_page(f"{site_url}/?lang={lang}")
    assistant = Assistant(page)
    offers = assistant.part("suggestions").get_by_role("button")
    expect(offers).to_have_count(4)
    words = offers.all_inner_texts()
    tools = ["read_page", "query_data", "fill_form_field", "get-user-info-tool"]
    for number, (text, tool) in enumerate(zip(words, tools, strict=True)):
        if number == 0:
            offers.first.click()
        else:
            assistant.say(text)
        expect(assistant.call(tool)).to_be_visible()
        if tool == "fill_form_field":
            confirm = assistant.part("confirmation").locator('[data-action="confirm"]')
            expect(confirm).not_to_have_attribute("aria-disabled", "true")
            confirm.click()
        expect(assistant.call(tool)).to_have_attribute("data-state", "output-available")
        assistant.wait_status("ready")
    expect(page.locator("#f-username")).to_have_value("Mei Chen" if lang == "en" else "张三")
    expect(assistant.questions).to_have_text(words)


def test_who_is_signed_in(assistant: Assistant) -> None:
    assistant.say("当前登录用户是谁？")
    expect(assistant.call("get-user-info-tool")).to_have_attribute("data-state", "output-available")
    expect(assistant.answers.last).to_contain_text("张伟")
    assistant.wait_status("ready")
    output = assistant.get("messages")[1]["parts"][1]["output"]
    assert output["user"]["email"] == "wei.zhang@harborpine.example"


def test_the_source_documents_example_fills_and_queries(page: Page, assistant: Assistant) -> None:
    assistant.say("帮我把表单里的用户名填成张三，然后查询表格中状态为待审核的记录")
    question = assistant.part("confirmation")
    expect(question).to_contain_text("用户名")
    expect(question).to_contain_text("张三")
    confirm = question.locator('[data-action="confirm"]')
    expect(confirm).not_to_have_attribute("aria-disabled", "true")
    confirm.click()
    expect(page.locator("#f-username")).to_have_value("张三")
    assistant.wait_status("ready")
    calls = {
        part["type"]: part["output"]
        for message in assistant.get("messages")
        for part in message["parts"]
        if part["type"].startswith("tool-")
    }
    assert calls["tool-query_data"]["data"]["matched"] == 3
    assert calls["tool-fill_form_field"]["success"] is True


def test_the_page_changes_its_language_and_the_assistant_follows(
    page: Page, open_page: Open, site_url: str
) -> None:
    open_page(site_url)
    expect(page.locator("#orders-title")).to_have_text("Orders")
    page.locator("#language").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(page.locator("#orders-title")).to_have_text("订单")
    assistant = Assistant(page)
    expect(assistant.textarea).to_have_attribute("placeholder", "请输入问题")


def test_theme_and_note_outlive_a_reload(page: Page, open_page: Open, site_url: str) -> None:
    open_page(site_url)
    page.locator("#theme").click()
    page.locator("#shift-note").fill("Call the carrier")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("#shift-note")).to_have_value("Call the carrier")
    expect(page.locator("#assistant")).to_have_attribute("theme", "dark")


def test_the_site_works_without_the_assistant(page: Page, fake_server: FakeServer) -> None:
    page.context.route("**/pagehand.js", lambda route: route.abort())
    page.context.route("**/pyscript-*/**", lambda route: route.abort())
    page.goto(f"{fake_server.url}/index.html")
    page.locator("#f-username").fill("Mei")
    page.locator("#f-product").select_option("lamp")
    page.get_by_role("button", name="Save order").click()
    expect(page.locator("#order-state")).to_contain_text("HP-2052")
    expect(page.locator("#stat-pending")).to_have_text("4")
    expect(page.locator("#orders-body tr")).to_have_count(25)


def test_nothing_is_cut_off_sideways(page: Page, fake_server: FakeServer) -> None:
    page.goto(f"{fake_server.url}/index.html")
    for width in (360, 768, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
