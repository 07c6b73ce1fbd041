"""The built-in page tools, as a Toolkit.

    from pagehand import Toolkit
    from pagehand.tools import page_tools

    toolkit = Toolkit(page_tools(categories=["data", "form"], storage=["draft.*"]))

Here is only what the page needs at its start: names, descriptions and schemas
(`catalogue.py`). What a tool does is loaded when it first runs, from the module
that its entry names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.toolkit.toolkit import Toolkit
from pagehand.tools.catalogue import CATEGORIES, OURS, TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.catalogue import Entry

__all__ = ["CATEGORIES", "page_tools"]


class Settings:
    """What the integrator chose; see `page_tools`."""

    __slots__ = (
        "budget",
        "cookies",
        "exclude",
        "include",
        "javascript",
        "page",
        "root",
        "router",
        "storage",
        "urls",
        "wary",
    )

    def __init__(
        self,
        *,
        root: str | None,
        include: tuple[str, ...],
        exclude: tuple[str, ...],
        storage: Any,
        urls: Any,
        cookies: tuple[str, ...],
        javascript: bool,
        router: Any,
        wary: bool,
        budget: dict[str, int],
    ) -> None:
        self.root = root
        self.include = include
        self.exclude = exclude
        self.storage = storage
        self.urls = urls
        self.cookies = cookies
        self.javascript = javascript
        self.router = router
        self.wary = wary
        self.budget = budget
        self.page: Any = None


def page_tools(
    categories: Iterable[str] | None = None,
    *,
    without: Iterable[str] = (),
    root: str | None = None,
    include: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] = (),
    storage: Any = None,
    urls: Any = None,
    cookies: Iterable[str] = (),
    javascript: bool = False,
    router: Any = None,
    ask_after_reading: bool = True,
    budget: Mapping[str, int] | None = None,
) -> Toolkit:
    """Makes the built-in tools.

    Args:
        categories: Some of `CATEGORIES`; None for all.
        without: Names of single tools to leave out.
        root: A CSS selector: the tools see and touch only what is inside it.
        include: CSS selectors of the regions that the tools may see and touch, of the root where
            there is one; None for all of it. Nothing else of the page is told: no names, no
            texts, not its title, not what its dialogs say.
        exclude: CSS selectors of parts the tools must not see, also inside of a region.
        storage: Keys that need no question, with `*` at the end for a prefix; None: every read
            and write asks; False: no storage tools.
        urls: "same-origin", or a list of origins that may be opened beside this one; None: any
            http(s) address, after a question.
        cookies: Names of cookies that may be read, with `*` at the end for a prefix; without
            any there is no tool for cookies.
        javascript: Whether the model may run JavaScript in the page, each time after a question.
        router: How `navigate_to` changes the place without a load: a function that takes the
            path (it may be awaited), or "history" for routers that listen to `popstate`; without
            it the page's own links are taken.
        ask_after_reading: Once the model has read text of the page, ask before the next call
            that weighs something, even where a rule or an earlier yes lets it through.
        budget: What the tools may use between two messages of the person: `calls` (default
            200) and `characters` of results (default 400,000).

    Returns:
        A toolkit to combine with one's own. The assistant itself is always out of reach.

    Raises:
        ValueError: For a category, tool or budget that does not exist, a selector that is none,
            and for an `include` without any selector.
    """
    chosen = list(CATEGORIES) if categories is None else list(categories)
    left_out = set(without)
    _check_names("category", chosen, CATEGORIES)
    _check_names("tool", left_out, [entry[0] for entry in TOOLS])
    _check_names("budget", budget or (), ("calls", "characters"))
    settings = Settings(
        root=root,
        include=_selectors("include", include) if include is not None else (),
        exclude=_selectors("exclude", exclude) if exclude else (),
        storage=storage,
        urls=urls,
        cookies=tuple(cookies),
        javascript=javascript,
        router=router,
        wary=ask_after_reading,
        budget=dict(budget or {}),
    )
    if root:
        _selectors("root", root)
    toolkit = Toolkit()
    for entry in TOOLS:
        name, category, options = entry[0], entry[1], entry[6]
        if category not in chosen or name in left_out:
            continue
        if category == "storage" and storage is False:
            continue
        if "gate" in options and not getattr(settings, options["gate"]):
            continue
        _add(toolkit, entry, settings)
    return toolkit


def _add(toolkit: Toolkit, entry: Entry, settings: Settings) -> None:
    name, category, risk, work, description, schema, options = entry
    made: dict[str, Any] = {
        "description": description,
        "category": category,
        "risk": risk,
        "parameters": schema,
    }
    if options.get("card"):
        check = _check(settings) if "url" in schema["properties"] else None
        toolkit.human(name, **made, validate=check)(_card(work, settings))
        return
    made |= {key: value for key, value in options.items() if key not in OURS}
    if "ask" in options:
        made |= _asking(name, options, risk, settings)
    if "rate" in options:
        made["risk"] = _rating(options["rate"], risk, settings)
    if "draw" in options:
        made["render"] = _card(options["draw"], settings)
    toolkit.tool(name, **made)(_runner(name, work, options, settings))


def _selectors(what: str, given: str | Iterable[str]) -> tuple[str, ...]:
    from pagehand.tools.selectors import read_selectors

    return read_selectors(what, given)


def _check_names(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    names = list(known)
    for name in given:
        if name not in names:
            raise ValueError(f"page_tools knows no {what} {name!r}; there are {', '.join(names)}")


def _runner(
    name: str, work: str, options: dict[str, Any], settings: Settings
) -> Callable[..., Any]:
    """The function of one tool: loads what it needs, runs it, shapes the result."""

    async def run(ctx: ToolContext, **arguments: Any) -> dict[str, Any]:
        from pagehand.tools.running import run_tool

        return await run_tool(name, work, options, settings, ctx, arguments)

    return run


def _asking(
    name: str, options: dict[str, Any], risk: str, settings: Settings
) -> dict[str, Callable[..., Any]]:
    """Whether and what the person is asked, decided for each call on what it would really do."""
    ask = options["ask"]

    async def validate(**arguments: Any) -> None:
        from pagehand.tools.running import look_first

        await look_first(options, settings, arguments, always_asked=risk == "dangerous")

    def requires_confirmation(**arguments: Any) -> bool:
        from pagehand.tools.running import question

        return bool(question(name, ask, settings, arguments))

    def confirm_text(**arguments: Any) -> str:
        from pagehand.tools.running import question

        return question(name, ask, settings, arguments, shown=True) or name

    return {
        "validate": validate,
        "requires_confirmation": requires_confirmation,
        "confirm_text": confirm_text,
    }


def _rating(rate: str, otherwise: str, settings: Settings) -> Callable[..., str]:
    """The risk of one call, decided on what it would really do."""

    def risk_of_call(**arguments: Any) -> str:
        if settings.page is None:
            return otherwise  # nothing was looked at yet
        from pagehand.tools.running import risk

        return risk(rate, settings, arguments, otherwise)

    return risk_of_call


def _card(work: str, settings: Settings) -> Callable[..., Any]:
    """The function that draws one human tool's card, also while its arguments arrive."""

    def draw(call: Any) -> Any:
        from pagehand.tools.running import draw_card

        return draw_card(work, settings, call)

    return draw


def _check(settings: Settings) -> Callable[..., None]:
    """What looks at an address before its card is shown."""

    def check(url: str) -> None:
        from pagehand.tools.link import check_address
        from pagehand.tools.urls import policy_from

        check_address(url, policy_from(settings.urls))

    return check
