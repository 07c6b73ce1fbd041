"""Modes, themes and languages of the element, and changing them while it runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer

pytestmark = pytest.mark.browser

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(25, 25, 24)"


def test_inline_fills_the_element(page: Page, fake_server: FakeServer) -> None:
    page.goto(fake_server.page('<page-hand style="width: 500px; height: 400px"></page-hand>'))
    panel = Assistant(page).part("panel")
    expect(panel).to_be_visible()
    box = panel.bounding_box()
    assert box
    assert (box["width"], box["height"]) == (500, 400)
    expect(panel).to_have_attribute("role", "region")
    expect(Assistant(page).part("launcher")).to_be_hidden()


def test_side_is_docked_and_can_be_collapsed(page: Page, fake_server: FakeServer) -> None:
    page.goto(fake_server.page('<h1>Page</h1><page-hand mode="side"></page-hand>'))
    assistant = Assistant(page)
    panel, launcher = assistant.part("panel"), assistant.part("launcher")
    expect(panel).to_be_visible()
    box = panel.bounding_box()
    assert box
    assert (box["x"] + box["width"], box["y"], box["height"]) == (1280, 0, 800)
    room = "getComputedStyle(document.documentElement).getPropertyValue('--pagehand-side-space')"
    assert page.evaluate(room) == f"{box['width']:.0f}px"
    assistant.part("collapse").click()
    expect(panel).to_be_hidden()
    expect(launcher).to_be_focused()
    assert page.evaluate(room) == "0px"
    page.reload()
    expect(launcher).to_be_visible()
    launcher.click()
    expect(assistant.textarea).to_be_focused()


def test_modal_opens_from_the_launcher_and_closes_with_escape(
    page: Page, fake_server: FakeServer
) -> None:
    page.goto(fake_server.page('<button id="b">Host</button><page-hand mode="modal"></page-hand>'))
    assistant = Assistant(page)
    panel, launcher = assistant.part("panel"), assistant.part("launcher")
    expect(panel).to_be_hidden()
    expect(launcher).to_have_attribute("aria-expanded", "false")
    expect(launcher).to_have_accessible_name("Open the assistant")
    launcher.click()
    expect(panel).to_be_visible()
    expect(panel).to_have_role("dialog")
    expect(assistant.textarea).to_be_focused()
    # The page stays usable: the assistant works on it.
    page.locator("#b").click()
    assistant.textarea.focus()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(launcher).to_be_focused()


def test_escape_of_an_input_method_does_not_close(page: Page, fake_server: FakeServer) -> None:
    page.goto(fake_server.page('<page-hand mode="modal"></page-hand>'))
    assistant = Assistant(page)
    assistant.part("launcher").click()
    assistant.textarea.evaluate(
        "field => field.dispatchEvent(new KeyboardEvent('keydown', "
        "{key: 'Escape', bubbles: true, isComposing: true}))"
    )
    expect(assistant.part("panel")).to_be_visible()


@pytest.mark.parametrize("mode", ["side", "modal"])
def test_floating_panels_stand_above_everything_of_the_page(
    page: Page, fake_server: FakeServer, mode: str
) -> None:
    page.goto(
        fake_server.page(
            f'<div style="transform: scale(.5); overflow: hidden; height: 50px">'
            f'<page-hand mode="{mode}"></page-hand></div>'
            '<div style="position: fixed; inset: 0; z-index: 2147483647; background: red"></div>'
        )
    )
    assistant = Assistant(page)
    if mode == "modal":
        assistant.part("launcher").click()
    assistant.textarea.click()
    box = assistant.part("panel").bounding_box()
    assert box
    assert box["width"] == 420


def test_narrow_screens_give_the_panel_all_their_room(page: Page, fake_server: FakeServer) -> None:
    page.set_viewport_size({"width": 390, "height": 700})
    page.goto(fake_server.page('<page-hand mode="modal"></page-hand>'))
    assistant = Assistant(page)
    assistant.part("launcher").click()
    panel = assistant.part("panel")
    panel.evaluate("panel => Promise.all(panel.getAnimations().map((one) => one.finished)).then()")
    box = panel.bounding_box()
    assert box
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 390, 700)


def test_mode_changes_while_it_stands(page: Page, fake_server: FakeServer) -> None:
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.textarea.fill("kept")
    assistant.element.evaluate("element => element.setAttribute('mode', 'modal')")
    expect(assistant.part("panel")).to_be_hidden()
    assistant.part("launcher").click()
    expect(assistant.textarea).to_have_value("kept")
    assistant.element.evaluate("element => element.removeAttribute('mode')")
    expect(assistant.part("panel")).to_be_visible()
    expect(assistant.part("launcher")).to_be_hidden()


def _background(assistant: Assistant) -> str:
    value: str = assistant.part("panel").evaluate(
        "panel => getComputedStyle(panel).backgroundColor"
    )
    return value


@pytest.mark.parametrize(
    ("theme", "system", "wanted"),
    [
        ("auto", "light", LIGHT),
        ("auto", "dark", DARK),
        ("light", "dark", LIGHT),
        ("dark", "light", DARK),
    ],
)
def test_theme(page: Page, fake_server: FakeServer, theme: str, system: str, wanted: str) -> None:
    page.emulate_media(color_scheme=system)
    page.goto(fake_server.page(f'<page-hand theme="{theme}"></page-hand>'))
    assistant = Assistant(page)
    expect(assistant.part("panel")).to_be_visible()
    assert _background(assistant) == wanted


def test_theme_changes_while_it_stands(page: Page, fake_server: FakeServer) -> None:
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    expect(assistant.part("panel")).to_be_visible()
    assistant.element.evaluate("element => element.setAttribute('theme', 'dark')")
    assert _background(assistant) == DARK
    page.emulate_media(color_scheme="dark")
    assistant.element.evaluate("element => element.setAttribute('theme', 'light')")
    assert _background(assistant) == LIGHT


def test_custom_properties_of_the_host_reach_in(page: Page, fake_server: FakeServer) -> None:
    head = "<style>page-hand { --pagehand-accent: rgb(180, 35, 60); }</style>"
    page.goto(fake_server.page("<page-hand></page-hand>", head=head))
    assistant = Assistant(page)
    assistant.textarea.fill("x")
    expect(assistant.part("send")).to_have_css("background-color", "rgb(180, 35, 60)")


@pytest.mark.parametrize(
    ("document", "own", "placeholder"),
    [
        ("en", "", "Ask anything"),
        ("zh-CN", "", "请输入问题"),
        ("en", ' lang="zh-CN"', "请输入问题"),
        ("zh", ' lang="en"', "Ask anything"),
        ("fr", "", "Ask anything"),
    ],
)
def test_language(
    page: Page, fake_server: FakeServer, document: str, own: str, placeholder: str
) -> None:
    page.goto(fake_server.page(f"<page-hand{own}></page-hand>", lang=document))
    expect(Assistant(page).textarea).to_have_attribute("aria-label", placeholder)


def test_language_changes_while_it_stands(page: Page, fake_server: FakeServer) -> None:
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.wait_ready()
    page.evaluate("document.documentElement.lang = 'zh-CN'")
    expect(assistant.textarea).to_have_attribute("placeholder", "请输入问题")
    expect(assistant.part("send")).to_have_accessible_name("发送")
    assistant.element.evaluate("element => element.setAttribute('lang', 'en')")
    expect(assistant.textarea).to_have_attribute("placeholder", "Ask anything")
