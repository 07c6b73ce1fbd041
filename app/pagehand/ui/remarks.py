"""Standing remarks of the page itself: a toolkit that failed to load, a server that is not there.

Unlike the chat's notices they belong to no turn: they stay until the person dismisses them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.html import Scope, button, div, p, replace_children, scope
from pagehand.ui.i18n import text as say

if TYPE_CHECKING:
    from pagehand.browser.element import Shell


class Remarks:
    """The remarks of one element, each code once.

    Args:
        shell: The frame in the page.
    """

    __slots__ = ("_element", "_scope", "_shown")

    def __init__(self, shell: Shell) -> None:
        self._scope = Scope()
        self._shown: dict[str, dict[str, object]] = {}
        self._element: Any = div(class_="ph-notices")
        shell.notices.append(self._element)

    def add(self, code: str, **values: object) -> None:
        """Shows the words of `notice.CODE`; the same code again replaces its values."""
        self._shown[code] = values
        self.refresh()

    def drop(self, code: str) -> None:
        """Takes a remark away; nothing happens when it is not there."""
        if self._shown.pop(code, None) is not None:
            self.refresh()

    def refresh(self) -> None:
        """Draws them anew, also for another language."""
        self._scope.close()
        with scope() as self._scope:
            drawn = [self._draw(code, values) for code, values in self._shown.items()]
            replace_children(self._element, drawn)

    def close(self) -> None:
        """Frees the buttons and takes the element out."""
        self._scope.close()
        self._element.remove()

    def _draw(self, code: str, values: dict[str, object]) -> Any:
        dismiss = button(
            say("action.dismiss"),
            class_="ph-button",
            data_variant="quiet",
            data_action="dismiss",
            on_click=lambda event: self.drop(code),
        )
        return div(
            p(say(f"notice.{code}", **values)),
            div(dismiss, class_="ph-buttons"),
            class_="ph-notice",
            data_part="notice",
            data_code=code,
            role="alert" if code == "toolkit" else "status",
        )
