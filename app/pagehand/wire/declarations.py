"""Tool declarations: what of a tool may travel, checked before it leaves and when it arrives.

A declaration is a name, a description and a JSON Schema of the arguments; never a function.
The page checks before it sends, the backend when it receives, both with this module, so a
refusal reads the same on both sides: one sentence that says what to change. Only the first
fault is reported, with at most a short piece of what was sent.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from pagehand.errors import DeclarationError
from pagehand.wire.names import RESERVED, is_name
from pagehand.wire.schema_rules import Limits, check_json, check_schema, shown

__all__ = ["Limits", "check_declarations", "read_declarations", "to_wire"]

Declarations: TypeAlias = dict[str, dict[str, Any]]
"""Name to `{"description": str, "inputSchema": JSON Schema object, "providerOptions"?: object}`."""

FIELDS = {"clientTools": "inputSchema", "tools": "parameters"}
"""The body's keys that may carry declarations, and where each keeps the schema when we write."""

BOTH_KEYS = "clientTools and tools cannot be provided at the same time"

_SCHEMA_KEYS = ("inputSchema", "parameters", "schema", "jsonSchema")
_DEFAULT_LIMITS = Limits()


def read_declarations(body: dict[str, Any], limits: Limits = _DEFAULT_LIMITS) -> Declarations:
    """Read the tools that a request declares.

    Args:
        body: The request's JSON object; `clientTools` or `tools` may be absent or null.
        limits: What is still accepted.

    Returns:
        Name to `{"description", "inputSchema"}`, in the order sent; `{}` without tools.
        `providerOptions` (provider to its options) is kept too when it was sent.
        `parameters`, `schema` and a `{jsonSchema: ...}` wrapper are folded into
        `inputSchema`; other keys of a declaration are dropped.

    Raises:
        DeclarationError: Something must not be sent like this; the text says what to change.
    """
    fields = [field for field in FIELDS if body.get(field) is not None]
    if len(fields) > 1:
        raise DeclarationError(BOTH_KEYS)
    return _read(body[fields[0]], fields[0], limits) if fields else {}


def check_declarations(declarations: Declarations, limits: Limits = _DEFAULT_LIMITS) -> None:
    """Check what the page is about to send, by the rules of `read_declarations`.

    Raises:
        DeclarationError: It would be refused.
    """
    _read(declarations, "clientTools", limits)


def to_wire(declarations: Declarations, field: str = "clientTools") -> dict[str, Any]:
    """The part of a request's body that carries the declarations.

    Args:
        declarations: Name to `{"description", "inputSchema", "providerOptions"?}`.
        field: `clientTools` (schema under `inputSchema`) or `tools` (under `parameters`).

    Raises:
        ValueError: Another field.
    """
    if field not in FIELDS:
        raise ValueError(f"tools-field must be clientTools or tools, not {field!r}")
    return {field: {name: _entry(tool, FIELDS[field]) for name, tool in declarations.items()}}


def _entry(tool: dict[str, Any], schema_key: str) -> dict[str, Any]:
    entry = {"description": tool["description"], schema_key: tool["inputSchema"]}
    if "providerOptions" in tool:
        entry["providerOptions"] = tool["providerOptions"]
    return entry


def _read(tools: object, field: str, limits: Limits) -> Declarations:
    if not isinstance(tools, dict):
        raise DeclarationError(
            f"{field} must be an object that maps each tool's name to its declaration"
        )
    if len(tools) > limits.tools:
        raise DeclarationError(
            f"{field} holds {len(tools)} tools; at most {limits.tools} may be declared"
        )
    declarations: Declarations = {}
    total = 0
    for name, tool in tools.items():
        place = f"{field}.{_check_name(name, field)}"
        declaration: dict[str, Any] = {
            "description": _description(tool, place, limits),
            "inputSchema": _schema(tool, place),
        }
        total += check_schema(declaration["inputSchema"], f"{place}: the schema", limits)
        if (options := tool.get("providerOptions")) is not None:
            declaration["providerOptions"] = options
            total += _check_options(options, f"{place}.providerOptions", limits)
        if total > limits.all_schema_bytes:
            raise DeclarationError(
                f"{field}: the schemas together are larger than {limits.all_schema_bytes:,} bytes;"
                " declare fewer or smaller tools"
            )
        declarations[name] = declaration
    return declarations


def _check_options(options: object, place: str, limits: Limits) -> int:
    if not isinstance(options, dict) or not all(isinstance(o, dict) for o in options.values()):
        raise DeclarationError(f"{place} must be an object that maps a provider to its options")
    return check_json(options, place, limits)


def _check_name(name: object, field: str) -> str:
    if not isinstance(name, str) or not is_name(name):
        raise DeclarationError(
            f"{field}: the tool name {shown(name)} must begin with a letter or _ and hold only"
            " letters, digits, _ and -, at most 63 in all"
        )
    if name in RESERVED:
        raise DeclarationError(f"{field}: the tool name {shown(name)} is reserved; choose another")
    return name


def _description(tool: object, place: str, limits: Limits) -> str:
    if not isinstance(tool, dict):
        raise DeclarationError(f"{place} must be an object with a description and an inputSchema")
    if "execute" in tool:
        raise DeclarationError(
            f"{place} must not hold execute: functions stay in the page, send only"
            " description and inputSchema"
        )
    description = tool.get("description", "")
    if not isinstance(description, str):
        raise DeclarationError(f"{place}: description must be a text")
    if len(description) > limits.description:
        raise DeclarationError(
            f"{place}: description is longer than {limits.description:,} characters; shorten it"
        )
    return description


def _schema(tool: dict[str, Any], place: str) -> dict[str, Any]:
    """The schema of a declaration, whatever key and wrapper it came in, with its `type`."""
    given = [key for key in _SCHEMA_KEYS if tool.get(key) is not None]
    schemas = [_unwrap(tool[key], f"{place}.{key}") for key in given]
    if not schemas:
        return {"type": "object", "properties": {}}
    if any(schema != schemas[0] for schema in schemas):
        raise DeclarationError(
            f"{place} holds different schemas under {' and '.join(given)}; keep only inputSchema"
        )
    schema = schemas[0]
    kind = schema.get("type", "object")
    if kind != "object":
        raise DeclarationError(
            f'{place}: arguments are an object, so the schema\'s type must be "object"'
        )
    return schema if "type" in schema else {"type": "object", **schema}


def _unwrap(schema: object, place: str) -> dict[str, Any]:
    if isinstance(schema, dict) and "jsonSchema" in schema:
        schema = schema["jsonSchema"]
    if not isinstance(schema, dict):
        raise DeclarationError(f"{place} must be a JSON Schema object")
    return schema
