"""Limits on going on by itself."""

from __future__ import annotations

from chat.support import (
    FakeEngine,
    World,
    accepted,
    asked,
    outputs,
    said,
    wants,
)
from pagehand.chat.scripted import Answer, answer
from pagehand.wire import chunks as c

# Limits


async def test_the_server_s_own_step_limit_is_no_reason_to_go_on() -> None:
    """Nothing is pending and nothing was ours: the AI SDK would ask for ever."""
    world = World(
        answer(asked("weather"), c.ToolOutputAvailable("c1", "sunny"), finish="tool-calls"),
        answer(*said("Sunny"), message_id="m1"),
    )
    await world.say()
    assert len(world.bodies) == 1
    assert world.codes == ["step-limit"]
    await world.chat.continue_anyway()
    assert len(world.bodies) == 2
    assert world.last.text == "Sunny"
    assert world.chat.notices == []


async def test_s03_a_continuation_that_brings_nothing_is_the_last() -> None:
    """In the AI SDK this loops until the memory is full."""
    engine = FakeEngine(open="ok")
    empty = Answer(c.Start("m1"), c.Finish("stop"))
    world = World(wants(asked("open")), empty, empty, empty, engine=engine)
    await world.say()
    assert len(world.bodies) == 2
    assert "no-progress" in world.codes


async def test_s03_the_number_of_rounds_is_limited() -> None:
    engine = FakeEngine(read="ok")
    rounds = [wants(asked("read", f"c{n}", n=n)) for n in range(30)]
    world = World(*rounds, engine=engine, max_rounds=4)
    await world.say()
    assert len(world.bodies) == 5
    assert world.codes == ["rounds"]
    assert world.chat.status == "ready"
    await world.chat.continue_anyway()
    await world.chat.idle()
    assert len(world.bodies) == 9


async def test_the_default_is_twelve_rounds() -> None:
    engine = FakeEngine(read="ok")
    world = World(*(wants(asked("read", f"c{n}", n=n)) for n in range(30)), engine=engine)
    await world.say()
    assert len(world.bodies) == 13


async def test_the_limit_counts_from_each_message() -> None:
    engine = FakeEngine(read="ok")
    rounds = [wants(asked("read", f"c{n}", n=n)) for n in range(30)]
    world = World(*rounds, engine=engine, max_rounds=2)
    await world.say()
    await world.say("Go on")
    assert len(world.bodies) == 6


async def test_a_call_repeated_too_often_is_held() -> None:
    engine = FakeEngine(read="same")
    rounds = [wants(asked("read", f"c{n}", b=1, a=[{"y": 1, "x": 2}])) for n in range(10)]
    world = World(*rounds, engine=engine)
    await world.say()
    assert len(engine.started) == 3
    assert world.codes == ["repeats"]
    assert world.chat.status == "ready"
    await world.chat.continue_anyway()
    await world.chat.idle()
    assert len(engine.started) == 6
    await world.say("Stop that")
    assert accepted(world)


async def test_the_order_of_keys_makes_no_other_call() -> None:
    engine = FakeEngine(read="same")
    calls = [{"a": 1, "b": 2}, {"b": 2, "a": 1}]
    rounds = [wants(c.ToolInputAvailable(f"c{n}", "read", calls[n % 2])) for n in range(10)]
    world = World(*rounds, engine=engine)
    await world.say()
    assert len(engine.started) == 3


async def test_tools_that_need_no_further_word() -> None:
    engine = FakeEngine(show="shown")
    engine.is_terminal = lambda name: name == "show"  # type: ignore[attr-defined]
    world = World(wants(asked("show")), engine=engine)
    await world.say()
    assert len(world.bodies) == 1
    assert outputs(world) == ["shown"]
