"""One tool call: what is done with what, how far it is, what came of it.

A row with the tool's name and state; below it what needs the person (a human tool's card, the
server's approval gate), the tool's own drawing of the call, and on demand the arguments and
the result, readable and raw.
"""

from __future__ import annotations

from typing import Any

import js

from pagehand.html import button, div, p, scope, span
from pagehand.ui.call_state import NEEDS_PERSON, look_of
from pagehand.ui.card import Card
from pagehand.ui.format import duration, one_line
from pagehand.ui.i18n import language
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon
from pagehand.ui.tool_names import name_of
from pagehand.ui.view import ViewContext

_ICONS = {
    "approval": "shield",
    "waiting": "hand",
    "done": "check",
    "failed": "alert",
    "denied": "minus",
    "cancelled": "minus",
}


class ToolCallView:
    """One tool part.

    Args:
        part: The call.
        context: The conversation's surroundings.
        outside: The call is none of the conversation's, so no other tab has it.
    """

    def __init__(self, part: Any, context: ViewContext, *, outside: bool = False) -> None:
        self._outside = outside
        self._part = part
        self._context = context
        self._tool = context.toolkit.get(part.tool_name)
        self._head: Any = None
        self._details: Any = None
        self._call: Any = None
        self._card: Card | None = None
        self._card_seen: object = None
        self._approval: Any = None
        self._suspension: Any = None
        self._choice: Any = None
        self._asked_again = False
        self.look = ""
        self._shown = ("", "")
        self.on_look: Any = None
        self.standalone = self._stands_alone()
        with scope() as self._scope:
            self._build()
        context.calls.setdefault(part.tool_call_id, []).append(self)
        self.refresh()

    def update(self, part: Any) -> None:
        """Brings the card in line with the part."""
        self._part = part
        self.refresh()

    def refresh(self) -> None:
        """Draws what changed in the part or in the engine's handle."""
        part = self._part
        elsewhere = self._context.chat.following and not (part.finished or self._outside)
        handle = None if elsewhere else self._handle()
        look, phrase = look_of(part, handle, self._tool and self._tool.kind)
        choice = self._is_choice()
        if elsewhere:
            look, phrase = "running", "tool.other_tab"
        elif choice:
            look, phrase = "waiting", "tool.unfinished"
        elif look == "failed" and part.tool_call_id in self._context.declined:
            look, phrase = "denied", "tool.output-denied"
        self.element.setAttribute("data-state", part.state)
        self.element.setAttribute("data-gate", part.gate)
        if (look, phrase) != self._shown:
            self._show_look(look, phrase)
            self._shown = (look, phrase)
        changed = look != self.look
        self.look = look
        self._show_line(handle)
        self._show_time(handle)
        if elsewhere:
            self._drop_questions()
        else:
            self._draw_card(handle)
            self._draw_approval()
            self._draw_suspension()
            self._draw_choice(choice)
        if self._details is not None and not self._details.element.hidden:
            self._details.update(part)
        if changed and self.on_look:
            self.on_look()

    def close(self) -> None:
        """Frees every callback and leaves the register of calls."""
        views = self._context.calls.get(self._part.tool_call_id, [])
        if self in views:
            views.remove(self)
        if not views:
            self._context.calls.pop(self._part.tool_call_id, None)
        parts = (self._card, self._approval, self._suspension, self._choice, self._details)
        for owned in (*parts, self._scope):
            if owned is not None:
                owned.close()

    def _drop_questions(self) -> None:
        """The person is asked in another tab."""
        if self._card is not None:
            self._card.close()
        for asking in (self._approval, self._suspension, self._choice):
            if asking is not None:
                asking.close()
                asking.element.remove()
        self._place.replaceChildren()
        self._place.hidden = True
        self._card = self._approval = self._suspension = self._choice = self._card_seen = None
        self._asked_again = False

    def open(self, open_: bool) -> None:
        """Shows or hides the arguments and the result."""
        if open_ and self._details is None:
            from pagehand.ui.call_details import CallDetails

            self._details = CallDetails()
            self.element.append(self._details.element)
        if self._details is not None:
            self._details.element.hidden = not open_
            if open_:
                self._details.update(self._part)
        self._head.setAttribute("aria-expanded", "true" if open_ else "false")

    def _toggle(self, event: Any) -> None:
        self.open(self._head.getAttribute("aria-expanded") == "false")

    def _handle(self) -> Any:
        """The engine's handle; None while arguments stream that nobody looks at.

        Reading half an argument costs a parse of all of it, so it is not done for show.
        """
        part = self._part
        if part.state == "input-streaming":
            tool = self._tool
            if tool is None or tool.kind == "human" or not (_draws(tool) or tool.render_text):
                return None
        return self._context.engine.show(part)

    def _stands_alone(self) -> bool:
        tool = self._tool
        if self._part.question is not None or self._part.suspension is not None:
            return True
        return tool is not None and (tool.display == "standalone" or _draws(tool))

    def _build(self) -> None:
        part, tool = self._part, self._tool
        self.title = name_of(part.tool_name, (tool and tool.title) or part.title)
        self._icon = span(class_="ph-tool-icon", aria_hidden=True)
        self._state = span(class_="ph-tool-state")
        self._time = span(class_="ph-tool-time")
        self._head = button(
            self._icon,
            span(self.title, class_="ph-tool-title"),
            self._state,
            self._time,
            icon("chevron"),
            class_="ph-tool-head",
            aria_expanded=False,
            title=part.tool_name,
            on_click=self._toggle,
        )
        self._line = p(class_="ph-tool-line", hidden=True)
        self._place = div(class_="ph-tool-card", hidden=True)
        self.element = div(
            self._head,
            self._line,
            self._place,
            class_="ph-tool",
            role="group",
            data_tool_call_id=part.tool_call_id,
            data_tool_name=part.tool_name,
            aria_label=self.title,
        )

    def _show_look(self, look: str, phrase: str) -> None:
        self.element.setAttribute("data-look", look)
        self._state.textContent = say(phrase)
        mark = _ICONS.get(look)
        self._icon.replaceChildren(icon(mark) if mark else span(class_="ph-spinner"))
        if look in NEEDS_PERSON and self.look != look:
            self._context.announcer.say(say("say.tool", name=self.title, state=say(phrase)))

    def _show_line(self, handle: Any) -> None:
        part = self._part
        line = ""
        if self.look == "failed":
            line = one_line(part.error_text or "", 240)
        elif part.state == "output-denied":
            line = one_line((part.approval or {}).get("reason") or "", 240)
        elif handle is not None and self._tool is not None and self._tool.render_text:
            line = one_line(self._tool.status_text(handle) or "", 240)
        self._line.textContent = line
        self._line.hidden = not line

    def _show_time(self, handle: Any) -> None:
        if handle is not None and handle.started_at and handle.ended_at:
            self._time.textContent = duration(handle.ended_at - handle.started_at)
            began = js.Date.new(handle.started_at * 1000)
            self._time.title = began.toLocaleString(language())

    def _draw_card(self, handle: Any) -> None:
        if handle is None or not (_draws(self._tool) or self._view()):
            return
        seen = (handle, handle.revision, self._part.state)
        if seen == self._card_seen:
            return
        self._card_seen = seen
        if self._card is None:
            self._card = Card(self._place, self._drawing, self._skip)
        self._call = handle
        self._card.draw()
        if self._part.finished:
            self._card.end()

    def _drawing(self) -> Any:
        view = self._view()
        if view is None:
            return self._tool.draw(self._call)
        pause, call = self._part.suspension, self._call
        answer = pause.data.get("resumeData")
        busy = not self._part.asks_person
        return view.draw(pause.payload, call.resume, busy=busy, answer=answer, call=call)

    def _view(self) -> Any:
        """The view that this page has for what a suspended run of the server's asks."""
        pause = self._part.suspension
        if pause is None or pause.approval or (self._tool and self._tool.render):
            return None
        from pagehand.toolkit.tool_ui import tagged

        found = tagged(pause.payload)
        return None if found is None else self._context.toolkit.view_of(found[0])

    def _draw_suspension(self) -> None:
        pause = self._part.suspension
        if pause is None or pause.approval or (self._tool and self._tool.render) or self._view():
            return
        if self._suspension is None:
            from pagehand.ui.suspension import SuspensionView

            self._suspension = SuspensionView(self._context, self.title)
            self.element.insertBefore(self._suspension.element, self._place)
        self._suspension.update(self._part)

    def _skip(self) -> None:
        self._call.add_error(say("tool.skipped"))

    def _draw_approval(self) -> None:
        gate = self._part.question
        if gate is None and self._approval is None:
            return
        if self._approval is None:
            from pagehand.ui.approval import ApprovalView

            self._approval = ApprovalView(self._context, self.title)
            self.element.insertBefore(self._approval.element, self._place)
        self._approval.update(self._part)

    def _is_choice(self) -> bool:
        """Whether the call comes from a stored conversation and waits for a decision."""
        part = self._part
        return part.runnable and part in self._context.chat.pending_choices

    def _draw_choice(self, choice: bool) -> None:
        asked = "payload" in ((self._part.kept or {}).get("asked") or {})
        if choice and self._tool is not None and _asks_again(self._tool, asked):
            # Its card is the question; showing it again does nothing by itself.
            if not self._asked_again:
                self._asked_again = True
                self._context.spawn(self._context.chat.run_pending([self._part.tool_call_id]))
        elif choice and self._choice is None:
            from pagehand.ui.choice import ChoiceView

            self._choice = ChoiceView(self._context, self._part.tool_call_id, asked=asked)
            self.element.insertBefore(self._choice.element, self._place)
        elif not choice and self._choice is not None:
            self._choice.close()
            self._choice = None


def _draws(tool: Any) -> bool:
    return tool is not None and (tool.render is not None or tool.ui is not None)


def _asks_again(tool: Any, asked: bool) -> bool:
    """Whether a call of a stored conversation may start again without being told to.

    A card only shows its question again; of the others, those whose author said that running
    them twice is as running them once.
    """
    return tool.kind == "human" or (tool.idempotent and (asked or _asks_nobody(tool)))


def _asks_nobody(tool: Any) -> bool:
    return tool.kind == "frontend" and tool.risk == "safe" and tool.requires_confirmation is False
