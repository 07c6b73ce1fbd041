"""The way of one call: find, parse, validate, guard, confirm, run, settle, log.

Each step is a small function that says in a word how it went, or raises a
`CallError` whose text the model reads. The record of the call keeps both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.engine.outcome import Failure
from pagehand.errors import (
    ArgumentsError,
    CallError,
    CallRefusedError,
    MalformedEventError,
    ToolDefinitionError,
    ToolUIError,
    UnknownToolError,
    UnsendableValueError,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType

    from pagehand.engine.execution import Execution
    from pagehand.toolkit.arguments import Prepared
    from pagehand.toolkit.tool import Tool

PAUSED = "The person paused the page tools. Do not retry; tell them, and wait for their word."


async def drive(execution: Execution) -> None:
    """Takes a call through every step to its outcome. Never raises, except when cancelled."""
    from asyncio import CancelledError

    from pagehand.engine.records import loggable

    clock = execution.environment.clock
    name, since = "find", clock.monotonic()
    try:
        for name, step in STEPS:
            since = clock.monotonic()
            verdict = await step(execution)
            execution.record.step(name, verdict, since)
            if execution.outcome is not None:
                return
    except CancelledError:
        execution.record.step(name, "cancelled", since)
        execution.settle(Failure("The call was stopped before it ended.", cancelled=True))
        raise
    except (CallError, UnsendableValueError) as error:
        execution.record.step(name, loggable(f"{type(error).__name__}: {error}"), since)
        execution.settle(Failure(execution.masked(str(error))))
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 -- foreign code
        execution.record.step(name, type(error).__name__, since)
        execution.settle(Failure(execution.masked(_crash(execution, error))))


async def find(execution: Execution) -> str:
    """Finds the tool by name."""
    tool, name = execution.tool, execution.call.tool_name
    if tool is None:
        raise UnknownToolError(_unknown(name, execution.environment.toolkit.declared_names()))
    if tool.kind in ("backend", "provider", "external"):
        raise UnknownToolError(
            f"{name!r} does not run in this page but on the server, which sent no result for it."
        )
    if tool.kind == "stub" and tool.execute is None:
        raise CallRefusedError(f"{name!r} is not ready on this page right now.")
    execution.record.note(kind=tool.kind, category=tool.category, source=tool.source)
    return "ok"


async def parse(execution: Execution) -> str:
    """Reads the arguments: an object, from the parsed input or from the text.

    Where both came the input counts: a server may have mended the text that streamed in. An
    empty one proves nothing: servers write it when they could not read the text.
    """
    call = execution.call
    value: Any = call.input
    text = "" if isinstance(value, dict) and value else (call.args_text or "").strip()
    if isinstance(value, str):
        text, value = value.strip() or text, None
    if text:
        try:
            read = _loads(text)
        except MalformedEventError as error:
            raise ArgumentsError(
                f"The arguments of {call.tool_name!r} are not JSON: {error}. Send one JSON object."
            ) from error
        value = read if value is None else value
    if value is None:
        value = {}
    if not isinstance(value, dict):
        from pagehand.toolkit.schema_words import short

        raise ArgumentsError(
            f"The arguments of {call.tool_name!r} must be one JSON object, got {short(value)}."
        )
    execution.arguments = value
    execution.handle.args = value
    return "ok"


async def validate(execution: Execution) -> str:
    """Checks and converts the arguments."""
    tool = execution.known_tool
    try:
        execution.prepared = _checked(tool, execution.arguments)
    except ToolDefinitionError as error:
        execution.environment.report(str(error))
        raise CallRefusedError(f"{tool.name!r} is defined wrongly on this page.") from error
    except ArgumentsError:
        _note_arguments(execution)
        if tool.on_validation_error is None:
            raise
        execution.value = tool.on_validation_error(execution.arguments)
        execution.answered = True
        return "answered by on_validation_error"
    execution.arguments = execution.prepared.raw
    execution.handle.args = execution.arguments
    _note_arguments(execution)
    repairs = execution.prepared.repairs
    return f"ok; {'; '.join(repairs)}" if repairs else "ok"


async def guard(execution: Execution) -> str:
    """Asks the switch, the host's rules, the limits and the tool's own check."""
    from pagehand.engine.policy import risk_of

    environment, tool = execution.environment, execution.known_tool
    if environment.paused:
        raise CallRefusedError(PAUSED)
    if execution.prepared is None:
        return "nothing to run"
    values = execution.prepared.values
    execution.risk = risk_of(tool, values)
    execution.record.note(risk=execution.risk)
    if environment.rules.policy.denies(tool, execution.risk):
        raise CallRefusedError(f"{tool.name!r} is not allowed on this page. Do not retry.")
    environment.rules.limits.take(tool, lambda: execution.context.turn)
    if tool.validate is not None:
        await _finish(tool.validate(**values), execution)
        _weigh_again(execution, tool, values)
    # After the tool's own check: what that looked up may answer whether to ask.
    policy, outside = environment.rules.policy, execution.call.outside
    execution.rule = policy.decide(tool, values, execution.risk, outside=outside)
    return "ok"


def _weigh_again(execution: Execution, tool: Tool, values: dict[str, Any]) -> None:
    """What the tool's own check looked up may tell more of the risk than the arguments did."""
    from pagehand.engine.policy import risk_of

    risk = risk_of(tool, values)
    if risk == execution.risk:
        return
    execution.risk = risk
    execution.record.note(risk=risk)
    if execution.environment.rules.policy.denies(tool, risk):
        raise CallRefusedError(f"{tool.name!r} is not allowed on this page. Do not retry.")


