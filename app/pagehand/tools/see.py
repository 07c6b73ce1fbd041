"""Reads the page: outline, text search, one element, the person's selection."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException

from pagehand.tools.covering import cover_of
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, js_message, prop
from pagehand.tools.pattern import complaint
from pagehand.tools.secrets import mask_text, mask_texts
from pagehand.tools.target import resolve
from pagehand.tools.writing import active_element

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_ROWS = 30
_EDGE = 40  # characters that the eyes tell of a hit beyond its context


async def read_page(
    page: Page,
    ctx: ToolContext,
    target: str = "",
    max_chars: int = 12_000,
    depth: int = 40,
    changes_only: bool = False,
) -> Outcome:
    """The page, or a part of it, as an outline."""
    scope = resolve(page, target) if target else page.root
    read = json.loads(page.eyes.outline(scope, max_chars, depth, _ROWS))
    lines = [mask_text(line) for line in read["lines"]]
    before = page.seen.get(target)
    page.seen[target] = lines
    data = {
        "url": mask_text(str(js.location.href)),
        "title": None if page.title is None else mask_text(page.title),
        "language": str(js.document.documentElement.lang),
        "complete": read["left"] == 0,
        "untrusted": True,
    }
    if page.settings.include:
        del data["title"]
        data["scope"] = "Tools may use only parts of this page; there is more on it for the person."
    cover = cover_of(page)
    if cover is not None:
        data["covered_by"] = cover
    if read["left"]:
        data["left_out"] = read["left"]
        data["hint"] = "Read a part by its reference, or raise max_chars."
    if changes_only and before is not None:
        data["added"], data["removed"] = _difference(before, lines)
    else:
        data["outline"] = "\n".join(lines)
    return Outcome(
        f"Read the page: {len(lines)} lines.", f"已读取页面，共 {len(lines)} 行。", data=data
    )


def _difference(before: list[str], now: list[str]) -> tuple[list[str], list[str]]:
    """Lines that came and lines that went."""
    old, new = set(before), set(now)
    added = [line.strip() for line in now if line not in old]
    removed = [line.strip() for line in before if line not in new]
    return added, removed


async def find_in_page(
    page: Page,
    ctx: ToolContext,
    text: str,
    regex: bool = False,
    match_case: bool = False,
    limit: int = 10,
) -> Outcome:
    """Where a text stands."""
    pattern = text if regex else re.escape(" ".join(text.split())).replace("\\ ", "\\s+")
    flags = "" if match_case else "i"
    if regex and (wrong := complaint(text)):
        raise TroubleError(
            "bad_pattern",
            f"{text!r} could keep the page busy for too long: {wrong}.",
            f"正则表达式“{text}”可能使页面卡住，请简化，或改用普通文本查找。",
        )
    try:
        raw = page.eyes.find(page.root, pattern, flags, limit, 60, regex)
    except JsException as error:
        raise TroubleError(
            "bad_pattern",
            f"{text!r} is no regular expression: {js_message(error)}",
            f"“{text}”不是有效的正则表达式。",
        ) from error
    found = json.loads(raw)
    for hit in found["hits"]:
        _hide_secrets(hit)
    if not found["complete"]:
        found["hint"] = "The pattern took too long; only part was searched. Use a simpler one."
    return Outcome(
        f"Found “{text}” {found['total']} times.",
        f"找到“{text}” {found['total']} 处。",
        data={**found, "untrusted": True},
        code="ok" if found["total"] else "no_match",
    )


def _hide_secrets(hit: dict[str, Any]) -> None:
    """Masks a hit as a whole: who looks for half a secret shall not get it past its mask."""
    whole = hit.pop("around")
    masked = mask_text(whole)
    if masked == whole:
        return
    # The outermost words may be half a secret that begins or ends further out.
    inner = masked[_EDGE:-_EDGE]
    hit["before"], hit["after"] = "", ""
    if hit["match"] not in inner or mask_text(hit["match"]) != hit["match"]:
        hit["match"] = "[masked]"
    hit["around"] = inner[:400]


async def read_element(page: Page, ctx: ToolContext, target: str) -> Outcome:
    """Everything about one element."""
    element = resolve(page, target)
    facts = page.describe(element)
    if facts["role"] not in ("textbox", "searchbox", "spinbutton"):
        text = str(page.eyes.textOf(element, 8000))
        facts |= {"text": text} if text else {}
    facts = {**mask_texts(facts), "untrusted": True}
    name = facts.get("name") or facts["role"]
    return Outcome(f"Read “{name}”.", f"已读取“{name}”。", data=facts)


async def read_selection(page: Page, ctx: ToolContext) -> Outcome:
    """What the person has selected, if it lies where tools may look: also in fields and frames."""
    text, owner = _selected(page)
    if not text or is_nothing(owner) or not page.allows(owner):
        raise TroubleError("no_selection", "Nothing is selected.", "没有选中任何文字。")
    data = {"text": mask_text(text)[:8000], "ref": page.eyes.refOf(owner), "untrusted": True}
    if len(text) > 8000:
        data["truncated"] = True
    return Outcome(
        f"{len(text)} characters are selected.", f"已选中 {len(text)} 个字符。", data=data
    )


def _selected(page: Page) -> tuple[str, Any]:
    """The selected text and the element it is in."""
    document = js.document
    focused = active_element()
    while not is_nothing(focused) and str(focused.localName) in ("iframe", "frame"):
        inner = prop(focused, "contentDocument")
        if not inner:
            return "", None  # another origin's
        document, focused = inner, inner.activeElement
    if str(prop(focused, "localName")) in ("input", "textarea"):
        start, end = prop(focused, "selectionStart"), prop(focused, "selectionEnd")
        if isinstance(start, int) and isinstance(end, int) and start != end:
            # Positions count as JavaScript does.
            cut = js.String.prototype.substring.call(focused.value, start, end)
            return ("" if page.eyes.secret(focused) else str(cut).strip()), focused
    selection = document.getSelection()
    if is_nothing(selection) or is_nothing(selection.anchorNode):
        return "", None
    text, owner = page.eyes.selected(selection)
    return str(text).strip(), owner
