"""What a call leaves for its card: it outlives the page and never leaves it (B10)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chat.support import World, answer, asked, said, turns, wants
from pagehand.chat.messages import ToolPart, message_from_wire
from pagehand.chat.scripted import Answer
from pagehand.engine.clock import ManualClock
from pagehand.engine.engine import Engine
from pagehand.errors import ToolError
from pagehand.toolkit.result import ToolResponse
from pagehand.toolkit.toolkit import Toolkit
from pagehand.wire import chunks as c
from pagehand.wire.jsontext import dumps

CHART = {"svg": "<svg>only-for-the-card</svg>"}
ROWS = ["row-for-the-card", 2]
DONE = answer(*said("Done"), message_id="m1")


class Page:
    """A page with its engine and conversation; `reports` is what its author reads."""

    def __init__(self, *answers: Answer, **options: Any) -> None:
        self.toolkit = Toolkit()
        self.clock = ManualClock()
        self.reports: list[str] = []
        self.engine = Engine(self.toolkit, clock=self.clock, report=self.reports.append)
        self.world = World(*answers, engine=self.engine, **options)  # type: ignore[arg-type]

        @self.toolkit.tool("chart", to_model_output=lambda rows: f"{len(rows)} rows")
        def chart() -> ToolResponse:
            """Draws a chart."""
            self.clock.advance(1.25)
            return ToolResponse(ROWS, artifact=CHART)

        @self.toolkit.tool("fail")
        def fail() -> None:
            """Fails after a while."""
            self.clock.advance(2)
            raise ToolError("No.")

    @property
    def call(self) -> ToolPart:
        part: ToolPart = self.world.last.tool_parts()[0]
        return part

    def seen(self) -> tuple[Any, ...]:
        """What the card of the call draws with."""
        handle = self.engine.show(self.call)
        return handle.result, handle.artifact, handle.started_at, handle.ended_at


async def ran(name: str = "chart") -> Page:
    page = Page(wants(asked(name)), DONE)
    await page.world.say()
    return page


async def test_b10_the_card_draws_with_the_same_after_a_reload() -> None:
    page = await ran()
    began = page.clock.now() - 1.25
    assert page.seen() == (ROWS, CHART, began, began + 1.25)
    assert page.call.output == "2 rows"
    stored = json.dumps(page.world.chat.dump())

    again = Page()
    again.world.chat.load(json.loads(stored))
    assert again.seen() == page.seen()
    assert json.dumps(again.world.chat.dump()) == stored  # and after the next reload


async def test_b10_a_tab_that_follows_shows_the_same_and_so_it_does_when_it_leads() -> None:
    page, other = await ran(), Page()
    other.world.chat.follow(page.world.chat.dump(), status="ready")
    assert other.seen() == page.seen()
    other.world.chat.lead(page.world.chat.dump())
    assert other.seen() == page.seen()


async def test_b10_how_long_a_call_took_that_failed_or_was_stopped_is_kept_too() -> None:
    page, again = await ran("fail"), Page()
    again.world.chat.load(page.world.chat.dump())
    result, artifact, began, ended = again.seen()
    assert (result, artifact, ended - began) == (None, None, 2)

    page = Page(wants(asked("ask")))
    page.toolkit.human("ask", description="Asks.")(lambda call: None)
    await page.world.chat.send("Hello")
    await turns()
    page.clock.advance(3)
    await page.world.chat.stop()
    again = Page()
    again.world.chat.load(page.world.chat.dump())
    assert again.call.state == "output-error"
    assert again.seen()[3] - again.seen()[2] == 3


FORMS = [
    {},
    {"tools_field": "tools"},
    {"protocol": "ag-ui"},
]


@pytest.mark.parametrize("options", FORMS, ids=["clientTools", "AI SDK", "AG-UI"])
async def test_b10_the_model_is_never_told(options: dict[str, Any]) -> None:
    old = await ran()
    page = Page(DONE, **options)
    page.world.chat.load(old.world.chat.dump())
    await page.world.say("And now?")
    posted = json.dumps([*old.world.bodies, *page.world.bodies])
    assert len(page.world.bodies) == 1
    assert "2 rows" in posted
    _nothing_of_the_card(posted)


async def test_b10_a_mastra_run_that_goes_on_is_not_told_either() -> None:
    old = await ran()
    data = {"state": "data-tool-call-suspended", "runId": "r1", "toolCallId": "c2"}
    pause = c.Data("tool-call-suspended", {**data, "toolName": "city"}, "c2")
    page = Page(answer(asked("city", "c2"), pause, message_id="m2", finish=None), DONE)
    page.world.chat.load(old.world.chat.dump())
    await page.world.say("And now?")
    page.world.chat.resume_call("c2", {"city": "Oslo"})
    await page.world.chat.idle()
    body = page.world.bodies[-1]
    assert (body["runId"], body["resumeData"]) == ("r1", {"city": "Oslo"})
    _nothing_of_the_card(json.dumps(page.world.bodies))


def _nothing_of_the_card(posted: str) -> None:
    for secret in ("for-the-card", '"pagehand"', '"ran"'):
        assert secret not in posted


@pytest.mark.parametrize("spare", [0, -1])
async def test_b10_what_is_too_long_is_shown_and_not_kept_and_the_log_says_so(spare: int) -> None:
    page, size = Page(wants(asked("chart")), DONE), len(dumps(CHART))
    page.toolkit.configure(longest_kept=size + spare)
    await page.world.say()
    assert page.seen()[:2] == (ROWS, CHART)
    again = Page()
    again.world.chat.load(page.world.chat.dump())
    note = page.engine.log[0].get("artifact_note", "")
    if spare == 0:
        assert (again.seen()[:2], note, page.reports) == ((ROWS, CHART), "", [])
    else:
        assert again.seen()[:2] == (ROWS, None)
        assert note.startswith(f"not kept: it has {size} characters, more than the {size - 1} that")
        assert page.reports == [f"The artifact of chart is {note}"]


async def test_a_call_is_done_also_when_its_artifact_is_not_json() -> None:
    page = Page(wants(asked("plot")), DONE)

    @page.toolkit.tool("plot")
    def plot() -> ToolResponse:
        """Plots."""
        return ToolResponse(3, artifact={"figure": object()})

    await page.world.say()
    assert (page.call.state, page.call.output) == ("output-available", 3)
    assert page.seen()[:2] == (3, None)
    assert "artifact.figure: a builtins.object cannot travel" in page.engine.log[0]["artifact_note"]
    assert page.reports == [f"The artifact of plot is {page.engine.log[0]['artifact_note']}"]


async def test_a_call_that_is_told_again_with_its_outcome_brings_the_card_along() -> None:
    page = await ran()
    part = ToolPart("chart", "c1", "input-available", dynamic=False)
    part.take_outcome(page.call)
    assert (part.card, part.ran) == (page.call.card, page.call.ran)
    part.reopen()
    assert (part.card, part.ran) == ({}, None)


@pytest.mark.parametrize(
    "ran",
    [None, 5, "12", [1], [1, "2"], [1, 2, 3], [2, 1], [-5, 1], [1, 9e99], [float("nan"), 1]],
)
def test_times_of_a_stored_text_that_cannot_be_are_none(ran: Any) -> None:
    call = {"type": "tool-a", "toolCallId": "c", "state": "output-available", "input": {}}
    wire = {"role": "assistant", "parts": [{**call, "output": 1, "pagehand": {"ran": ran}}]}
    part = message_from_wire(wire).tool_parts()[0]
    assert part.ran is None
    assert Page().engine.show(part).ended_at is None
