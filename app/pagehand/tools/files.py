"""Files made of text: put into a file field, or offered for saving.

file_name("../a<b>.csv")     # "a_b_.csv"
type_of("a.csv")             # "text/csv"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.tools.filenames import accepts, file_name, preview, type_of
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import prop, settle
from pagehand.tools.target import resolve
from pagehand.tools.writing import bring_into_view

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page


async def attach_file(
    page: Page, ctx: ToolContext, target: str, name: str, text: str, type: str = ""
) -> Outcome:
    """Puts a generated file into a file field; a field for several keeps those it has."""
    field, plain, kind = _checked(page, target, name, type)
    bring_into_view(field)
    window = field.ownerDocument.defaultView
    parcel = window.DataTransfer.new()
    if field.multiple:
        for kept in field.files:
            if str(kept.name) != plain:
                parcel.items.add(kept)
    parcel.items.add(window.File.new(_parts(window, text), plain, type=kind))
    window.Reflect.set(window.HTMLInputElement.prototype, "files", parcel.files, field)
    for event in ("input", "change"):
        field.dispatchEvent(window.Event.new(event, bubbles=True, composed=event == "input"))
    await settle()
    held = [str(one.name) for one in field.files] if field.isConnected else [plain]
    taken = plain in held
    label = str(page.eyes.name(field) or target)
    return Outcome(
        f"“{label}” holds {plain}." if taken else f"“{label}” did not keep {plain}.",
        f"“{label}”已放入 {plain}。" if taken else f"“{label}”没有保留 {plain}。",
        data={"field": label, "files": held, "type": kind, "characters": len(text)},
        code="ok" if taken else "not_accepted",
        success=taken,
    )


def ask_attach(page: Page, target: str, name: str, text: str, type: str = "") -> str:
    """Which file would go into which field."""
    field, plain, _kind = _checked(page, target, name, type)
    label = str(page.eyes.name(field) or target)
    head = page.say(f"Attach {plain} to “{label}”?", f"将 {plain} 放入“{label}”？")
    return f"{head}\n{preview(text)}"


def _parts(window: Any, text: str) -> Any:
    parts = window.Array.new()
    parts.push(text)
    return parts


def _checked(page: Page, target: str, name: str, type: str) -> tuple[Any, str, str]:
    """The field, the file's name and its type, if the field takes them."""
    field = _file_field(page, resolve(page, target))
    plain = file_name(name)
    kind = type or type_of(plain)
    accept = str(field.getAttribute("accept") or "")
    if not accepts(accept, plain, kind):
        raise TroubleError(
            "bad_value",
            f"The field takes {accept}, not {plain} ({kind}).",
            f"该字段只接受 {accept}，不接受 {plain}（{kind}）。",
        )
    if field.matches(":disabled"):
        raise TroubleError("disabled", "The field is disabled.", "该字段已禁用。")
    return field, plain, kind


def _file_field(page: Page, element: Any) -> Any:
    """The file field that is meant: itself, or the one that its label or wrapper holds."""
    if str(prop(element, "type")) == "file" and str(element.localName) == "input":
        return element
    control = prop(element, "control") or element
    inner = [
        one
        for one in [control, *page.eyes.select(element, "input")]
        if str(prop(one, "type")) == "file" and page.allows(one)
    ]
    if not inner:
        raise TroubleError("not_a_field", "This is no file field.", "这不是文件字段。")
    return inner[0]
