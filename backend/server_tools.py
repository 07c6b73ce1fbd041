"""Tools that run here, beside the ones that run in the page.

    async def stock(sku: str) -> dict: ...

    tools = [ServerTool("stock", "How many of an article are in store.", schema, stock)]
    app = create_app(settings, server_tools=tools)

A server tool's name hides a page's tool of the same name: what the integrator runs here
cannot be replaced from outside.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from backend.logs import masked
from pagehand.errors import ToolError
from pagehand.wire.chunks import ToolOutputAvailable, ToolOutputError
from pagehand.wire.jsontext import dumps


class ServerTool:
    """One tool that runs here.

    Args:
        name: As for any tool: letters, digits, `_` and `-`, at most 63.
        description: For the model.
        schema: JSON Schema object of the arguments.
        run: Function or coroutine function, called with the arguments by name; returns a
            JSON value. `ToolError(text)` tells the model; any other exception is logged and
            masked.
        needs_approval: Whether a person must agree first: True, False, or a function of the
            arguments.
        timeout: Seconds it may run.
    """

    def __init__(
        self,
        name: str,
        description: str,
        schema: dict[str, Any],
        run: Callable[..., Any],
        *,
        needs_approval: bool | Callable[[dict[str, Any]], bool] = False,
        timeout: float = 20.0,
    ) -> None:
        self.name = name
        self.declaration = {"description": description, "inputSchema": schema}
        self._run = run
        self._needs_approval = needs_approval
        self._timeout = timeout

    def needs_approval(self, arguments: dict[str, Any]) -> bool:
        """Whether a person must agree to this call."""
        rule = self._needs_approval
        return rule(arguments) if callable(rule) else rule

    async def call(
        self, call_id: str, arguments: dict[str, Any]
    ) -> ToolOutputAvailable | ToolOutputError:
        """Run it; whatever happens is an outcome the model can read."""
        try:
            async with asyncio.timeout(self._timeout):
                value = self._run(**arguments)
                if inspect.isawaitable(value):
                    value = await value
            dumps(value, "result")
            return ToolOutputAvailable(call_id, value)
        except TimeoutError:
            return ToolOutputError(call_id, f"The tool took longer than {self._timeout:g} seconds.")
        except ToolError as error:
            return ToolOutputError(call_id, str(error))
        except Exception as error:  # noqa: BLE001  # the integrator's code may raise anything
            return ToolOutputError(call_id, masked(error))


def by_name(tools: Iterable[ServerTool]) -> Mapping[str, ServerTool]:
    """The tools by name.

    Raises:
        ValueError: A name twice.
    """
    named: dict[str, ServerTool] = {}
    for tool in tools:
        if tool.name in named:
            raise ValueError(f"two server tools are named {tool.name}")
        named[tool.name] = tool
    return named