async def confirm(execution: Execution) -> str:
    """Asks the person where the rules or the tool say so."""
    environment, tool = execution.environment, execution.known_tool
    if execution.prepared is None:
        return "nothing to run"
    if execution.rule != "ask":
        execution.record.note(confirmed_by="policy")
        return "not needed"
    from pagehand.engine.question import question_for

    confirmation = question_for(
        execution.call, tool, execution.arguments, execution.prepared, execution.risk
    )
    answer = await execution.ask(confirmation)
    if answer == "granted":
        if confirmation.remember:
            environment.rules.policy.allow_for_conversation(tool.name, execution.risk)
            for other in environment.confirmations:
                same = other.tool_name == tool.name and other.risk == execution.risk
                if same and other.can_remember:
                    other.answer(True)
        execution.record.note(confirmed_by="person", remembered=confirmation.remember)
        return "granted"
    raise CallRefusedError(_refusal(answer, confirmation.reason))


async def run(execution: Execution) -> str:
    """Runs the tool's function, in its turn, or waits for the card's answer."""
    environment, tool = execution.environment, execution.known_tool
    if execution.prepared is None:
        return "answered"
    if execution.ticket is not None:
        await execution.ticket.turn()
    if environment.paused:
        raise CallRefusedError(PAUSED)
    execution.start_deadline(environment.timeout_of(tool))
    if tool.kind == "human":
        execution.value = await execution.wait_for_answer()
        return "answered by the person"
    if tool.execute is None:
        raise CallRefusedError(f"{tool.name!r} is not ready on this page right now.")
    parameters = tool.compiled()
    execution.value = await _finish(
        parameters.call(tool.execute, execution.prepared, execution.context), execution
    )
    return "ok"


async def settle(execution: Execution) -> str:
    """Turns what came back into JSON, without secrets, and ends the call."""
    return execution.finish(execution.value)


STEPS: tuple[tuple[str, Callable[[Execution], Awaitable[str]]], ...] = (
    ("find", find),
    ("parse", parse),
    ("validate", validate),
    ("guard", guard),
    ("confirm", confirm),
    ("run", run),
    ("settle", settle),
)


def _checked(tool: Tool, arguments: dict[str, Any]) -> Prepared:
    """The arguments, checked; those of a Tool UI must be a state that its view can show."""
    if tool.ui is None:
        return tool.compiled().check(arguments)
    from pagehand.toolkit.arguments import Prepared
    from pagehand.toolkit.tool_ui import tagged

    found = tagged(arguments)
    if found is None:
        prepared = tool.compiled().check(arguments)
    try:
        tool.ui.read_state(arguments)
    except ToolUIError as error:
        raise ArgumentsError(f"The arguments of {tool.name!r} do not fit. {error}") from error
    return prepared if found is None else Prepared(found[1], found[1], found[1], [])


def _unknown(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(known) if known else "none"
    return f"There is no tool {name!r} on this page.{hint} Available tools: {listed}."


def _loads(text: str) -> Any:
    from pagehand.wire.jsontext import loads

    return loads(text)


def _note_arguments(execution: Execution) -> None:
    from pagehand.engine.records import loggable

    execution.record.note(input=loggable(execution.arguments))


def _refusal(answer: str, reason: str | None) -> str:
    if answer == "expired":
        return "The person did not answer the confirmation in time, so nothing was done."
    if answer == "cancelled":
        return "The confirmation was closed before an answer, so nothing was done."
    said = f" Their words: {reason}" if reason else ""
    return f"The person declined. Nothing was done; do not retry unless they ask.{said}"


async def _finish(value: Any, execution: Execution) -> Any:
    """Awaits coroutines; takes what generators yield as preliminary results."""
    if hasattr(value, "__await__"):
        value = await value
    last = None
    if hasattr(value, "__anext__"):
        async for last in value:
            execution.progress(last)
        return last
    if hasattr(value, "__next__") and hasattr(value, "send"):
        while True:
            try:
                last = next(value)
            except StopIteration as end:
                return last if end.value is None else end.value
            execution.progress(last)
    return value


def _crash(execution: Execution, error: BaseException) -> str:
    from traceback import TracebackException, format_exception

    from pagehand.engine.secrets import mask

    trace = "".join(format_exception(type(error), error, _own_frames(error)))
    execution.record.note(traceback=mask(trace).value)
    execution.environment.report(f"{execution.call.tool_name} failed\n{trace}")
    # Not str(error): that is foreign code too, and may fail itself.
    message = str(TracebackException(type(error), error, None)).strip()
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _own_frames(error: BaseException) -> TracebackType | None:
    """The traceback from where the tool's own code begins."""
    frames = error.__traceback__
    while frames is not None and "/pagehand/" in frames.tb_frame.f_code.co_filename:
        frames = frames.tb_next
    return frames or error.__traceback__
