"""The page against a real Mastra server that asks people: suspends, approvals, cards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer
from browser.support.peer_page import PATIENCE, PeerPage, calls_in, states_in
from peers.peer import Peer

pytestmark = [pytest.mark.browser, pytest.mark.peer]

TOOLKIT = """
from pagehand import Toolkit, ToolUI
from pagehand.html import button, p
from pagehand.tools import page_tools

toolkit = Toolkit(page_tools())

PickColour = ToolUI(
    "pick_colour",
    state={"type": "object", "required": ["of", "colours"]},
    answer={"enum": ["red", "blue"]},
)
Status = ToolUI("status", state={"type": "object", "required": ["text"]})
PickShape = ToolUI(
    "pick_shape",
    state={"type": "object", "properties": {"shapes": {"type": "array"}}, "required": ["shapes"]},
    answer=str,
)
toolkit.fulfilled(PickShape, description="Lets the user pick a shape.")

@toolkit.view(PickColour)
def colour(ui):
    if ui.busy:
        return p(f"Picked {ui.answer}")
    return [p(f"Colour of {ui.state['of']}?")] + [
        button(name, data_action=name, on_click=lambda event, name=name: ui.resolve(name))
        for name in ui.state["colours"]
    ]

@toolkit.view(PickShape)
def shape(ui):
    return [
        button(name, data_action=name, disabled=ui.busy,
               on_click=lambda event, name=name: ui.resolve(name))
        for name in ui.state["shapes"]
    ]

@toolkit.view(Status)
def status(ui):
    return p(ui.state["text"], data_card="status")
"""


class AskingPage(PeerPage):
    """A page with a toolkit file of its own, in front of the library's handler."""

    def __init__(
        self, open_page: Callable[..., Page], files: FakeServer, peer: Peer, version: str
    ) -> None:
        files.pages["/made/asking.py"] = ("text/x-python", TOOLKIT.encode())
        path = "/handle/plain"
        element = (
            f'<page-hand endpoint="{peer.url}{path}?version={version}" '
            'toolkit="/made/asking.py" lang="en"></page-hand>'
        )
        self.assistant = Assistant(open_page(files.page(element)))
        self.peer = peer
        self._path = path


@pytest.fixture
def pages(
    mastra: Peer, fake_server: FakeServer, open_page: Callable[..., Page]
) -> Callable[..., PeerPage]:
    return lambda version="v6": AskingPage(open_page, fake_server, mastra, version)


def last_body(page: PeerPage) -> dict[str, Any]:
    return page.bodies()[-1]


@pytest.mark.parametrize("version", ["v5", "v6", "v7"])
def test_a_suspended_tool_gets_its_answer_from_a_form(
    pages: Callable[..., PeerPage], version: str
) -> None:
    page = pages(version)
    page.say('call ask-city {"topic":"weather"} ;; say so be it')
    box = page.assistant.part("suspension")
    expect(box).to_contain_text("Which city for weather?", timeout=PATIENCE)
    page.assistant.wait_status("ready", timeout=PATIENCE)
    box.locator('[data-action="answer"]').click()
    expect(box).to_contain_text("City: please fill this in.")
    box.get_by_label("City").fill("Oslo")
    box.locator('[data-action="answer"]').click()
    page.shows("so be it")
    page.call_is("ask-city", "output-available")
    page.answers(1)
    body = last_body(page)
    assert body["resumeData"] == {"city": "Oslo"}
    assert body["clientTools"]
    (kept,) = (m for m in page.assistant.get("messages") if m["role"] == "assistant")
    assert calls_in(kept)[0]["output"] == {"topic": "weather", "city": "Oslo"}

    page.say("say and on", shows="and on")
    assert "resumeData" not in last_body(page)


def test_a_suspended_tool_waits_across_a_reload(pages: Callable[..., PeerPage]) -> None:
    page = pages()
    page.say('call ask-city {"topic":"news"} ;; say well')
    box = page.assistant.part("suspension")
    expect(box).to_be_visible(timeout=PATIENCE)
    page.assistant.wait_status("ready", timeout=PATIENCE)
    page.reload()
    box.get_by_label("City").fill("Rome")
    box.get_by_label("City").press("Enter")
    page.shows("well")
    page.call_is("ask-city", "output-available")


