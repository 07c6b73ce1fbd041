"""What checks values by a JSON Schema: the jsonschema library, loaded at the first need."""

from __future__ import annotations

from typing import Any


def validator_of(schema: dict[str, Any]) -> Any:
    """The library's validator for a schema, by the draft that it names; formats count too.

    Raises:
        jsonschema.SchemaError: It is no schema of that draft.
    """
    from jsonschema.validators import (  # type: ignore[import-untyped]
        Draft202012Validator,
        validator_for,
    )

    kind = validator_for(schema, default=Draft202012Validator)
    kind.check_schema(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)
