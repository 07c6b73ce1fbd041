from engine.helpers import Bench
from pagehand.engine.clock import ManualClock
from pagehand.engine.outcome import Call
from pagehand.engine.records import Log, excess, loggable
from pagehand.errors import ToolError

SECRET = "sk-abcdefghijklmnop1234"


def test_steps_and_duration_in_milliseconds():
    clock = ManualClock()
    record = Log(5).open(Call("c", "t"), clock)
    since = clock.monotonic()
    clock.advance(0.25)
    record.step("find", "ok", since)
    clock.advance(0.25)
    record.close("output-available")
    assert record.data["steps"] == [{"step": "find", "verdict": "ok", "ms": 250.0}]
    assert record.data["duration_ms"] == 500.0


def test_copies_do_not_change_the_log():
    log = Log(5)
    log.open(Call("c", "t"), ManualClock())
    log.all()[0]["steps"].append("x")
    log.all()[0]["state"] = "x"
    assert (log.all()[0]["steps"], log.all()[0]["state"]) == ([], "running")


def test_long_values_are_cut_and_secrets_masked():
    assert loggable({"password": "hunter22"}) == {"password": "[masked password]"}
    cut = loggable({"text": "x" * 10_000})
    assert cut.endswith("... (10011 characters)")
    assert len(cut) < 4100


def test_only_values_that_are_too_long_have_an_excess():
    assert excess("x" * 8, 10) == 0
    assert excess("x" * 9, 10) == 11
    assert excess({"a": "x" * 80}, 100_000) == 0
    assert excess(["x" * 100_000], 100_000) == 100_004


async def test_what_goes_wrong_is_kept_without_secrets():
    bench = Bench()

    @bench.toolkit.tool("refuses", mask=False)
    def refuses() -> None:
        raise ToolError(f"use {SECRET}")

    @bench.toolkit.tool("crashes", mask=False)
    def crashes() -> None:
        raise RuntimeError(f"use {SECRET}")

    for name in ("refuses", "crashes"):
        await bench.run(name)
        record = bench.record()
        assert "[masked api key]" in str(record["steps"]) + str(record.get("traceback"))
        assert SECRET not in str([record["steps"], record.get("traceback")])
