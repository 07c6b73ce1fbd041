"""Putting an assistant into a page: the two doors.

    from pagehand import Toolkit, mount

    mount("#assistant", toolkit, endpoint="/chat")

`mount` is for a page that brings its own Python; `start_element` is what `<page-hand>` calls
when it started Python itself.
"""

from __future__ import annotations

import asyncio
import traceback
from typing import TYPE_CHECKING, Any

import js

from pagehand.browser.element import Shell
from pagehand.browser.tongue import apart
from pagehand.errors import PageError
from pagehand.ui.assistant import Assistant
from pagehand.wire.jsontext import dumps

if TYPE_CHECKING:
    from pagehand.toolkit.toolkit import Toolkit

_ATTRIBUTES = (
    "endpoint",
    "protocol",
    "tools_field",
    "fallback",
    "lang",
    "theme",
    "mode",
    "thread",
    "suggestions",
)


def mount(target: Any, toolkit: Toolkit | None = None, **options: Any) -> Assistant:
    """Puts an assistant into an element of the page.

    Args:
        target: A `<page-hand runtime="page">`, any other element to put one into, or a selector.
        toolkit: The tools; without it the built-in page tools.
        options: Attributes of `<page-hand>` (`endpoint`, `protocol`, `tools_field`, `fallback`,
            `lang`, `theme`, `mode`, `thread`, and `suggestions`: a list of texts, or a mapping of
            languages to such lists), or arguments of `Assistant` (`headers`, `credentials`).

    Raises:
        PageError: No such element, pagehand.js is missing, or something is mounted there already.
    """
    element = _page_hand(_find(target))
    for name in _ATTRIBUTES:
        value = options.pop(name, None)
        if value is not None:
            text = dumps(value) if name == "suggestions" else str(value)
            element.setAttribute(name.replace("_", "-"), text)
    return _begin(_shell_of(element), toolkit, **options)


def start_element(shell: Any) -> None:
    """The element's own door: `shell` is its JavaScript shell."""
    _begin(shell, None)


def _begin(shell: Any, toolkit: Toolkit | None, **options: Any) -> Assistant:
    _watch_loop()

    def start() -> Assistant:
        assistant = Assistant(Shell(shell), toolkit, **options)
        assistant.spawn(assistant.start())
        return assistant

    assistant: Assistant = apart(start)
    return assistant


def _find(target: Any) -> Any:
    if not isinstance(target, str):
        return target
    found = js.document.querySelector(target)
    if not found:
        raise PageError(
            f"mount: nothing in the page matches {target!r}. Put the element before the script,"
            " or correct the selector."
        )
    return found


def _page_hand(element: Any) -> Any:
    """The `<page-hand>` itself, or a new one inside another element."""
    if str(element.localName) == "page-hand":
        return element
    made = js.document.createElement("page-hand")
    made.setAttribute("runtime", "page")
    element.append(made)
    return made


def _shell_of(element: Any) -> Any:
    try:
        import pagehand_shell
    except ImportError:
        shell = None
    else:
        shell = pagehand_shell.shellOf(element)
    if shell is None:
        raise PageError(
            "mount: <page-hand> is not defined. Load it in the page's head:"
            ' <script type="module" src="./static/pagehand.js"></script>'
        )
    return shell


def _watch_loop() -> None:
    """Errors of tasks that nobody awaits go to the console with their traceback."""
    asyncio.get_event_loop().set_exception_handler(_loop_error)


def _loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if error is None:
        js.console.error(str(context.get("message", "an error without a name")))
        return
    js.console.error("".join(traceback.format_exception(error)))
