"""Finds the one element a model means: by reference, label, name, id, or CSS selector.

Several that fit are listed, never guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyodide.ffi import JsException

from pagehand.tools.outcome import TroubleError
from pagehand.tools.page import is_nothing, js_message, prop

if TYPE_CHECKING:
    from pagehand.tools.page import Page

_STALE = {
    "gone": (
        "The element {ref} is no longer on the page. Read the page again.",
        "元素 {ref} 已不在页面上，请重新读取页面。",
    ),
    "changed": (
        "The element {ref} has changed its role or name since it was read. Read the page again.",
        "元素 {ref} 的角色或名称已改变，请重新读取页面。",
    ),
}


def resolve(page: Page, target: str, want: str = "any", scope: Any = None) -> Any:
    """The element that `target` means.

    Args:
        page: The page.
        target: See the module's text.
        want: `control` for what can be filled, `click` for what can be pressed, `any`, or a role.
        scope: Search only inside this element.

    Raises:
        TroubleError: `not_found`, `ambiguous`, `stale_ref`, `bad_selector`, `out_of_reach`.
    """
    found = candidates(page, target, want, scope)
    if len(found) > 1:
        found = _visible_first(page, found)
    if len(found) > 1 and want == "any":
        found = _one_place(page, found)
    if len(found) == 1:
        _leave_trail(page, found[0])
        return found[0]
    if not found:
        raise _not_found(page, target, want, scope)
    listed = [brief(page, element) for element in found[:12]]
    raise TroubleError(
        "ambiguous",
        f'{len(found)} elements answer to "{target}"; say which one by its reference.',
        f"有 {len(found)} 个元素符合“{target}”，请用引用编号指定。",
        {"candidates": listed},
    )


def _leave_trail(page: Page, element: Any) -> None:
    """While a question is made: what it was about, to be compared after the yes."""
    if page.trail is not None:
        from pagehand.tools.weight import fingerprint

        page.trail.append(fingerprint(page, element))


def candidates(page: Page, target: str, want: str, scope: Any = None) -> list[Any]:
    """All elements that answer best to `target`, at most 25."""
    text = target.strip()
    root = page.root if scope is None else scope
    if is_ref(text):
        known = _recall(page, text)
        if known is not None:
            return [known]
    if text.startswith("css="):
        return _select(page, root, text[4:])
    found = list(page.eyes.lookup(root, text, want))
    if not found and text[:1] in "#.[" and len(text) > 1:
        return _select(page, root, text)
    if not found and want == "any" and text.isascii() and not text.isalnum():
        try:
            return _select(page, root, text)
        except TroubleError:
            return []
    return found


def is_ref(text: str) -> bool:
    """Whether it looks like a reference."""
    return len(text) > 1 and text[0] == "e" and text[1:].isdigit()


def _recall(page: Page, ref: str) -> Any:
    element, state = page.eyes.recall(ref, page.root)
    if state == "unknown":
        return None
    if state != "ok":
        english, chinese = _STALE[state]
        raise TroubleError("stale_ref", english.format(ref=ref), chinese.format(ref=ref))
    if not page.allows(element):
        raise TroubleError("out_of_reach", f"{ref} is out of reach.", f"{ref} 不在可操作范围内。")
    return element


def _select(page: Page, root: Any, selector: str) -> list[Any]:
    try:
        return list(page.eyes.select(root, selector))
    except JsException as error:
        raise TroubleError(
            "bad_selector",
            f"{selector!r} is no CSS selector: {js_message(error)}",
            f"“{selector}”不是有效的 CSS 选择器。",
        ) from error


def _visible_first(page: Page, found: list[Any]) -> list[Any]:
    """The visible ones, if there are any; radio buttons of one group count as one."""
    shown = [element for element in found if not is_nothing(page.eyes.face(element))]
    kept = shown or found
    names = {str(prop(element, "name")) for element in kept}
    radios = all(prop(element, "type") == "radio" for element in kept)
    return kept[:1] if radios and len(names) == 1 and "" not in names else kept


def _one_place(page: Page, found: list[Any]) -> list[Any]:
    """Several names of one place count as one: a section, its heading, and a link that leads to it.

    The outermost of what lies inside each other is kept.
    """
    outer = [
        one for one in found if not any(other != one and other.contains(one) for other in found)
    ]
    links = [one for one in outer if str(one.localName) == "a"]
    places = [one for one in outer if str(one.localName) != "a"]
    if not places:
        return outer
    leading = [link for link in links if _leads_to(link, places)]
    return [one for one in outer if one not in leading]


def _leads_to(link: Any, places: list[Any]) -> bool:
    fragment = str(link.getAttribute("href") or "")
    if not fragment.startswith("#") or len(fragment) < 2:
        return False
    end = link.getRootNode().getElementById(fragment[1:])
    return bool(end) and any(end.contains(place) or place.contains(end) for place in places)


def brief(page: Page, element: Any) -> dict[str, Any]:
    """A candidate in a few words."""
    facts = page.describe(element)
    keys = ("ref", "role", "name", "field", "id", "group", "value", "url", "hidden")
    return {key: facts[key] for key in keys if facts.get(key)}


def _not_found(page: Page, target: str, want: str, scope: Any) -> TroubleError:
    root = page.root if scope is None else scope
    near: list[dict[str, Any]] = []
    if want == "control":
        near = [brief(page, element) for element in page.eyes.controls(root)][:30]
    frames = str(page.eyes.shutFrames(root))
    note = (
        "" if frames == "[]" else " Part of the page belongs to another origin and cannot be seen."
    )
    parts = " Tools may use only parts of this page." if page.settings.include else ""
    return TroubleError(
        "not_found",
        f'Nothing on the page answers to "{target}".{note}{parts}',
        f"页面上没有找到“{target}”。" + ("页面有一部分属于其他来源，无法读取。" if note else ""),
        {"available": near} if near else None,
    )


def find_form(page: Page, wanted: str | None) -> Any:
    """The form of this id, name or label, or None when none was asked for.

    Compared as strings over the page's forms: names that CSS would misread work, and controls
    named "id" or "name" do not hide the form's own.
    """
    if not wanted:
        return None
    forms = list(page.eyes.select(page.root, "form"))
    same = [
        form
        for form in forms
        if wanted in (form.getAttribute("id"), form.getAttribute("name"))
        or page.eyes.name(form) == wanted
    ]
    if len(same) == 1:
        return same[0]
    if is_ref(wanted):
        element = _recall(page, wanted)
        if element is not None and str(element.localName) == "form":
            return element
    names = [
        form.getAttribute("id") or form.getAttribute("name") or page.eyes.name(form)
        for form in forms
    ]
    listed = [str(name) for name in names if not is_nothing(name) and name]
    raise TroubleError(
        "no_form",
        f'No form "{wanted}" here; there are {", ".join(listed) or "none with a name"}.',
        f"没有表单“{wanted}”；现有：{'、'.join(listed) or '均未命名'}。",
        {"forms": listed},
    )
