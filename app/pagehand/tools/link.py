"""Cards that need the person's own click: open an address, copy a text, answer a question.

    @toolkit.human("jump-url-tool", validate=check_address)
    def jump_url(call, url: str):
        return open_card(call, url)

Whatever the browser lets through only inside a click (a new window, the clipboard)
is done in the click's own handler, at once, with everything prepared beforehand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException

from pagehand.browser.tongue import spoken
from pagehand.errors import ToolError
from pagehand.html import a, button, code, div, input_, p
from pagehand.tools.outcome import Outcome
from pagehand.tools.page import prop
from pagehand.tools.typed import TypedField
from pagehand.tools.urls import UrlPolicy, Verdict, judge, policy_from

if TYPE_CHECKING:
    from pagehand.tools.page import Page

_ROW = {"display": "flex", "flex-wrap": "wrap", "gap": "8px"}
_ADDRESS = {"overflow-wrap": "anywhere", "user-select": "all"}
ASKS = ("input-streaming", "input-available", "approval-requested")
_WHY = {
    "forbidden_scheme": (
        "Addresses that begin with “{scheme}” are not opened: they can run code or read files.",
        "不会打开以“{scheme}”开头的地址：它可能执行代码或读取文件。",
    ),
    "credentials_in_url": (
        "Addresses with a user name or password in them are not opened.",
        "不会打开包含用户名或密码的地址。",
    ),
    "url_too_long": ("The address is too long to be opened.", "地址过长，不会打开。"),
    "foreign_origin": (
        "This site does not let the assistant open addresses elsewhere ({origin}).",
        "本站不允许助手打开其他来源的地址（{origin}）。",
    ),
    "not_an_address": ("“{text}” is not an address.", "“{text}”不是有效的地址。"),
}


def _say(en: str, zh: str) -> str:
    language = spoken() or str(js.document.documentElement.lang or "")
    return zh if language.startswith("zh") else en


def read_address(text: str) -> Any:
    """The address as the browser's own parser reads it, or None.

    A missing scheme is filled in, as in an address bar: `example.com` means https.
    """
    text = text.strip()
    host, colon, rest = text.partition(":")
    port = rest.split("/")[0].split("?")[0]
    if colon and port.isdigit() and ("." in host or host == "localhost"):
        text = f"{'http' if host == 'localhost' else 'https'}://{text}"
    try:
        return js.URL.new(text)
    except JsException:
        pass
    relative = text.startswith(("/", "#", "?", "./", "../", "\\"))
    if "://" in text:
        return None
    try:
        return js.URL.new(text, js.location.href) if relative else js.URL.new(f"https://{text}")
    except JsException:
        return None


def _verdict(text: str, policy: UrlPolicy) -> tuple[Any, Verdict]:
    parsed = read_address(text)
    if parsed is None or not text.strip():
        return None, Verdict(False, "not_an_address")
    return parsed, judge(parsed, str(js.location.origin), policy)


def _reason(text: str, parsed: Any, verdict: Verdict) -> tuple[str, str]:
    facts = {
        "text": text[:80],
        "scheme": "" if parsed is None else parsed.protocol,
        "origin": "" if parsed is None else parsed.origin,
    }
    english, chinese = _WHY[verdict.code]
    return english.format(**facts), chinese.format(**facts)


def check_address(url: str, policy: UrlPolicy | None = None) -> None:
    """Raises ToolError for an address that must not be opened; for a tool's `validate`."""
    parsed, verdict = _verdict(url, policy or UrlPolicy())
    if not verdict.allowed:
        raise ToolError(_say(*_reason(url, parsed, verdict)))


