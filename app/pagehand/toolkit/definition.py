"""A tool as its author wrote it, and the mistakes that can be seen in that alone.

    definition = Definition("greet", "frontend", execute=greet, risk="safe")
    raise definition.problem("says nothing")     # tool 'greet' (my_tools.py:7): says nothing

Each mistake is an error at the place of the definition that says what to change. Mistakes in a
schema show when it is built: see `Tool.compiled`.
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any

from pagehand.errors import ToolDefinitionError
from pagehand.wire.names import RESERVED, is_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

    from pagehand.toolkit.tool_ui import ToolUI

KINDS = ("frontend", "human", "backend", "provider", "external", "stub")
DECLARED_KINDS = frozenset({"frontend", "human", "stub"})
RISKS = ("safe", "moderate", "dangerous")

# Every option a tool takes, with what it is when nobody says anything.
DEFAULTS: dict[str, Any] = {
    "description": None,
    "parameters": None,
    "execute": None,
    "render": None,
    "render_text": None,
    "display": None,
    "title": None,
    "category": "other",
    "risk": "safe",
    "requires_confirmation": False,
    "confirm_text": None,
    "validate": None,
    "timeout": None,
    "concurrency": "auto",
    "eager": False,
    "terminal": False,
    "idempotent": False,
    "limit": None,
    "mask": True,
    "stream_call": None,
    "to_model_output": None,
    "on_validation_error": None,
    "provider_options": None,
    "args": None,
    "ui": None,
    "disabled": False,
    "overwrite": False,
    "priority": 0,
}

# Tools of these categories move the page, so they run one after another.
_PAGE_CATEGORIES = frozenset({"form", "navigation", "ui"})

_VARARGS = 0x04  # inspect.CO_VARARGS, without importing inspect
_FUNCTIONS = (
    "execute",
    "render",
    "validate",
    "to_model_output",
    "stream_call",
    "on_validation_error",
)


class Definition:
    """What was written about one tool.

    Args:
        name: What the model calls it: `[A-Za-z_][A-Za-z0-9_-]{0,62}`.
        kind: One of `KINDS`.
        source: Where it was defined, as "file.py:12", for error texts.
        namespace: Local names at the place of definition, for annotations that name them.
        options: Any of `DEFAULTS`; each is an attribute too.

    Attributes:
        given: The options that were stated.

    Raises:
        ToolDefinitionError: When it cannot work as defined.
    """

    __slots__ = (*DEFAULTS, "given", "kind", "name", "namespace", "source")

    description: str | None
    parameters: Any
    execute: Callable[..., Any] | None
    render: Callable[..., Any] | None
    render_text: Mapping[str, Any] | None
    display: str
    title: str | None
    category: str
    risk: str | Callable[..., str]
    requires_confirmation: bool | Callable[..., bool]
    confirm_text: str | Callable[..., str] | None
    validate: Callable[..., None] | None
    timeout: float | None
    concurrency: str | None
    eager: bool
    terminal: bool
    idempotent: bool
    limit: tuple[int, float] | None
    mask: bool
    stream_call: Callable[..., Any] | None
    to_model_output: Callable[..., Any] | None
    on_validation_error: Callable[..., Any] | None
    provider_options: Mapping[str, Any] | None
    args: Mapping[str, Any] | None
    ui: ToolUI[Any, Any] | None
    disabled: bool | Callable[[], bool]
    overwrite: bool
    priority: int

    def __init__(
        self,
        name: str,
        kind: str,
        *,
        source: str = "",
        namespace: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.name = name
        self.kind = kind
        self.source = source
        self.namespace = namespace
        self.given = options
        for option, default in DEFAULTS.items():
            setattr(self, option, options.get(option, default))
        if self.ui is not None and self.parameters is None:
            self.parameters = getattr(self.ui, "state", None)
        self.display = options.get("display") or ("standalone" if kind == "human" else "inline")
        if self.concurrency == "auto":
            self.concurrency = "page" if self.category in _PAGE_CATEGORIES else None
        _check(self)

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function that takes the arguments: what runs, or what draws a human tool's card."""
        return self.render if self.kind == "human" else self.execute

    def description_text(self) -> str:
        """The description as stated, else the docstring up to its first section."""
        if self.description is not None:
            return self.description
        from pagehand.toolkit.docstring import docstring_of

        return docstring_of(self.function).text

    def problem(self, text: str) -> ToolDefinitionError:
        """An error about this tool that names it and its place."""
        place = f" ({self.source})" if self.source else ""
        return ToolDefinitionError(f"tool {self.name!r}{place}: {text}")


