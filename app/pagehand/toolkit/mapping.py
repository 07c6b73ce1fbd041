"""Reads the mapping form of a toolkit.

    define_toolkit({"jump-url-tool": {"type": "frontend", "parameters": ..., "render": ...}})

Entries written for other toolkits are understood where their meaning is clear,
and a note tells the author what they were taken for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.errors import ToolDefinitionError
from pagehand.toolkit.definition import DEFAULTS
from pagehand.toolkit.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Mapping

# How other toolkits write the same options.
_ALIASES = {
    "inputSchema": "parameters",
    "input_schema": "parameters",
    "schema": "parameters",
    "toModelOutput": "to_model_output",
    "providerOptions": "provider_options",
    "renderText": "render_text",
    "requiresConfirmation": "requires_confirmation",
    "riskLevel": "risk",
    "risk_level": "risk",
    "streamCall": "stream_call",
    "confirmText": "confirm_text",
    "onValidationError": "on_validation_error",
    "onSchemaValidationError": "on_validation_error",
    "experimental_onSchemaValidationError": "on_validation_error",
}


def read_entries(
    entries: Mapping[str, Mapping[str, Any] | Tool], source: str, namespace: dict[str, Any] | None
) -> tuple[list[Tool], list[str]]:
    """The tools of a mapping, and notes about how unusual entries were understood."""
    if not hasattr(entries, "items"):
        raise ToolDefinitionError(
            f"define_toolkit ({source}) takes a mapping of names to entries, "
            f"not {type(entries).__name__}"
        )
    tools: list[Tool] = []
    notes: list[str] = []
    for name, entry in entries.items():
        if isinstance(entry, Tool):
            tools.append(entry)
            continue
        if not hasattr(entry, "items"):
            raise ToolDefinitionError(
                f"tool {name!r} ({source}): an entry is a mapping with `parameters`, `execute`, "
                f"`render`..., not {type(entry).__name__}"
            )
        options = _options(entry)
        kind = _kind(name, options, source, notes)
        options.pop("type", None)
        tools.append(Tool(name, kind, source=source, namespace=namespace, **options))
    return tools, notes


def _options(entry: Mapping[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for key, value in entry.items():
        option = key if key == "type" or key in DEFAULTS else _ALIASES.get(key, key)
        options[option] = value
    return options


def _kind(name: str, options: dict[str, Any], source: str, notes: list[str]) -> str:
    stated = options.get("type")
    runs, draws = options.get("execute") is not None, options.get("render") is not None
    if stated == "frontend" and not runs and draws:
        notes.append(
            f"{name} ({source}): type 'frontend' without `execute` was taken as 'human': "
            "its `render` answers with `call.add_result(...)`"
        )
        return "human"
    if stated is not None:
        return str(stated)
    if options.get("ui") is not None:
        return "human"
    if runs:
        return "frontend"
    if draws and options.get("parameters") is not None:
        notes.append(f"{name} ({source}): without `type` and `execute`, taken as 'human'")
        return "human"
    if draws or options.get("render_text"):
        notes.append(
            f"{name} ({source}): without `type`, `execute` and `parameters`, taken as 'backend': "
            "its calls are shown, not run here"
        )
        return "backend"
    raise ToolDefinitionError(
        f"tool {name!r} ({source}): has neither `execute` nor `render`; add one, or say "
        "`type`: 'stub' when its function comes later"
    )
