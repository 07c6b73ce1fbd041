"""Words the question before a risky call: what is about to happen, with everything it is done with.

Arguments that the model left out are shown too, as the tool's function will get them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.engine.confirmation import Confirmation

if TYPE_CHECKING:
    from pagehand.engine.outcome import Call
    from pagehand.toolkit.arguments import Prepared
    from pagehand.toolkit.tool import Tool


def question_for(
    call: Call,
    tool: Tool,
    given: dict[str, Any],
    prepared: Prepared | None,
    risk: str,
    words: str | None = None,
) -> Confirmation:
    """The question before a call.

    Args:
        call: The call; what was allowed for a conversation does not cover one outside of it.
        tool: What is called.
        given: The arguments as JSON.
        prepared: The same, checked; None when they were not.
        risk: Of this call.
        words: What the running tool asks, the title in the first line. Without them the question
            is whether it may run, in the tool's own words; only that can be answered for good.
    """
    stated = tool.confirm_text if words is None else words
    if callable(stated) and prepared is not None:
        stated = stated(**prepared.values)
    title, _, more = str(stated or tool.title or tool.name).partition("\n")
    args, defaults = _full_arguments(tool, given, prepared)
    return Confirmation(
        call.tool_call_id,
        tool.name,
        title=title,
        text=more if stated else tool.description_text(),
        args=args,
        defaults=defaults,
        risk=risk,
        category=tool.category,
        can_remember=words is None and not call.outside,
    )


def _full_arguments(
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
