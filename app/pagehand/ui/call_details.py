"""What a call was given and what came of it: readable, and raw on demand."""

from __future__ import annotations

from typing import Any

from pagehand.html import code, details, div, h4, p, pre, replace_children, scope, summary
from pagehand.ui.format import raw, visible
from pagehand.ui.i18n import text as say
from pagehand.ui.values import draw_value


class CallDetails:
    """Arguments, result or error, and the raw data of one call."""

    def __init__(self) -> None:
        self._given = div()
        self._came = div()
        self._raw = pre(class_="ph-raw", tabindex=0)
        self._part: Any = None
        self._seen = -1
        with scope() as self._scope:
            self._fold = details(
                summary(say("tool.raw")), self._raw, class_="ph-raw-fold", on_toggle=self._toggled
            )
        self.element = div(self._given, self._came, self._fold, class_="ph-tool-details")

    def update(self, part: Any) -> None:
        """Draws what the call has by now."""
        if part is self._part and part.revision == self._seen:
            return
        self._part, self._seen = part, part.revision
        replace_children(self._given, h4(say("tool.arguments")), _arguments(part))
        replace_children(self._came, _outcome(part))
        self._show_raw()

    def close(self) -> None:
        """Frees the callback."""
        self._scope.close()

    def _toggled(self, event: Any) -> None:
        self._show_raw()

    def _show_raw(self) -> None:
        # The raw text of a large result costs more than its rows: written only when seen.
        if self._fold.open and self._part is not None:
            self._raw.textContent = raw(self._part.to_wire())


def _arguments(part: Any) -> Any:
    value = part.input
    if value in (None, {}):
        text = part.args_text
        if text and text.strip() not in ("{}", "null"):
            return pre(code(visible(text)), class_="ph-raw")
        return p(say("tool.no_arguments"), class_="ph-value-quiet")
    return draw_value(value)


def _outcome(part: Any) -> list[Any]:
    if part.state == "output-error":
        return [h4(say("tool.error")), p(visible(part.error_text or ""), class_="ph-tool-error")]
    if part.state != "output-available":
        return []
    if part.output in (None, ""):
        return [h4(say("tool.result")), p(say("tool.no_result"), class_="ph-value-quiet")]
    return [h4(say("tool.result")), draw_value(part.output)]
