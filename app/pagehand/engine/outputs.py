"""From what a tool, or the person, gave to the `Output` of its call: JSON, masked, short enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.engine.outcome import Output
from pagehand.errors import CallError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.engine.environment import Environment
    from pagehand.engine.records import Record
    from pagehand.toolkit.result import ToolResponse
    from pagehand.toolkit.tool import Tool


def output_of(
    value: Any,
    tool: Tool,
    environment: Environment,
    record: Record,
    masked: Callable[[Any], Any],
) -> tuple[Output, str]:
    """The output of a call, and in a word how that went, for the log.

    Args:
        value: Anything that `to_wire` can write, or a `ToolResponse`.
        tool: What gave it.
        environment: Holds the limits, tells the author.
        record: Keeps what was left out.
        masked: Takes the secrets out of a JSON value.

    Raises:
        UnsendableValueError: When it cannot travel as JSON.
        CallError: When it tells of a failure or is too long.
    """
    from pagehand.engine.kept import artifact_of, kept_of
    from pagehand.engine.records import excess
    from pagehand.toolkit.result import ToolResponse, to_wire
    from pagehand.wire.jsontext import dumps

    def leave_out(name: str, what: str) -> None:
        record.note(**{f"{name}_note": what})
        environment.report(f"The {name} of {tool.name} is {what}")

    response = value if isinstance(value, ToolResponse) else ToolResponse(value)
    raw = masked(to_wire(response.result))
    if response.is_error:
        raise CallError(raw if isinstance(raw, str) else dumps(raw))
    artifact = artifact_of(response.artifact, leave_out)
    sent, note = _for_the_model(response, tool, raw, environment.report)
    if sent is not raw:
        sent = masked(sent)
    most = environment.rules.longest_result
    if size := excess(sent, most):
        raise CallError(
            f"The result of {tool.name!r} has {size} characters, more than the "
            f"{most} that may be sent. Ask for less: a filter, a page."
        )
    card = {} if sent is raw else {"result": raw}
    if artifact is not None:
        card["artifact"] = artifact
    kept = kept_of(card, environment.rules.longest_kept, leave_out) if card else None
    return Output(sent, raw=raw, artifact=artifact, kept=kept), note


def _for_the_model(
    response: ToolResponse, tool: Tool, raw: Any, report: Callable[[str], None]
) -> tuple[Any, str]:
    """What the model reads, as JSON: the raw result, unless the tool says otherwise."""
    from pagehand.toolkit.result import to_wire

    if response.model_content is not None:
        return _content(to_wire(response.model_content, "model_content")), "ok"
    if tool.to_model_output is None:
        return raw, "ok"
    try:
        return _content(to_wire(tool.to_model_output(response.result), "to_model_output")), "ok"
    except Exception as error:  # noqa: BLE001 -- the raw result is a good answer too
        report(f"to_model_output of {tool.name} failed: {error}")
        return raw, f"to_model_output failed ({type(error).__name__}), sent the result itself"


def _content(content: Any) -> Any:
    """Texts alone travel as one text; with files, as AI SDK's content form."""
    if not isinstance(content, list) or not content:
        return content
    if all(isinstance(part, dict) and part.get("type") == "text" for part in content):
        return "\n\n".join(str(part.get("text", "")) for part in content)
    if all(isinstance(part, dict) and part.get("type") in ("text", "file") for part in content):
        return {"type": "content", "value": content}
    return content
