"""Approvals in their full shape: what a server may ask, what it gets back, how a gate ends."""

from __future__ import annotations

from typing import Any

import pytest

from chat.support import World, accepted, asked, said, turns, wants
from pagehand.chat.gates import Gate, state_of
from pagehand.chat.scripted import answer
from pagehand.engine.clock import ManualClock
from pagehand.errors import AnswerError, ChatError
from pagehand.wire import chunks as c

OPTIONS: list[dict[str, Any]] = [
    {"id": "once", "kind": "allow-once", "label": "This time"},
    {"id": "always", "kind": "allow-always", "grants": ["deploy", "rollback"], "confirm": True},
    {"id": "later", "kind": "_later", "label": "Later", "approved": False},
    {"id": "no", "kind": "reject-once"},
]
QUESTIONS = [
    {"id": "env", "question": "Where?", "options": ["test", {"value": "live", "label": "Live"}]},
    {"id": "tags", "question": "Tags?", "options": ["a", "b"], "multiple": True, "required": False},
    {"id": "why", "question": "Why?"},
]


@pytest.mark.parametrize(
    ("approval", "state"),
    [
        (None, "none"),
        ({}, "none"),
        ({"id": "p"}, "open"),
        ({"id": "p", "approved": True}, "granted"),
        ({"id": "p", "approved": False}, "denied"),
        ({"id": "p", "resolution": "expired"}, "expired"),
        ({"id": "p", "resolution": "cancelled"}, "cancelled"),
    ],
)
def test_a_call_without_a_gate_is_not_an_open_gate(approval: Any, state: str) -> None:
    """assistant-ui's weakness B12."""
    assert state_of(approval) == state


@pytest.mark.parametrize(
    ("response", "sent"),
    [
        ({"approved": True}, {"approved": True}),
        ({"approved": False, "reason": "no"}, {"approved": False, "reason": "no"}),
        ({"optionId": "once"}, {"approved": True, "optionId": "once", "reason": "This time"}),
        ({"optionId": "later"}, {"approved": False, "optionId": "later", "reason": "Later"}),
        ({"optionId": "no"}, {"approved": False, "optionId": "no", "reason": "reject once"}),
        ({"text": "go"}, {"approved": True, "text": "go", "reason": "go"}),
        (
            {"approved": False, "text": "not today"},
            {"approved": False, "text": "not today", "reason": "not today"},
        ),
    ],
)
def test_answers(response: dict[str, Any], sent: dict[str, Any]) -> None:
    """Words go along as the reason too, for servers that read nothing else (B11)."""
    gate = Gate({"id": "p", "descriptor": {"options": OPTIONS, "allowFreeform": True}})
    assert gate.answer(response) == sent


def test_an_option_of_a_kind_we_do_not_know_can_be_chosen() -> None:
    """assistant-ui #5904, #6293: a gate must not become unanswerable."""
    gate = Gate({"id": "p", "options": [{"id": "x", "kind": "_custom", "label": "Custom"}]})
    assert [option.label for option in gate.options] == ["Custom"]
    assert gate.answer({"optionId": "x"})["approved"] is True


@pytest.mark.parametrize(
    ("response", "words"),
    [
        ({"optionId": "nope"}, "no option 'nope'.*once, always, later, no"),
        ({"text": "hello"}, "no words of your own"),
        ({}, "says `approved`"),
    ],
)
def test_answers_that_a_gate_does_not_take(response: dict[str, Any], words: str) -> None:
    with pytest.raises(AnswerError, match=words):
        Gate({"id": "p", "descriptor": {"options": OPTIONS}}).answer(response)


def test_questions_want_an_answer_each() -> None:
    gate = Gate({"id": "p", "questions": QUESTIONS})
    whole = {"env": "live", "tags": ["a", "b"], "why": "because"}
    assert gate.answer({"answers": whole}) == {
        "approved": True,
        "answers": whole,
        "reason": "Where? live; Tags? a, b; Why? because",
    }
    with pytest.raises(AnswerError, match=r"Where\?: choose one of test, live"):
        gate.answer({"answers": {**whole, "env": "moon"}})
    with pytest.raises(AnswerError, match=r"Answer first: Why\?"):
        gate.answer({"answers": {"env": "test"}})
    with pytest.raises(AnswerError, match=r"Answer first: Where\?"):
        gate.answer({"approved": True})
    assert gate.answer({"approved": False}) == {"approved": False}


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (1_700_000_000, 1_700_000_000),
        (1_700_000_000_000, 1_700_000_000),
        ("2023-11-14T22:13:20Z", 1_700_000_000),
        ("2023-11-14T22:13:20", 1_700_000_000),
        ("tomorrow", None),
        (True, None),
    ],
)
def test_the_end_may_be_written_in_several_ways(written: Any, seconds: float | None) -> None:
    assert Gate({"id": "p", "expiresAt": written}).expires_at == seconds


