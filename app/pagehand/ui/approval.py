"""The server's question whether it may run a call; the answer travels with the next request."""

from __future__ import annotations

from typing import Any

from pagehand.html import Scope, button, div, p, replace_children, scope, strong
from pagehand.ui.format import one_line
from pagehand.ui.i18n import text as say
from pagehand.ui.trust import is_real_click
from pagehand.ui.values import draw_value
from pagehand.ui.view import ViewContext


class ApprovalView:
    """One approval gate, answered once."""

    def __init__(self, context: ViewContext, title: str) -> None:
        self._context = context
        self._title = title
        self._scope = Scope()
        self._shown: object = None
        self.element = div(class_="ph-approval", data_part="approval", role="group")

    def update(self, part: Any) -> None:
        """Shows the open question, or nothing once it is answered."""
        gate = part.approval or {}
        asked = part.state == "approval-requested" and gate.get("approved") is None
        shown = (gate.get("id"), asked)
        if shown == self._shown:
            return
        self._shown = shown
        self.element.hidden = not asked
        self._scope.close()
        if not asked:
            self.element.replaceChildren()
            return
        with scope() as self._scope:
            replace_children(self.element, self._question(part, gate))

    def close(self) -> None:
        """Frees the buttons."""
        self._scope.close()

    def _question(self, part: Any, gate: dict[str, Any]) -> list[Any]:
        heading = strong(say("approval.title"), class_="ph-approval-title")
        reason = gate.get("requestReason")
        given = draw_value(part.input) if part.input else None
        buttons = div(
            self._answer_button("deny", False, gate, ""),
            self._answer_button("approve", True, gate, "primary"),
            class_="ph-buttons",
        )
        self.element.setAttribute("aria-label", f"{say('approval.title')}: {self._title}")
        return [heading, reason and p(one_line(str(reason), 400)), given, buttons]

    def _answer_button(
        self, action: str, approved: bool, gate: dict[str, Any], variant: str
    ) -> Any:
        def answer(event: Any) -> None:
            if is_real_click(event):
                self._answer(gate, approved)

        return button(
            say(f"approval.{action}"),
            class_="ph-button",
            data_variant=variant or None,
            data_action=action,
            on_click=answer,
        )

    def _answer(self, gate: dict[str, Any], approved: bool) -> None:
        try:
            self._context.chat.add_tool_approval_response(gate.get("id"), approved)
        except Exception as error:  # noqa: BLE001 - whatever it is, the person must see it
            note = p(say("tool.deliver_failed", reason=str(error)), role="alert")
            self.element.append(note)