def open_card(call: Any, url: str, policy: UrlPolicy | None = None, *, shaped: bool = False) -> Any:
    """Draws the card that opens an address in a new window on the person's click.

    Args:
        call: The call's handle.
        url: The address, as the model wrote it.
        policy: Which addresses may be opened.
        shaped: Whether the result has the shape of the built-in tools; else it is
            `{success, url, message}`.
    """
    parsed, verdict = _verdict(url, policy or UrlPolicy())
    if not verdict.allowed:
        if call.state not in ASKS or call.state == "input-streaming":
            return _shown_address(url)
        return div(p(_say(*_reason(url, parsed, verdict)), role="alert"), _shown_address(url))
    address = _as_written(str(parsed.href), url)
    if call.state not in ASKS:
        return _ended(call, address)
    return _asking(_Answers(call, address, shaped), str(parsed.host) or str(parsed.protocol))


def _as_written(address: str, text: str) -> str:
    """The parsed address, without the `/` that the parser adds to a bare host."""
    bare = address.removesuffix("/")
    return bare if text.strip() == bare else address


def _shown_address(address: str) -> Any:
    return p(code(address if len(address) <= 300 else f"{address[:300]}…", style=_ADDRESS))


def _ended(call: Any, address: str) -> Any:
    """What stays of the card: the address, to be opened again by hand."""
    opened = isinstance(call.result, dict) and call.result.get("success") is True
    if not opened:
        return _shown_address(address)
    return p(a(address, href=address, target="_blank", rel="noopener noreferrer"))


class _Answers:
    """What the card of one address answers, in the click itself."""

    def __init__(self, call: Any, address: str, shaped: bool) -> None:
        self.call = call
        self.address = address
        self._shaped = shaped
        self.blocked: Any = None

    def open(self, event: Any) -> None:
        """Runs inside the click: no await may come before `window.open`."""
        call = self.call
        if not event.isTrusted or not (call.waiting or call.state == "input-available"):
            return
        if open_window(self.address):
            self.opened()
        else:
            self.blocked.hidden = False

    def followed(self, event: Any) -> None:
        """The person took the link instead."""
        if event.isTrusted:
            self.opened()

    def opened(self) -> None:
        """It is open."""
        self._give("ok", f"Opened: {self.address}", f"已打开：{self.address}")

    def decline(self, event: Any) -> None:
        """The person said no."""
        if event.isTrusted:
            self._give("denied", "The person chose not to open it.", "用户选择不打开。")

    def _give(self, code: str, en: str, zh: str) -> None:
        success = code == "ok"
        if self._shaped:
            self.call.add_result(shaped(en, zh, {"url": self.address}, code))
            return
        result = {"success": success} | ({} if success else {"cancelled": True})
        self.call.add_result({**result, "url": self.address, "message": _say(en, zh)})


def shaped(en: str, zh: str, data: Any, code: str = "ok") -> dict[str, Any]:
    """A card's answer in the shape of all built-in tools."""
    language = "zh" if _say("", "zh") else "en"
    return Outcome(en, zh, data=data, code=code, success=code == "ok").to_wire(language)


def _asking(answers: _Answers, host: str) -> Any:
    address = answers.address
    answers.blocked = blocked = div(
        p(
            _say(
                "The browser blocked the new window. Open the address with this link, "
                "or allow pop-ups for this site and try again:",
                "浏览器拦截了新窗口。请点击下面的链接打开，或允许本站弹出窗口后重试：",
            ),
            role="alert",
        ),
        p(
            a(
                address,
                href=address,
                target="_blank",
                rel="noopener noreferrer",
                data_action="open-link",
                on_click=answers.followed,
            )
        ),
        hidden=True,
        data_part="popup-blocked",
    )
    confirm = button(
        _say("Open in a new window", "在新窗口打开"),
        type="button",
        data_action="confirm",
        disabled=answers.call.state == "input-streaming",
        on_click=answers.open,
    )
    cancel = button(
        _say("Do not open", "不打开"),
        type="button",
        data_action="cancel",
        on_click=answers.decline,
    )
    question = _say(f"Open {host} in a new window?", f"在新窗口打开 {host}？")
    return div(
        p(question), _shown_address(address), blocked, div(confirm, cancel), class_="ph-open-card"
    )


