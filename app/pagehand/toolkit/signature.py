"""Reads a function's signature: its arguments, and who else is in it.

    signature = read_signature(tool, function)
    signature.arguments      # [Argument(name="text", annotation=str, default=MISSING), ...]
    signature.context_name   # the parameter that takes the ToolContext, or None

Loaded only when a schema is built: `inspect` and `typing` are not free.
"""

from __future__ import annotations

import inspect
import typing
from typing import TYPE_CHECKING, Any

from pagehand.errors import ToolDefinitionError
from pagehand.toolkit.context import ToolContext
from pagehand.toolkit.docstring import docstring_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.toolkit.definition import Definition


class UnresolvedNameError(ToolDefinitionError):
    """An annotation names something that is not there, or not yet."""


MISSING = inspect.Parameter.empty


class Argument:
    """One argument the model fills in."""

    __slots__ = ("annotation", "default", "description", "name")

    def __init__(self, name: str, annotation: Any, default: Any, description: str) -> None:
        self.name = name
        self.annotation = annotation
        self.default = default
        self.description = description

    @property
    def optional(self) -> bool:
        """Whether the function has a value of its own for it."""
        return self.default is not MISSING


class Signature:
    """A function's arguments.

    Attributes:
        arguments: What the model fills in, in order.
        context_name: The parameter annotated `ToolContext`, or None.
        open: Whether `**kwargs` takes anything else.
    """

    __slots__ = ("arguments", "context_name", "open")

    def __init__(self, arguments: list[Argument], context_name: str | None, is_open: bool) -> None:
        self.arguments = arguments
        self.context_name = context_name
        self.open = is_open

    @property
    def names(self) -> list[str]:
        """The names of the arguments."""
        return [argument.name for argument in self.arguments]


def read_signature(
    tool: Definition, function: Callable[..., Any] | inspect.Signature, *, skip: int = 0
) -> Signature:
    """Reads a function's signature; the first `skip` parameters are not the model's.

    Raises:
        ToolDefinitionError: When it has no readable signature, or an annotation
            names something that cannot be found.
    """
    try:
        parameters = _parameters(tool, function)[skip:]
        hints = _hints(tool, function)
    except NameError as error:
        raise UnresolvedNameError(
            str(
                tool.problem(
                    f"an annotation names {error.name!r}, which is not defined where the tool "
                    "is; import or define it before the tool"
                )
            )
        ) from error
    described = docstring_of(function).arguments
    arguments: list[Argument] = []
    context_name = None
    is_open = False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            is_open = True
            continue
        annotation = hints.get(parameter.name, parameter.annotation)
        if _is_context(annotation):
            context_name = parameter.name
            continue
        arguments.append(
            Argument(
                parameter.name,
                Any if annotation is MISSING else annotation,
                parameter.default,
                described.get(parameter.name, ""),
            )
        )
    return Signature(arguments, context_name, is_open)


def _parameters(
    tool: Definition, function: Callable[..., Any] | inspect.Signature
) -> list[inspect.Parameter]:
    try:
        if not isinstance(function, inspect.Signature):
            function = inspect.signature(function)
        parameters = list(function.parameters.values())
    except (TypeError, ValueError) as error:
        raise tool.problem(
            f"{function!r} has no readable signature; state its arguments in `parameters`"
        ) from error
    return parameters


def _hints(tool: Definition, function: Callable[..., Any] | inspect.Signature) -> dict[str, Any]:
    if isinstance(function, inspect.Signature):
        return {}
    target = function if hasattr(function, "__annotations__") else _callable_of(function)
    names = dict(tool.namespace or {})
    names.setdefault("ToolContext", ToolContext)
    try:
        return typing.get_type_hints(target, localns=names, include_extras=True)
    except NameError:
        raise
    except Exception as error:
        raise tool.problem(f"an annotation cannot be read: {error}") from error


def _callable_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a partial or a callable object runs in the end, for its annotations."""
    inner = getattr(function, "func", None)
    if inner is not None:
        return typing.cast("Callable[..., Any]", inner)
    return type(function).__call__


def _is_context(annotation: Any) -> bool:
    if isinstance(annotation, type):
        return issubclass(annotation, ToolContext)
    return any(_is_context(option) for option in typing.get_args(annotation))
