"""The built-in page tools, as a Toolkit.

    from pagehand import Toolkit
    from pagehand.tools import page_tools

    toolkit = Toolkit(page_tools(categories=["data", "form"], storage=["draft.*"]))

Here is only what the page needs at its start: names, descriptions and schemas
(`catalogue.py`). What a tool does is loaded when it first runs, from the module
of its category: `see`, `act`, `form`, `move`, `data`, `storage`, `device`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.toolkit.toolkit import Toolkit
from pagehand.tools.catalogue import CATEGORIES, TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pagehand.toolkit.context import ToolContext

__all__ = ["CATEGORIES", "page_tools"]


class Settings:
    """What the integrator chose; see `page_tools`."""

    __slots__ = ("exclude", "page", "root", "storage", "urls")

    def __init__(self, root: str | None, exclude: Iterable[str], storage: Any, urls: Any) -> None:
        self.root = root
        self.exclude = tuple(exclude)
        self.storage = storage
        self.urls = urls
        self.page: Any = None


def page_tools(
    categories: Iterable[str] | None = None,
    *,
    without: Iterable[str] = (),
    root: str | None = None,
    exclude: Iterable[str] = (),
    storage: Any = None,
    urls: Any = None,
) -> Toolkit:
    """Makes the built-in tools.

    Args:
        categories: Some of `CATEGORIES`; None for all.
        without: Names of single tools to leave out.
        root: A CSS selector: the tools see and touch only what is inside it.
        exclude: CSS selectors of parts the tools must not see.
        storage: Keys that need no question, with `*` at the end for a prefix; None: every read
            and write asks; False: no storage tools.
        urls: "same-origin", or a list of origins that may be opened beside this one; None: any
            http(s) address, after a question.

    Returns:
        A toolkit to combine with one's own. The assistant itself is always out of reach.

    Raises:
        ValueError: For a category or tool that does not exist.
    """
    chosen = list(CATEGORIES) if categories is None else list(categories)
    left_out = set(without)
    _check_names("category", chosen, CATEGORIES)
    _check_names("tool", left_out, [entry[0] for entry in TOOLS])
    settings = Settings(root, exclude, storage, urls)
    toolkit = Toolkit()
    for name, category, risk, work, description, schema, options in TOOLS:
        if category not in chosen or name in left_out:
            continue
        if category == "storage" and storage is False:
            continue
        made = {
            "description": description,
            "category": category,
            "risk": risk,
            "parameters": schema,
        }
        if options.get("card"):
            check = _check(settings) if "url" in schema["properties"] else None
            toolkit.human(name, **made, validate=check)(_card(work, settings))
            continue
        given = {key: value for key, value in options.items() if key != "ask"}
        ask = options.get("ask")
        given |= _asking(name, ask, risk, settings) if ask else {}
        toolkit.tool(name, **made, **given)(_runner(name, work, ask, settings))
    return toolkit


def _check_names(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    names = list(known)
    for name in given:
        if name not in names:
            raise ValueError(f"page_tools knows no {what} {name!r}; there are {', '.join(names)}")


def _runner(name: str, work: str, ask: str | None, settings: Settings) -> Callable[..., Any]:
    """The function of one tool: loads what it needs, runs it, shapes the result."""

    async def run(ctx: ToolContext, **arguments: Any) -> dict[str, Any]:
        from pagehand.tools.running import run_tool

        return await run_tool(name, work, ask, settings, ctx, arguments)

    return run


def _asking(name: str, ask: str, risk: str, settings: Settings) -> dict[str, Callable[..., Any]]:
    """Whether and what the person is asked, decided for each call on what it would really do."""

    async def validate(**arguments: Any) -> None:
        from pagehand.tools.running import look_first

        await look_first(ask, settings, arguments, always_asked=risk == "dangerous")

    def requires_confirmation(**arguments: Any) -> bool:
        from pagehand.tools.running import question

        return bool(question(name, ask, settings, arguments))

    def confirm_text(**arguments: Any) -> str:
        from pagehand.tools.running import question

        return question(name, ask, settings, arguments) or name

    return {
        "validate": validate,
        "requires_confirmation": requires_confirmation,
        "confirm_text": confirm_text,
    }


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
