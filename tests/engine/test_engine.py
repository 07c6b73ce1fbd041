import asyncio

import pytest

from engine.helpers import Bench, Sink, turns
from pagehand.engine.outcome import Call, Failure, Output
from pagehand.errors import ToolError
from pagehand.toolkit.context import ToolContext


@pytest.fixture
def bench():
    return Bench()


async def test_a_call_runs_and_its_output_is_told(bench):
    @bench.toolkit.tool("greet")
    def greet(name: str) -> str:
        """Greets."""
        return f"Hello, {name}!"

    assert await bench.run("greet", {"name": "Ada"}) == Output("Hello, Ada!")


async def test_start_returns_at_once(bench):
    ran = []
    bench.toolkit.tool("a")(lambda: ran.append(1))
    bench.start("a")
    assert ran == []
    await turns()
    assert ran == [1]


@pytest.mark.parametrize("value", [None, False, True, 0, 0.0, "", [], {}, "text", {"a": [None]}])
async def test_every_json_value_is_an_output(bench, value):
    bench.toolkit.tool("a")(lambda: value)
    outcome = await bench.run("a")
    assert isinstance(outcome, Output)
    assert outcome.value == value
    assert type(outcome.value) is type(value)
    assert bench.record()["output"] == value


async def test_parallel_calls_overlap_and_settle_in_their_own_time(bench):
    gates = {"a": asyncio.Event(), "b": asyncio.Event()}
    started = []

    @bench.toolkit.tool("wait")
    async def wait(name: str) -> str:
        started.append(name)
        await gates[name].wait()
        return name

    bench.engine.start(
        [Call("1", "wait", {"name": "a"}), Call("2", "wait", {"name": "b"})], bench.sink
    )
    await turns()
    assert started == ["a", "b"]
    gates["b"].set()
    await turns()
    gates["a"].set()
    await turns()
    assert bench.sink.order == ["2", "1"]
    assert bench.engine.running == []


async def test_a_hundred_calls_settle_once_each(bench):
    @bench.toolkit.tool("square")
    async def square(n: int) -> int:
        await asyncio.sleep(0)
        return n * n

    bench.engine.start([Call(f"c{n}", "square", {"n": n}) for n in range(100)], bench.sink)
    await turns()
    assert bench.sink.outcomes == {f"c{n}": Output(n * n) for n in range(100)}


async def test_unknown_tools_are_answered_with_what_exists(bench):
    bench.toolkit.tool("get-user")(lambda: 1)
    bench.toolkit.tool("save")(lambda: 1)
    assert await bench.run("get-usr") == Failure(
        "There is no tool 'get-usr' on this page. Did you mean 'get-user'? "
        "Available tools: get-user, save."
    )
    assert await bench.run("__proto__") == Failure(
        "There is no tool '__proto__' on this page. Available tools: get-user, save."
    )


async def test_no_tool_at_all():
    assert "Available tools: none." in (await Bench().run("a")).error_text


@pytest.mark.parametrize(
    ("kind", "known"), [("frontend", True), ("human", True), ("stub", True), ("backend", False)]
)
def test_whose_calls_are_answered_here(bench, kind, known):
    options = {
        "frontend": {"execute": lambda: 1},
        "human": {"render": lambda call: 1},
        "stub": {"parameters": {}},
        "backend": {"render": lambda call: 1},
    }[kind]
    from pagehand.toolkit.tool import Tool

    bench.toolkit.add(Tool("a", kind, **options))
    assert bench.engine.knows("a") is known
    assert not bench.engine.knows("b")


@pytest.mark.parametrize(
    ("options", "eager"),
    [
        ({"eager": True}, True),
        ({}, False),
        ({"eager": True, "risk": "moderate"}, False),
        ({"eager": True, "requires_confirmation": True}, False),
    ],
)
def test_only_what_asks_nobody_may_start_early(bench, options, eager):
    bench.toolkit.tool("a", **options)(lambda: 1)
    assert bench.engine.is_eager("a") is eager
    assert not bench.engine.is_eager("b")


