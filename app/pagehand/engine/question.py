"""Words the question before a risky call: what is about to happen, with everything it is done with.

Arguments that the model left out are shown too, as the tool's function will get them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.engine.confirmation import Confirmation

if TYPE_CHECKING:
    from pagehand.engine.execution import Execution
    from pagehand.toolkit.arguments import Prepared
    from pagehand.toolkit.tool import Tool


def question_for(execution: Execution, tool: Tool) -> Confirmation:
    """The question for a call whose arguments are checked."""
    words = tool.confirm_text
    if callable(words) and execution.prepared is not None:
        words = words(**execution.prepared.values)
    title, _, more = str(words or tool.title or tool.name).partition("\n")
    args, defaults = full_arguments(tool, execution.arguments, execution.prepared)
    return Confirmation(
        execution.call.tool_call_id,
        tool.name,
        title=title,
        text=more if words else tool.description_text(),
        args=args,
        defaults=defaults,
        risk=execution.risk,
        category=tool.category,
        can_remember=not execution.call.outside,
    )


def full_arguments(
    tool: Tool, given: dict[str, Any], prepared: Prepared | None
) -> tuple[dict[str, Any], list[str]]:
    """What was given and what stands in for the rest.

    Returns:
        The arguments with defaults filled in, also inside objects, and the names of those at
        the top that are defaults.
    """
    from pagehand.errors import UnsendableValueError
    from pagehand.toolkit.result import to_wire

    if prepared is None:
        return given, []
    effective: dict[str, Any] = {}
    known = tool.schema().get("properties", {})
    for name, value in tool.compiled().effective(prepared).items():
        if name not in known:
            continue
        try:
            effective[name] = to_wire(value)
        except UnsendableValueError:
            effective[name] = str(value)
    return _filled(given, effective), [name for name in effective if name not in given]


def _filled(given: Any, effective: Any) -> Any:
    """What was given, as it was given, with what it leaves out."""
    if isinstance(given, dict) and isinstance(effective, dict):
        filled = {key: _filled(value, effective.get(key)) for key, value in given.items()}
        filled.update((key, value) for key, value in effective.items() if key not in given)
        return filled
    if isinstance(given, list) and isinstance(effective, list) and len(given) == len(effective):
        return [_filled(one, other) for one, other in zip(given, effective, strict=True)]
    return given
