"""Calls that follow one another, in one frame; many of them fold once all went well."""

from __future__ import annotations

from typing import Any

from pagehand.html import button, div, scope, span
from pagehand.ui.call_state import SETTLED
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon
from pagehand.ui.view import ViewContext

_FOLDS_FROM = 5  # so many calls fold by themselves when they are done
_HEAD_FROM = 2  # so many calls get a line that sums them up


class ToolGroup:
    """Gathers the views of neighbouring calls."""

    def __init__(self, context: ViewContext) -> None:
        self._context = context
        self._views: list[Any] = []
        self._chosen: bool | None = None
        self._label = span(class_="ph-fold-label")
        self._list = div(class_="ph-tools-list")
        with scope() as self._scope:
            self._head = button(
                icon("tool"),
                self._label,
                icon("chevron"),
                class_="ph-fold",
                hidden=True,
                on_click=self._toggle,
            )
        self.element = div(self._head, self._list, class_="ph-tools", data_part="tools")

    def add(self, view: Any) -> None:
        """Adds a call at the end."""
        self._views.append(view)
        self._list.append(view.element)
        view.on_look = self._show
        self._show()

    def remove(self, view: Any) -> None:
        """Takes a call out; an empty group goes."""
        view.on_look = None
        self._views.remove(view)
        if self._views:
            self._show()
        else:
            self._scope.close()
            self.element.remove()

    def _toggle(self, event: Any) -> None:
        self._chosen = self._list.hidden
        self._show()

    def _show(self) -> None:
        looks = [view.look for view in self._views]
        count, failed = len(looks), looks.count("failed")
        done = sum(look in SETTLED for look in looks)
        if done < count:
            label = say("tool.group_running", done=done, count=count)
        elif failed:
            label = say("tool.group_failed", failed=failed, count=count)
        else:
            label = say("tool.group", count=count)
        self._label.textContent = label
        self._head.hidden = count < _HEAD_FROM
        folds = count >= _FOLDS_FROM and done == count and not failed
        open_ = not folds if self._chosen is None else self._chosen
        self._list.hidden = not open_
        self._head.setAttribute("aria-expanded", "true" if open_ else "false")
        self.element.setAttribute("data-count", str(count))
