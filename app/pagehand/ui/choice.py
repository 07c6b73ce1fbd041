"""A call that had no answer when the page was left: run it now, or skip it.

Nothing of a stored conversation runs by itself: the page may be another one by now, and the
call may have done its work just before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pagehand.html import button, div, p, scope
from pagehand.ui.i18n import text as say
from pagehand.ui.trust import is_real_click
from pagehand.ui.view import ViewContext


class ChoiceView:
    """Two buttons for one call.

    Args:
        context: The conversation.
        tool_call_id: The call.
        asked: Whether it had asked the person something that was not answered.
    """

    def __init__(self, context: ViewContext, tool_call_id: str, *, asked: bool = False) -> None:
        self._context = context
        self._ids = [tool_call_id]
        title = say("choice.asked" if asked else "choice.title")
        again = say("choice.ask" if asked else "choice.run")
        with scope() as self._scope:
            self.element = div(
                p(title),
                div(
                    self._button("skip", say("choice.skip"), self._skip, ""),
                    self._button("run", again, self._run, "primary"),
                    class_="ph-buttons",
                ),
                class_="ph-choice",
                data_part="choice",
                role="group",
                aria_label=title,
            )

    def close(self) -> None:
        """Frees the buttons and takes the element out."""
        self._scope.close()
        self.element.remove()

    def _run(self) -> None:
        self._context.spawn(self._context.chat.run_pending(self._ids))

    def _skip(self) -> None:
        self._context.chat.skip_pending(self._ids)

    def _button(self, action: str, words: str, act: Callable[[], None], variant: str) -> Any:
        def clicked(event: Any) -> None:
            if is_real_click(event):
                act()

        return button(
            words,
            class_="ph-button",
            data_variant=variant or None,
            data_action=action,
            on_click=clicked,
        )
