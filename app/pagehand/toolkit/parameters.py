"""A tool's parameters, compiled: the schema to declare and the check before running.

    parameters = tool.compiled()
    parameters.schema                       # portable JSON Schema
    prepared = parameters.check({"count": "3"})
    tool.execute(**parameters.arguments(prepared, context))

Signatures, pydantic models, dataclasses and TypedDicts are checked and
converted by pydantic; JSON Schema objects are checked by jsonschema and arrive
as plain JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pagehand.errors import ArgumentsError
from pagehand.toolkit.portable import portable
from pagehand.toolkit.repair import repair
from pagehand.toolkit.schema_references import UnportableSchemaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.toolkit.calling import Plan
    from pagehand.toolkit.context import ToolContext
    from pagehand.toolkit.tool import Tool


class Problem:
    """One thing wrong with the arguments.

    Attributes:
        path: The argument, as in "fields[0].name"; empty for the whole.
        reason: What is wrong, in the validator's words.
        came: What was there; None when nothing was.
        kind: `missing`, `unexpected` or `value`.
        telling: Whether the reason says more than "expected this, got that".
    """

    __slots__ = ("came", "kind", "path", "reason", "telling")

    def __init__(
        self,
        path: tuple[str | int, ...],
        reason: str,
        came: Any,
        kind: str,
        telling: bool = False,
    ) -> None:
        self.telling = telling
        self.path = path
        self.reason = reason
        self.came = came
        self.kind = kind


class InvalidArgumentsError(ArgumentsError):
    """Arguments that do not fit; carries every problem found."""

    def __init__(self, text: str, problems: list[Problem]) -> None:
        super().__init__(text)
        self.problems = problems


class Checker(Protocol):
    """Describes arguments and checks them; one per way of declaring parameters."""

    def raw_schema(self) -> dict[str, Any]:
        """The JSON Schema as the library makes it."""
        ...

    def check(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Checks, and returns the values by name and the whole.

        Raises:
            InvalidArgumentsError: With its problems filled in.
        """
        ...


class Prepared:
    """Checked arguments.

    Attributes:
        values: Converted values by argument name.
        whole: The same as one object (a model instance, or the dict).
        raw: The JSON arguments after repair.
        repairs: What was repaired on the way, in words.
    """

    __slots__ = ("raw", "repairs", "values", "whole")

    def __init__(
        self, values: dict[str, Any], whole: Any, raw: dict[str, Any], repairs: list[str]
    ) -> None:
        self.values = values
        self.whole = whole
        self.raw = raw
        self.repairs = repairs


class Parameters:
    """What `compile_parameters` returns."""

    __slots__ = ("_checker", "_name", "notes", "plan", "schema")

    def __init__(self, name: str, checker: Checker, plan: Plan) -> None:
        self._name = name
        self._checker = checker
        self.plan = plan
        self.schema, self.notes = portable(checker.raw_schema())

    def check(self, arguments: dict[str, Any]) -> Prepared:
        """Repairs, checks and converts JSON arguments.

        Raises:
            ArgumentsError: With a text that tells the model which argument is
                wrong, what was expected and what came.
        """
        repaired, repairs = repair(arguments, self.schema)
        try:
            values, whole = self._checker.check(repaired)
        except InvalidArgumentsError as error:
            from pagehand.toolkit.complaints import complain

            text = complain(self._name, error.problems, self.schema)
            raise InvalidArgumentsError(text, error.problems) from error
        return Prepared(values, whole, repaired, repairs)

    def effective(self, prepared: Prepared) -> dict[str, Any]:
        """The values a function works with: those that were given, and its own defaults."""
        signature = getattr(self._checker, "signature", None)
        arguments = signature.arguments if signature is not None else ()
        own = {one.name: one.default for one in arguments if one.name not in prepared.values}
        return {**prepared.values, **own}

    def call(self, function: Callable[..., Any], prepared: Prepared, context: ToolContext) -> Any:
        """Calls the tool's function with checked arguments."""
        return self.plan.call(function, prepared, context)


def compile_parameters(tool: Tool) -> Parameters:
    """Builds the parameters of a tool.

    Raises:
        ToolDefinitionError: Naming the tool, its place, and what to change.
    """
    from pagehand.toolkit.calling import plan_for

    checker = _checker(tool)
    try:
        compiled = Parameters(tool.name, checker, plan_for(tool, checker))
    except UnportableSchemaError as error:
        raise tool.problem(str(error)) from error
    _check_travels(tool, compiled.schema)
    return compiled


def _checker(tool: Tool) -> Checker:
    if isinstance(tool.parameters, dict):
        from pagehand.toolkit.jsonschema_checker import JsonSchemaChecker

        return JsonSchemaChecker(tool)
    if isinstance(tool.parameters, type):
        from pagehand.toolkit.pydantic_checker import TypeChecker

        return TypeChecker(tool, tool.parameters)
    from pagehand.toolkit.pydantic_checker import SignatureChecker

    return SignatureChecker(tool)


def _check_travels(tool: Tool, schema: dict[str, Any]) -> None:
    from pagehand.errors import DeclarationError
    from pagehand.wire.declarations import check_declarations

    entry = {"description": tool.description_text(), "inputSchema": schema}
    try:
        check_declarations({tool.name: entry})
    except DeclarationError as error:
        raise tool.problem(str(error)) from error
