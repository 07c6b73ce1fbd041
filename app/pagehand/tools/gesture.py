"""The button that stands ready where the browser wants the person's own click.

A tool that meets such a place ends with the code `needs_user_gesture` and says in `data.ready`
what the button does; the button is drawn on the call's card and acts inside the click itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js

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
    labels = {
        "file": page.say("Choose a file…", "选择文件…"),
        "press": page.say("Send the form", "提交表单"),
    }
    label = labels.get(str(data.get("ready")))
    return None if label is None else _press(page, str(data.get("ref", "")), label)


def _window(page: Page, url: str) -> Any:
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


def _press(page: Page, ref: str, label: str) -> Any:
    said = p(page.say("It is no longer on the page.", "该元素已不在页面上。"), hidden=True)

    def press(event: Any) -> None:
        """Runs inside the click: the browser opens file choosers and windows for nobody else."""
        if not event.isTrusted or page.eyes is None:
            return
        field, state = page.eyes.recall(ref, page.root)
        if state != "ok" or is_nothing(field) or not page.allows(field):
            said.hidden = False
            return
        if str(field.localName) == "form":
            js.HTMLFormElement.prototype.requestSubmit.call(field)
        else:
            field.click()

    return div(button(label, type="button", data_action="press", on_click=press), said)
