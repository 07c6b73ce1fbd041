"""Complaints about other chats with tools that must not happen here, by their numbers.

A plain number is an issue of assistant-ui, a B a weakness from its feature map; those that need
no conversation are in tests/engine/test_known_complaints.py. Real engine, real toolkit.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from chat.support import accepted_bodies, asked, said, turns, wants
from pagehand.chat.chat import Chat
from pagehand.chat.scripted import Answer, ScriptedTransport, answer
from pagehand.engine.engine import Engine
from pagehand.errors import AnswerError
from pagehand.toolkit.context import ToolContext
from pagehand.toolkit.toolkit import Toolkit
from pagehand.wire import chunks as c

TESTS = Path(__file__).resolve().parents[1]
DONE = answer(*said("Done"), message_id="m1")


class Room:
    """A chat with the real engine; `ran` holds what its tools did, in order."""

    def __init__(self, *answers: Answer, **options: Any) -> None:
        numbers = count(1)
        self.ran: list[Any] = []
        self.toolkit = Toolkit()
        self._define()
        self.transport = ScriptedTransport(*answers)
        self.engine = Engine(self.toolkit)
        self.chat = Chat(self.transport, self.engine, ids=lambda: f"id{next(numbers)}", **options)
        self.engine.respond_port = self.chat.respond_to_approval

    def _define(self) -> None:
        @self.toolkit.tool("note")
        async def note(value: Any = None) -> Any:
            """Notes a value and gives it back."""
            self.ran.append(value)
            await asyncio.sleep(0)
            return value

        @self.toolkit.tool("wait")
        async def wait() -> None:
            """Never ends."""
            self.ran.append("wait")
            await asyncio.Event().wait()

        @self.toolkit.tool("peek", eager=True)
        def peek() -> str:
            """Reads at once."""
            self.ran.append("peek")
            return "seen"

        @self.toolkit.tool("gaze", eager=True)
        async def gaze() -> None:
            """Reads for a long time."""
            self.ran.append("gaze")
            try:
                await asyncio.Event().wait()
            finally:
                self.ran.append("stopped")

        self.toolkit.human("ask", description="Asks.")(lambda call: None)
        self.toolkit.backend("deploy", render=lambda call: None)

    async def say(self, text: str = "Hello") -> None:
        await self.chat.send(text)
        await asyncio.wait_for(self.chat.idle(), 5)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return self.transport.bodies

    @property
    def states(self) -> list[str]:
        return [part.state for part in self.chat.messages[-1].tool_parts()]

    @property
    def outputs(self) -> list[Any]:
        return [part.output for part in self.chat.messages[-1].tool_parts()]


# Tools that never run, or whose result goes nowhere


async def test_2369_2374_b1_results_go_back_without_any_wiring() -> None:
    room = Room(wants(asked("note", value=1)), DONE)
    await room.say()
    assert room.chat.messages[-1].text == "Done"
    (posted,) = [p for p in room.bodies[1]["messages"][-1]["parts"] if p["type"] == "tool-note"]
    assert (posted["state"], posted["output"]) == ("output-available", 1)


async def test_b1_going_on_by_itself_ends_and_the_person_may_let_it_go_on() -> None:
    rounds = [wants(asked("note", f"c{n}", value=n)) for n in range(5)]
    room = Room(*rounds, max_rounds=3)
    await room.say()
    assert len(room.bodies) == 4  # the person's message, and three by itself
    assert [notice.code for notice in room.chat.notices] == ["rounds"]
    same = [wants(asked("note", f"c{n}", value=1)) for n in range(6)]
    room = Room(*same, max_repeats=2)
    await room.say()
    assert room.ran == [1, 1]
    assert "repeats" in [notice.code for notice in room.chat.notices]


async def test_4250_parallel_results_make_one_request_also_a_hundred_of_them() -> None:
    room = Room(wants(*(asked("note", f"c{n}", value=n) for n in range(100))), DONE)
    await room.say()
    assert room.ran == list(range(100))  # B7: started in document order
    assert room.outputs == list(range(100))
    assert len(room.bodies) == 2
    posted = [p for p in room.bodies[1]["messages"][-1]["parts"] if p["type"] == "tool-note"]
    assert [part["output"] for part in posted] == list(range(100))
    assert accepted_bodies(room.bodies)


async def test_5688_7114_what_the_server_answered_is_not_run_here() -> None:
    answered = [asked("note", value=1), c.ToolOutputAvailable("c1", "from the server")]
    room = Room(answer(*answered, *said("Fine"), message_id="m1"))
    await room.say()
    assert room.ran == []
    assert room.outputs == ["from the server"]
    assert len(room.bodies) == 1


@pytest.mark.parametrize("value", [False, 0, "", None])
async def test_4969_5537_any_value_is_a_result_that_is_sent_and_kept(value: Any) -> None:
    room = Room(wants(asked("note", value=value)), DONE)
    await room.say()
    assert len(room.bodies) == 2
    (kept,) = [p for p in room.chat.dump()[-1]["parts"] if p["type"] == "tool-note"]
    assert kept["output"] == value
    assert type(kept["output"]) is type(value)


async def test_1342_5535_b17_an_abandoned_call_makes_no_later_request_invalid() -> None:
    room = Room(answer(*said("Fine")))
    room.chat.load(
        [
            {"id": "u", "role": "user", "parts": [{"type": "text", "text": "Go"}]},
            {"id": "a", "role": "assistant", "parts": [pending("note"), pending("ask", "c2")]},
        ]
    )
    await room.say("Never mind")
    assert accepted_bodies(room.bodies)
    assert room.ran == []


async def test_5534_interleaved_arguments_are_not_mixed() -> None:
    room = Room(
        wants(
            c.ToolInputStart("c1", "note"),
            c.ToolInputStart("c2", "note"),
            c.ToolInputDelta("c1", '{"value":'),
            c.ToolInputDelta("c2", '{"value":"b'),
            c.ToolInputDelta("c1", '"a"}'),
            c.ToolInputDelta("c2", 'b"}'),
            asked("note", "c1", value="a"),
            asked("note", "c2", value="bb"),
        ),
        DONE,
    )
    await room.say()
    assert room.outputs == ["a", "bb"]


async def test_3471_arguments_of_no_sense_are_shown_and_answered() -> None:
    odd = c.ToolInputAvailable("c1", "note", ["not", "an", "object"])
    room = Room(wants(odd), DONE)
    await room.say()
    assert room.states == ["output-error"]
    assert room.chat.messages[-1].tool_parts()[0].input == ["not", "an", "object"]
    assert len(room.bodies) == 2


async def test_b3_an_unknown_tool_is_answered_and_the_conversation_goes_on() -> None:
    room = Room(wants(asked("fly")), DONE)
    await room.say()
    assert room.states == ["output-error"]
    assert room.chat.messages[-1].text == "Done"


async def test_b6_an_eager_tool_starts_while_the_answer_still_comes() -> None:
    gate = asyncio.Event()
    room = Room(wants(asked("peek"), asked("note", "c2", value=1), gate), DONE)
    task = asyncio.ensure_future(room.chat.send("Hello"))
    await turns()
    assert room.ran == ["peek"]  # the other waits: an approval may still follow
    gate.set()
    await task
    await room.chat.idle()
    assert room.ran == ["peek", 1]


# Stopping


async def test_b2_stop_while_a_tool_runs_sends_nothing() -> None:
    room = Room(wants(asked("wait"), asked("note", "c2", value=1)), DONE)
    await room.chat.send("Hello")
    await turns()
    await room.chat.stop()
    await turns()
    assert room.chat.status == "ready"
    assert len(room.bodies) == 1
    assert room.states == ["output-error", "output-available"]
    assert room.engine.running == []


# People


async def test_2756_4673_typing_on_instead_of_answering_keeps_the_conversation_usable() -> None:
    room = Room(wants(asked("ask")), answer(*said("Fine")))
    await room.say()
    await room.say("Something else")
    assert room.chat.messages[1].tool_parts()[0].state == "output-error"
    assert accepted_bodies(room.bodies)


async def test_4195_a_gate_that_is_typed_past_leaves_no_invalid_part() -> None:
    room = Room(wants(asked("deploy"), c.ToolApprovalRequest("p", "c1")), answer(*said("Fine")))
    await room.say()
    assert room.states == ["approval-requested"]
    await room.say("Something else")
    assert accepted_bodies(room.bodies)


async def test_6281_a_call_with_a_gate_does_not_run_before_its_answer() -> None:
    room = Room(wants(asked("note"), c.ToolApprovalRequest("p", "c1")))
    await room.say()
    assert room.ran == []
    assert room.states == ["approval-requested"]


async def test_6285_6677_a_gate_that_comes_while_a_call_runs_stops_it() -> None:
    gate = asyncio.Event()
    room = Room(wants(asked("gaze"), gate, c.ToolApprovalRequest("p", "c1")))
    task = asyncio.ensure_future(room.chat.send("Hello"))
    await turns()
    assert room.ran == ["gaze"]
    gate.set()
    await task
    await room.chat.idle()
    assert room.ran == ["gaze", "stopped"]
    assert room.states == ["approval-requested"]


async def test_b11_a_rich_answer_travels_with_the_plain_one() -> None:
    options = [{"id": "once", "kind": "allow-once", "label": "This time"}]
    gate = c.ToolApprovalRequest("p", "c1", approval_descriptor={"options": options})
    room = Room(wants(asked("deploy"), gate), DONE)
    await room.say()
    room.engine.show(room.chat.messages[-1].tool_parts()[0]).respond_to_approval(option_id="once")
    await room.chat.idle()
    (part,) = [p for p in room.bodies[1]["messages"][-1]["parts"] if p["type"] == "tool-deploy"]
    sent = part["approval"]
    assert (sent["approved"], sent["optionId"], sent["reason"]) == (True, "once", "This time")


async def test_b12_b19_an_answer_that_cannot_be_taken_leaves_the_gate_open() -> None:
    room = Room(wants(asked("deploy"), c.ToolApprovalRequest("p", "c1")), DONE)
    await room.say()
    part = room.chat.messages[-1].tool_parts()[0]
    handle = room.engine.show(part)
    with pytest.raises(AnswerError):
        handle.respond_to_approval(option_id="nope")
    assert part.gate == "open"
    handle.respond_to_approval(True)
    await room.chat.idle()
    assert part.gate == "granted"
    assert len(room.bodies) == 2


async def test_5046_5050_b18_an_open_gate_is_kept_and_answerable_after_a_reload() -> None:
    first = Room(wants(asked("deploy"), c.ToolApprovalRequest("p", "c1")))
    await first.say()
    again = Room(Answer(c.Start("m1"), c.ToolOutputAvailable("c1", "live"), c.Finish("stop")))
    again.chat.load(first.chat.dump())
    assert again.states == ["approval-requested"]
    handle = again.engine.show(again.chat.messages[-1].tool_parts()[0])
    handle.respond_to_approval(True)
    await again.chat.idle()
    assert again.outputs == ["live"]


# Reload


async def test_3707_a_loaded_history_runs_nothing() -> None:
    first = Room(wants(asked("note", value=1)), DONE)
    await first.say()
    again = Room()
    again.chat.load(first.chat.dump())
    await turns()
    assert again.ran == []
    assert again.chat.pending_choices == []


@pytest.mark.parametrize("choice", ["run", "skip"])
async def test_b4_a_call_cut_off_by_a_reload_is_run_or_skipped_beside_a_card(choice: str) -> None:
    room = Room(DONE)
    room.chat.load(
        [{"id": "m1", "role": "assistant", "parts": [pending("note"), pending("ask", "c2")]}]
    )
    assert [part.tool_call_id for part in room.chat.pending_choices] == ["c1", "c2"]
    assert room.ran == []
    await room.chat.run_pending(["c2"])  # the view does this for a card
    await turns()
    handle = room.engine.handle("c2")
    assert handle is not None
    assert handle.add_result("yes")
    if choice == "run":
        await room.chat.run_pending(["c1"])
    else:
        room.chat.skip_pending(["c1"])
    await asyncio.wait_for(room.chat.idle(), 5)
    assert room.chat.messages[-1].text == "Done"  # never a deadlock
    assert len(room.bodies) == 1


async def test_b5_what_a_tool_asked_a_person_is_asked_again_after_a_reload() -> None:
    def with_question(room: Room) -> list[Any]:
        got: list[Any] = []

        @room.toolkit.tool("quiz", render=lambda call: None)
        async def quiz(ctx: ToolContext) -> str:
            """Asks a person in the middle of its work."""
            got.append(await ctx.human({"question": "Which?"}))
            return str(got[-1])

        return got

    first = Room(wants(asked("quiz")))
    with_question(first)
    await first.chat.send("Hello")
    await turns()
    again = Room(DONE)
    got = with_question(again)
    again.chat.load(first.chat.dump())
    assert [part.tool_call_id for part in again.chat.pending_choices] == ["c1"]
    await again.chat.run_pending(["c1"])
    await turns()
    handle = again.engine.handle("c1")
    assert handle is not None
    assert handle.interrupt == {"type": "human", "payload": {"question": "Which?"}}
    assert handle.resume("this")
    await asyncio.wait_for(again.chat.idle(), 5)
    assert got == ["this"]


# Duplicates


async def test_3197_b16_one_id_twice_crashes_nothing() -> None:
    room = Room(wants(asked("note", "c1", value=1), asked("note", "c1", value=2)), DONE)
    await room.say()
    assert room.chat.status == "ready"
    assert len(room.bodies) == 2
    assert accepted_bodies(room.bodies)


async def test_4766_a_result_that_comes_late_opens_nothing_again() -> None:
    room = Room(wants(asked("ask")), DONE, answer(*said("More")))
    await room.say()
    handle = room.engine.handle("c1")
    assert handle is not None
    assert handle.add_result("first")
    await room.chat.idle()
    room.chat.add_tool_output("c1", "second")
    await room.chat.idle()
    assert room.outputs == ["first"]
    assert len(room.bodies) == 2


# The core without a page


def test_b23_the_core_runs_without_a_page() -> None:
    code = "import pagehand.chat.chat, pagehand.engine.engine, sys; print('js' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(TESTS.parent / "app")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"


def test_each_weakness_that_is_about_tools_has_its_test() -> None:
    """B13 to B15 and B20 are about the interface, B22 about workers, which touch no page."""
    wanted = {*range(1, 13), *range(16, 20), 21, 23}
    folders = ("engine", "chat", "browser")
    texts = [
        file.read_text("utf-8") for name in folders for file in (TESTS / name).glob("test_*.py")
    ]
    named = re.findall(r"def test_((?:\w+_)?b\d+(?:_b\d+)*)_", "\n".join(texts))
    found = {
        int(number) for names in named for number in re.findall(r"(?:^|_)b([1-9]\d?)(?=_|$)", names)
    }
    assert wanted <= found


def pending(name: str, id: str = "c1") -> dict[str, Any]:
    """A call without an answer, as a stored message holds it."""
    return {"type": f"tool-{name}", "toolCallId": id, "state": "input-available", "input": {}}
