"""Standing remarks of the page itself: a toolkit that failed to load, a server that is not there.

Unlike the chat's notices they belong to no turn: they stay until the person dismisses them.
"""

from __future__ import annotations

from collections.abc import Callable
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

    __slots__ = ("_actions", "_element", "_scope", "_shown")

    def __init__(self, shell: Shell) -> None:
        self._scope = Scope()
        self._shown: dict[str, dict[str, object]] = {}
        self._actions: dict[str, tuple[str, Callable[[], object]]] = {}
        self._element: Any = div(class_="ph-notices")
        shell.notices.append(self._element)

    def add(self, code: str, **values: object) -> None:
        """Shows the words of `notice.CODE`; the same code again replaces its values."""
        self._shown[code] = values
        self.refresh()

    def offer(self, code: str, action: str, act: Callable[[], object]) -> None:
        """Shows the words of `notice.CODE` with a button that says `action.ACTION`."""
        self._actions[code] = (action, act)
        self.add(code)

    def drop(self, code: str) -> None:
        """Takes a remark away; nothing happens when it is not there."""
        self._actions.pop(code, None)
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
        buttons = [self._button("dismiss", lambda: self.drop(code), "quiet")]
        if code in self._actions:
            buttons.insert(0, self._button(*self._actions[code]))
        return div(
            p(say(f"notice.{code}", **values)),
            div(buttons, class_="ph-buttons"),
            class_="ph-notice",
            data_part="notice",
            data_code=code,
            role="alert" if code == "toolkit" else "status",
        )

    def _button(self, action: str, act: Callable[[], object], variant: str = "") -> Any:
        return button(
            say(f"action.{action}"),
            class_="ph-button",
            data_variant=variant or None,
            data_action=action,
            on_click=lambda event: act(),
        )
