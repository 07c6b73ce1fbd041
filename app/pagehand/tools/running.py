"""Runs one built-in tool: finds its function, gives it the page, shapes its answer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pagehand.errors import ToolError
from pagehand.tools.outcome import Outcome, TroubleError, denied
from pagehand.tools.page import Page, Question
from pagehand.tools.secrets import mask_texts
from pagehand.wire.jsontext import dumps

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools import Settings
    from pagehand.tools.effect import Watch


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
    options: dict[str, Any],
    settings: Settings,
    ctx: ToolContext,
    arguments: dict[str, Any],
) -> dict[str, Any]:
    """Runs a tool. What the page cannot do comes back as a result with `success: false`."""
    page = page_of(settings)
    given = _given(arguments)
    ask = options.get("ask")
    try:
        await page.prepare()
        page.budget.take(ctx.turn)
        if ask:
            await _ask_again(page, name, ask, ctx, given)
        if options.get("acts"):
            outcome = await _watched(page, name, work, options, ctx, given)
        else:
            outcome = await _function(work)(page, ctx, **given)
    except TroubleError as trouble:
        outcome = trouble.outcome()
    # Whatever a tool tells of the page: a caption, a name, an address may hold a secret too. Keys
    # are columns and cookies of the page as well, and are masked with the rest.
    wire: dict[str, Any] = mask_texts(outcome.to_wire(page.language))
    data = wire.get("data")
    page.read |= isinstance(data, dict) and data.get("untrusted") is True
    page.budget.spend(len(dumps(wire)))
    return wire


async def _watched(
    page: Page,
    name: str,
    work: str,
    options: dict[str, Any],
    ctx: ToolContext,
    given: dict[str, Any],
) -> Outcome:
    """Runs a tool that acts: dialogs are kept from answering themselves, effects are told."""
    from pagehand.browser.leaving import Leaving
    from pagehand.tools.effect import Watch

    compares = options["acts"] == "compared"
    page.leaving = Leaving(ctx.tool_call_id, name, parts=bool(page.settings.include))
    try:
        with Watch(page, compares=compares) as watch:
            outcome: Outcome = await _function(work)(page, ctx, **given)
            if compares:
                await watch.settled()
            return _told(outcome, watch, compares=compares)
    finally:
        page.leaving.stayed()
        page.leaving = None


def _told(outcome: Outcome, watch: Watch, *, compares: bool) -> Outcome:
    """The outcome with what happened meanwhile."""
    effect = watch.effect()
    data = outcome.data if isinstance(outcome.data, dict) else {}
    if effect or compares:
        # What changed is the page's own text.
        outcome.data = {**data, **effect, "untrusted": True}
    if not outcome.success or outcome.code != "ok":
        return outcome
    if watch.windows:
        from pagehand.tools.weight import new_window

        trouble = new_window(watch.windows[0])
        return Outcome(
            trouble.en, trouble.zh, data={**outcome.data, **trouble.data}, code="needs_user_gesture"
        )
    if any(dialog["kind"] != "alert" for dialog in watch.dialogs):
        return _but(
            outcome,
            "the page asked a question, which was answered with no",
            "页面弹出询问，已按“否”处理",
            "dialog_declined",
            success=False,
        )
    if watch.invalid:
        said = "; ".join(f"{one['field']}: {one['message']}" for one in watch.invalid)
        return _but(
            outcome,
            f"the form is not complete: {said}",
            f"表单尚未填写完整：{said}",
            "invalid_form",
            success=False,
        )
    if compares and not effect.keys() - {"focus"}:
        return _but(outcome, "nothing visible changed", "页面没有可见变化", "no_observable_change")
    return outcome


def _but(outcome: Outcome, en: str, zh: str, code: str, *, success: bool = True) -> Outcome:
    return Outcome(
        f"{outcome.en.rstrip('.')}; {en.rstrip('.')}.",
        f"{outcome.zh.rstrip('。')}；{zh.rstrip('。')}。",
        data=outcome.data,
        code=code,
        success=success,
    )


async def look_first(
    options: dict[str, Any], settings: Settings, arguments: dict[str, Any], *, always_asked: bool
) -> None:
    """Gets the page ready, so that the question can tell what the call would do.

    Raises:
        ToolError: For a call that is always asked about and that the tool would refuse anyway:
            nobody shall be asked in vain.
    """
    page = page_of(settings)
    await page.prepare()
    if "first" in options:
        await _function(options["first"])(page, **_given(arguments))
    if not always_asked:
        return
    try:
        _function(options["ask"])(page, **_given(arguments))
    except TroubleError as trouble:
        more = f" {dumps(trouble.data)}" if trouble.data else ""
        raise ToolError(page.say(trouble.en, trouble.zh) + more) from trouble


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that were meant: models send null for an optional one they do not mean."""
    return {name: value for name, value in arguments.items() if value is not None}


