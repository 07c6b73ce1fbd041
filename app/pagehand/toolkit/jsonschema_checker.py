"""Checks arguments of tools whose parameters are a JSON Schema object."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from pagehand.toolkit.arguments import InvalidArgumentsError, Problem
from pagehand.toolkit.json_schema import validator_of

if TYPE_CHECKING:
    from pagehand.toolkit.definition import Definition


# What is expected says these already; of the others the validator's own words tell more.
_SAID_BY_SCHEMA = frozenset(
    {
        *("type", "enum", "const", "anyOf", "oneOf", "multipleOf", "minimum", "maximum"),
        *("exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"),
    }
)


class JsonSchemaChecker:
    """Checks with jsonschema, which is imported at the first check, not to describe."""

    signature = None

    def __init__(self, tool: Definition) -> None:
        self._tool = tool
        schema = tool.parameters
        # The wrapping that AI SDK and Mastra accept around a schema.
        self._schema: dict[str, Any] = schema.get("jsonSchema", schema) or {"type": "object"}
        import sys

        if "jsonschema" in sys.modules:
            _ = self._validator

    def raw_schema(self) -> dict[str, Any]:
        """The schema as its author wrote it, in words of today."""
        from pagehand.toolkit.draft3 import is_draft3, modernised

        found: dict[str, Any] = (
            modernised(self._schema) if is_draft3(self._schema) else self._schema
        )
        return found

    def check(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Checks; the values stay plain JSON, absent ones with a default are filled in."""
        problems = [
            problem
            for error in self._validator.iter_errors(arguments)
            for problem in _problems(error)
        ]
        if problems:
            raise InvalidArgumentsError("", problems)
        filled = dict(arguments)
        for name, inner in self._schema.get("properties", {}).items():
            if name not in filled and isinstance(inner, dict) and "default" in inner:
                filled[name] = inner["default"]
        return filled, filled

    @cached_property
    def _validator(self) -> Any:
        from jsonschema import SchemaError  # type: ignore[import-untyped]

        try:
            return validator_of(self._schema)
        except SchemaError as error:
            place = ".".join(str(step) for step in error.absolute_path)
            where = f" at {place}" if place else ""
            raise self._tool.problem(f"`parameters`{where}: {error.message}") from error


def _problems(error: Any) -> list[Problem]:
    path = tuple(error.absolute_path)
    if error.validator == "required":
        if error.validator_value is True:  # draft 3 says it at the property itself
            return [Problem(path, "", None, "missing")]
        names = [name for name in error.validator_value if name not in error.instance]
        return [Problem((*path, name), "", None, "missing") for name in names]
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        known = error.schema.get("properties", {})
        names = [name for name in error.instance if name not in known]
        return [Problem((*path, name), "", error.instance[name], "unexpected") for name in names]
    of_name = "propertyNames" in error.absolute_schema_path  # no argument's value, but its name
    telling = of_name or error.validator not in _SAID_BY_SCHEMA
    return [Problem(path, error.message, error.instance, "value", telling)]
