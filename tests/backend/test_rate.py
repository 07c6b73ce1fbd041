from __future__ import annotations

import pytest

from backend.rate import RateLimit
from backend.refusals import RefusalError


async def allowed(limit: RateLimit, client: str) -> bool:
    try:
        await limit.check(client)
    except RefusalError:
        return False
    return True


async def test_a_burst_then_a_steady_rate() -> None:
    now = [0.0]
    limit = RateLimit(60, 3, clock=lambda: now[0])
    assert [await allowed(limit, "a") for _ in range(5)] == [True, True, True, False, False]
    now[0] = 1.0
    assert [await allowed(limit, "a") for _ in range(2)] == [True, False]
    now[0] = 100.0
    assert [await allowed(limit, "a") for _ in range(4)] == [True, True, True, False]


async def test_clients_do_not_share() -> None:
    limit = RateLimit(60, 1, clock=lambda: 0.0)
    assert [await allowed(limit, "a"), await allowed(limit, "b"), await allowed(limit, "a")] == [
        True,
        True,
        False,
    ]


async def test_it_says_when_to_try_again() -> None:
    limit = RateLimit(6, 1, clock=lambda: 0.0)
    await limit.check("a")
    with pytest.raises(RefusalError) as caught:
        await limit.check("a")
    assert caught.value.status == 429
    assert caught.value.headers["retry-after"] == "10"


async def test_zero_is_no_limit() -> None:
    limit = RateLimit(0, 1)
    assert [await allowed(limit, "a") for _ in range(1_000)] == [True] * 1_000


async def test_memory_is_bounded() -> None:
    limit = RateLimit(60, 1, clock=lambda: 0.0)
    for n in range(10_050):
        await limit.check(f"client {n}")
    assert len(limit._buckets) == 10_000
