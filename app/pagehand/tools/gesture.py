"""The button that stands ready where the browser wants the person's own click.

A tool that meets such a place ends with the code `needs_user_gesture` and says in `data.ready`
what the button does; the button is drawn on the call's card and acts inside the click itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.html import a, button, div, p
from pagehand.tools.page import is_nothing
from pagehand.tools.urls import judge, policy_from

if TYPE_CHECKING:
    from pagehand.tools.page import Page


def ready_card(page: Page, call: Any, **_arguments: Any) -> Any:
    """Draws the button for a finished call that needs one; None for all others."""
    result = call.result if isinstance(call.result, dict) else {}
    data = result.get("data")
    if result.get("code") != "needs_user_gesture" or not isinstance(data, dict):
        return None
    if data.get("ready") == "window":
        return _window(page, str(data.get("url", "")))
    if data.get("ready") == "file":
        return _file(page, str(data.get("ref", "")))
    return None


def _window(page: Page, url: str) -> Any:
    import js

    from pagehand.tools.link import read_address

    parsed = read_address(url)
    known = parsed is not None and judge(
        parsed, str(js.location.origin), policy_from(page.settings.urls)
    )
    if not known or not known.allowed:
        return None
    address = str(parsed.href)
    return div(
        p(page.say("This opens in a new window:", "此内容将在新窗口打开：")),
        p(a(address, href=address, target="_blank", rel="noopener noreferrer", data_action="open")),
    )


def _file(page: Page, ref: str) -> Any:
    said = p(page.say("The field is no longer on the page.", "该字段已不在页面上。"), hidden=True)

    def choose(event: Any) -> None:
        """Runs inside the click: the browser opens its file chooser for nobody else."""
        if not event.isTrusted or page.eyes is None:
            return
        field, state = page.eyes.recall(ref, page.root, page.exclude)
        if state != "ok" or is_nothing(field) or not page.allows(field):
            said.hidden = False
            return
        field.click()

    label = page.say("Choose a file…", "选择文件…")
    return div(button(label, type="button", data_action="choose-file", on_click=choose), said)
