import pytest

from engine.helpers import Bench
from pagehand.engine.clock import ManualClock
from pagehand.engine.limits import Bucket, RateLimits
from pagehand.engine.outcome import Output
from pagehand.errors import CallRefusedError
from pagehand.toolkit.tool import Tool

USER = [{"id": "u1", "role": "user"}, {"id": "a1", "role": "assistant"}]


def tool(name="a", **options):
    return Tool(name, "frontend", execute=lambda: 1, **options)


def taken(limits, found, turn="t"):
    """How many calls go through before one is refused."""
    count = 0
    while count < 1000:
        try:
            limits.take(found, lambda: turn)
        except CallRefusedError:
            break
        count += 1
    return count


def test_off_by_default():
    assert taken(RateLimits(ManualClock()), tool()) == 1000


def test_a_bucket_refills_evenly():
    clock = ManualClock()
    bucket = Bucket(10, 60, clock)
    for _ in range(10):
        assert bucket.wait() == 0
        bucket.take()
    assert bucket.wait() == pytest.approx(6)
    clock.advance(6)
    assert bucket.wait() == 0
    clock.advance(10_000)
    for _ in range(10):
        assert bucket.wait() == 0
        bucket.take()
    assert bucket.wait() > 0


@pytest.mark.parametrize(
    ("settings", "options", "count"),
    [
        ({"overall": (5, 60)}, {}, 5),
        ({"per_tool": (3, 60)}, {}, 3),
        ({"per_tool": (3, 60)}, {"limit": (2, 60)}, 2),
        ({"per_tool": (3, 60), "tools": {"a": (1, 60)}}, {"limit": (2, 60)}, 1),
        ({"overall": (2, 60), "per_tool": (9, 60)}, {}, 2),
        ({"per_turn": 4}, {}, 4),
    ],
)
def test_each_limit(settings, options, count):
    assert taken(RateLimits(ManualClock(), **settings), tool(**options)) == count


def test_tools_have_their_own_buckets():
    limits = RateLimits(ManualClock(), per_tool=(2, 60))
    assert (taken(limits, tool("a")), taken(limits, tool("b"))) == (2, 2)


def test_a_refused_call_uses_nothing_of_the_other_limit():
    clock = ManualClock()
    limits = RateLimits(clock, overall=(10, 60), tools={"a": (1, 6000)})
    taken(limits, tool("a"))
    for _ in range(20):
        with pytest.raises(CallRefusedError):
            limits.take(tool("a"), lambda: "t")
    assert taken(limits, tool("b")) == 9


def test_a_new_turn_begins_anew():
    limits = RateLimits(ManualClock(), per_turn=2)
    assert taken(limits, tool(), "one") == 2
    assert taken(limits, tool(), "two") == 2


async def test_the_error_tells_when_to_try_again():
    bench = Bench(limits={"per_tool": (2, 60)})
    bench.toolkit.tool("read")(lambda: 1)
    await bench.run("read")
    await bench.run("read")
    outcome = await bench.run("read")
    assert outcome.error_text == (
        "Too many calls: the rate limit for 'read' is reached. Try again in 30 s."
    )
    bench.clock.advance(30)
    assert await bench.run("read") == Output(1)


async def test_a_turn_ends_with_the_persons_next_message():
    bench = Bench(limits={"per_turn": 1})
    bench.toolkit.tool("read")(lambda: 1)
    assert await bench.run("read", messages=USER) == Output(1)
    assert "per turn is reached" in (await bench.run("read", messages=USER)).error_text
    again = [*USER, {"id": "u2", "role": "user"}]
    assert await bench.run("read", messages=again) == Output(1)


async def test_fifty_honest_calls_in_a_row_are_fine():
    bench = Bench()
    bench.toolkit.tool("fill", category="form")(lambda n: n)
    for n in range(50):
        assert await bench.run("fill", {"n": n}) == Output(n)


async def test_the_turn_of_a_call_is_not_looked_for_in_the_conversation():
    def messages():
        raise AssertionError("a call in a conversation knows its turn")

    bench = Bench(limits={"per_turn": 1})
    bench.toolkit.tool("read")(lambda: "text")
    assert await bench.run("read", turn="u1", messages=messages) == Output("text")
    assert "per turn is reached" in (await bench.run("read", turn="u1")).error_text
    assert await bench.run("read", turn="u2", messages=messages) == Output("text")
