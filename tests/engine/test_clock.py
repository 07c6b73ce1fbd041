import asyncio
import time

from pagehand.engine.clock import Clock, ManualClock


async def test_the_real_clock():
    clock, rang = Clock(), asyncio.Event()
    assert abs(clock.now() - time.time()) < 5
    assert clock.monotonic() <= clock.monotonic()
    never = clock.call_later(0, rang.clear)
    never.cancel()
    clock.call_later(0, rang.set)
    await asyncio.wait_for(rang.wait(), 5)


def test_the_manual_clock_rings_in_order():
    clock, rang = ManualClock(100), []
    clock.call_later(2, lambda: rang.append(("b", clock.now())))
    clock.call_later(1, lambda: rang.append(("a", clock.now())))
    clock.call_later(1, lambda: rang.append("never")).cancel()
    clock.advance(5)
    assert rang == [("a", 101), ("b", 102)]
    assert clock.now() == clock.monotonic() == 105
