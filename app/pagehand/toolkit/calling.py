"""How a tool's function takes its arguments: by name, as one object, with the context.

    plan = plan_for(tool, checker)
    plan.call(function, prepared, context)

A function whose parameters are the schema's properties gets them by name. With
a stated schema, one other parameter gets the whole (a model instance or a
dict). A parameter annotated `ToolContext`, or called `ctx` or `context` beside
a stated schema, gets the context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.toolkit.arguments import Checker, Prepared
    from pagehand.toolkit.context import ToolContext
    from pagehand.toolkit.definition import Definition

_CONTEXT_NAMES = ("ctx", "context")


class Plan:
    """How to call one function.

    Attributes:
        names: The arguments it takes by name, or None for all of them.
        whole: The parameter that takes all arguments as one object, or None.
        context: The parameter that takes the ToolContext, or None.
    """

    __slots__ = ("context", "names", "whole")

    def __init__(
        self, names: frozenset[str] | None, whole: str | None, context: str | None
    ) -> None:
        self.names = names
        self.whole = whole
        self.context = context

    def call(self, function: Callable[..., Any], prepared: Prepared, context: ToolContext) -> Any:
        """Calls the function; async ones give their coroutine."""
        if self.whole is not None:
            keywords = {self.whole: prepared.whole}
        elif self.names is None:
            keywords = dict(prepared.values)
        else:
            keywords = {key: prepared.values[key] for key in self.names if key in prepared.values}
        if self.context is not None:
            keywords[self.context] = context
        return function(**keywords)


def plan_for(tool: Definition, checker: Checker) -> Plan:
    """The plan for a tool's `execute`.

    Raises:
        ToolDefinitionError: When the function takes something the schema does not have.
    """
    declared = checker.signature
    if tool.kind == "human" or tool.execute is None:
        return Plan(None, None, None)
    if declared is not None and tool.parameters is None:
        return Plan(None, None, declared.context_name)
    return plan_beside(tool, tool.execute, _properties(checker))


def plan_beside(tool: Definition, function: Callable[..., Any], known: dict[str, Any]) -> Plan:
    """The plan for a function beside a stated schema with the `known` properties."""
    from pagehand.toolkit.signature import read_signature

    signature = read_signature(tool, function)
    context = signature.context_name
    rest = [argument for argument in signature.arguments if argument.name not in known]
    if context is None:
        context = next((a.name for a in rest if a.name in _CONTEXT_NAMES), None)
    if context is None and len(rest) == 2 and len(signature.arguments) == 2:
        context = rest[1].name
    rest = [argument for argument in rest if argument.name != context]
    names = frozenset(name for name in signature.names if name in known)
    if not rest:
        return Plan(None if signature.open else names, None, context)
    if len(rest) == 1 and not names:
        return Plan(None, rest[0].name, context)
    missing = [argument.name for argument in rest if not argument.optional]
    if missing:
        raise tool.problem(
            f"its function takes {missing[0]!r}, which `parameters` does not have "
            f"(it has: {', '.join(known) or 'nothing'})"
        )
    return Plan(names, None, context)


def _properties(checker: Checker) -> dict[str, Any]:
    from pagehand.toolkit.portable import portable

    properties: dict[str, Any] = portable(checker.raw_schema())[0]["properties"]
    return properties
