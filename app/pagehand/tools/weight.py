"""What pressing an element would really do: refused, asked about, or simply done.

    name = check(page, element)       # raises TroubleError where tools must not press
    weight(page, element)             # "" or why the person is asked first

Judged on everything the click presses: a piece of text inside a submit button submits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException

from pagehand.tools.outcome import TroubleError
from pagehand.tools.page import is_nothing, prop
from pagehand.tools.urls import PERSONAL, judge, policy_from

if TYPE_CHECKING:
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
_RECORD = "tr, li, article, dd, [role=row], [role=listitem], [role=article], [role=option]"


def pressed(page: Page, element: Any) -> list[Any]:
    """What the click really presses: the controls around the element, innermost first.

    A reference may stand for a piece of text inside a button; the button is what is judged.
    """
    return list(page.eyes.pressed(element)) or [element]


def name_of(page: Page, element: Any) -> str:
    """What a person would call it: its name, else its words, else its role."""
    facts = page.describe(element)
    words = facts.get("name") or page.eyes.textOf(element, 200)
    return str(words or facts["role"])


def check(page: Page, element: Any) -> str:
    """Refuses what a person could not click, or should not have clicked for them.

    Returns:
        The name of what is pressed.

    Raises:
        TroubleError: With the reason, and what to do instead.
    """
    controls = pressed(page, element)
    for one in controls:
        _check_control(page, one)
    if is_nothing(page.eyes.face(element)):
        raise TroubleError("hidden", "No person can see the element.", "用户看不到该元素。")
    for one in controls:
        _check_link(page, one)
    return name_of(page, controls[0])


def _check_control(page: Page, element: Any) -> None:
    kind = str(element.localName)
    if kind == "select":
        raise TroubleError(
            "use_select_option", "Use select_option for a list.", "请使用 select_option。"
        )
    facts = page.describe(element)
    if "disabled" in facts["states"]:
        raise TroubleError("disabled", "The element is disabled.", "该元素已禁用。")
    if facts.get("type") == "file" and kind == "input":
        raise TroubleError(
            "needs_user_gesture",
            "Only the person can open the file chooser; a button for it is ready on the card.",
            "文件选择框只能由用户本人打开；卡片上已备好按钮。",
            {"ready": "file", "ref": facts["ref"]},
        )
    check_window(page, element)
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
    except JsException as error:
        # Some browsers leave the page for an empty one.
        raise TroubleError(
            "bad_link", f"The link's address {text!r} is none.", f"链接地址“{text}”无效。"
        ) from error


def _check_link(page: Page, element: Any) -> None:
    address = _address(element)
    if address is None:
        return
    verdict = judge(address, str(js.location.origin), policy_from(page.settings.urls))
    scripted = str(address.protocol) == "javascript:"
    if not verdict.allowed and not scripted:
        raise TroubleError(
            verdict.code, f"The link to {address.href} may not be followed.", "不能打开此链接。"
        )
    if str(element.getAttribute("target") or "").lower() in ("_blank", "_new"):
        # A script in a window of its own is nothing a person would open by hand.
        raise (
            new_window(str(address.href))
            if not scripted
            else TroubleError(
                "forbidden_scheme", "This link would run a script.", "此链接会运行脚本。"
            )
        )


def check_window(page: Page, element: Any) -> None:
    """Refuses to send a form whose answer comes in a new window: that takes the person's click.

    Args:
        page: The page.
        element: A form's button, or a form without one.
    """
    is_form = str(element.localName) == "form"
    owner = element if is_form else prop(element, "form")
    if not owner or not (is_form or prop(element, "type") in ("submit", "image")):
        return
    own = "" if is_form else element.getAttribute("formtarget")
    window = own or js.Reflect.get(js.HTMLFormElement.prototype, "target", owner)
    if str(window or "").lower() in ("_blank", "_new"):
        raise TroubleError(
            "needs_user_gesture",
            "The form answers in a new window, which takes the person's own click; a button that "
            "sends it is ready on the card.",
            "表单结果会在新窗口打开，须由用户本人点击；卡片上已备好提交按钮。",
            {"ready": "press", "ref": page.describe(element)["ref"]},
        )


def new_window(url: str) -> TroubleError:
    """The outcome of what would open a window: a button for it stands ready."""
    return TroubleError(
        "needs_user_gesture",
        f"{url} opens in a new window, which takes the person's own click; a button for it is "
        "ready on the card.",
        f"{url} 需要在新窗口打开，须由用户本人点击；卡片上已备好按钮。",
        {"ready": "window", "url": url},
    )


def weight(page: Page, element: Any) -> str:
    """Why the person is asked first, or "": it submits, leaves the site, or says a grave word."""
    controls = pressed(page, element)
    reasons = [_leads(page, one) or _submits(one) for one in controls]
    found = next(filter(None, reasons), "")
    if not found and any(_is_grave(page, one) for one in controls):
        found = page.say("\nThis may not be undone.", "\n此操作可能无法撤销。")
    return found + _where(page, element) if found else ""


def _where(page: Page, element: Any) -> str:
    """The record it stands in: one of many buttons of the same name."""
    record = element.closest(_RECORD)
    if is_nothing(record):
        return ""
    said = str(page.eyes.textOf(record, 120))
    return page.say(f"\nIn: {said}", f"\n位置：{said}") if said else ""


def _leads(page: Page, element: Any) -> str:
    address = _address(element)
    if address is None:
        return ""
    if str(address.protocol) in PERSONAL:  # another program opens, with what the page wrote
        return f"\n{address.href}"
    if str(address.origin) in ("null", str(js.location.origin)):
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
    return f"\n→ {form_action(owner)}"


def form_action(form: Any) -> str:
    """Where a form goes, also when one of its controls is named "action"."""
    return str(js.Reflect.get(js.HTMLFormElement.prototype, "action", form))


def _is_grave(page: Page, element: Any) -> bool:
    """Whether its words are grave, or it empties a form."""
    resets = prop(element, "type") == "reset" and bool(prop(element, "form"))
    return resets or grave_words(name_of(page, element))


def grave_words(text: str) -> bool:
    """Whether a text holds a word for what cannot be taken back."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    return not _GRAVE_EN.isdisjoint(words) or any(word in text for word in _GRAVE_ZH)


def fingerprint(page: Page, element: Any) -> str:
    """What makes the element this one: role, name, the record around it, where it leads."""
    facts = page.describe(element)
    record = element.closest(_RECORD)
    near = "" if is_nothing(record) else str(page.eyes.textOf(record, 200))
    address = _address(element)
    owner = prop(element, "form")
    leads = "" if address is None else str(address.href)
    sends = form_action(owner) if owner and str(owner.localName) == "form" else ""
    return "\n".join([facts["role"], facts["name"], facts["tag"], near, leads, sends])
