"""Which view shows which part. Views beyond plain text are imported when they are first needed."""

from __future__ import annotations

from typing import Any

from pagehand.ui.text import TextView
from pagehand.ui.view import PartView, ViewContext


def key_of(part: Any) -> str:
    """Two parts with one key are the same part at another time."""
    call_id = getattr(part, "tool_call_id", None)
    if call_id is not None:
        return f"tool:{call_id}:{part.tool_name}"
    if type(part).__name__ == "DataPart":
        return f"{part.type}:{part.id}"
    return str(part.type)


def view_of(part: Any, context: ViewContext, role: str) -> tuple[PartView | None, Any]:
    """The view of a part and the kind of group it gathers in; None for parts without a look.

    Args:
        part: A part of a message (`chat.parts`, `chat.tool_part`).
        context: The conversation.
        role: Whose message it is; a person's text is shown as typed.
    """
    kind = type(part).__name__
    if kind == "TextPart":
        return TextView(part, markdown=role != "user"), None
    if kind == "ToolPart":
        return _tool(part, context)
    if kind == "ReasoningPart":
        from pagehand.ui.reasoning import ReasoningView

        return ReasoningView(part), None
    if kind in ("SourceUrlPart", "SourceDocumentPart"):
        from pagehand.ui.sources import SourceList, SourceView

        return SourceView(part), SourceList
    if kind == "FilePart":
        from pagehand.ui.files import FileView

        return FileView(part), None
    if kind == "DataPart":
        return _data(part, context), None
    return None, None


def _tool(part: Any, context: ViewContext) -> tuple[PartView, Any]:
    from pagehand.ui.tool_call import ToolCallView
    from pagehand.ui.tool_group import ToolGroup

    view = ToolCallView(part, context)
    return view, None if view.standalone else ToolGroup


def _data(part: Any, context: ViewContext) -> PartView | None:
    draw = context.toolkit.data_view_of(part.name, part.shown)
    if draw is None:
        return None
    from pagehand.ui.data import DataView

    return DataView(part, draw)
