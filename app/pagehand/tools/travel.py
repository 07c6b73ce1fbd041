"""Goes to another place of the site: by the host's router, a link, the history, or a full load.

A full load takes the page and its Python away; the call is then answered on the next page (see
`browser/leaving.py`).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException

from pagehand.tools.move import until_still, where
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, js_message, prop, settle, until
from pagehand.tools.pressing import press
from pagehand.tools.secrets import mask_texts
from pagehand.tools.urls import UrlPolicy, judge

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_ARRIVAL = 8.0  # seconds a load may take until this page goes


async def navigate_to(
    page: Page, ctx: ToolContext, path: str, params: dict[str, Any] | None = None
) -> Outcome:
    """Goes to another place of this site."""
    target = site_address(path, params)
    wanted = str(target.href)
    if wanted == str(js.location.href):
        return Outcome("Already there.", "已经在该页面。", data=_place(page), code="no_change")
    if page.leaving is not None:
        page.leaving.heads_for(wanted)
    way = await _go(page, target)
    if not await _arrives(wanted):
        return Outcome(
            f"The page did not go to {target.pathname}; it is at {js.location.pathname}.",
            f"页面没有前往 {target.pathname}，目前位于 {js.location.pathname}。",
            data={**_place(page), "way": way},
            code="not_arrived",
            success=False,
        )
    await until_still()
    here = f"{js.location.pathname}{js.location.search}{js.location.hash}"
    return Outcome(f"Now at {here}.", f"已导航到 {here}。", data={**_place(page), "way": way})


async def _go(page: Page, target: Any) -> str:
    """Starts on the way; returns which way it is."""
    wanted = str(target.href)
    router = page.settings.router
    same_document = _without_hash(wanted) == _without_hash(str(js.location.href))
    if callable(router):
        return await _by_router(router, target)
    link = _link_to(page, wanted)
    if link is not None:
        await press(link)
        return "link"
    if same_document:
        js.location.hash = target.hash
        return "fragment"
    if router == "history":
        # Routers that listen to popstate: their own state stays theirs.
        js.history.pushState(None, "", wanted)
        js.window.dispatchEvent(js.PopStateEvent.new("popstate"))
        return "history"
    # A page that routes by the Navigation API answers this without a load.
    js.location.assign(wanted)
    return "load"


async def _by_router(router: Any, target: Any) -> str:
    path = f"{target.pathname}{target.search}{target.hash}"
    try:
        answer = router(path)
        if hasattr(answer, "__await__"):
            await answer
    except JsException as error:
        raise TroubleError(
            "router_failed",
            f"The site's router could not go to {path}: {js_message(error)}",
            f"本站路由无法前往 {path}。",
        ) from error
    return "router"


async def _arrives(wanted: str) -> bool:
    """Waits until the address is the wanted one, or this page is taken away by a load."""
    await settle(2)
    if not await until(lambda: str(js.location.href) == wanted, _ARRIVAL):
        return False
    await settle(4)
    return True


def ask_navigate(page: Page, path: str, params: dict[str, Any] | None = None) -> str:
    """Where the page would go; a place on this same page needs no question."""
    target = str(site_address(path, params).href)
    if _without_hash(target) == _without_hash(str(js.location.href)):
        return ""
    return page.say(f"Go to {target}?", f"前往 {target}？") + unsaved(page)


def risk_navigate(page: Page, path: str, params: dict[str, Any] | None = None) -> str:
    """Safe on this page, moderate elsewhere."""
    return "moderate" if ask_navigate(page, path, params) else "safe"


def site_address(path: str, params: dict[str, Any] | None = None) -> Any:
    """The address of a place of this site.

    `params` fill `:name` in the path; the others become the query.

    Raises:
        TroubleError: For another origin, another scheme, or no address.
    """
    try:
        target = js.URL.new(_filled(path, params or {}), js.location.href)
    except JsException as error:
        raise TroubleError(
            "bad_url", f'"{path}" is no address.', f"“{path}”不是有效地址。"
        ) from error
    verdict = judge(target, str(js.location.origin), UrlPolicy(foreign=False))
    if not verdict.allowed:
        raise TroubleError(
            verdict.code,
            "This tool stays on this site and takes plain web addresses only; use the tool that "
            "opens an address in a new window for others.",
            "此工具只能访问本站的普通网址；其他地址请使用新窗口打开工具。",
        )
    return target


def _filled(path: str, params: dict[str, Any]) -> str:
    rest = {}
    for name, value in params.items():
        text = ("true" if value else "false") if isinstance(value, bool) else str(value)
        slot = next(
            (piece for piece in path.replace("?", "/").split("/") if piece == f":{name}"), None
        )
        if slot is None:
            rest[name] = text
        else:
            path = "/".join(
                str(js.encodeURIComponent(text)) if piece == slot else piece
                for piece in path.split("/")
            )
    if not rest:
        return path
    before, mark, fragment = path.partition("#")
    query = js.URLSearchParams.new()
    for name, text in rest.items():
        query.append(name, text)
    joint = "&" if "?" in before else "?"
    return f"{before}{joint}{query.toString()}{mark}{fragment}"


def unsaved(page: Page) -> str:
    """A warning where a visible field holds what the page did not come with, or ""."""
    changed = [
        str(page.eyes.name(one) or prop(one, "name"))
        for one in page.eyes.controls(page.root)
        if _changed(one) and page.eyes.visible(one)
    ]
    if not changed:
        return ""
    names = ", ".join(f"“{name}”" for name in changed[:5])
    return page.say(f"\nWhat is in {names} may be lost.", f"\n{names} 中未保存的内容可能会丢失。")


def _changed(control: Any) -> bool:
    tag, kind = str(control.localName), str(prop(control, "type"))
    if kind in ("checkbox", "radio"):
        return tag == "input" and control.checked != control.defaultChecked
    if tag in ("input", "textarea"):
        return str(control.value) != str(control.defaultValue)
    return False


def _without_hash(address: str) -> str:
    return address.partition("#")[0]


def _link_to(page: Page, address: str) -> Any:
    for anchor in page.eyes.select(page.root, "a[href]", 500):
        same = str(anchor.href) == address and not anchor.hasAttribute("download")
        if same and str(anchor.target or "") in ("", "_self") and page.eyes.visible(anchor):
            return anchor
    return None


def _place(page: Page) -> dict[str, Any]:
    title = {} if page.title is None else {"title": page.title}
    return {"url": str(js.location.href), **title, **where()}


async def go_back(page: Page, ctx: ToolContext) -> Outcome:
    """One step back in the history of this tab."""
    address = str(js.location.href)
    navigation = prop(js.window, "navigation")
    if navigation and not navigation.canGoBack:
        return Outcome(
            "There is nowhere to go back to.",
            "没有可返回的页面。",
            data=_place(page),
            code="no_change",
        )
    js.history.back()
    await until(lambda: str(js.location.href) != address, _ARRIVAL if navigation else 1.0)
    await settle(4)
    moved = str(js.location.href) != address
    return Outcome(
        "Went back." if moved else "The page stayed where it is.",
        "已返回上一页。" if moved else "页面没有变化。",
        data=_place(page),
        code="ok" if moved else "no_change",
    )


def ask_back(page: Page) -> str:
    """Going back may leave the page."""
    return page.say("Go one page back?", "返回上一页？") + unsaved(page)


async def reload(page: Page, ctx: ToolContext) -> Outcome:
    """Loads the page anew; the call is answered after the load."""
    if page.leaving is not None:
        page.leaving.heads_for(str(js.location.href))
    js.location.reload()
    # Python ends with the page; what is still here after this was not let go.
    await asyncio.sleep(_ARRIVAL)
    return Outcome(
        "The page was not reloaded: it or the person kept it.",
        "页面没有重新加载：被页面或用户阻止。",
        data=_place(page),
        code="not_arrived",
        success=False,
    )


def ask_reload(page: Page) -> str:
    """What is typed and not saved would be lost."""
    return page.say("Load the page anew?", "重新加载页面？") + unsaved(page)


def answer_after_load(note: dict[str, Any], language: str) -> dict[str, Any]:
    """The answer of a call that made the page before this one leave, as JSON without secrets.

    Addresses carry tokens (a sign-in that comes back with `#id_token=`), and a title is any text.
    """
    wire: dict[str, Any] = mask_texts(_after_load(note).to_wire(language))
    return wire


def _after_load(note: dict[str, Any]) -> Outcome:
    here, wanted = str(js.location.href), str(note.get("to") or "")
    arrived = not wanted or here == wanted
    data = {
        "url": here,
        "title": str(js.document.title),
        "from": note.get("from"),
        "loaded": True,
        "untrusted": True,  # the title is the page's own text
    }
    if is_nothing(js.document.body) or note.get("parts"):
        data.pop("title")
    if note.get("tool") == "reload":
        return Outcome("The page was loaded anew.", "页面已重新加载。", data=data)
    if not arrived:
        return Outcome(
            f"The page was loaded and is at {here}, not at {wanted}.",
            f"页面已加载，当前地址为 {here}，而不是 {wanted}。",
            data=data,
            code="elsewhere",
            success=False,
        )
    return Outcome(
        f"The page was left for {here}; what was read of it before is out of date.",
        f"页面已跳转到 {here}；之前读取的内容已失效。",
        data=data,
        code="page_loaded",
    )
