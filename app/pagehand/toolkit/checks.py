"""The mistakes in a tool's definition that can be seen without building its schema.

Each one is an error at the place of the definition that says what to change.
"""

from __future__ import annotations

from re import fullmatch
from types import NoneType
from typing import TYPE_CHECKING, Any

from pagehand.errors import DeclarationError, ToolkitError
from pagehand.toolkit.tool import DEFAULTS, KINDS, RISKS
from pagehand.wire.declarations import NAME_PATTERN, check_declarations

if TYPE_CHECKING:
    from pagehand.toolkit.tool import Tool

RULES = ("allow", "ask", "deny")
_VARARGS = 0x04  # inspect.CO_VARARGS, without importing inspect
_FUNCTIONS = (
    "execute",
    "render",
    "validate",
    "to_model_output",
    "stream_call",
    "on_validation_error",
)


def check_tool(tool: Tool, options: dict[str, Any]) -> None:
    """Raises ToolDefinitionError for the first thing that cannot work."""
    _check_name(tool)
    _check_options(tool, options)
    _check_kind(tool)
    _check_values(tool)
    for option in ("execute", "render"):
        _check_function(tool, getattr(tool, option))


def check_settings(settings: dict[str, Any], known: dict[str, Any]) -> None:
    """Raises ToolkitError for the first setting that cannot be."""
    for name, value in settings.items():
        if name not in known:
            raise ToolkitError(f"there is no setting {name!r}; known are: {', '.join(known)}")
        if name == "policy" and isinstance(value, dict):
            _check_policy(value)
        if name in ("timeout", "confirm_seconds") and value is not None and not _is_time(value):
            raise ToolkitError(f"{name} is a number of seconds above 0, not {value!r}")


def _check_policy(policy: dict[str, Any]) -> None:
    for part, rules in policy.items():
        if part not in ("tools", "categories", "risks"):
            raise ToolkitError(f"a policy has `tools`, `categories` and `risks`, not {part!r}")
        for whose, rule in rules.items():
            if rule not in RULES:
                raise ToolkitError(
                    f"policy for {whose!r}: a rule is one of {', '.join(RULES)}, not {rule!r}"
                )


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _check_name(tool: Tool) -> None:
    if not isinstance(tool.name, str) or not fullmatch(NAME_PATTERN, tool.name):
        raise tool.problem(
            "a name starts with a letter or _, goes on with letters, digits, _ or -, "
            "and has at most 63 characters"
        )
    try:
        check_declarations({tool.name: {"description": ""}})
    except DeclarationError as error:
        raise tool.problem(str(error)) from error


def _check_options(tool: Tool, options: dict[str, Any]) -> None:
    unknown = [option for option in options if option not in DEFAULTS]
    if not unknown:
        return
    from difflib import get_close_matches

    near = get_close_matches(unknown[0], DEFAULTS, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(DEFAULTS)}"
    raise tool.problem(f"there is no option {unknown[0]!r}; {hint}")


def _check_kind(tool: Tool) -> None:
    if tool.kind == "mcp":
        raise tool.problem(
            "type 'mcp' connects on the server; declare it there and use 'backend' here "
            "to show its calls"
        )
    if tool.kind not in KINDS:
        raise tool.problem(f"there is no type {tool.kind!r}; use one of {', '.join(KINDS)}")
    if tool.kind == "frontend" and tool.execute is None:
        raise tool.problem(
            "a frontend tool needs `execute`; use type 'human' when a person answers it in "
            "`render`, 'stub' when its function comes later, 'backend' when a server runs it"
        )
    if tool.ui is not None:
        _check_ui(tool)
    elif tool.kind == "human" and tool.render is None:
        raise tool.problem("a human tool needs `render`: the card through which a person answers")
    if tool.kind == "human" and tool.execute is not None:
        raise tool.problem(
            "a human tool is answered in its card and has no `execute`; use type 'frontend' "
            "and `await ctx.human(...)` when a function shall ask"
        )
    if tool.kind in ("backend", "provider", "external") and tool.execute is not None:
        raise tool.problem(f"a {tool.kind} tool runs elsewhere and cannot have `execute` here")
    if tool.kind in ("human", "stub") and tool.parameters is None and tool.function is None:
        raise tool.problem("without a function, its arguments must be stated in `parameters`")


def _check_ui(tool: Tool) -> None:
    if not hasattr(tool.ui, "read_state"):
        raise tool.problem(f"`ui` is a ToolUI, not {type(tool.ui).__name__}")
    if tool.kind != "human":
        raise tool.problem("`ui` makes a tool that the person fulfils: its type is 'human'")
    if tool.ui is not None and tool.ui.tag != tool.name:
        raise tool.problem(
            f"its Tool UI has the tag {tool.ui.tag!r}; a tool that the person fulfils is called "
            "as its Tool UI is tagged"
        )
    if tool.ui is not None and not tool.ui.answers:
        raise tool.problem(
            "its Tool UI has no `answer`, so the person could never fulfil it; give the ToolUI "
            "an `answer`, or send it from the server as a card of the stream"
        )


def _check_values(tool: Tool) -> None:
    if tool.description is not None and not isinstance(tool.description, str):
        raise tool.problem(f"`description` must be a text, not {type(tool.description).__name__}")
    if not callable(tool.risk) and tool.risk not in RISKS:
        raise tool.problem(f"`risk` is one of {', '.join(RISKS)}, not {tool.risk!r}")
    if tool.display not in ("inline", "standalone"):
        raise tool.problem(f"`display` is 'inline' or 'standalone', not {tool.display!r}")
    if tool.timeout is not None and not _is_time(tool.timeout):
        raise tool.problem(f"`timeout` is a number of seconds above 0, not {tool.timeout!r}")
    if tool.concurrency is not None and not isinstance(tool.concurrency, str):
        raise tool.problem("`concurrency` is the name of a lane, or None to run in parallel")
    for option in _FUNCTIONS:
        value = getattr(tool, option)
        if value is not None and not callable(value):
            raise tool.problem(f"`{option}` must be a function, not {type(value).__name__}")
    if tool.provider_options is not None:
        _check_json(tool, "provider_options", tool.provider_options)
    given = tool.parameters
    if not (isinstance(given, (dict, NoneType)) or callable(given) or hasattr(given, "parameters")):
        raise tool.problem(
            "`parameters` is a pydantic model, a dataclass, a TypedDict, a function with the "
            f"signature, or a JSON Schema object, not {type(tool.parameters).__name__}"
        )


def _check_json(tool: Tool, option: str, value: Any) -> None:
    from pagehand.errors import UnsendableValueError
    from pagehand.wire.jsontext import dumps

    try:
        dumps(value)
    except UnsendableValueError as error:
        raise tool.problem(f"`{option}` must be plain JSON: {error}") from error


def _check_function(tool: Tool, function: Any) -> None:
    code = getattr(function, "__code__", None)
    if code is None or tool.parameters is not None:
        return
    if code.co_flags & _VARARGS:
        raise tool.problem("arguments come by name, so `*args` can never be filled; name them")
    # The call that a card draws comes by position; everything else by name.
    if code.co_posonlyargcount > (1 if tool.kind == "human" else 0):
        raise tool.problem("arguments come by name; remove the `/` from the signature")
