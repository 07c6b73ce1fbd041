"""What a person does with a message: copy it, have it answered again, change their own.

One listener serves every message. Only real clicks and keys count: a page's script cannot
send an edited message in the person's name.
"""

from __future__ import annotations

import asyncio
from typing import Any

from pagehand.browser.dom import Listeners
from pagehand.html import Scope, button, div, scope, textarea
from pagehand.tools.typed import TypedField
from pagehand.ui.i18n import text as say
from pagehand.ui.view import ViewContext


class MessageActions:
    """Listens in the message list.

    Args:
        context: The conversation.
        views: The views of the messages by message id; read when something is clicked.
    """

    def __init__(self, context: ViewContext, views: dict[str, Any]) -> None:
        self._context = context
        self._views = views
        self._scope: Scope | None = None
        self._editing: str | None = None
        self._typed: TypedField | None = None
        self._editor: Any = None
        self._listeners = Listeners()
        self._listeners.on(context.shell.messages, "click", self._clicked)

    def close(self) -> None:
        """Stops listening."""
        self._listeners.close()
        self._stop_editing()

    def refresh(self) -> None:
        """Puts an open editor back, with what is typed, after the messages were drawn anew."""
        if self._editing in self._views:
            self._views[self._editing].show_editor(self._editor)
        else:
            self._stop_editing()

    def _clicked(self, event: Any) -> None:
        target = event.target.closest(".ph-action")
        if not target or not event.isTrusted:
            return
        message_id = target.closest("[data-message-id]").getAttribute("data-message-id")
        message = next((m for m in self._context.chat.messages if m.id == message_id), None)
        if message is None:
            return
        action = target.getAttribute("data-action")
        if action == "copy":
            self._context.spawn(self._copy(message, target))
        elif action == "regenerate":
            self._context.spawn(self._context.chat.regenerate(message_id))
        elif action == "edit":
            self._edit(message)

    async def _copy(self, message: Any, target: Any) -> None:
        import pagehand_markdown

        if not await pagehand_markdown.copyText(message.text, target.parentNode):
            return
        target.classList.add("ph-done")
        target.setAttribute("aria-label", say("action.copied"))
        self._context.announcer.say(say("action.copied"))
        await asyncio.sleep(2)
        target.classList.remove("ph-done")
        target.setAttribute("aria-label", say("action.copy"))

    def _edit(self, message: Any) -> None:
        self._stop_editing()
        view = self._views[message.id]
        with scope() as self._scope:
            field = textarea(
                value=message.text,
                rows=3,
                aria_label=say("action.edit_label"),
                on_keydown=self._key,
            )
            self._typed = TypedField(field, self._save)
            editor = div(
                field,
                div(
                    button(
                        say("action.cancel"),
                        class_="ph-button",
                        data_variant="quiet",
                        data_action="cancel-edit",
                        on_click=lambda event: self._stop_editing(),
                    ),
                    button(
                        say("action.save"),
                        class_="ph-button",
                        data_variant="primary",
                        data_action="save-edit",
                        on_click=lambda event: self._save() if event.isTrusted else None,
                    ),
                    class_="ph-editor-row",
                ),
                class_="ph-editor",
            )
        self._editing, self._editor = message.id, editor
        view.show_editor(editor)
        field.focus()
        field.setSelectionRange(len(message.text), len(message.text))

    def _key(self, event: Any) -> None:
        if event.isComposing or event.keyCode == 229:
            return
        if event.key == "Escape":
            event.preventDefault()
            event.stopPropagation()
            self._stop_editing()

    def _save(self) -> None:
        message_id, text = self._editing, self._typed.read() if self._typed else None
        if message_id is None or not text or self._context.chat.following:
            return  # nothing written is lost: the editor stays, also while another tab leads
        self._stop_editing()
        self._context.spawn(self._context.chat.edit(message_id, text))

    def _stop_editing(self) -> None:
        message_id, self._editing = self._editing, None
        self._typed = self._editor = None
        if message_id in self._views:
            self._views[message_id].show_editor(None)
        if self._scope is not None:
            # The event that ended the editing may have more of its listeners to call.
            asyncio.get_event_loop().call_soon(self._scope.close)
            self._scope = None
