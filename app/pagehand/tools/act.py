"""Clicks, and tells what changed because of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import js

from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, prop, settle
from pagehand.tools.pressing import press
from pagehand.tools.target import resolve
from pagehand.tools.urls import UrlPolicy, judge, policy_from
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
    facts = page.describe(element)
    name = str(facts.get("name") or facts["role"])
    _check(page, element, facts)
    if _weight(page, element, name):
        page.tainted = False
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
    facts = page.describe(element)
    _check(page, element, facts)
    name = str(facts.get("name") or facts["role"])
    reason = _weight(page, element, name)
    return page.say(f"Click “{name}”?", f"点击“{name}”？") + reason if reason else ""


def _check(page: Page, element: Any, facts: dict[str, Any]) -> None:
    """Refuses what a person could not click, or should not have clicked for them."""
    if str(element.localName) == "select":
        raise TroubleError(
            "use_select_option", "Use select_option for a list.", "请使用 select_option。"
        )
    if facts.get("type") == "file" and str(element.localName) == "input":
        raise TroubleError(
            "needs_user_gesture",
            "Only the person can open the file chooser.",
            "文件选择框只能由用户本人打开。",
        )
    if "disabled" in facts["states"]:
        raise TroubleError("disabled", "The element is disabled.", "该元素已禁用。")
    if facts.get("hidden"):
        raise TroubleError("hidden", "No person can see the element.", "用户看不到该元素。")
    anchor = element.closest("a[href]")
    if is_nothing(anchor):
        return
    if str(anchor.target or "") in ("_blank", "_new"):
        raise TroubleError(
            "needs_user_gesture",
            "This link opens a new window, which only the person's own click can do; use the tool "
            "that shows a card to open an address.",
            "此链接会打开新窗口，需要用户本人点击；请使用打开地址的卡片工具。",
            {"url": str(anchor.href)},
        )
    if str(anchor.protocol) == "javascript:":
        return  # the page's own button in the clothes of a link
    verdict = judge(anchor, str(js.location.origin), policy_from(page.settings.urls))
    if not verdict.allowed:
        raise TroubleError(
            verdict.code, f"The link to {anchor.href} may not be followed.", "不能打开此链接。"
        )


def _weight(page: Page, element: Any, name: str) -> str:
    """Why the person is asked first, or "": it submits, leaves the site, or says a grave word."""
    anchor = element.closest("a[href]")
    if not is_nothing(anchor) and str(anchor.origin) not in ("null", str(js.location.origin)):
        policy: UrlPolicy = policy_from(page.settings.urls)
        return "" if str(anchor.origin) in policy.origins else f"\n{anchor.href}"
    owner = prop(element, "form")
    if owner and prop(element, "type") in ("submit", "image"):
        return f"\n→ {js.Reflect.get(js.HTMLFormElement.prototype, 'action', owner)}"
    words = name.lower().replace("-", " ").split()
    grave = not _GRAVE_EN.isdisjoint(words) or any(word in name for word in _GRAVE_ZH)
    return page.say("\nThis may not be undone.", "\n此操作可能无法撤销。") if grave else ""


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
