"""One message: its parts in order, each in a view of its own.

A part is drawn when its `revision` is another than before, so that a delta touches the one part
that grew, or when another part has come in its place.
"""

from __future__ import annotations

from typing import Any

from pagehand.browser.dom import report
from pagehand.html import article, button, div, p
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon
from pagehand.ui.parts import key_of, view_of
from pagehand.ui.view import PartView, ViewContext


class _Slot:
    """A part that is shown: its view may be None for parts without a look."""

    __slots__ = ("box", "key", "part", "revision", "view")

    def __init__(self, key: str, part: Any, view: PartView | None, box: Any) -> None:
        self.key = key
        self.part = part
        self.revision: int = part.revision
        self.view = view
        self.box = box


class MessageView:
    """One message of the thread."""

    def __init__(self, context: ViewContext, message: Any) -> None:
        self._context = context
        self._slots: list[_Slot] = []
        self._stopped: Any = None
        self.role: str = message.role
        self._body = div(class_="ph-message-body")
        self.element = article(
            self._body,
            self._actions(),
            class_="ph-message",
            data_message_id=message.id,
            data_role=message.role,
            aria_label=say(
                "thread.from_user" if message.role == "user" else "thread.from_assistant"
            ),
        )
        self.update(message)

    def update(self, message: Any) -> None:
        """Brings the message in line."""
        for index, part in enumerate(message.parts):
            try:
                self._update_part(index, part)
            except Exception as error:  # noqa: BLE001 - one part's error must not hide the others
                report(error)
                if index == len(self._slots):
                    self._slots.append(_Slot(key_of(part), part, None, None))
        self._drop_from(len(message.parts))
        self._mark_interrupted(message.interrupted)
        self.element.toggleAttribute("data-empty", not self._body.hasChildNodes())

    def _mark_interrupted(self, interrupted: bool) -> None:
        """The line at its side says it to the eye, these words to those who hear it."""
        self.element.toggleAttribute("data-interrupted", interrupted)
        if interrupted and self._stopped is None:
            self._stopped = p(say("thread.interrupted"), class_="ph-visually-hidden")
            self._body.after(self._stopped)
        elif not interrupted and self._stopped is not None:
            self._stopped.remove()
            self._stopped = None

    def show_editor(self, editor: Any | None) -> None:
        """Puts an editor in place of the body, or the body back."""
        for child in list(self.element.children):
            if child.classList.contains("ph-editor"):
                child.remove()
        self._body.hidden = editor is not None
        if editor is not None:
            self.element.insertBefore(editor, self._body)

    def close(self) -> None:
        """Frees every part's view and takes the element out."""
        self._drop_from(0)
        self.element.remove()

    def _update_part(self, index: int, part: Any) -> None:
        key = key_of(part)
        if index < len(self._slots):
            slot = self._slots[index]
            if slot.key == key:
                if slot.revision != part.revision or slot.part is not part:
                    slot.revision, slot.part = part.revision, part
                    if slot.view is not None:
                        slot.view.update(part)
                return
            self._drop_from(index)
        self._slots.append(self._add(key, part))

    def _add(self, key: str, part: Any) -> _Slot:
        view, group = view_of(part, self._context, self.role)
        box = None
        if view is not None:
            box = self._box(group)
            box.add(view) if group else self._body.append(view.element)
        return _Slot(key, part, view, box)

    def _box(self, group: Any) -> Any:
        """The group that takes the next part: the last one if it is of that kind."""
        if group is None:
            return None
        for slot in reversed(self._slots):
            if slot.view is not None:
                if type(slot.box) is group:
                    return slot.box
                break
        made = group(self._context)
        self._body.append(made.element)
        return made

    def _drop_from(self, index: int) -> None:
        for slot in self._slots[index:]:
            if slot.view is None:
                continue
            slot.view.close()
            slot.view.element.remove()
            if slot.box is not None:
                slot.box.remove(slot.view)
        del self._slots[index:]

    def _actions(self) -> Any:
        """A copy of the one bar for this role: a thousand messages cost a thousand copies."""
        bar = self._context.templates.get(self.role)
        if bar is None:
            names = ("copy", "edit") if self.role == "user" else ("copy", "regenerate")
            bar = div([_action(name) for name in names], class_="ph-actions", role="group")
            self._context.templates[self.role] = bar
        return bar.cloneNode(True)


_ICONS = {"copy": "copy", "edit": "edit", "regenerate": "again"}


def _action(name: str) -> Any:
    label = say(f"action.{name}")
    return button(
        icon(_ICONS[name]),
        class_="ph-icon-button ph-action",
        data_action=name,
        aria_label=label,
        title=label,
    )
