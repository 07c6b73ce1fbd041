"""What the server's questions share: buttons for the person only, a place for what went wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pagehand.browser.dom import report
from pagehand.errors import PagehandError
from pagehand.html import button, p
from pagehand.ui.i18n import text as say
from pagehand.ui.schema_form import FormError
from pagehand.ui.trust import is_real_click


class Answering:
    """Gives an answer on, and says what hinders it. A refused answer may be given again."""

    def __init__(self) -> None:
        self.note = p(class_="ph-asking-note", role="alert", hidden=True)

    def give(self, deliver: Callable[[], object]) -> bool:
        """Delivers; returns whether the answer was taken."""
        try:
            deliver()
        except FormError as error:
            self.tell(str(error))
            if error.field is not None:
                error.field.focus()
        except PagehandError as error:
            self.tell(str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the person must see it
            report(error)
            self.tell(say("tool.deliver_failed", reason=str(error)))
        else:
            self.note.hidden = True
            return True
        return False

    def tell(self, text: str) -> None:
        """Shows what is wrong."""
        self.note.textContent = text
        self.note.hidden = False

    def button(
        self, words: str, act: Callable[[], object], variant: str = "", **attributes: Any
    ) -> Any:
        """A button that only the person's own click works."""

        def clicked(event: Any) -> None:
            if is_real_click(event):
                act()

        return button(
            words,
            class_="ph-button",
            data_variant=variant or None,
            on_click=clicked,
            **attributes,
        )
