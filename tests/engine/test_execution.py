"""Deadlines, stops, and waiting for the person."""

import asyncio

import pytest

from engine.helpers import Bench, turns
from pagehand.engine.outcome import Failure, Output
from pagehand.errors import UnsendableValueError
from pagehand.toolkit.context import ToolContext


@pytest.fixture
def bench():
    return Bench()


def waiting(bench, **options):
    """A tool that waits for ever, and notes how it ended."""
    ends = []

    @bench.toolkit.tool("wait", **options)
    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise

    return ends


# Deadlines


async def test_a_tool_that_takes_too_long_is_stopped(bench):
    ends = waiting(bench, timeout=10)
    tool_call_id = bench.start("wait")
    await turns()
    bench.clock.advance(9.9)
    assert bench.sink.outcomes == {}
    bench.clock.advance(0.2)
    assert bench.sink.outcomes == {
        tool_call_id: Failure("'wait' took longer than 10 s and was stopped.")
    }
    await turns()
    assert ends == ["cancelled"]


async def test_the_engines_own_deadline_holds_for_tools_that_say_nothing():
    bench = Bench(timeout=5)
    waiting(bench)
    bench.start("wait")
    await turns()
    bench.clock.advance(5.1)
    assert "longer than 5 s" in bench.sink.outcomes["c1"].error_text
    await turns()


async def test_no_deadline_at_all():
    bench = Bench(timeout=None)
    waiting(bench)
    bench.start("wait")
    await turns()
    bench.clock.advance(1e6)
    assert bench.sink.outcomes == {}
    bench.engine.cancel()
    await turns()


async def test_a_timely_tool_leaves_no_timer_behind(bench):
    bench.toolkit.tool("a", timeout=10)(lambda: 1)
    assert await bench.run("a") == Output(1)
    bench.clock.advance(100)
    assert bench.sink.outcomes == {"c1": Output(1)}


async def test_the_wait_for_ones_turn_is_not_counted(bench):
    gate = asyncio.Event()

    @bench.toolkit.tool("fill", category="form", timeout=10)
    async def fill(n: int) -> int:
        if n == 1:
            bench.clock.advance(8)
            await gate.wait()
        return n

    bench.start("fill", {"n": 1})
    second = bench.start("fill", {"n": 2})
    await turns()
    gate.set()
    await turns()
    assert bench.sink.outcomes[second] == Output(2)


# Stops


async def test_the_tool_sees_the_stop(bench):
    seen = {}

    @bench.toolkit.tool("work")
    async def work(ctx: ToolContext) -> None:
        seen["ctx"] = ctx
        ctx.abort_signal.on_abort(lambda: seen.setdefault("told", True))
        await asyncio.Event().wait()

    tool_call_id = bench.start("work")
    await turns()
    assert not seen["ctx"].aborted
    bench.engine.cancel([tool_call_id])
    assert seen["ctx"].aborted
    assert seen["told"]
    assert seen["ctx"].abort_signal.aborted
    heard = []
    seen["ctx"].abort_signal.on_abort(lambda: heard.append(1))
    assert heard == [1]
    await turns()


async def test_the_browser_lends_its_own_abort_signal():
    stopped = []
    bench = Bench(make_abort=lambda: ("the signal", lambda: stopped.append(1)))
    signals = []

    @bench.toolkit.tool("work")
    async def work(ctx: ToolContext) -> None:
        signals.append(ctx.abort_signal)
        signals.append(ctx.abort_signal)
        await asyncio.Event().wait()

    bench.start("work")
    await turns()
    bench.engine.cancel()
    assert (signals, stopped) == (["the signal", "the signal"], [1])
    await turns()


async def test_a_good_end_is_no_stop(bench):
    kept = []
    bench.toolkit.tool("a")(_keep(kept))
    await bench.run("a")
    assert not kept[0].aborted


async def test_a_cancelled_task_inside_the_tool_counts_as_stopped(bench):
    @bench.toolkit.tool("a")
    async def run() -> None:
        raise asyncio.CancelledError

    outcome = await bench.run("a")
    assert outcome.cancelled


# ctx.human


def asking(bench, **options):
    @bench.toolkit.tool("ask", **options)
    async def ask(ctx: ToolContext) -> dict:
        answer = await ctx.human({"question": "Which?"})
        return {"answer": answer}


async def test_human_waits_for_the_card(bench):
    asking(bench)
    tool_call_id = bench.start("ask")
    await turns()
    handle = bench.engine.handle(tool_call_id)
    assert handle.interrupt == {"type": "human", "payload": {"question": "Which?"}}
    assert handle.status == "requires-action"
    assert handle.resume("the second")
    assert not handle.resume("again")
    await turns()
    assert handle.interrupt is None
    assert bench.sink.outcomes[tool_call_id] == Output({"answer": "the second"})


async def test_the_deadline_stands_still_while_the_person_thinks(bench):
    gate = asyncio.Event()

    @bench.toolkit.tool("ask", timeout=10)
    async def ask(ctx: ToolContext) -> str:
        bench.clock.advance(6)
        await ctx.human("?")
        await gate.wait()
        return "done"

    tool_call_id = bench.start("ask")
    await turns()
    bench.clock.advance(1000)
    assert bench.sink.outcomes == {}
    bench.engine.handle(tool_call_id).resume()
    await turns()
    bench.clock.advance(3.9)
    assert bench.sink.outcomes == {}
    bench.clock.advance(0.2)
    assert "longer than 10 s" in bench.sink.outcomes[tool_call_id].error_text
    await turns()