def open_window(address: str) -> bool:
    """Opens a new window inside a click; False when the browser blocked it.

    With `noopener` the answer of `window.open` is always null, so it is seen from the click's
    permission: without one the browser blocks; where opening uses it up (Chromium, Firefox) and
    it is still there afterwards, nothing was opened. WebKit does not use it up: there the call
    is taken at its word.
    """
    before = _may_act()
    if before is False:
        return False
    js.window.open(address, "_blank", "noopener,noreferrer")
    if before is None or _is_webkit():
        return True
    return _may_act() is not True


def _may_act() -> bool | None:
    activation = prop(js.navigator, "userActivation")
    return bool(activation.isActive) if activation else None


def _is_webkit() -> bool:
    agent = str(js.navigator.userAgent)
    return "AppleWebKit" in agent and "Chrom" not in agent


def open_url_card(page: Page, call: Any, url: str = "") -> Any:
    """The built-in `open_url`."""
    return open_card(call, url, policy_from(page.settings.urls), shaped=True)


def copy_card(page: Page, call: Any, text: str = "") -> Any:
    """The built-in `write_clipboard`: shows the text and copies it on the click."""
    shown = code(text if len(text) <= 600 else f"{text[:600]}…", style=_ADDRESS)
    if call.state not in ASKS:
        return div(p(shown))
    failed = p(
        _say(
            "The browser refused; select the text and copy it.", "浏览器拒绝了，请手动选择并复制。"
        ),
        role="alert",
        hidden=True,
    )

    def copy(event: Any) -> None:
        if not event.isTrusted:
            return
        try:
            import pagehand_markdown
        except ModuleNotFoundError:  # it could not be loaded
            failed.hidden = False
            return
        # The copying is started inside the click; only its outcome is awaited.
        promise = pagehand_markdown.copyText(text, event.target.parentNode)
        keep(_settle_copy(call, promise, len(text), failed))

    def decline(event: Any) -> None:
        if event.isTrusted:
            call.add_result(shaped("The person said no.", "用户拒绝了。", None, "denied"))

    actions = div(
        button(
            _say("Copy", "复制"),
            type="button",
            data_action="confirm",
            on_click=copy,
        ),
        button(
            _say("No", "不复制"),
            type="button",
            data_action="cancel",
            on_click=decline,
        ),
    )
    return div(p(_say("Copy this text?", "复制这段文字？")), p(shown), failed, actions)


_tasks: set[Any] = set()


def keep(coroutine: Any) -> None:
    """Runs something beside a card, and holds on to it until it is done."""
    import asyncio

    task = asyncio.ensure_future(coroutine)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def _settle_copy(call: Any, promise: Any, length: int, failed: Any) -> None:
    try:
        copied = await promise
    except JsException:
        copied = False
    if not copied:
        failed.hidden = False
        return
    data = {"characters": length}
    call.add_result(shaped("The text is in the clipboard.", "文字已复制到剪贴板。", data))


def ask_card(page: Page, call: Any, question: str = "", choices: list[str] | None = None) -> Any:
    """The built-in `ask_user`: choices to press, or a line to write."""
    if call.state not in ASKS:
        data = call.result.get("data") if isinstance(call.result, dict) else None
        answer = data.get("answer", "") if isinstance(data, dict) else ""
        return div(p(question), p(str(answer)))

    def answer_with(answer: str | None) -> None:
        if answer:
            en, zh = f"The person answered: {answer}", f"用户回答：{answer}"
            call.add_result(shaped(en, zh, {"answer": answer}))

    picks = [
        button(
            choice,
            type="button",
            data_action="choose",
            on_click=lambda event, choice=choice: answer_with(choice if event.isTrusted else None),
        )
        for choice in choices or []
    ]
    if picks:
        return div(p(question), div(*picks, style=_ROW))
    line = input_(type="text", aria_label=question, style={"flex": "1"})
    typed = TypedField(line, lambda: answer_with(typed.read()))
    send = button(
        _say("Answer", "回答"),
        data_action="confirm",
        on_click=lambda event: answer_with(typed.read() if event.isTrusted else None),
    )
    return div(p(question), div(line, send, style=_ROW))
