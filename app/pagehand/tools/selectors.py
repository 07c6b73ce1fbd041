"""The selectors by which a site says what tools may see.

    read_selectors("include", "#orders")             # ("#orders",)
    read_selectors("exclude", [".private", "nav"])   # (".private", "nav")

Whether a text is a CSS selector only a browser knows; elsewhere it is taken as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def read_selectors(what: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """One selector or several, checked.

    Args:
        what: The argument's name, for the error.
        given: What stands in it.

    Raises:
        ValueError: For what is no selector, naming it; for a list that holds none.
    """
    every = (given,) if isinstance(given, str) else tuple(given)
    if not every:
        raise ValueError(
            f"page_tools({what}=...) names no selector: leave it out, or name at least one"
        )
    for one in every:
        if not isinstance(one, str) or not one.strip():
            raise ValueError(
                f"page_tools({what}=...) takes a CSS selector or a list of them, not {one!r}"
            )
        trouble = _complaint(one)
        if trouble:
            raise ValueError(f"page_tools({what}=...): {one!r} is no CSS selector: {trouble}")
    return every


def _complaint(selector: str) -> str:
    """What the browser has against a selector; "" where it takes it, or where there is none."""
    try:
        import js
        from pyodide.ffi import JsException
    except ModuleNotFoundError:
        return ""
    if not hasattr(getattr(js, "document", None), "createDocumentFragment"):
        return ""
    try:
        js.document.createDocumentFragment().querySelector(selector)
    except JsException as error:
        return str(getattr(error, "message", "") or error)
    return ""
