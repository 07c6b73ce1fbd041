"""The model's thoughts: open while they come, with the newest in sight, closed when they end."""

from __future__ import annotations

import time
from typing import Any

from pagehand.html import Scope, button, div, scope, span
from pagehand.ui.format import duration
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon
from pagehand.ui.text import TextView


class ReasoningView:
    """One reasoning part. A person's own opening or closing is kept."""

    def __init__(self, part: Any) -> None:
        self._text = TextView(part)
        self._began = time.monotonic() if part.state == "streaming" else None
        self._took: float | None = None
        self._chosen: bool | None = None
        self._label = span(class_="ph-fold-label")
        self._body = div(self._text.element, class_="ph-reasoning-body")
        self._scope: Scope
        with scope() as self._scope:
            self._head = button(
                icon("thought"),
                self._label,
                icon("chevron"),
                class_="ph-fold",
                aria_expanded=False,
                on_click=self._toggle,
            )
        self.element = div(self._head, self._body, class_="ph-reasoning", data_part="reasoning")
        self._show(part.state == "streaming")

    def update(self, part: Any) -> None:
        """Appends what is new; closes the fold at the end."""
        self._text.update(part)
        streaming = part.state == "streaming"
        if not streaming and self._began is not None and self._took is None:
            self._took = time.monotonic() - self._began
        self._show(streaming)

    def close(self) -> None:
        """Frees the writer and the button."""
        self._text.close()
        self._scope.close()

    def _toggle(self, event: Any) -> None:
        self._chosen = self._body.hidden
        self._open(self._chosen)

    def _show(self, streaming: bool) -> None:
        self.element.toggleAttribute("data-streaming", streaming)
        if streaming:
            self._label.textContent = say("reasoning.running")
        elif self._took is None:
            self._label.textContent = say("reasoning.done")
        else:
            self._label.textContent = say("reasoning.timed", time=duration(self._took))
        self._open(streaming if self._chosen is None else self._chosen)

    def _open(self, open_: bool) -> None:
        self._body.hidden = not open_
        self._head.setAttribute("aria-expanded", "true" if open_ else "false")
