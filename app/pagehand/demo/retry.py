"""One second try: a question to a table whose column has another name.

The page's table may be in another language than the person. When the answer lists the
columns there are, the named ones are matched to them by meaning, once.
"""

from __future__ import annotations

from typing import Any

from pagehand.demo.words import STATUSES, ideas, same_meaning


def second_try(
    results: list[dict[str, Any]], messages: list[dict[str, Any]], tools: dict[str, dict[str, Any]]
) -> tuple[str, dict[str, Any]] | None:
    """The call to make again with other names, or None."""
    if len(results) != 1:
        return None
    call = results[0]
    name = str(call["type"]).removeprefix("tool-")
    columns = _columns(call)
    if not columns or name not in tools or _tries(name, messages) > 1:
        return None
    arguments = dict(call["input"])
    filters = arguments.get("filters")
    if isinstance(filters, dict):
        arguments["filters"] = {_match(key, columns): value for key, value in filters.items()}
    if isinstance(arguments.get("sortBy"), str):
        arguments["sortBy"] = _match(arguments["sortBy"], columns)
    return (name, arguments) if arguments != call["input"] else None


def _columns(call: dict[str, Any]) -> list[str]:
    output = call.get("output")
    if not isinstance(output, dict) or output.get("success") is not False:
        return []
    data = output.get("data")
    columns = data.get("columns") if isinstance(data, dict) else None
    if not isinstance(columns, list):
        return []
    return [
        c if isinstance(c, str) else str(c.get("name"))
        for c in columns
        if isinstance(c, str | dict)
    ]


def _match(name: str, columns: list[str]) -> str:
    for column in columns:
        if same_meaning(name, column):
            return column
    for column in columns:
        if ideas(name) & ideas(column):
            return column
    if name.lower() in STATUSES:
        return next((column for column in columns if "status" in ideas(column)), name)
    return name


def _tries(name: str, messages: list[dict[str, Any]]) -> int:
    """How often the tool was called since the person spoke."""
    count = 0
    for message in reversed(messages):
        if message["role"] != "assistant":
            break
        count += sum(part.get("type") == f"tool-{name}" for part in message["parts"])
    return count
