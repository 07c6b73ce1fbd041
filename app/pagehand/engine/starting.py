"""How a call begins: in a conversation, or alone."""

from __future__ import annotations

from asyncio import Future, get_running_loop
from typing import TYPE_CHECKING, Any

from pagehand.engine.execution import Execution
from pagehand.engine.pipeline import drive
from pagehand.toolkit.context import ToolContext

if TYPE_CHECKING:
    from pagehand.engine.environment import Environment
    from pagehand.engine.handle import CallHandle
    from pagehand.engine.lanes import Lanes
    from pagehand.engine.outcome import Call, CallSink, Outcome
    from pagehand.engine.records import Log


def begin(
    environment: Environment,
    call: Call,
    sink: CallSink,
    handle: CallHandle,
    log: Log,
    lanes: Lanes,
    messages: Any,
) -> Execution:
    """Starts a call's task. Its place in a lane is taken now, so that order is kept."""
    tool = environment.toolkit.get(call.tool_name)
    handle.args = call.input if isinstance(call.input, dict) else {}
    handle.args_text = call.args_text
    handle.state = "input-available"
    handle.started_at = environment.clock.now()
    context = ToolContext(call.tool_call_id, call.tool_name, messages, turn=call.turn)
    record = log.open(call, environment.clock)
    execution = Execution(environment, call, tool, sink, handle, record, context)
    context.attach(execution)
    if tool is not None and tool.concurrency is not None and tool.kind != "human":
        execution.ticket = lanes.ticket(tool.concurrency)
    execution.task = get_running_loop().create_task(drive(execution))
    return execution


class Waiting:
    """A sink for one call of somebody who waits for it: a browser agent, a test.

    Attributes:
        outcome: The call's outcome, once it is there.
    """

    def __init__(self) -> None:
        self.outcome: Future[Outcome] = get_running_loop().create_future()

    def settled(self, _tool_call_id: str, outcome: Outcome) -> None:
        """The call has ended."""
        if not self.outcome.done():
            self.outcome.set_result(outcome)

    def progress(self, _tool_call_id: str, value: Any) -> None:
        """Nobody watches."""
