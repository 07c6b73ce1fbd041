"""Complaints about other tool runners that must not happen here, by their numbers.

A plain number is an issue of assistant-ui, a B a weakness from its feature map.
"""

import asyncio

import pytest

from engine.helpers import Bench, Sink, turns
from pagehand.engine.outcome import Call, Output
from pagehand.errors import DuplicateToolError, ToolDefinitionError
from pagehand.toolkit.tool import Tool


@pytest.fixture
def bench():
    return Bench()


async def test_2103_a_registered_tool_runs_without_further_wiring(bench):
    bench.toolkit.tool("a")(lambda: 1)
    assert await bench.run("a") == Output(1)


async def test_4240_a_tool_that_is_done_at_once_keeps_its_result(bench):
    bench.toolkit.tool("a")(lambda: "fast")
    call, late = Call("c", "a", {}), Sink()
    bench.engine.start([call], bench.sink)
    await turns()
    bench.engine.start([call], late)
    assert late.outcomes == {"c": Output("fast")}


async def test_4766_a_late_answer_does_not_open_a_settled_call(bench):
    bench.toolkit.human("ask", description="Asks.")(lambda call: None)
    tool_call_id = bench.start("ask")
    await turns()
    handle = bench.engine.handle(tool_call_id)
    handle.add_result("first")
    assert not handle.add_result("second")
    assert handle.result == "first"
    await turns()


@pytest.mark.parametrize("value", [False, 0, "", None])
async def test_4969_any_value_is_a_result(bench, value):
    bench.toolkit.tool("a")(lambda: value)
    assert await bench.run("a") == Output(value)


async def test_3351_arguments_in_another_order_are_no_new_call(bench):
    ran = []
    bench.toolkit.tool("add")(lambda a, b: ran.append((a, b)))
    bench.engine.start([Call("c", "add", {"a": 1, "b": 2})], bench.sink)
    await turns()
    bench.engine.start([Call("c", "add", {"b": 2, "a": 1})], Sink())
    await turns()
    assert ran == [(1, 2)]


async def test_3707_showing_history_runs_nothing(bench):
    ran = []
    bench.toolkit.tool("a")(lambda: ran.append(1))

    class Part:
        tool_call_id, tool_name, state = "old", "a", "output-available"
        input, args_text, output = {}, "{}", "then"
        error_text = question = preliminary = suspension = ran = None
        card = {}  # noqa: RUF012
        gate = "none"

    assert bench.engine.show(Part()).result == "then"
    await turns()
    assert ran == []
    assert bench.engine.running == []


async def test_5132_arguments_that_are_no_json_are_an_answer_not_a_hang(bench):
    bench.toolkit.tool("a")(lambda: 1)
    assert "not JSON" in (await bench.run("a", args_text='{"x": ')).error_text


async def test_5141_a_stop_after_the_end_changes_nothing(bench):
    bench.toolkit.tool("a")(lambda: 1)
    tool_call_id = bench.start("a")
    await turns()
    bench.engine.cancel()
    assert bench.sink.outcomes == {tool_call_id: Output(1)}
    assert bench.engine.handle(tool_call_id).status == "complete"


@pytest.mark.parametrize("name", ["toString", "hasOwnProperty", "valueOf"])
async def test_prototype_names_are_only_names(bench, name):
    bench.toolkit.add(Tool(name, "frontend", description="d", execute=lambda: name))
    assert await bench.run(name) == Output(name)


@pytest.mark.parametrize("name", ["constructor", "__proto__", "prototype"])
def test_names_that_javascript_servers_trip_over_are_refused_at_the_definition(bench, name):
    with pytest.raises(ToolDefinitionError, match="reserved"):
        bench.toolkit.tool(name)(lambda: 1)


async def test_b3_an_unknown_tool_never_blocks(bench):
    assert "Available tools: none." in (await bench.run("nothing")).error_text


async def test_b7_calls_start_in_document_order(bench):
    started = []

    @bench.toolkit.tool("note")
    async def note(n: int) -> None:
        started.append(n)
        await asyncio.sleep(0)

    bench.engine.start([Call(f"c{n}", "note", {"n": n}) for n in range(10)], bench.sink)
    await turns()
    assert started == list(range(10))


def test_b8_a_name_twice_is_an_error_at_its_definition(bench):
    bench.toolkit.tool("a")(lambda: 1)
    with pytest.raises(DuplicateToolError, match=r"test_known_complaints\.py:\d+ and in .*:\d+"):
        bench.toolkit.tool("a")(lambda: 2)


@pytest.mark.parametrize("name", ["a.b", "ä", "a" * 64])
def test_b9_names_are_checked_here_not_at_the_server(bench, name):
    with pytest.raises(ToolDefinitionError):
        bench.toolkit.tool(name)(lambda: 1)


async def test_b10_times_and_artifacts_stay_with_the_call(bench):
    from pagehand.toolkit.result import ToolResponse

    bench.toolkit.tool("a")(lambda: ToolResponse(1, artifact={"svg": "x"}))
    tool_call_id = bench.start("a")
    await turns()
    handle = bench.engine.handle(tool_call_id)
    assert handle.artifact == {"svg": "x"}
    assert handle.started_at is not None
    assert handle.ended_at is not None


async def test_b16_two_calls_with_one_id_do_not_crash(bench):
    bench.toolkit.tool("echo")(lambda n: n)
    sink = Sink()
    bench.engine.start([Call("c", "echo", {"n": 1}), Call("c", "echo", {"n": 2})], sink)
    await turns()
    assert sink.outcomes == {"c": Output(1)}