def gate(**more: Any) -> list[c.Chunk]:
    return [asked("deploy"), c.ToolApprovalRequest("p1", "c1", **more)]


async def test_every_field_of_the_server_goes_back_with_the_answer() -> None:
    request = gate(
        signature="sig",
        approval_descriptor={"prompt": "Deploy?", "options": OPTIONS},
        rest={"tenant": "t1"},
    )
    world = World(wants(*request), answer(*said("Done"), message_id="m1"))
    await world.say()
    assert world.last.tool_parts()[0].gate == "open"
    world.chat.respond_to_approval("c1", {"optionId": "always"})
    await world.chat.idle()
    (part,) = [p for p in world.bodies[1]["messages"][1]["parts"] if p["type"] == "tool-deploy"]
    assert part["approval"] == {
        "tenant": "t1",
        "id": "p1",
        "descriptor": {"prompt": "Deploy?", "options": OPTIONS},
        "signature": "sig",
        "optionId": "always",
        "approved": True,
        "reason": "allow always",
    }
    assert accepted(world)


async def test_a_wrong_answer_leaves_the_gate_open() -> None:
    world = World(wants(*gate(approval_descriptor={"options": OPTIONS})), answer(*said("Done")))
    await world.say()
    with pytest.raises(AnswerError):
        world.chat.respond_to_approval("c1", {"optionId": "nope"})
    assert world.last.tool_parts()[0].gate == "open"
    world.chat.respond_to_approval("c1", {"approved": True})
    await world.chat.idle()
    with pytest.raises(AnswerError, match="granted"):
        world.chat.respond_to_approval("c1", {"approved": False})
    with pytest.raises(ChatError, match="asks for no approval"):
        world.chat.respond_to_approval("c9", {"approved": True})
    assert len(world.bodies) == 2


async def test_a_gate_ends_when_its_time_is_over() -> None:
    ends = ManualClock().now() + 30
    world = World(wants(*gate(rest={"expiresAt": ends})), answer(*said("Fine")))
    await world.say()
    part = world.last.tool_parts()[0]
    world.clock.advance(29)
    assert part.gate == "open"
    world.clock.advance(2)
    await turns()
    assert (part.gate, part.state, part.cancelled) == ("expired", "output-error", True)
    assert len(world.bodies) == 1  # the server gave up: nothing goes on by itself
    with pytest.raises(AnswerError, match="expired"):
        world.chat.respond_to_approval("c1", {"approved": True})
    await world.say("And now?")
    assert accepted(world)
    posted = world.bodies[1]["messages"][1]["parts"][1]
    assert "approval" not in posted
    assert "pagehand" not in posted
    assert "Nobody answered" in posted["errorText"]


async def test_what_waits_in_the_queue_goes_when_a_gate_has_ended() -> None:
    ends = ManualClock().now() + 5
    world = World(wants(*gate(rest={"expiresAt": ends})), answer(*said("Fine")))
    await world.say()
    again = World(answer(*said("Fine")))
    again.clock.advance(60)
    again.chat.load(world.chat.dump())
    again.clock.advance(0)
    await turns()
    assert again.last.tool_parts()[0].gate == "expired"


async def test_typing_on_leaves_a_cancelled_gate_also_after_a_reload() -> None:
    world = World(wants(*gate(approval_descriptor={"prompt": "Deploy?"})), answer(*said("Fine")))
    await world.say()
    await world.say("Never mind")
    assert world.chat.messages[1].tool_parts()[0].gate == "cancelled"
    again = World(answer(*said("Fine")))
    again.chat.load(world.chat.dump())
    part = again.chat.messages[1].tool_parts()[0]
    assert part.gate == "cancelled"
    assert part.question is not None
    assert part.question["descriptor"] == {"prompt": "Deploy?"}
    assert accepted(world)
