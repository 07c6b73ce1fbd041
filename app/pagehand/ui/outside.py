"""Calls that come from the browser's own agent, not from this conversation.

They go through the engine as any other. While one runs it is shown above the composer, with its
card where it has one, so that the person sees who acts in the page and can answer what it asks.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from pagehand.browser.webmcp import WebMcpOffer, offer_toolkit
from pagehand.chat.tool_part import INPUT_AVAILABLE, ToolPart
from pagehand.engine.outcome import Output
from pagehand.html import div, p
from pagehand.ui.i18n import text as say
from pagehand.ui.tool_call import ToolCallView
from pagehand.ui.view import ViewContext


class OutsideCalls:
    """Offers the toolkit to the browser, and shows what the browser's agent does with it."""

    def __init__(self, context: ViewContext) -> None:
        self._context = context
        self._heading = p(class_="ph-outside-title")
        self._place = div(self._heading, class_="ph-outside", data_part="outside", hidden=True)
        self._running = 0
        self._offer: WebMcpOffer | None = offer_toolkit(context.toolkit, self._run)
        if self._offer is not None:
            context.shell.style("outside")
            context.shell.notices.before(self._place)

    def close(self) -> None:
        """Takes the offer back."""
        if self._offer is not None:
            self._offer.close()
        self._place.remove()

    async def _run(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        context, tool_call_id = self._context, f"webmcp_{uuid4().hex[:12]}"
        part = ToolPart(name, tool_call_id, INPUT_AVAILABLE, dynamic=False)
        part.set_input(arguments)
        self._count(1)
        view = ToolCallView(part, context, outside=True)
        self._place.append(view.element)
        try:
            outcome = await context.engine.invoke(name, arguments, tool_call_id, context.chat.dump)
        finally:
            view.close()
            view.element.remove()
            self._count(-1)
        if isinstance(outcome, Output):
            return {"value": outcome.value}
        return {"error": outcome.error_text}

    def _count(self, change: int) -> None:
        self._running += change
        self._heading.textContent = say("outside.title")
        self._place.hidden = not self._running
