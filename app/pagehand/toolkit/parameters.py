"""A tool's parameters, compiled: the schema to declare and the check before running.

    parameters = tool.compiled()
    parameters.schema                       # portable JSON Schema
    prepared = parameters.check({"count": "3"})
    parameters.call(tool.execute, prepared, context)

Signatures, pydantic models, dataclasses and TypedDicts are checked and
converted by pydantic; JSON Schema objects are checked by jsonschema and arrive
as plain JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.toolkit.arguments import InvalidArgumentsError, Prepared
from pagehand.toolkit.portable import portable
from pagehand.toolkit.repair import repair
from pagehand.toolkit.schema_references import UnportableSchemaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.toolkit.arguments import Checker
    from pagehand.toolkit.calling import Plan
    from pagehand.toolkit.context import ToolContext
    from pagehand.toolkit.definition import Definition


class Parameters:
    """The compiled parameters of one tool.

    Attributes:
        schema: The portable JSON Schema: an object with `properties`.
        notes: What the portable form had to change, in sentences for the author.
    """

    __slots__ = ("_checker", "_name", "_plan", "notes", "schema")

    def __init__(self, name: str, checker: Checker, plan: Plan) -> None:
        self._name = name
        self._checker = checker
        self._plan = plan
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
        signature = self._checker.signature
        arguments = signature.arguments if signature is not None else ()
        own = {one.name: one.default for one in arguments if one.name not in prepared.values}
        return {**prepared.values, **own}

    def call(self, function: Callable[..., Any], prepared: Prepared, context: ToolContext) -> Any:
        """Calls the tool's function with checked arguments."""
        return self._plan.call(function, prepared, context)


def compile_parameters(tool: Definition) -> Parameters:
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


def _checker(tool: Definition) -> Checker:
    if isinstance(tool.parameters, dict):
        from pagehand.toolkit.jsonschema_checker import JsonSchemaChecker

        return JsonSchemaChecker(tool)
    if isinstance(tool.parameters, type):
        from pagehand.toolkit.pydantic_checker import TypeChecker

        return TypeChecker(tool, tool.parameters)
    from pagehand.toolkit.pydantic_checker import SignatureChecker

    return SignatureChecker(tool)


def _check_travels(tool: Definition, schema: dict[str, Any]) -> None:
    from pagehand.errors import DeclarationError
    from pagehand.wire.declarations import check_declarations

    entry = {"description": tool.description_text(), "inputSchema": schema}
    try:
        check_declarations({tool.name: entry})
    except DeclarationError as error:
        raise tool.problem(str(error)) from error
