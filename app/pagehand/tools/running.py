"""Runs one built-in tool: finds its function, gives it the page, shapes its answer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pagehand.errors import ToolError
from pagehand.tools.outcome import Outcome, TroubleError, denied
from pagehand.tools.page import Page
from pagehand.wire.jsontext import dumps

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
    name: str,
    work: str,
    ask: str | None,
    settings: Settings,
    ctx: ToolContext,
    arguments: dict[str, Any],
) -> dict[str, Any]:
    """Runs a tool. What the page cannot do comes back as a result with `success: false`."""
    page = page_of(settings)
    given = _given(arguments)
    try:
        await page.prepare()
        if ask:
            await _ask_again(page, name, ask, ctx, given)
        outcome: Outcome = await _function(work)(page, ctx, **given)
    except TroubleError as trouble:
        outcome = trouble.outcome()
    return outcome.to_wire(page.language)


async def look_first(
    ask: str, settings: Settings, arguments: dict[str, Any], *, always_asked: bool
) -> None:
    """Gets the page ready, so that the question can tell what the call would do.

    Raises:
        ToolError: For a call that is always asked about and that the tool would refuse anyway:
            nobody shall be asked in vain.
    """
    page = page_of(settings)
    await page.prepare()
    if not always_asked:
        return
    try:
        _function(ask)(page, **_given(arguments))
    except TroubleError as trouble:
        more = f" {dumps(trouble.data)}" if trouble.data else ""
        raise ToolError(page.say(trouble.en, trouble.zh) + more) from trouble


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that were meant: models send null for an optional one they do not mean."""
    return {name: value for name, value in arguments.items() if value is not None}


def _key(name: str, arguments: dict[str, Any]) -> str:
    return f"{name} {dumps(arguments)}"


def question(name: str, ask: str, settings: Settings, arguments: dict[str, Any]) -> str:
    """What to ask the person before this call, or "" when nothing needs asking.

    Kept, so that the tool can see later whether the page still is what was asked about.
    """
    page = page_of(settings)
    given = _given(arguments)
    text = _question(page, ask, given)
    page.asked[_key(name, given)] = text
    return text


def _question(page: Page, ask: str, given: dict[str, Any]) -> str:
    try:
        text: str = _function(ask)(page, **given)
    except TroubleError:
        return ""  # the tool itself will say what is wrong
    return text


async def _ask_again(
    page: Page, name: str, ask: str, ctx: ToolContext, given: dict[str, Any]
) -> None:
    """The page may have changed since the question: what is another matter now is asked anew."""
    asked = page.asked.pop(_key(name, given), None)
    if asked is None:
        return  # a rule of the host let it through
    now = _question(page, ask, given)
    if now and now != asked and not await ctx.confirm(now):
        raise denied()


def draw_card(work: str, settings: Settings, call: Any) -> Any:
    """Draws a human tool's card from the arguments known so far."""
    given = _given(call.args if isinstance(call.args, dict) else {})
    return _function(work)(page_of(settings), call, **given)