def test_a_terminal_tool_says_so(bench):
    bench.toolkit.tool("a", terminal=True)(lambda: 1)
    assert bench.engine.is_terminal("a")
    assert not bench.engine.is_terminal("b")


async def test_a_server_tool_without_a_result_is_told_so(bench):
    bench.toolkit.backend("search", render=lambda call: None)
    assert "not run in this page but on the server" in (await bench.run("search")).error_text


async def test_a_stub_without_its_function_is_not_ready(bench):
    bench.toolkit.stub("later", parameters={"type": "object", "properties": {}})
    assert "not ready on this page right now" in (await bench.run("later")).error_text
    bench.toolkit.bind("later", lambda: "now")
    assert await bench.run("later") == Output("now")


async def test_a_disabled_tool_that_is_called_still_runs(bench):
    bench.toolkit.tool("old", disabled=True)(lambda: 1)
    assert await bench.run("old") == Output(1)


async def test_a_call_runs_once_per_id(bench):
    ran = []
    bench.toolkit.tool("a")(lambda: ran.append(1))
    call = Call("c1", "a", {}, message_id="m1")
    bench.engine.start([call], bench.sink)
    bench.engine.start([call], bench.sink)
    await turns()
    again = Sink()
    bench.engine.start([call], again)
    assert ran == [1]
    assert again.outcomes == bench.sink.outcomes == {"c1": Output(None)}


async def test_a_running_call_that_is_started_again_tells_the_new_sink(bench):
    gate = asyncio.Event()

    @bench.toolkit.tool("wait")
    async def wait() -> str:
        await gate.wait()
        return "done"

    call, other = Call("c1", "wait", {}), Sink()
    bench.engine.start([call], bench.sink)
    await turns()
    bench.engine.start([call], other)
    gate.set()
    await turns()
    assert (bench.sink.outcomes, other.outcomes) == ({}, {"c1": Output("done")})


async def test_an_id_that_a_provider_uses_again_is_a_new_call(bench):
    bench.toolkit.tool("echo")(lambda n: n)
    first, second = Sink(), Sink()
    bench.engine.start([Call("call_0", "echo", {"n": 1}, message_id="m1")], first)
    await turns()
    bench.engine.start([Call("call_0", "echo", {"n": 2}, message_id="m2")], second)
    await turns()
    assert (first.outcomes["call_0"], second.outcomes["call_0"]) == (Output(1), Output(2))


async def test_cancel_settles_at_once_and_drops_what_comes_late(bench):
    @bench.toolkit.tool("stubborn")
    async def stubborn() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "too late"
        return "never"

    tool_call_id = bench.start("stubborn")
    await turns()
    bench.engine.cancel(reason="The person pressed Stop.")
    assert bench.sink.outcomes == {tool_call_id: Failure("The person pressed Stop.")}
    assert bench.sink.outcomes[tool_call_id].cancelled
    await turns()
    assert bench.engine.handle(tool_call_id).status == "incomplete"
    assert bench.record()["state"] == "cancelled"


async def test_cancel_of_some(bench):
    bench.toolkit.tool("wait")(_forever)
    one, two = bench.start("wait"), bench.start("wait")
    await turns()
    bench.engine.cancel([one, "unknown"])
    assert bench.engine.running == [two]
    bench.engine.cancel()
    await turns()


async def test_cancel_before_the_call_had_its_first_turn(bench):
    ran = []
    bench.toolkit.tool("a")(lambda: ran.append(1))
    tool_call_id = bench.start("a")
    bench.engine.cancel()
    await turns()
    assert ran == []
    assert bench.sink.outcomes[tool_call_id].cancelled


