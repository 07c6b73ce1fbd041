"""Whatever people, servers and networks do in whatever order: what we post is accepted."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat.support import FakeEngine, World, accepted, asked, said, turns
from pagehand.chat.scripted import Answer
from pagehand.engine.outcome import Failure
from pagehand.errors import ChatError, NetworkError
from pagehand.wire import chunks as c

WAIT, PERSON = FakeEngine.WAIT, FakeEngine.PERSON
TOOLS = {"now": "ok", "slow": WAIT, "card": PERSON, "bad": Failure("no")}

_IDS = st.sampled_from(["c1", "c2", "c3", "c4"])
_CALL = st.builds(
    lambda tool, id, n: [asked(tool, id, n=n)],
    st.sampled_from(["card", "card", "now", "slow", "bad", "weather"]),
    _IDS,
    st.integers(0, 2),
)
_APPROVAL = st.builds(lambda id: [asked("delete", id), c.ToolApprovalRequest(f"p-{id}", id)], _IDS)
_PIECES = st.one_of(
    _CALL,
    _CALL,
    _CALL,
    _APPROVAL,
    st.just(said("Some words")),
    st.just([c.TextStart("t9"), c.TextDelta("t9", "never closed")]),
    st.builds(lambda id: [c.ToolInputStart(id, "now"), c.ToolInputDelta(id, '{"n')], _IDS),
    st.builds(lambda id: [c.ToolOutputAvailable(id, 1)], _IDS),
    st.builds(lambda id: [c.ToolOutputAvailable(id, 1, preliminary=True)], _IDS),
    st.builds(lambda id: [c.ToolOutputDenied(id)], _IDS),
    st.just([c.FinishStep(), c.StartStep()]),
    st.just([c.ReasoningStart("r"), c.ReasoningDelta("r", "Hm")]),
)
_TAILS = st.sampled_from(
    [
        [c.FinishStep(), c.Finish("tool-calls")],
        [c.FinishStep(), c.Finish("tool-calls")],
        [c.FinishStep(), c.Finish("tool-calls")],
        [c.FinishStep(), c.Finish("stop")],
        [c.Error("boom"), c.FinishStep(), c.Finish("error")],
        [c.Abort(), c.Finish("other")],
        [b"data: [DONE]\n\n"],
        [NetworkError("gone")],
        [],
        [asyncio.Event],
    ]
)


def _answer(id: str, pieces: list[list[c.Chunk]], tail: list[Any], status: int) -> Answer:
    if status != 200:
        return Answer(status=status)
    flat = [chunk for piece in pieces for chunk in piece]
    return Answer(
        c.Start(id),
        c.StartStep(),
        *flat,
        *(asyncio.Event() if t is asyncio.Event else t for t in tail),
    )


_ANSWERS = st.builds(
    _answer,
    st.sampled_from(["m1", "m2", "m3"]),
    st.lists(_PIECES, min_size=1, max_size=4),
    _TAILS,
    st.sampled_from([200, 200, 200, 200, 500]),
)
_ACTIONS = st.sampled_from(
    ["say", "say", "stop", "retry", "regenerate", "continue", "settle", "approve", "deny",
     "output", "resume", "reload", "wait", "edit"]
)  # fmt: skip


async def _act(world: World, action: str, tasks: list[asyncio.Future[Any]]) -> None:
    chat = world.chat
    open_parts = [p for m in chat.messages for p in m.tool_parts() if not p.finished]
    approvals = [
        p.approval["id"] for p in open_parts if p.state == "approval-requested" and p.approval
    ]
    users = [m.id for m in chat.messages if m.role == "user"]
    begin = {
        "say": lambda: chat.send("Words"),
        "stop": chat.stop,
        "retry": chat.retry,
        "regenerate": chat.regenerate,
        "continue": chat.continue_anyway,
        "resume": chat.resume,
    }
    if action in begin:
        tasks.append(asyncio.ensure_future(begin[action]()))
    elif action == "edit" and users:
        tasks.append(asyncio.ensure_future(chat.edit(users[0], "Other words")))
    elif action == "settle":
        for call in world.engine.started[-3:]:
            world.engine.settle(call.tool_call_id, "settled")
    elif action in ("approve", "deny") and approvals:
        chat.add_tool_approval_response(approvals[0], action == "approve")
    elif action == "output" and open_parts:
        chat.add_tool_output(open_parts[-1].tool_call_id, {"n": 1.0})
    elif action == "reload":
        chat.load(chat.dump(), chat_id=chat.id)
        tasks.append(asyncio.ensure_future(chat.run_pending()))
    elif action == "wait":
        world.clock.advance(61)
    await turns(12)


async def _converse(answers: list[Answer], actions: list[str]) -> None:
    engine = FakeEngine(**TOOLS)
    world = World(*answers, engine=engine)
    tasks: list[asyncio.Future[Any]] = []
    for action in ["say", *actions]:
        await _act(world, action, tasks)
        ids = [message.id for message in world.chat.messages]
        assert len(ids) == len(set(ids))
        assert accepted(world)
        # Where somebody has spoken since, nothing waits any more.
        assert not [p for m in world.chat.messages[:-1] for p in m.tool_parts() if p.pending]
    for message in world.chat.queued:
        world.chat.unqueue(message.id)
    await world.chat.stop()
    for _ in range(4):
        world.clock.advance(61)
        await turns(30)
    assert world.chat.status in ("ready", "error")
    assert all(task.done() for task in tasks)
    done = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(result is None or isinstance(result, bool | ChatError) for result in done)
    for message in world.chat.messages:
        assert all(getattr(part, "state", None) != "streaming" for part in message.parts)
    world.transport.answers.clear()
    await world.chat.send("The end")
    assert accepted(world)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_ANSWERS, min_size=1, max_size=8), st.lists(_ACTIONS, min_size=1, max_size=8))
def test_s17_any_conversation_is_accepted(answers: list[Answer], actions: list[str]) -> None:
    asyncio.run(_converse(answers, actions))
