import asyncio

from engine.helpers import turns
from pagehand.engine.lanes import Lanes


async def test_turns_come_in_the_order_of_the_tickets():
    lanes, order = Lanes(), []

    async def go(name, ticket):
        await ticket.turn()
        order.append(name)
        await asyncio.sleep(0)
        ticket.done()

    tickets = [lanes.ticket("page") for _ in range(3)]
    tasks = [asyncio.create_task(go(n, tickets[n])) for n in (2, 0, 1)]
    await asyncio.gather(*tasks)
    assert order == [0, 1, 2]


async def test_lanes_do_not_touch_each_other():
    lanes = Lanes()
    lanes.ticket("a")
    await asyncio.wait_for(lanes.ticket("b").turn(), 1)


async def test_giving_up_before_ones_turn_does_not_let_others_pass():
    lanes, passed = Lanes(), []
    first, second, third = (lanes.ticket("page") for _ in range(3))

    async def wait():
        await third.turn()
        passed.append(1)

    task = asyncio.create_task(wait())
    second.done()
    await turns()
    assert passed == []
    first.done()
    await turns()
    assert passed == [1]
    await task


async def test_cancelling_a_wait_leaves_the_one_before_alone():
    lanes = Lanes()
    first, second, third = (lanes.ticket("page") for _ in range(3))
    task = asyncio.create_task(second.turn())
    await turns()
    task.cancel()
    await turns()
    second.done()
    first.done()
    await asyncio.wait_for(third.turn(), 1)


async def test_done_twice_is_harmless():
    ticket = Lanes().ticket("page")
    ticket.done()
    ticket.done()
    await ticket.turn()
