"""The page's tools for one run of a Pydantic AI agent: offered beside its own, never run here.

They stand around all toolsets the agent has, wherever it has them from, so that a page can
neither replace one of its tools nor break a run with a name that is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_ai import CallDeferred, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, ModelRetry
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
from pydantic_core import SchemaValidator, core_schema

from backend.models.port import Declaration

_ANYTHING = SchemaValidator(schema=core_schema.any_schema())
_RETRIES = 100
"""Of a page's tool; the backend's own limit comes first."""


class Page:
    """What one run knows of the page's tools.

    Args:
        declared: The page's declarations.
        approve_tools: Names of those whose calls a person must approve.
    """

    def __init__(self, declared: dict[str, Declaration], approve_tools: tuple[str, ...]) -> None:
        self.declared = declared
        self.approve_tools = approve_tools
        self.tools: dict[str, Declaration] = {}
        """Everything the model may call, the agent's own with a schema that takes anything."""
        self.faulty: Mapping[str, str] = {}
        """What is wrong with calls of this step, by their ids."""
        self.approved: set[str] = set()
        """Ids of the calls whose approval came with this request."""


@dataclass
class PageCapability(AbstractCapability[Any]):
    """Puts the page's tools around all that the agent has, wherever it has it from."""

    page: Page

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """The agent's toolset with the page's tools beside it."""
        return _PageTools(toolset, self.page)


@dataclass
class _PageTool(ToolsetTool[Any]):
    """A tool whose calls are the page's to make."""


@dataclass
class _PageTools(WrapperToolset[Any]):
    """The agent's own tools and, under other names, the page's."""

    page: Page

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """All tools; a name the agent has itself hides the page's."""
        own = await self.wrapped.get_tools(ctx)
        beside = {n: t for n, t in self.page.declared.items() if n not in own}
        anything: Declaration = {"description": "", "inputSchema": {}}
        self.page.tools.clear()
        self.page.tools.update(beside, **dict.fromkeys(own, anything))
        return {**own, **{name: self._tool(name, tool) for name, tool in beside.items()}}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Leave a page's call to the page, or to a person first, or to the model once more."""
        if not isinstance(tool, _PageTool):
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)
        if fault := self.page.faulty.get(ctx.tool_call_id or ""):
            raise ModelRetry(fault)
        if name in self.page.approve_tools and not ctx.tool_call_approved:
            raise ApprovalRequired
        raise CallDeferred

    def _tool(self, name: str, tool: Declaration) -> _PageTool:
        definition = ToolDefinition(
            name=name,
            description=tool["description"],
            parameters_json_schema=tool["inputSchema"],
            strict=False,  # strict would rewrite the schema the page declared
        )
        return _PageTool(
            toolset=self, tool_def=definition, max_retries=_RETRIES, args_validator=_ANYTHING
        )
