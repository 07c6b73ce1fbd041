"""How a call begins: in a conversation, or alone."""

from __future__ import annotations

from asyncio import Future, get_running_loop
from typing import TYPE_CHECKING, Any

from pagehand.engine.execution import Execution
from pagehand.engine.outcome import Call
from pagehand.engine.pipeline import drive
from pagehand.toolkit.context import ToolContext

if TYPE_CHECKING:
    from pagehand.engine.engine import Engine
    from pagehand.engine.handle import CallHandle
    from pagehand.engine.lanes import Lanes
    from pagehand.engine.outcome import CallSink, Outcome
    from pagehand.engine.records import Log


def begin(
    engine: Engine,
    call: Call,
    sink: CallSink,
    handle: CallHandle,
    log: Log,
    lanes: Lanes,
    messages: Any,
) -> Execution:
    """Starts a call's task. Its place in a lane is taken now, so that order is kept."""
    tool = engine.toolkit.get(call.tool_name)
    handle.args = call.input if isinstance(call.input, dict) else {}
    handle.args_text = call.args_text
    handle.state = "input-available"
    handle.started_at = engine.clock.now()
    context = ToolContext(call.tool_call_id, call.tool_name, messages)
    record = log.open(call, engine.clock)
    execution = Execution(engine, call, tool, sink, handle, record, context)
    context.attach(execution)
    if tool is not None and tool.concurrency is not None and tool.kind != "human":
        execution.ticket = lanes.ticket(tool.concurrency)
    execution.task = get_running_loop().create_task(drive(execution))
    return execution


async def invoke(
    engine: Engine,
    name: str,
    arguments: dict[str, Any],
    tool_call_id: str | None,
    messages: Any = (),
) -> Outcome:
    """Runs one call for somebody who waits for it: a browser agent, a test."""
    if tool_call_id is None:
        from uuid import uuid4

        tool_call_id = f"local_{uuid4().hex[:12]}"
    waiting = _Waiting()
    engine.start([Call(tool_call_id, name, arguments, outside=True)], waiting, messages)
    try:
        return await waiting.outcome
    finally:
        if not waiting.outcome.done() or waiting.outcome.cancelled():
            engine.cancel([tool_call_id])


class _Waiting:
    """A sink for one call."""

    def __init__(self) -> None:
        self.outcome: Future[Outcome] = get_running_loop().create_future()

    def settled(self, _tool_call_id: str, outcome: Outcome) -> None:
        if not self.outcome.done():
            self.outcome.set_result(outcome)

    def progress(self, _tool_call_id: str, value: Any) -> None:
        """Nobody watches."""
