"""Tools that the host page writes in JavaScript: `element.registerTool({...})`.

The element hands over `{name, options, execute}`: `options` is JSON text, `execute` takes the
arguments as JSON text and gives a promise of JSON text, so that only plain data crosses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pyodide.ffi import JsException

from pagehand.errors import ToolDefinitionError, ToolError
from pagehand.toolkit.context import ToolContext
from pagehand.toolkit.definition import DEFAULTS
from pagehand.toolkit.tool import Tool
from pagehand.wire.jsontext import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.toolkit.toolkit import Toolkit

_NO_PARAMETERS = {"type": "object", "properties": {}}
_SOURCE = "registerTool in the page"
_FUNCTIONS = frozenset(
    {"execute", "render", "render_text", "validate", "stream_call", "to_model_output"}
)


class HostTools:
    """The tools of one page's JavaScript in one toolkit."""

    __slots__ = ("_removers", "_toolkit")

    def __init__(self, toolkit: Toolkit) -> None:
        self._toolkit = toolkit
        self._removers: dict[str, Callable[[], None]] = {}

    def add(self, entry: Any) -> None:
        """Adds what `registerTool` was given.

        Raises:
            ToolDefinitionError: It cannot work as given; the text says what to change.
            DuplicateToolError: The toolkit has a tool of that name.
        """
        tool = make_tool(entry)
        if tool.declared:
            tool.declaration()  # one that cannot travel would stop every request
        self._removers[tool.name] = self._toolkit.add(tool)

    def remove(self, name: str) -> None:
        """Takes a tool away; nothing happens when it is not there."""
        remover = self._removers.pop(name, None)
        if remover is not None:
            remover()

    def close(self) -> None:
        """Takes all of them away."""
        for name in list(self._removers):
            self.remove(name)


def make_tool(entry: Any) -> Tool:
    """A frontend tool that runs a function of the page."""
    name = str(entry.name)
    given = {_snake(key): value for key, value in loads(str(entry.options)).items()}
    given.pop("name", None)
    given.pop("type", None)
    parameters = _parameters(name, given)
    unknown = sorted(set(given) - (set(DEFAULTS) - _FUNCTIONS))
    if unknown:
        known = ", ".join(sorted(set(DEFAULTS) - _FUNCTIONS))
        raise ToolDefinitionError(
            f"registerTool: {name} has options that are not known here: {', '.join(unknown)}."
            f" Known are: {known}"
        )
    execute = entry.execute

    async def run(ctx: ToolContext, **arguments: Any) -> Any:
        try:
            return loads(str(await execute(dumps(arguments), ctx.tool_call_id)))
        except JsException as error:
            raise ToolError(_words_of(error)) from error

    return Tool(
        name,
        "frontend",
        source=_SOURCE,
        parameters=parameters,
        execute=run,
        **given,
    )


def _parameters(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of the arguments; without one the tool takes none."""
    stated = [given.pop(key, None) for key in ("parameters", "input_schema")]
    schema = stated[0] if stated[0] is not None else stated[1]
    if schema is None or schema == {}:
        return _NO_PARAMETERS
    if not isinstance(schema, dict):
        kind = "a list" if isinstance(schema, list) else f"{dumps(schema)[:40]}"
        raise ToolDefinitionError(
            f"registerTool: {name}: parameters is {kind}, but must be a JSON Schema of an object, "
            'such as {"type": "object", "properties": {"order": {"type": "string"}}}; '
            "leave it out for a tool without arguments"
        )
    return schema


def _snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", name)


def _words_of(error: Any) -> str:
    """What a thrown value says, without the stack."""
    return str(getattr(error, "message", "") or error).strip() or "The page's function failed."
