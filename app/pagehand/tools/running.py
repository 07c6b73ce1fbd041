"""Runs one built-in tool: finds its function, gives it the page, shapes its answer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import Page

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools import Settings


def _function(work: str) -> Any:
    module, _, name = work.partition(":")
    return getattr(import_module(f"pagehand.tools.{module}"), name)


def page_of(settings: Settings) -> Page:
    """The one page object that all tools of a toolkit share."""
    if settings.page is None:
        settings.page = Page(settings)
    page: Page = settings.page
    return page


async def run_tool(
    work: str, settings: Settings, ctx: ToolContext, arguments: dict[str, Any]
) -> dict[str, Any]:
    """Runs a tool. What the page cannot do comes back as a result with `success: false`."""
    page = page_of(settings)
    # Models send null for an optional argument they do not mean.
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        await page.prepare()
        outcome: Outcome = await _function(work)(page, ctx, **given)
    except TroubleError as trouble:
        outcome = trouble.outcome()
    return outcome.to_wire(page.language)


def draw_card(work: str, settings: Settings, call: Any) -> Any:
    """Draws a human tool's card from the arguments known so far."""
    arguments = call.args if isinstance(call.args, dict) else {}
    given = {name: value for name, value in arguments.items() if value is not None}
    return _function(work)(page_of(settings), call, **given)
