"""The button in the header that opens the log of what the assistant did in the page.

The drawer itself is drawn when it is first opened; until then this button is all there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.html import button, scope
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon

if TYPE_CHECKING:
    from pagehand.ui.log_drawer import LogDrawer


class LogButton:
    """Owns the button and the drawer.

    Args:
        shell: The frame in the page (`browser.element.Shell`).
        engine: Whose log it is (`engine.Engine`).
    """

    def __init__(self, shell: Any, engine: Any) -> None:
        self._shell = shell
        self._engine = engine
        self._drawer: LogDrawer | None = None
        with scope() as self._scope:
            self._button = button(
                icon("log", 20),
                class_="ph-icon-button",
                type="button",
                data_part="log-button",
                aria_expanded=False,
                on_click=lambda event: self._toggle(),
            )
        self._name()
        shell.pause.before(self._button)

    def refresh(self) -> None:
        """Says everything again, in another language."""
        self._name()
        if self._drawer is not None:
            self._close_drawer()
            self._open_drawer()

    def close(self) -> None:
        """Takes button and drawer away."""
        if self._drawer is not None:
            self._close_drawer()
        self._button.remove()
        self._scope.close()

    def _name(self) -> None:
        self._button.title = say("log.open")
        self._button.setAttribute("aria-label", say("log.open"))

    def _toggle(self) -> None:
        if self._drawer is None:
            self._open_drawer()
        else:
            self._close_drawer()

    def _open_drawer(self) -> None:
        from pagehand.ui.log_drawer import LogDrawer

        self._drawer = LogDrawer(self._shell, self._engine, self._leave)
        self._button.setAttribute("aria-expanded", "true")

    def _close_drawer(self) -> None:
        if self._drawer is not None:
            self._drawer.close()
            self._drawer = None
        self._button.setAttribute("aria-expanded", "false")

    def _leave(self) -> None:
        """The person closed it: the focus goes back to where it came from."""
        self._close_drawer()
        self._button.focus()
