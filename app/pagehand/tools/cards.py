"""Cards for what takes the person's own click: save a file, give the clipboard, be notified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException

from pagehand.html import button, code, div, p
from pagehand.tools.filenames import file_name, preview, type_of
from pagehand.tools.link import ASKS, keep, shaped
from pagehand.tools.outcome import TroubleError
from pagehand.tools.page import js_message, prop
from pagehand.tools.secrets import mask_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.tools.page import Page

_MOST_PASTED = 20_000
_LATER_MS = 60_000  # the browser reads a saved file after the click
_PLAIN = {"white-space": "pre-wrap", "overflow-wrap": "anywhere"}


def download_card(page: Page, call: Any, name: str = "", text: str = "") -> Any:
    """The built-in `download_file`: a text, saved under a name."""
    if call.state == "input-streaming" or call.state not in ASKS:
        return p(name)
    try:
        plain = file_name(name)
    except TroubleError as trouble:
        return _refused(page, call, trouble)
    size = f"{len(text.encode()):,} B"

    def save() -> None:
        _save(plain, text)
        data = {"name": plain, "characters": len(text)}
        call.add_result(shaped(f"Saved {plain}.", f"已保存 {plain}。", data))

    return div(
        p(page.say(f"Save {plain} ({size})?", f"保存 {plain}（{size}）？")),
        p(code(preview(text)), style=_PLAIN),
        _choice(page, call, ("Save", "保存"), save),
    )


def _save(name: str, text: str) -> None:
    """Runs inside the click."""
    parts = js.Array.new()
    parts.push(text)
    options = js.Object.new()
    options.type = type_of(name)
    address = js.URL.createObjectURL(js.Blob.new(parts, options))
    link = js.document.createElement("a")
    link.href = address
    link.download = name
    link.click()
    js.setTimeout(js.URL.revokeObjectURL, _LATER_MS, address)


def paste_card(page: Page, call: Any, reason: str = "") -> Any:
    """The built-in `read_clipboard`: the person gives what they copied."""
    if call.state not in ASKS:
        return p(page.say("The clipboard", "剪贴板"))
    failed = _complaint(page)

    def give() -> None:
        clipboard = prop(js.navigator, "clipboard")
        if not clipboard or not prop(clipboard, "readText"):
            failed.hidden = False
            return
        # Asked for inside the click; only what comes of it is awaited.
        keep(_pasted(page, call, clipboard.readText(), failed))

    question = page.say(
        "Give the assistant the text of your clipboard?", "将剪贴板中的文字提供给助手？"
    )
    return div(
        p(question),
        p(reason) if reason else None,
        failed,
        _choice(page, call, ("Give", "提供"), give),
    )


async def _pasted(page: Page, call: Any, promise: Any, failed: Any) -> None:
    try:
        text = str(await promise)
    except JsException:
        failed.hidden = False
        return
    page.read = True
    shown = mask_text(text[:_MOST_PASTED])
    more: dict[str, Any] = {"masked": True} if shown != text[:_MOST_PASTED] else {}
    if len(text) > _MOST_PASTED:
        more |= {"truncated": True, "characters": len(text)}
    count = len(text)
    en, zh = f"The person gave {count} characters.", f"用户提供了 {count} 个字符。"
    call.add_result(shaped(en, zh, {"text": shown, **more, "untrusted": True}))


def notify_card(page: Page, call: Any, title: str = "", body: str = "") -> Any:
    """The built-in `show_notification`: the system's own notice, once the person lets it."""
    if call.state not in ASKS:
        return p(title)
    failed = _complaint(page)

    def show() -> None:
        maker = prop(js.window, "Notification")
        if not maker:
            failed.hidden = False
            return
        # The browser asks for its permission only inside a click.
        keep(_notified(call, maker, maker.requestPermission(), title, body, failed))

    return div(
        p(page.say("Show this notification?", "显示这条通知？")),
        p(title),
        p(body) if body else None,
        failed,
        _choice(page, call, ("Show", "显示"), show),
    )


async def _notified(
    call: Any, maker: Any, permission: Any, title: str, body: str, failed: Any
) -> None:
    try:
        if str(await permission) != "granted":
            failed.hidden = False
            return
        options = js.Object.new()
        options.body = body
        maker.new(title, options)
    except JsException as error:
        failed.hidden = False
        js.console.warn(f"pagehand: no notification: {js_message(error)}")
        return
    call.add_result(shaped("The notification was shown.", "已显示通知。", {"title": title}))


def _complaint(page: Page) -> Any:
    return p(
        page.say(
            "The browser does not allow it here. Change its permission for this site and try "
            "again, or say no.",
            "浏览器不允许此操作。请在浏览器中修改本站的权限后重试，或选择不允许。",
        ),
        role="alert",
        hidden=True,
    )


def _choice(page: Page, call: Any, yes: tuple[str, str], act: Callable[[], None]) -> Any:
    """The two buttons; only the person's own click counts."""

    def pressed(event: Any) -> None:
        if event.isTrusted:
            act()

    def declined(event: Any) -> None:
        if event.isTrusted:
            call.add_result(shaped("The person said no.", "用户拒绝了。", None, "denied"))

    return div(
        button(page.say(*yes), type="button", data_action="confirm", on_click=pressed),
        button(page.say("No", "取消"), type="button", data_action="cancel", on_click=declined),
    )


def _refused(page: Page, call: Any, trouble: TroubleError) -> Any:
    """What cannot be done is said; the person's word ends the call."""

    def closed(event: Any) -> None:
        if event.isTrusted:
            call.add_error(trouble.en)

    return div(
        p(page.say(trouble.en, trouble.zh), role="alert"),
        button(page.say("Close", "关闭"), type="button", data_action="cancel", on_click=closed),
    )