def test_a_declined_question_reaches_the_model(
    pages: Callable[..., PeerPage], mastra: Peer
) -> None:
    page = pages()
    page.say('call ask-city {"topic":"news"} ;; say then not')
    page.assistant.part("suspension").locator('[data-action="decline"]').click(timeout=PATIENCE)
    page.shows("then not")
    assert states_in(last_body(page)["messages"][1]) == {"ask-city": "output-error"}
    assert "chose not to answer" in str(mastra.model()["seen"][-1]["prompt"])


def test_a_tagged_question_is_drawn_and_answered_by_its_view(
    pages: Callable[..., PeerPage],
) -> None:
    page = pages()
    page.say('call pick-colour {"of":"car"} ;; say nice')
    card = page.assistant.call("pick-colour")
    expect(card).to_contain_text("Colour of car?", timeout=PATIENCE)
    page.assistant.wait_status("ready", timeout=PATIENCE)
    card.locator('[data-action="blue"]').click()
    page.shows("nice")
    expect(card).to_contain_text("Picked blue")
    assert last_body(page)["resumeData"] == "blue"
    (kept,) = (m for m in page.assistant.get("messages") if m["role"] == "assistant")
    assert calls_in(kept)[0]["output"] == {"of": "car", "colour": "blue"}


def test_a_tool_that_the_person_fulfils(pages: Callable[..., PeerPage]) -> None:
    page = pages()
    page.say('call pick_shape {"shapes":["round","square"]} ;; say good shape')
    card = page.assistant.call("pick_shape")
    card.locator('[data-action="square"]').click(timeout=PATIENCE)
    page.shows("good shape")
    (call,) = calls_in(last_body(page)["messages"][1])
    assert (call["state"], call["output"]) == ("output-available", "square")


def test_cards_of_the_stream(pages: Callable[..., PeerPage]) -> None:
    page = pages()
    page.say("call show-progress {} ;; say shown", shows="shown")
    shown = page.assistant.answers.last.locator("[data-card=status]")
    expect(shown).to_have_text(["All done"])
    page.reload()
    expect(shown).to_have_text(["All done"])


@pytest.mark.parametrize(
    ("action", "state"), [("approve", "output-available"), ("deny", "output-")]
)
def test_an_approval_of_version_5(pages: Callable[..., PeerPage], action: str, state: str) -> None:
    page = pages("v5")
    page.say('call delete-record {"id":"r1"} ;; say that was it')
    call = page.assistant.call("delete-record")
    expect(call).to_have_attribute("data-gate", "open", timeout=PATIENCE)
    page.approval(action)
    page.shows("that was it")
    expect(call).to_have_attribute("data-gate", "granted" if action == "approve" else "denied")
    assert (call.get_attribute("data-state") or "").startswith(state)
    assert last_body(page)["resumeData"] == {"approved": action == "approve"}


def test_two_approvals_of_one_step_are_asked_one_after_the_other(
    pages: Callable[..., PeerPage],
) -> None:
    page = pages()
    page.say('call delete-record {"id":"a"} && call delete-record {"id":"b"} ;; say both')
    first, second = (page.assistant.call("delete-record").nth(n) for n in (0, 1))
    expect(first).to_have_attribute("data-gate", "open", timeout=PATIENCE)
    page.approval("approve")
    expect(second).to_have_attribute("data-gate", "open", timeout=PATIENCE)
    page.approval("approve")
    page.shows("both")
    expect(
        page.assistant.call("delete-record").and_(
            page.page.locator('[data-state="output-available"]')
        )
    ).to_have_count(2)


@pytest.mark.parametrize(
    ("call", "part"),
    [("delete-record {}", "approval"), ("ask-city {}", "suspension")],
    ids=["approval", "suspend"],
)
def test_a_call_of_this_page_beside_a_question_is_not_run(
    pages: Callable[..., PeerPage], mastra: Peer, call: str, part: str
) -> None:
    """mastra.md section 8 rule 5: the server could never take its result."""
    page = pages()
    arguments = '{"id":"r1"}' if part == "approval" else '{"topic":"x"}'
    call = call.replace("{}", arguments)
    page.say(f"call {call} && call read_page {{}} ;; say on it goes")
    box = page.assistant.part(part)
    expect(box).to_be_visible(timeout=PATIENCE)
    page.assistant.wait_status("ready", timeout=PATIENCE)
    expect(page.assistant.part("notice")).to_contain_text("wait until the approval")
    page.call_is("read_page", "input-available")
    if part == "approval":
        page.approval("approve")
    else:
        box.get_by_label("City").fill("Oslo")
        box.locator('[data-action="answer"]').click()
    page.shows("on it goes")
    page.call_is("read_page", "output-error")
