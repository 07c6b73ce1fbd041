"""Controls whose value is the person's own: a page's script can change what they show, not this.

Each keeps what came by the browser's own events; `read` gives it, or None where a script has put
in something else, which is put right then. They belong to the open scope of `pagehand.html`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pagehand.html import div, input_, label, listen, span, textarea
from pagehand.tools.typed import TypedField
from pagehand.ui.format import visible
from pagehand.ui.trust import is_real_click


class Field(Protocol):
    """What all controls can do."""

    element: Any

    def read(self) -> Any:
        """The person's value; None when a script has meddled with it, which is undone."""

    def focus(self) -> None:
        """Puts the cursor there."""


class TextField:
    """One line, or several.

    Args:
        on_enter: Called for Enter in a single line.
        text: What stands there first.
        lines: More than one makes a text area.
        attributes: Of the control: `inputmode`, `aria_describedby`, ...
    """

    def __init__(
        self, on_enter: Callable[[], object], *, text: str = "", lines: int = 1, **attributes: Any
    ) -> None:
        if lines > 1:
            self.element = textarea(class_="ph-field", rows=lines, **attributes)
        else:
            self.element = input_(type="text", class_="ph-field", **attributes)
        self.element.value = text
        self._typed = TypedField(self.element, None if lines > 1 else on_enter)

    def read(self) -> str | None:
        """The text without blanks around it."""
        return self._typed.read()

    def focus(self) -> None:
        """Puts the cursor there."""
        self.element.focus()


class ChoiceField:
    """One of a few, or several of them: radio buttons or check boxes.

    Args:
        choices: Labels by key.
        name: Groups the radio buttons.
        multiple: Whether several may be chosen.
        chosen: The keys chosen first.
    """

    def __init__(
        self,
        choices: Mapping[str, str],
        name: str,
        *,
        multiple: bool = False,
        chosen: tuple[str, ...] = (),
        labelled_by: str | None = None,
    ) -> None:
        self._multiple = multiple
        self._chosen = [key for key in chosen if key in choices]
        self._boxes = {
            key: input_(
                type="checkbox" if multiple else "radio",
                name=name,
                value=key,
                checked=key in self._chosen,
            )
            for key in choices
        }
        rows = [
            label(self._boxes[key], span(visible(text), dir="auto"), class_="ph-choice-row")
            for key, text in choices.items()
        ]
        self.element = div(
            rows,
            class_="ph-choices",
            role="group" if multiple else "radiogroup",
            aria_labelledby=labelled_by,
        )
        # Not "change": that event is trusted even where a script made the click.
        listen(self.element, "click", self._clicked)

    def read(self) -> list[str] | None:
        """The chosen keys, in the order of the choices."""
        shown = [key for key, box in self._boxes.items() if box.checked]
        if shown == [key for key in self._boxes if key in self._chosen]:
            return shown
        for key, box in self._boxes.items():
            box.checked = key in self._chosen
        return None

    def focus(self) -> None:
        """Puts the focus on the first."""
        for box in self._boxes.values():
            box.focus()
            return

    def _clicked(self, event: Any) -> None:
        if event.target.localName != "input" or not is_real_click(event, self.element):
            return
        key = str(event.target.value)
        if not self._multiple:
            self._chosen = [key]
        elif event.target.checked:
            self._chosen.append(key)
        else:
            self._chosen = [one for one in self._chosen if one != key]
