"""The server's question whether it may run a call; the answer travels with the next request.

Drawn from the gate's full shape: a yes or no, options (some with a second step and a list of
what they allow), own words, questions, an end. A no is always there, unless a rule of the
server has decided.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from pagehand.chat.gates import OPEN, Gate, Option, Question
from pagehand.html import Scope, div, label, li, p, replace_children, scope, span, strong, ul
from pagehand.ui.asking import Answering
from pagehand.ui.fields import ChoiceField, TextField
from pagehand.ui.format import duration, one_line
from pagehand.ui.i18n import text as say
from pagehand.ui.schema_form import FormError
from pagehand.ui.values import draw_value
from pagehand.ui.view import ViewContext


class ApprovalView:
    """One approval gate, answered once."""

    def __init__(self, context: ViewContext, title: str) -> None:
        self._context = context
        self._title = title
        self._scope = Scope()
        self._shown: object = None
        self._timer: Any = None
        self.element = div(class_="ph-approval", data_part="approval", role="group")

    def update(self, part: Any) -> None:
        """Shows the open question, or nothing once it is answered."""
        gate = Gate(part.question or {})
        asked = part.asks_person
        shown = (gate.id, asked)
        self.element.setAttribute("data-gate", part.gate)
        if shown == self._shown:
            return
        self._shown = shown
        self.element.hidden = not asked
        self.close()
        if not asked:
            self.element.replaceChildren()
            return
        self.element.setAttribute("aria-label", f"{say('approval.title')}: {self._title}")
        with scope() as self._scope:
            question = _Question(part, gate, self._context, self._scope)
            replace_children(self.element, question.head, question.body)
        self._count_down(gate, question)

    def close(self) -> None:
        """Frees the buttons."""
        self._scope.close()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _count_down(self, gate: Gate, question: _Question) -> None:
        if gate.expires_at is None:
            return
        left = gate.expires_at - self._context.engine.clock.now()
        question.ends.textContent = say("approval.ends", time=duration(max(left, 1)))
        wait = left % 1 or 1
        self._timer = asyncio.get_event_loop().call_later(
            wait, lambda: self._count_down(gate, question)
        )


class _Question:
    """The drawing of one open gate. Each step is drawn once, so going back loses no words."""

    def __init__(self, part: Any, gate: Gate, context: ViewContext, owner: Scope) -> None:
        self._part = part
        self._gate = gate
        self._context = context
        self._scope = owner
        self._second: dict[str, tuple[list[Any], list[Any]]] = {}
        self._answering = Answering()
        self._fields: dict[str, tuple[Question, Any, Any]] = {}
        self._words: TextField | None = None
        self.ends = span(class_="ph-asking-ends", role="timer", aria_live="off")
        self.head = [
            strong(say("approval.title"), class_="ph-asking-title"),
            gate.prompt and p(one_line(gate.prompt, 2000), dir="auto"),
            draw_value(part.input) if part.input else None,
        ]
        self.body = div(class_="ph-asking-body")
        if gate.automatic:
            replace_children(self.body, span(say("approval.automatic"), class_="ph-asking-badge"))
            return
        self._rows = self._first()
        self._choices = self._buttons()
        self._show(self._rows, self._choices)

    def _show(self, rows: list[Any], buttons: list[Any]) -> None:
        foot = div(self.ends, buttons, class_="ph-buttons")
        replace_children(self.body, rows, self._answering.note, foot)

    def _first(self) -> list[Any]:
        """The answers to choose from."""
        return [
            [self._ask(question) for question in self._gate.questions],
            self._own_words(),
            [self._describe(option) for option in self._gate.options if _needs_words(option)],
        ]

    def _buttons(self) -> list[Any]:
        gate, make = self._gate, self._answering.button
        no = make(say("approval.deny"), lambda: self._answer(approved=False), data_action="deny")
        if not gate.options:
            sends = bool(gate.questions) or self._words is not None
            yes = say("approval.send" if sends else "approval.approve")
            return [no, make(yes, self._approve, "primary", data_action="approve")]
        refusable = any(option.approved is False for option in gate.options)
        chosen = [
            make(
                one_line(option.label, 80),
                partial(self._choose, option),
                "primary" if option.approved is True and number == 0 else "",
                data_action="option",
                data_option_id=option.id,
            )
            for number, option in enumerate(gate.options)
        ]
        send = self._words and make(say("approval.send"), self._approve, data_action="approve")
        return [None if refusable else no, send, *chosen]

    def _describe(self, option: Option) -> Any:
        return div(
            strong(one_line(option.label, 80), dir="auto"),
            option.description and p(one_line(option.description, 600), dir="auto"),
            option.grants
            and div(say("approval.grants"), ul([li(one_line(g, 200)) for g in option.grants])),
            class_="ph-asking-option",
        )

    def _choose(self, option: Option) -> None:
        if option.confirm is None:
            self._answer(optionId=option.id)
            return
        if option.id not in self._second:
            with scope(self._scope):
                self._second[option.id] = self._ask_again(option, *option.confirm)
        self._show(*self._second[option.id])

    def _ask_again(
        self, option: Option, title: str, description: str
    ) -> tuple[list[Any], list[Any]]:
        """The second step of an option: its rows and its buttons."""
        make = self._answering.button
        rows = [
            strong(one_line(title, 200), dir="auto"),
            description and p(one_line(description, 600), dir="auto"),
            self._describe(option) if option.grants else None,
        ]
        buttons = [
            make(
                say("approval.back"),
                lambda: self._show(self._rows, self._choices),
                data_action="back",
            ),
            make(
                say("approval.confirm", name=one_line(option.label, 80)),
                lambda: self._answer(optionId=option.id),
                "primary",
                data_action="confirm-option",
            ),
        ]
        return rows, buttons

    def _own_words(self) -> Any:
        if not self._gate.freeform:
            return None
        self._words = TextField(self._approve, data_name="text")
        words = span(say("approval.text"), class_="ph-field-name")
        return label(words, self._words.element, class_="ph-field-row")

    def _ask(self, question: Question) -> Any:
        own = None
        choices: Any = None
        if question.options:
            labels = dict(question.options)
            name = f"ph-{self._gate.id}-{question.id}"
            choices = ChoiceField(labels, name, multiple=question.multiple)
        if question.freeform:
            own = TextField(self._approve, aria_label=question.text)
        self._fields[question.id] = (question, choices, own)
        optional = None if question.required else say("form.optional")
        return div(
            div(
                span(one_line(question.text, 400), class_="ph-field-name", dir="auto"),
                optional and span(optional, class_="ph-field-optional"),
                class_="ph-field-head",
            ),
            choices and choices.element,
            own and own.element,
            class_="ph-field-row",
            data_question_id=question.id,
        )

    def _approve(self) -> None:
        """The yes, with everything that was filled in."""
        self._answering.give(lambda: self._deliver(self._filled()))

    def _answer(self, **response: Any) -> None:
        self._answering.give(lambda: self._deliver({**self._typed(), **response}))

    def _deliver(self, response: dict[str, Any]) -> None:
        if self._gate.state == OPEN:
            self._context.chat.respond_to_approval(self._part.tool_call_id, response)

    def _typed(self) -> dict[str, Any]:
        """The person's own words, which go with any answer."""
        if self._words is None:
            return {}
        text = self._words.read()
        if text is None:
            raise FormError(say("form.meddled", name=say("approval.text")), self._words)
        return {"text": text} if text else {}

    def _filled(self) -> dict[str, Any]:
        typed = self._typed()
        bare = not typed and not self._fields and not self._gate.options
        if self._words is not None and bare and self._gate.display == "text":
            raise FormError(say("form.required", name=say("approval.text")), self._words)
        answers = {id: self._read(*row) for id, row in self._fields.items()}
        given = {id: answer for id, answer in answers.items() if answer not in ("", [])}
        return {"approved": True, **typed, **({"answers": given} if self._fields else {})}

    def _read(self, question: Question, choices: Any, own: Any) -> Any:
        read = [field.read() for field in (choices, own) if field is not None]
        if None in read:
            raise FormError(say("form.meddled", name=question.text), choices or own)
        chosen = read[0] if choices is not None else []
        words = read[-1] if own is not None else ""
        both = [*chosen, *([words] if words else [])]
        return both if question.multiple else (both[-1] if both else "")


def _needs_words(option: Option) -> bool:
    return bool(option.description or option.grants)