def _key(name: str, arguments: dict[str, Any]) -> str:
    return f"{name} {dumps(arguments)}"


def question(
    name: str, ask: str, settings: Settings, arguments: dict[str, Any], *, shown: bool = False
) -> str:
    """What to ask the person before this call, or "" when nothing needs asking.

    Kept, so that the tool can see later whether the page still is what was asked about.

    Args:
        name: The tool.
        ask: The function that makes its question.
        settings: Of the toolkit.
        arguments: Of the call.
        shown: Whether the person really sees it: the call runs only if they grant it.
    """
    page = page_of(settings)
    given = _given(arguments)
    asked = _question(page, ask, given)
    page.asked[_key(name, given)] = asked
    if shown:
        page.granted.add(_key(name, given))
    return asked.text


def risk(rate: str, settings: Settings, arguments: dict[str, Any], otherwise: str) -> str:
    """The risk of one call, from its arguments and what they lead to on the page now."""
    page = page_of(settings)
    if page.eyes is None:
        return otherwise
    try:
        return str(_function(rate)(page, **_given(arguments)))
    except TroubleError:
        return otherwise  # the tool itself will say what is wrong


def _question(page: Page, ask: str, given: dict[str, Any]) -> Question:
    page.trail = []
    try:
        text: str = _function(ask)(page, **given)
        return Question(text, tuple(page.trail))
    except TroubleError:
        return Question("", ())  # the tool itself will say what is wrong
    finally:
        page.trail = None


async def _ask_again(
    page: Page, name: str, ask: str, ctx: ToolContext, given: dict[str, Any]
) -> None:
    """Asks where the yes of before does not cover what the call would do now.

    The page may have changed since the question; and what a rule of the host or an earlier "do
    not ask again" let through is asked about all the same once the model has read text of the
    page, which may have talked it into the call.
    """
    key = _key(name, given)
    asked = page.asked.pop(key, None)
    granted = key in page.granted
    page.granted.discard(key)
    now = _question(page, ask, given)
    if not now.text:
        return
    why = ""
    if not granted and page.read and page.settings.wary:
        why = page.say(
            "\nAsked because the assistant has read text of the page since you last agreed.",
            "\n助手在您上次同意之后读取过页面内容，因此再次询问。",
        )
    elif asked is None or asked == now:
        page.read &= not granted
        return
    if not await ctx.confirm(now.text + why):
        raise denied()
    page.read = False
    if _question(page, ask, given) != now:
        raise TroubleError(
            "changed_meanwhile",
            "The page changed while the person was asked; nothing was done. Look again.",
            "询问期间页面发生了变化，未执行任何操作；请重新查看页面。",
        )


def draw_card(work: str, settings: Settings, call: Any) -> Any:
    """Draws a human tool's card from the arguments known so far."""
    given = _given(call.args if isinstance(call.args, dict) else {})
    return _function(work)(page_of(settings), call, **given)
