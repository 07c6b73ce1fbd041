"""Real elements of the page, written in Python.

    from pagehand.html import button, div, p

    card = div(
        p("Open this address?"),
        button("Open", data_action="confirm", on_click=lambda event: ...),
        class_="card",
    )

Every function makes one element and returns it. Children are elements, text, numbers, or lists
of these; `None` and `False` are skipped. Text always becomes a text node: nothing here ever
reads HTML, so text from a model or a page cannot become markup, and a policy with
`require-trusted-types-for 'script'` changes nothing.

Attributes are keyword arguments: `_` reads as `-` (`data_action`, `aria_label`), a `_` at the
end is dropped (`class_`, `for_`), `True` sets the bare attribute, `None` and `False` leave it
out (`aria_*` and `data_*` say "true" and "false"). `style` takes a string or a dict. `on_click=fn`
listens for `click`; the callback belongs to the innermost open `scope()`, which frees it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import js
from pyodide.ffi import JsProxy, create_proxy

from pagehand.browser.tongue import kept
from pagehand.errors import PageError

Child = Any
"""An element, a text, a number, a list of children, `None` or `False`."""

_SVG = "http://www.w3.org/2000/svg"
_REFUSED_TAGS = frozenset(
    {"script", "style", "iframe", "frame", "object", "embed", "base", "link", "meta"}
)
_ADDRESS_ATTRIBUTES = frozenset(
    {"href", "src", "action", "formaction", "poster", "cite", "data", "xlink:href", "background"}
)
_REFUSED_ATTRIBUTES = frozenset({"srcdoc", "srcset", "ping", "innerhtml", "outerhtml"})
_LINK_SCHEMES = frozenset({"http", "https", "mailto", "tel"})
_MEDIA_SCHEMES = frozenset({"http", "https", "blob"})
_IMAGE_DATA = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif);base64,", re.IGNORECASE)
_SAID_IN_WORDS = ("aria-", "data-")
_LIVE_PROPERTIES = frozenset({"checked", "indeterminate", "selected", "muted"})


class Scope:
    """Owns the event callbacks of elements made while it is open.

    A Python function that the page may call later is kept alive by the page until it is
    destroyed. `close()` destroys every one, so close the scope when the elements go.
    """

    __slots__ = ("_proxies",)

    def __init__(self) -> None:
        self._proxies: list[Any] = []

    def __len__(self) -> int:
        return len(self._proxies)

    def own(self, function: Callable[..., object]) -> Any:
        """Makes a callback that the page can call until this scope closes."""
        proxy = create_proxy(kept(function))
        self._proxies.append(proxy)
        return proxy

    def close(self) -> None:
        """Destroys the callbacks. Elements that still use them no longer react."""
        proxies, self._proxies = self._proxies, []
        for proxy in proxies:
            proxy.destroy()


_open_scopes: list[Scope] = []


@contextmanager
def scope(into: Scope | None = None) -> Iterator[Scope]:
    """Collects the callbacks made inside, so that they can be freed together.

    Args:
        into: A scope to add to; without it a new one is made.

    Yields:
        The scope. Leaving the `with` block keeps the callbacks alive; `close()` frees them.
    """
    current = Scope() if into is None else into
    _open_scopes.append(current)
    try:
        yield current
    finally:
        _open_scopes.remove(current)


def safe_address(address: str, *, media: bool = False) -> str | None:
    """The address if a browser may follow it, else None.

    Browsers drop tabs and line breaks anywhere and control characters and blanks at both ends
    before they look for the scheme, so the same is done here before judging.

    Args:
        address: Relative or absolute, as written.
        media: For `src`: also `blob:` and base64 images, but no `mailto:`.
    """
    plain = re.sub(r"[\t\r\n]", "", address).strip("".join(map(chr, range(0x21))))
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.\-]*):", plain)
    if scheme is None:
        return plain
    allowed = _MEDIA_SCHEMES if media else _LINK_SCHEMES
    if scheme[1].lower() in allowed or (media and _IMAGE_DATA.match(plain)):
        return plain
    return None


def element(tag: str, *children: Child, **attributes: Any) -> Any:
    """Makes one element of any HTML tag; for custom elements and tags without a function.

    Raises:
        PageError: For a tag or attribute that could run code, or an unsafe address.
    """
    if tag.lower() in _REFUSED_TAGS:
        raise PageError(f"<{tag}> cannot be made here: it could run code or change the page")
    return _fill(js.document.createElement(tag), children, attributes)


def svg_element(tag: str, *children: Child, **attributes: Any) -> Any:
    """Makes one SVG element. A `_` in an attribute name reads as `-`, except in `viewBox` forms."""
    if tag.lower() in _REFUSED_TAGS or tag.lower() == "foreignobject":
        raise PageError(f"<{tag}> cannot be made here: it could run code or change the page")
    return _fill(js.document.createElementNS(_SVG, tag), children, attributes)


def text_node(text: str) -> Any:
    """Makes one text node, to be changed in place later."""
    return js.document.createTextNode(text)


def add_children(parent: Any, *children: Child) -> None:
    """Appends children as the element functions do."""
    for child in children:
        if child is None or child is False:
            continue
        if isinstance(child, (list, tuple)):
            add_children(parent, *child)
        elif isinstance(child, JsProxy):
            parent.appendChild(child)
        elif isinstance(child, (str, int, float)):
            parent.append(str(child))
        else:
            raise PageError(
                f"a {type(child).__name__} cannot be shown: "
                "children are elements, texts, numbers or lists of these"
            )


def replace_children(parent: Any, *children: Child) -> None:
    """Takes everything out of an element and puts these children in."""
    parent.replaceChildren()
    add_children(parent, *children)


def set_attribute(target: Any, name: str, value: Any) -> None:
    """Sets, changes or (for `None` and `False`) removes one attribute of an element.

    Raises:
        PageError: For an attribute that could run code, or an unsafe address.
    """
    wire = name.rstrip("_").replace("_", "-")
    plain = wire.lower()  # as HTML reads it; SVG has names like viewBox
    if plain.startswith("on"):
        raise PageError(f"{name} takes a function, not a text: write on_click=my_function")
    if plain in _REFUSED_ATTRIBUTES:
        raise PageError(f"{wire} cannot be set here: it would let text become markup")
    if plain == "style":
        _set_style(target, value)
    elif plain in _LIVE_PROPERTIES:
        setattr(target, plain, bool(value))
    elif plain == "value":
        target.value = "" if value is None else str(value)
    elif isinstance(value, bool) and plain.startswith(_SAID_IN_WORDS):
        target.setAttribute(wire, "true" if value else "false")
    elif value is None or value is False:
        target.removeAttribute(wire)
    elif value is True:
        target.setAttribute(wire, "")
    else:
        target.setAttribute(wire, _checked_address(plain, str(value)))


def listen(target: Any, kind: str, function: Callable[..., object]) -> None:
    """Calls `function(event)` on each event of that kind, until the open scope closes."""
    if not callable(function):
        raise PageError(f"on_{kind} takes a function, not {type(function).__name__}")
    owner = _open_scopes[-1] if _open_scopes else _page_scope
    target.addEventListener(kind, owner.own(function))


_page_scope = Scope()  # for elements made outside any scope: they live as long as the page


def _fill(made: Any, children: tuple[Child, ...], attributes: dict[str, Any]) -> Any:
    value = attributes.pop("value", None)
    for name, given in attributes.items():
        if name.startswith("on_"):
            if given is not None:
                listen(made, name[3:].replace("_", ""), given)
        elif given is not None and (given is not False or name.startswith(("aria_", "data_"))):
            set_attribute(made, name, given)
    add_children(made, *children)
    if value is not None:  # a select takes its value only when its options are there
        set_attribute(made, "value", value)
    if made.getAttribute("target") == "_blank" and not made.hasAttribute("rel"):
        made.setAttribute("rel", "noopener noreferrer")
    return made


def _checked_address(name: str, value: str) -> str:
    if name not in _ADDRESS_ATTRIBUTES:
        return value
    address = safe_address(value, media=name in ("src", "poster", "background"))
    if address is None:
        raise PageError(
            f"{name}={value[:80]!r} is not an address to follow: "
            "use http:, https:, mailto:, tel: or a relative address"
        )
    return address


def _set_style(target: Any, value: Any) -> None:
    # Through the style object, not the attribute: that also works where a policy forbids
    # inline styles.
    if isinstance(value, dict):
        for name, text in value.items():
            wire = name if name.startswith("--") else name.replace("_", "-")
            target.style.setProperty(wire, str(text))
    else:
        target.style.cssText = "" if value is None or value is False else str(value)


def _maker(tag: str, name: str = "") -> Callable[..., Any]:
    def make(*children: Child, **attributes: Any) -> Any:
        return element(tag, *children, **attributes)

    make.__name__ = make.__qualname__ = name or tag
    make.__doc__ = f"Makes a `<{tag}>`."
    return make


def svg(*children: Child, **attributes: Any) -> Any:
    """Makes an `<svg>`; give it children made with `svg_element`."""
    view_box = attributes.pop("viewBox", attributes.pop("view_box", None))
    made = svg_element("svg", *children, **attributes)
    if view_box is not None:
        made.setAttribute("viewBox", str(view_box))
    return made


a = _maker("a")
article = _maker("article")
aside = _maker("aside")
b = _maker("b")
blockquote = _maker("blockquote")
br = _maker("br")
caption = _maker("caption")
code = _maker("code")
dd = _maker("dd")
details = _maker("details")
dialog = _maker("dialog")
div = _maker("div")
dl = _maker("dl")
dt = _maker("dt")
em = _maker("em")
fieldset = _maker("fieldset")
figcaption = _maker("figcaption")
figure = _maker("figure")
footer = _maker("footer")
form = _maker("form")
h1 = _maker("h1")
h2 = _maker("h2")
h3 = _maker("h3")
h4 = _maker("h4")
header = _maker("header")
hr = _maker("hr")
i = _maker("i")
img = _maker("img")
input_ = _maker("input", "input_")
label = _maker("label")
legend = _maker("legend")
li = _maker("li")
main = _maker("main")
meter = _maker("meter")
nav = _maker("nav")
ol = _maker("ol")
option = _maker("option")
output = _maker("output")
p = _maker("p")
pre = _maker("pre")
progress = _maker("progress")
section = _maker("section")
select = _maker("select")
small = _maker("small")
span = _maker("span")
strong = _maker("strong")
summary = _maker("summary")
table = _maker("table")
tbody = _maker("tbody")
td = _maker("td")
textarea = _maker("textarea")
tfoot = _maker("tfoot")
th = _maker("th")
thead = _maker("thead")
time_ = _maker("time", "time_")
tr = _maker("tr")
ul = _maker("ul")
video = _maker("video")


def button(*children: Child, **attributes: Any) -> Any:
    """Makes a `<button type="button">`, so that it submits nothing unless told to."""
    attributes.setdefault("type", "button")
    return element("button", *children, **attributes)
