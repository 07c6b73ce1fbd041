"""The chat with the real engine and a real toolkit."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

from chat.support import accepted_bodies, asked, said, turns, wants
from pagehand.chat.chat import Chat
from pagehand.chat.scripted import Answer, ScriptedTransport, answer
from pagehand.engine.engine import Engine
from pagehand.errors import ToolError
from pagehand.toolkit.toolkit import Toolkit
from pagehand.wire import chunks as c


def toolkit() -> Toolkit:
    tools = Toolkit()
    ran: list[str] = []
    tools.ran = ran  # type: ignore[attr-defined]

    @tools.tool("greet")
    async def greet(name: str) -> str:
        """Greets a person by name."""
        ran.append(name)
        await asyncio.sleep(0)
        return f"Hello, {name}!"

    @tools.tool("fail")
    def fail() -> None:
        """Always fails."""
        raise ToolError("There is no such page.")

    @tools.tool("wait")
    async def wait() -> None:
        """Never ends."""
        await asyncio.Event().wait()

    @tools.tool("peek", eager=True, risk="safe")
    def peek() -> str:
        """Reads something, and asks nobody."""
        ran.append("peek")
        return "seen"

    tools.backend("weather", render=lambda call: None)

    @tools.human("ask", description="Asks the person.")
    def ask(call: Any, question: str) -> None:
        return None

    return tools


def make(*answers: Answer, **settings: Any) -> tuple[Chat, Engine, ScriptedTransport]:
    transport, engine = ScriptedTransport(*answers), Engine(toolkit(), **settings)
    numbers = count(1)
    return Chat(transport, engine, ids=lambda: f"id{next(numbers)}"), engine, transport


async def test_a_turn_is_all_calls_after_a_persons_message() -> None:
    chat, engine, _ = make(
        wants(asked("greet", "c1", name="Ada")),
        wants(asked("greet", "c2", name="Bo")),
        answer(*said("Done")),
        wants(asked("greet", "c3", name="Cy")),
        answer(*said("Done")),
        limits={"per_turn": 1},
    )
    await chat.send("Greet two")
    await chat.idle()
    await chat.send("And another one")
    await chat.idle()
    states = {record["tool_call_id"]: record["state"] for record in engine.log}
    assert states == {"c1": "output-available", "c2": "output-error", "c3": "output-available"}


async def test_a_whole_conversation() -> None:
    chat, engine, transport = make(
        wants(
            c.ToolInputStart("c1", "greet"),
            c.ToolInputDelta("c1", '{"name":"A'),
            c.ToolInputDelta("c1", 'da"}'),
            asked("greet", "c1", name="Ada"),
            asked("fail", "c2"),
            asked("fly", "c3"),
            asked("greet", "c4", name=5),
        ),
        wants(asked("ask", "c5", question="Really?")),
        answer(*said("Done"), message_id="m1"),
    )
    await chat.send("Hello")
    await chat.idle()
    assert chat.status == "ready"
    states = [part.state for part in chat.messages[-1].tool_parts()]
    assert states == [
        "output-available",
        "output-error",
        "output-error",
        "output-error",
        "input-available",
    ]
    failed = [part.error_text or "" for part in chat.messages[-1].tool_parts()[1:4]]
    assert failed[0] == "There is no such page."
    assert "greet" in failed[1]
    assert "name" in failed[2]
    handle = engine.handle("c5")
    assert handle is not None
    assert handle.add_result({"ok": True})
    await chat.idle()
    assert chat.messages[-1].text == "Done"
    assert len(transport.bodies) == 3
    assert accepted_bodies(transport.bodies)
    assert set(transport.bodies[2]["clientTools"]) == {"greet", "fail", "wait", "peek", "ask"}


async def test_an_id_used_again_in_the_next_step_of_one_answer() -> None:
    again = [asked("greet", name="Ada"), c.FinishStep(), c.StartStep(), asked("greet", name="Bo")]
    chat, _, transport = make(wants(*again), answer(*said("Done"), message_id="m1"))
    await chat.send("Hello")
    await asyncio.wait_for(chat.idle(), 5)
    assert chat.status == "ready"
    assert chat.messages[-1].text == "Done"
    assert [part.output for part in chat.messages[-1].tool_parts()][1] == "Hello, Bo!"
    assert accepted_bodies(transport.bodies)


async def test_stop_ends_a_call_that_never_ends() -> None:
    chat, engine, transport = make(wants(asked("wait")), answer(*said("Fine")))
    await chat.send("Hello")
    await turns()
    assert chat.status == "streaming"
    await chat.stop()
    await turns()
    assert chat.status == "ready"
    assert engine.running == []
    assert len(transport.bodies) == 1
    await chat.send("And?")
    assert accepted_bodies(transport.bodies)


async def test_ids_that_a_server_uses_again_run_again() -> None:
    chat, _, _ = make(
        wants(asked("greet", "c1", name="Ada")),
        wants(asked("greet", "c1", name="Bob")),
        answer(*said("Done"), message_id="m1"),
    )
    await chat.send("Hello")
    await chat.idle()
    outputs = [part.output for part in chat.messages[-1].tool_parts()]
    assert outputs == ["Hello, Ada!", "Hello, Bob!"]


async def test_typing_on_while_a_person_is_asked() -> None:
    chat, engine, transport = make(wants(asked("ask", question="?")), answer(*said("Fine")))
    await chat.send("Hello")
    await chat.idle()
    await chat.send("Never mind")
    handle = engine.handle("c1")
    assert handle is not None
    assert not handle.add_result("too late")
    assert chat.messages[1].tool_parts()[0].state == "output-error"
    assert accepted_bodies(transport.bodies)


async def test_a_new_conversation_may_use_the_same_ids() -> None:
    chat, engine, _ = make(
        wants(asked("greet", name="Ada")),
        answer(*said("Done"), message_id="m1"),
        wants(asked("greet", name="Ada")),
        answer(*said("Done"), message_id="m1"),
    )
    for _ in range(2):
        await chat.send("Hello")
        await chat.idle()
        chat.clear()
    assert engine.toolkit.ran == ["Ada", "Ada"]  # type: ignore[attr-defined]


async def test_an_eager_tool_does_not_wait_for_the_end_of_its_step() -> None:
    gate = asyncio.Event()
    chat, engine, transport = make(
        wants(asked("peek", "c1"), asked("greet", "c2", name="Ada"), gate),
        answer(*said("Done"), message_id="m1"),
    )
    task = asyncio.ensure_future(chat.send("Hello"))
    await turns()
    assert [part.output for part in chat.messages[-1].tool_parts()] == ["seen", None]
    gate.set()
    await task
    await chat.idle()
    assert engine.toolkit.ran == ["peek", "Ada"]  # type: ignore[attr-defined]
    assert len(transport.bodies) == 2


async def test_a_tool_of_the_server_is_left_to_the_server() -> None:
    chat, engine, transport = make(wants(asked("weather")), answer(*said("Fine")))
    await chat.send("Hello")
    await chat.idle()
    assert chat.status == "ready"
    assert chat.messages[-1].tool_parts()[0].state == "input-available"
    assert engine.log == []
    await chat.send("And?")
    assert accepted_bodies(transport.bodies)


async def test_a_card_answers_an_approval() -> None:
    chat, engine, transport = make(
        wants(asked("weather"), c.ToolApprovalRequest("p", "c1")),
        Answer(c.Start("m1"), c.ToolOutputAvailable("c1", "sunny"), c.Finish("stop")),
    )
    engine.respond_port = chat.respond_to_approval
    await chat.send("Hello")
    handle = engine.show(chat.messages[-1].tool_parts()[0])
    handle.respond_to_approval(True, reason="fine")
    await chat.idle()
    assert chat.messages[-1].tool_parts()[0].output == "sunny"
    posted = transport.bodies[1]["messages"][1]["parts"][1]["approval"]
    assert posted == {"id": "p", "approved": True, "reason": "fine"}


async def test_a_message_that_waits_for_a_call_is_not_lost_by_an_edit() -> None:
    chat, engine, transport = make(
        wants(asked("wait")), answer(*said("Edited")), answer(*said("Waited"))
    )
    await chat.send("One")
    await turns()
    await chat.send("Two")
    assert [message.text for message in chat.queued] == ["Two"]
    await chat.edit(chat.messages[0].id, "Other")
    await chat.idle()
    assert [message.text for message in chat.messages] == ["Other", "Edited", "Two", "Waited"]
    assert engine.running == []
    assert accepted_bodies(transport.bodies)


async def test_a_new_conversation_sends_nothing_that_waited_in_the_old_one() -> None:
    chat, engine, transport = make(wants(asked("wait")), answer(*said("No")))
    await chat.send("One")
    await turns()
    beside = asyncio.ensure_future(engine.invoke("wait", {}))
    await turns()
    await chat.send("Two")
    chat.clear()
    await asyncio.wait([beside])
    await turns()
    assert len(transport.bodies) == 1
    assert chat.messages == chat.queued == []
