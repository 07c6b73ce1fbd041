"""What happened while a tool acted: dialogs, new windows, complaints, and what changed to see.

    with Watch(page) as watch:
        await press(element)
        await watch.settled()
    watch.effect()    # {"url": {"before": ..., "after": ...}, "added": [...], "dialogs": [...]}

While it watches, an alert is recorded, a confirm or prompt is answered with no (never with yes),
and a window that the page would open is held back: without the person's own click the browser
would block it anyway.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException, create_proxy, jsnull

from pagehand.tools.page import is_nothing, prop, settle, until
from pagehand.tools.secrets import mask_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.tools.page import Page

_SCENE = (30_000, 40, 30)  # characters, depth, rows of a table
_MOST_LINES = 40
_MOST_TOLD = 20
_GOING = 8.0  # seconds a load may take until this page goes
_LATE = 0.5  # seconds in which a click that did nothing at once may still do something
# None would be undefined, which pages do not take for a no.
_NO: tuple[tuple[str, Any], ...] = (("alert", None), ("confirm", False), ("prompt", jsnull))


class Watch:
    """Watches the page while a tool acts on it.

    Args:
        page: The page.
        compares: Whether `effect` tells what changed to see; that costs two readings of the page.

    Attributes:
        dialogs: What the page's native dialogs said: `{"kind", "message"}`.
        windows: Addresses that the page wanted to open in a new window.
        invalid: What fields complained of: `{"field", "message"}`.
    """

    def __init__(self, page: Page, *, compares: bool = True) -> None:
        self.dialogs: list[dict[str, str]] = []
        self.windows: list[str] = []
        self.invalid: list[dict[str, str]] = []
        self._page = page
        self._compares = compares
        self._before: dict[str, Any] = {}
        self._mutations = 0
        self._proxies: list[Any] = []
        self._replaced: list[tuple[Any, str, Any]] = []
        self._observer: Any = None
        self._complained: Any = None
        self._goes: Any = None  # the last event of a navigation that began meanwhile
        self._heard_going: Any = None

    def __enter__(self) -> Watch:
        if self._compares:
            self._before = _scene(self._page)
        for window in _windows(js.window):
            for kind, answer in _NO:
                self._replace(window, kind, self._recorder(kind, answer))
            self._replace(window, "open", self._opened)
        self._complained = self._own(self._invalid)
        js.document.addEventListener("invalid", self._complained, True)
        if self._compares:
            self._observe()
        navigation = prop(js.window, "navigation")
        if navigation:
            self._heard_going = self._own(self._going)
            navigation.addEventListener("navigate", self._heard_going)
        return self

    def __exit__(self, *_error: object) -> None:
        for window, name, real in self._replaced:
            try:
                setattr(window, name, real)
            except JsException:
                continue  # the frame has gone elsewhere and took its dialogs along
        js.document.removeEventListener("invalid", self._complained, True)
        if self._observer is not None:
            self._observer.disconnect()
        if self._heard_going is not None:
            js.window.navigation.removeEventListener("navigate", self._heard_going)
        for proxy in self._proxies:
            proxy.destroy()

    def _own(self, function: Callable[..., Any]) -> Any:
        proxy = create_proxy(function)
        self._proxies.append(proxy)
        return proxy

    def _replace(self, window: Any, name: str, function: Callable[..., Any]) -> None:
        self._replaced.append((window, name, getattr(window, name)))
        setattr(window, name, self._own(function))

    def _recorder(self, kind: str, answer: Any) -> Callable[..., Any]:
        def record(message: Any = "", *_rest: Any) -> Any:
            if len(self.dialogs) < _MOST_TOLD:
                # A dialog is no part of a region: what it says is the person's alone then.
                told = {} if self._page.settings.include else {"message": str(message)[:500]}
                self.dialogs.append({"kind": kind} | {k: mask_text(v) for k, v in told.items()})
            return answer

        return record

    def _opened(self, address: Any = "", *_rest: Any) -> Any:
        if len(self.windows) < _MOST_TOLD:
            try:
                self.windows.append(str(js.URL.new(str(address), js.document.baseURI).href))
            except JsException:
                self.windows.append(str(address)[:500])
        return jsnull  # what a blocked window gives

    def _invalid(self, event: Any) -> None:
        field = event.target
        if len(self.invalid) < _MOST_TOLD and self._page.allows(field):
            label = self._page.eyes.name(field) or prop(field, "name") or str(field.localName)
            message = mask_text(str(prop(field, "validationMessage")))
            self.invalid.append({"field": str(label), "message": message})

    def _going(self, event: Any) -> None:
        if not event.hashChange and is_nothing(event.downloadRequest):
            self._goes = event

    def _leaves(self) -> bool:
        """Whether a load has begun that will take this page away."""
        event = self._goes
        if event is None or event.defaultPrevented:
            return False
        there = str(js.location.href) == str(event.destination.url)
        handled = there or not is_nothing(js.window.navigation.transition)
        return not handled and not event.destination.sameDocument

    def _observe(self) -> None:
        def seen(_records: Any, _observer: Any) -> None:
            self._mutations += 1

        self._observer = js.MutationObserver.new(self._own(seen))
        every = {"childList": True, "subtree": True, "attributes": True, "characterData": True}
        self._observer.observe(js.document, **every)

    async def settled(self) -> None:
        """Lets the page react; one that did nothing at once gets a little longer."""
        await settle(4)
        await until(self._news, _LATE)
        if self._news():
            await settle(4)
        if self._leaves():
            # The call is answered on the next page. One that never comes (a download, an empty
            # answer of the server) leaves this page here.
            await until(lambda: not self._leaves(), _GOING)

    def _news(self) -> bool:
        gone = self._before and str(js.location.href) != self._before["url"]
        return bool(
            self._goes is not None
            or self._mutations
            or self.dialogs
            or self.windows
            or self.invalid
            or gone
        )

    def effect(self) -> dict[str, Any]:
        """What changed, without what did not."""
        effect: dict[str, Any] = {}
        if self._compares:
            effect |= _difference(self._before, _scene(self._page))
        told = {"dialogs": self.dialogs, "windows": self.windows, "invalid": self.invalid}
        return effect | {name: value for name, value in told.items() if value}


def _windows(window: Any) -> list[Any]:
    """The window and those of its frames that belong to this origin."""
    found = [window]
    for index in range(min(int(window.length), 50)):
        try:
            inner = js.Reflect.get(window, str(index))
            if not is_nothing(inner.document):
                found += _windows(inner)
        except (JsException, AttributeError):
            continue  # another origin's
    return found


def _scene(page: Page) -> dict[str, Any]:
    """What is compared before and after."""
    outline = json.loads(page.eyes.outline(page.root, *_SCENE))
    # Where the focus went is told apart: the click itself moves it.
    lines = [line.replace(", active]", "]").replace(" [active]", "") for line in outline["lines"]]
    return {
        "url": str(js.location.href),
        "title": page.title,
        "focus": _focused(page),
        "lines": lines,
    }


def _focused(page: Page) -> str:
    """What has the focus, by its reference and name; "" for nothing that tools may see."""
    active = js.document.activeElement
    while not is_nothing(active) and not is_nothing(getattr(active, "shadowRoot", None)):
        inner = active.shadowRoot.activeElement
        if is_nothing(inner):
            break
        active = inner
    if is_nothing(active) or str(active.localName) == "body" or not page.allows(active):
        return ""
    facts = page.describe(active)
    return f"{facts['role']} “{facts.get('name', '')}” [{facts['ref']}]"


def _difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    effect: dict[str, Any] = {}
    for key in ("url", "title"):
        if before[key] != after[key]:
            effect[key] = {"before": before[key], "after": after[key]}
    if before["focus"] != after["focus"] and after["focus"]:
        effect["focus"] = mask_text(after["focus"])
    old, new = set(before["lines"]), set(after["lines"])
    added = [mask_text(line.strip()) for line in after["lines"] if line not in old]
    removed = [mask_text(line.strip()) for line in before["lines"] if line not in new]
    for key, lines in (("added", added), ("removed", removed)):
        if lines:
            effect[key] = lines[:_MOST_LINES]
            if len(lines) > _MOST_LINES:
                effect[f"{key}_more"] = len(lines) - _MOST_LINES
    return effect
