"""The pieces of which the tools' schemas are made. Data only."""

from __future__ import annotations

from typing import Any

OPERATORS = ("eq", "ne", "lt", "le", "gt", "ge", "between", "contains", "starts", "in", "empty")

Schema = dict[str, Any]
Entry = tuple[str, str, str, str, str, Schema, dict[str, Any]]


def object_(required: str = "", /, **properties: Schema) -> Schema:
    """An object schema; `required` names what must be there, separated by spaces."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def text_(description: str, **more: Any) -> Schema:
    """A text."""
    return {"type": "string", "description": description, **more}


def flag(description: str) -> Schema:
    """Yes or no."""
    return {"type": "boolean", "description": description}


def count(description: str, low: int, high: int) -> Schema:
    """A whole number between two, both included."""
    return {"type": "integer", "description": description, "minimum": low, "maximum": high}


def list_(description: str, items: Schema, **more: Any) -> Schema:
    """A list."""
    return {"type": "array", "description": description, "items": items, **more}


TARGET = (
    "The element: a reference from read_page such as e12, or its label or visible name, "
    "or its name or id, or css=SELECTOR"
)
VALUE: Schema = {
    "description": "Text, number, true or false for a checkbox, a list for several; "
    "dates as YYYY-MM-DD, times as HH:MM",
    "anyOf": [
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "string"}},
    ],
}
STORAGE_TYPE = text_("Which storage", enum=["localStorage", "sessionStorage"])

READ = {"eager": False, "idempotent": True}
# Tools of other categories than form, navigation and ui that move the page all the same.
ONE_BY_ONE = {"concurrency": "page"}
# What draws the button that stands ready where the browser wants the person's own click.
DRAW = "gesture:ready_card"
