"""Clicks, and tells what changed because of it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException

from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, prop, settle
from pagehand.tools.pressing import press
from pagehand.tools.target import resolve
from pagehand.tools.urls import judge, policy_from
from pagehand.tools.writing import bring_into_view

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

# Words on buttons whose click cannot be taken back, or speaks for the person.
_GRAVE_EN = frozenset(
    {"delete", "remove", "erase", "discard", "reset", "buy", "pay", "purchase", "order", "checkout"}
    | {"subscribe", "unsubscribe", "send", "submit", "publish", "post", "share", "transfer"}
    | {"confirm", "approve", "sign", "logout", "cancel", "install", "allow", "grant"}
)
_GRAVE_ZH = frozenset(
    {"删除", "移除", "清空", "重置", "购买", "支付", "付款", "下单", "结算", "提交", "发送"}
    | {"发布", "转账", "确认", "同意", "批准", "签署", "退出", "取消", "授权", "允许"}
)


async def click(page: Page, ctx: ToolContext, target: str, double: bool = False) -> Outcome:
    """Clicks once, or twice."""
    element = resolve(page, target, "click")
    name = _check(page, element)
    bring_into_view(element)
    await settle()
    cover = page.eyes.coveredBy(element)
    if not is_nothing(cover):
        over = page.describe(cover)
        raise TroubleError(
            "covered",
            f"“{name}” is covered by {over['role']} “{over.get('name', '')}”.",
            f"“{name}”被其他内容遮挡。",
            {"covered_by": over},
        )
    before = _scene(page)
    with Dialogs() as dialogs:
        await press(element)
        if double:
            await press(element)
        await settle(4)
    effect = _effect(before, _scene(page), dialogs.seen)
    return _told(page, name, element, effect)


def ask_click(page: Page, target: str, double: bool = False) -> str:
    """What is about to be clicked, where the click weighs something."""
    element = resolve(page, target, "click")
    name = _check(page, element)
    reason = _weight(page, element)
    return page.say(f"Click “{name}”?", f"点击“{name}”？") + reason if reason else ""


def _pressed(page: Page, element: Any) -> list[Any]:
    """What the click really presses: the controls around the element, innermost first.

    A reference may stand for a piece of text inside a button; the button is what is judged.
    """
    return list(page.eyes.pressed(element)) or [element]


def _name(page: Page, element: Any) -> str:
    """What a person would call it: its name, else its words, else its role."""
    facts = page.describe(element)
    words = facts.get("name") or page.eyes.textOf(element, 200)
    return str(words or facts["role"])


def _check(page: Page, element: Any) -> str:
    """Refuses what a person could not click, or should not have clicked for them.

    Returns:
        The name of what is pressed.
    """
    pressed = _pressed(page, element)
    for one in pressed:
        _check_control(page, one)
    if not page.eyes.visible(element):
        raise TroubleError("hidden", "No person can see the element.", "用户看不到该元素。")
    for one in pressed:
        _check_link(page, one)
    return _name(page, pressed[0])


def _check_control(page: Page, element: Any) -> None:
    kind = str(element.localName)
    if kind == "select":
        raise TroubleError(
            "use_select_option", "Use select_option for a list.", "请使用 select_option。"
        )
    facts = page.describe(element)
    if facts.get("type") == "file" and kind == "input":
        raise TroubleError(
            "needs_user_gesture",
            "Only the person can open the file chooser.",
            "文件选择框只能由用户本人打开。",
        )
    if "disabled" in facts["states"]:
        raise TroubleError("disabled", "The element is disabled.", "该元素已禁用。")
    if not page.allows(element):
        raise TroubleError(
            "out_of_reach", "What it belongs to is out of reach.", "其所属控件不在可操作范围内。"
        )


def _address(element: Any) -> Any:
    """The parsed address that a link leads to; None for all else."""
    if str(element.localName) not in ("a", "area"):
        return None
    text = element.getAttribute("href")
    if is_nothing(text):
        text = element.getAttribute("xlink:href")
    if is_nothing(text):
        return None
    try:
        return js.URL.new(text, element.baseURI)
    except JsException:
        return None  # the browser follows no such link either


def _check_link(page: Page, element: Any) -> None:
    address = _address(element)
    if address is None:
        return
    if str(element.getAttribute("target") or "").lower() in ("_blank", "_new"):
        raise TroubleError(
            "needs_user_gesture",
            "This link opens a new window, which only the person's own click can do; use the tool "
            "that shows a card to open an address.",
            "此链接会打开新窗口，需要用户本人点击；请使用打开地址的卡片工具。",
            {"url": str(address.href)},
        )
    if str(address.protocol) == "javascript:":
        return  # the page's own button in the clothes of a link
    verdict = judge(address, str(js.location.origin), policy_from(page.settings.urls))
    if not verdict.allowed:
        raise TroubleError(
            verdict.code, f"The link to {address.href} may not be followed.", "不能打开此链接。"
        )


def _weight(page: Page, element: Any) -> str:
    """Why the person is asked first, or "": it submits, leaves the site, or says a grave word."""
    pressed = _pressed(page, element)
    reasons = [_leads(page, one) or _submits(one) for one in pressed]
    found = next(filter(None, reasons), "")
    if found or not any(_is_grave(page, one) for one in pressed):
        return found
    return page.say("\nThis may not be undone.", "\n此操作可能无法撤销。")


def _leads(page: Page, element: Any) -> str:
    address = _address(element)
    if address is None or str(address.origin) in ("null", str(js.location.origin)):
        return ""
    known = str(address.origin).lower() in policy_from(page.settings.urls).origins
    return "" if known else f"\n{address.href}"


def _submits(element: Any) -> str:
    """Where the form goes that this button sends."""
    owner = prop(element, "form")
    if not owner or prop(element, "type") not in ("submit", "image"):
        return ""
    own = element.getAttribute("formaction")
    if own:
        return f"\n→ {prop(element, 'formAction') or own}"
    return f"\n→ {js.Reflect.get(js.HTMLFormElement.prototype, 'action', owner)}"


def _is_grave(page: Page, element: Any) -> bool:
    """Whether its words are grave, or it empties a form."""
    name = _name(page, element)
    words = set(re.findall(r"[a-z]+", name.lower()))
    resets = prop(element, "type") == "reset" and bool(prop(element, "form"))
    return resets or not _GRAVE_EN.isdisjoint(words) or any(word in name for word in _GRAVE_ZH)


class Dialogs:
    """Keeps native dialogs from stopping the page while a tool acts.

    An alert is recorded; a confirm or prompt is answered with no, never with yes.
    """

    def __init__(self) -> None:
        self.seen: list[dict[str, str]] = []
        self._real: dict[str, Any] = {}
        self._proxies: list[Any] = []

    def __enter__(self) -> Dialogs:
        from pyodide.ffi import create_proxy, jsnull

        # None would be undefined, which pages do not take for a no.
        for kind, answer in (("alert", None), ("confirm", False), ("prompt", jsnull)):
            self._real[kind] = getattr(js.window, kind)
            proxy = create_proxy(self._recorder(kind, answer))
            self._proxies.append(proxy)
            setattr(js.window, kind, proxy)
        return self

    def _recorder(self, kind: str, answer: Any) -> Any:
        def record(message: Any = "", *_rest: Any) -> Any:
            self.seen.append({"kind": kind, "message": str(message)[:500]})
            return answer

        return record

    def __exit__(self, *_error: object) -> None:
        for kind, real in self._real.items():
            setattr(js.window, kind, real)
        for proxy in self._proxies:
            proxy.destroy()


def _scene(page: Page) -> dict[str, Any]:
    """What is compared before and after."""
    outline = json.loads(page.eyes.outline(page.root, 30_000, 40, 30, page.exclude))
    # Where the focus went is no news: the click itself moves it.
    lines = [line.replace(", active]", "]").replace(" [active]", "") for line in outline["lines"]]
    return {"url": str(js.location.href), "title": str(js.document.title), "lines": lines}


def _effect(
    before: dict[str, Any], after: dict[str, Any], dialogs: list[dict[str, str]]
) -> dict[str, Any]:
    from pagehand.tools.secrets import mask_text

    effect: dict[str, Any] = {}
    for key in ("url", "title"):
        if before[key] != after[key]:
            effect[key] = {"before": before[key], "after": after[key]}
    old, new = set(before["lines"]), set(after["lines"])
    added = [mask_text(line.strip()) for line in after["lines"] if line not in old]
    removed = [mask_text(line.strip()) for line in before["lines"] if line not in new]
    for key, lines in (("added", added), ("removed", removed)):
        if lines:
            effect[key] = lines[:40]
    if dialogs:
        effect["dialogs"] = dialogs
    return effect


def _told(page: Page, name: str, element: Any, effect: dict[str, Any]) -> Outcome:
    data = {"clicked": name, **effect, "untrusted": True}
    if not effect:
        return Outcome(
            f"Clicked “{name}”; nothing visible changed.",
            f"已点击“{name}”，页面没有可见变化。",
            data=data,
            code="no_observable_change",
        )
    if any(dialog["kind"] != "alert" for dialog in effect.get("dialogs", [])):
        return Outcome(
            f"Clicked “{name}”; the page asked a question, which was answered with no.",
            f"已点击“{name}”；页面弹出询问，已按“否”处理。",
            data=data,
            code="dialog_declined",
            success=False,
        )
    return Outcome(f"Clicked “{name}”.", f"已点击“{name}”。", data=data)