def is_time(value: Any) -> bool:
    """Whether it is a number of seconds above 0."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _check(tool: Definition) -> None:
    _check_name(tool)
    _check_options(tool)
    _check_kind(tool)
    _check_values(tool)
    for option in ("execute", "render"):
        _check_function(tool, getattr(tool, option))


def _check_name(tool: Definition) -> None:
    if not is_name(tool.name):
        raise tool.problem(
            "a name starts with a letter or _, goes on with letters, digits, _ or -, "
            "and has at most 63 characters"
        )
    if tool.name in RESERVED:
        raise tool.problem(f"the name {tool.name!r} is reserved; choose another")


def _check_options(tool: Definition) -> None:
    unknown = [option for option in tool.given if option not in DEFAULTS]
    if not unknown:
        return
    from difflib import get_close_matches

    near = get_close_matches(unknown[0], DEFAULTS, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(DEFAULTS)}"
    raise tool.problem(f"there is no option {unknown[0]!r}; {hint}")


def _check_kind(tool: Definition) -> None:
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
        _check_ui(tool, tool.ui)
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


def _check_ui(tool: Definition, ui: ToolUI[Any, Any]) -> None:
    if not hasattr(ui, "read_state"):
        raise tool.problem(f"`ui` is a ToolUI, not {type(ui).__name__}")
    if tool.kind != "human":
        raise tool.problem("`ui` makes a tool that the person fulfils: its type is 'human'")
    if ui.tag != tool.name:
        raise tool.problem(
            f"its Tool UI has the tag {ui.tag!r}; a tool that the person fulfils is called "
            "as its Tool UI is tagged"
        )
    if not ui.answers:
        raise tool.problem(
            "its Tool UI has no `answer`, so the person could never fulfil it; give the ToolUI "
            "an `answer`, or send it from the server as a card of the stream"
        )


def _check_values(tool: Definition) -> None:
    if tool.description is not None and not isinstance(tool.description, str):
        raise tool.problem(f"`description` must be a text, not {type(tool.description).__name__}")
    if not callable(tool.risk) and tool.risk not in RISKS:
        raise tool.problem(f"`risk` is one of {', '.join(RISKS)}, not {tool.risk!r}")
    if tool.display not in ("inline", "standalone"):
        raise tool.problem(f"`display` is 'inline' or 'standalone', not {tool.display!r}")
    if tool.timeout is not None and not is_time(tool.timeout):
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


def _check_json(tool: Definition, option: str, value: Any) -> None:
    from pagehand.errors import UnsendableValueError
    from pagehand.wire.jsontext import dumps

    try:
        dumps(value)
    except UnsendableValueError as error:
        raise tool.problem(f"`{option}` must be plain JSON: {error}") from error


def _check_function(tool: Definition, function: Any) -> None:
    code = getattr(function, "__code__", None)
    if code is None or tool.parameters is not None:
        return
    if code.co_flags & _VARARGS:
        raise tool.problem("arguments come by name, so `*args` can never be filled; name them")
    # The call that a card draws comes by position; everything else by name.
    if code.co_posonlyargcount > (1 if tool.kind == "human" else 0):
        raise tool.problem("arguments come by name; remove the `/` from the signature")


def place(frame: FrameType) -> str:
    """The line a frame is at, as "file.py:12"."""
    return f"{_file(frame.f_code.co_filename)}:{frame.f_lineno}"


def place_of(function: Any) -> str:
    """Where a function is written, as "file.py:12"; empty when it is not known."""
    inner = getattr(function, "__wrapped__", function)
    code = getattr(getattr(inner, "func", inner), "__code__", None)
    return f"{_file(code.co_filename)}:{code.co_firstlineno}" if code else ""


def locals_of(frame: FrameType) -> dict[str, Any] | None:
    """The local names of a function's frame, for annotations; None at module level."""
    return None if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def _file(name: str) -> str:
    return "/".join(name.split("/")[-2:])