async def test_a_second_question_gives_up_the_first(bench):
    @bench.toolkit.tool("ask")
    async def ask(ctx: ToolContext) -> list:
        first = asyncio.create_task(ctx.human(1))
        await asyncio.sleep(0)
        second = asyncio.create_task(ctx.human(2))
        return [str(one) for one in await asyncio.gather(first, second, return_exceptions=True)]

    tool_call_id = bench.start("ask")
    await turns()
    handle = bench.engine.handle(tool_call_id)
    assert handle.interrupt["payload"] == 2
    handle.resume("b")
    await turns()
    assert bench.sink.outcomes[tool_call_id] == Output(["a newer question took its place", "b"])


async def test_a_stop_ends_the_wait(bench):
    asking(bench)
    tool_call_id = bench.start("ask")
    await turns()
    bench.engine.cancel()
    await turns()
    handle = bench.engine.handle(tool_call_id)
    assert (handle.interrupt, handle.resume("late")) == (None, False)
    assert bench.sink.outcomes[tool_call_id].cancelled


async def test_a_payload_that_cannot_travel_is_an_error(bench):
    @bench.toolkit.tool("ask")
    async def ask(ctx: ToolContext) -> None:
        await ctx.human({"f": print})

    assert "payload.f: a function cannot travel" in (await bench.run("ask")).error_text


# Human tools


def card(bench, **options):
    @bench.toolkit.human("jump", description="Opens.", **options)
    def jump(call, url: str):
        return call


async def test_a_human_tool_waits_for_its_card(bench):
    card(bench)
    tool_call_id = bench.start("jump", {"url": "https://example.com"})
    await turns()
    handle = bench.engine.handle(tool_call_id)
    assert (handle.status, handle.waiting, handle.state) == (
        "requires-action",
        True,
        "input-available",
    )
    assert handle.add_result({"success": True})
    assert bench.sink.outcomes == {tool_call_id: Output({"success": True})}, "before the click ends"
    assert not handle.add_result({"success": False})
    assert not handle.add_error("late")
    await turns()
    assert (handle.status, handle.result, handle.is_error) == ("complete", {"success": True}, False)
    assert bench.record()["steps"][-1]["verdict"] == "answered by the person"


@pytest.mark.parametrize("value", [None, False, 0, ""])
async def test_any_answer_is_an_answer(bench, value):
    card(bench)
    tool_call_id = bench.start("jump", {"url": "u"})
    await turns()
    assert bench.engine.handle(tool_call_id).add_result(value)
    assert bench.sink.outcomes[tool_call_id] == Output(value)
    await turns()


async def test_a_card_may_answer_with_an_error(bench):
    card(bench)
    tool_call_id = bench.start("jump", {"url": "u"})
    await turns()
    handle = bench.engine.handle(tool_call_id)
    assert handle.add_error("The person cancelled.")
    assert bench.sink.outcomes == {tool_call_id: Failure("The person cancelled.")}
    assert (handle.status, handle.is_error, handle.error_text) == (
        "complete",
        True,
        "The person cancelled.",
    )
    await turns()


async def test_an_answer_that_cannot_travel_leaves_the_card_open(bench):
    card(bench)
    tool_call_id = bench.start("jump", {"url": "u"})
    await turns()
    handle = bench.engine.handle(tool_call_id)
    with pytest.raises(UnsendableValueError):
        handle.add_result({"f": print})
    assert handle.waiting
    assert handle.add_result("ok")
    await turns()


async def test_an_answer_that_is_too_long_is_an_error_for_the_model(bench):
    bench.toolkit.configure(longest_result=5)
    card(bench)
    tool_call_id = bench.start("jump", {"url": "u"})
    await turns()
    assert bench.engine.handle(tool_call_id).add_result("x" * 10)
    assert "more than the 5" in bench.sink.outcomes[tool_call_id].error_text
    await turns()


async def test_wrong_arguments_never_reach_a_card(bench):
    card(bench)
    outcome = await bench.run("jump", {})
    assert "url: is required" in outcome.error_text


async def test_people_may_take_their_time(bench):
    card(bench)
    bench.start("jump", {"url": "u"})
    await turns()
    bench.clock.advance(1e6)
    assert bench.sink.outcomes == {}
    bench.engine.cancel()
    await turns()


async def test_a_frontend_call_is_not_answered_by_a_card(bench):
    waiting(bench)
    tool_call_id = bench.start("wait")
    await turns()
    handle = bench.engine.handle(tool_call_id)
    assert not handle.add_result(1)
    assert not handle.add_error("x")
    assert not handle.resume(1)
    bench.engine.cancel()
    await turns()


async def test_cards_do_not_hold_up_each_other_or_the_page(bench):
    card(bench, category="navigation")
    bench.toolkit.tool("fill", category="form")(lambda: "filled")
    bench.start("jump", {"url": "a"})
    bench.start("jump", {"url": "b"})
    filled = bench.start("fill")
    await turns()
    assert bench.sink.outcomes == {filled: Output("filled")}
    assert all(bench.engine.handle(key).waiting for key in ("c1", "c2"))
    bench.engine.cancel()
    await turns()


def _keep(kept):
    def run(ctx: ToolContext) -> None:
        kept.append(ctx)

    return run