async def test_the_pause_switch_refuses_with_a_sentence(bench):
    ran, told = [], []
    bench.toolkit.tool("a")(lambda: ran.append(1))
    bench.engine.subscribe(told.append)
    bench.engine.paused = True
    bench.engine.paused = True
    outcome = await bench.run("a")
    assert "The person paused the page tools" in outcome.error_text
    assert ran == []
    assert told.count("") == 1
    bench.engine.paused = False
    assert await bench.run("a") == Output(None)


async def test_a_call_that_waits_for_its_turn_when_the_pause_comes_is_refused(bench):
    gate = asyncio.Event()

    @bench.toolkit.tool("fill", category="form")
    async def fill(n: int) -> int:
        await gate.wait()
        return n

    first, second = bench.start("fill", {"n": 1}), bench.start("fill", {"n": 2})
    await turns()
    bench.engine.paused = True
    gate.set()
    await turns()
    assert bench.sink.outcomes[first] == Output(1)
    assert "paused" in bench.sink.outcomes[second].error_text


async def test_subscribers_hear_of_each_change(bench):
    told = []
    stop = bench.engine.subscribe(told.append)
    bench.toolkit.tool("a")(lambda: 1)
    tool_call_id = bench.start("a")
    await turns()
    stop()
    stop()
    bench.start("a")
    await turns()
    assert set(told) == {tool_call_id}
    assert bench.engine.handle(tool_call_id).revision >= 2


async def test_the_log_is_plain_json_and_bounded():
    import json

    bench = Bench()
    bench.engine.log_limit = 3
    bench.toolkit.tool("echo", category="data", risk="safe")(lambda n: n)
    for n in range(5):
        await bench.run("echo", {"n": n}, message_id="m", step=2)
    log = bench.engine.log
    assert json.loads(json.dumps(log)) == log
    assert [record["input"]["n"] for record in log] == [2, 3, 4]
    record = log[-1]
    assert [step["step"] for step in record["steps"]] == [
        "find",
        "parse",
        "validate",
        "guard",
        "confirm",
        "run",
        "settle",
    ]
    assert all(step["ms"] >= 0 for step in record["steps"])
    assert record["state"] == "output-available"
    assert record["confirmed_by"] == "policy"
    assert (record["kind"], record["category"], record["risk"]) == ("frontend", "data", "safe")
    assert (record["message_id"], record["step"], record["tool_name"]) == ("m", 2, "echo")


def test_an_idle_engine_has_an_empty_log(bench):
    assert bench.engine.log == []
    assert bench.engine.confirmations == []
    assert bench.engine.handle("x") is None


async def test_forget_stops_and_forgets(bench):
    bench.toolkit.tool("wait")(_forever)
    tool_call_id = bench.start("wait")
    await turns()
    bench.engine.forget()
    await turns()
    assert bench.engine.handle(tool_call_id) is None
    assert bench.engine.running == []
    assert bench.sink.outcomes[tool_call_id].cancelled


async def test_invoke_is_for_those_who_wait(bench):
    @bench.toolkit.tool("divide")
    def divide(a: int, b: int) -> float:
        if b == 0:
            raise ToolError("b must not be 0")
        return a / b

    assert await bench.engine.invoke("divide", {"a": 1, "b": 2}) == Output(0.5)
    assert await bench.engine.invoke("divide", {"a": 1, "b": 0}) == Failure("b must not be 0")


async def test_invoke_that_is_given_up_stops_the_call(bench):
    bench.toolkit.tool("wait")(_forever)
    task = asyncio.create_task(bench.engine.invoke("wait", {}, "w1"))
    await turns()
    task.cancel()
    await turns()
    assert bench.engine.running == []


async def test_the_declarations_are_the_toolkits(bench):
    bench.toolkit.tool("a", description="A.")(lambda: 1)
    assert bench.engine.declarations() == bench.toolkit.declarations()


async def _forever(ctx: ToolContext) -> None:
    await asyncio.Event().wait()
