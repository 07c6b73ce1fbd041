"""A text field that knows which of its text the person wrote.

A script of the host page can set a field's value, or have its form submitted with an event that
the browser calls trusted. So forms are not used where an answer counts: the person's click or
Enter key is, with the text that came by the person's own input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pagehand.html import listen


class TypedField:
    """Watches one `<input>` or `<textarea>`; belongs to the open scope.

    Args:
        field: The element, with the text it begins with.
        on_enter: Called when the person presses Enter in it (not Shift and Enter, and not the
            Enter that ends an input method's word); None where Enter begins a line.
    """

    __slots__ = ("_field", "_on_enter", "_text")

    def __init__(self, field: Any, on_enter: Callable[[], object] | None) -> None:
        self._field = field
        self._on_enter = on_enter
        self._text = str(field.value)
        listen(field, "input", self._typed)
        if on_enter is not None:
            listen(field, "keydown", self._key)

    def read(self) -> str | None:
        """The person's text without blanks around it; None when a script has put in another.

        Then the person's own text is put back, to be looked at and sent again.
        """
        if str(self._field.value) != self._text:
            self._field.value = self._text
            return None
        return self._text.strip()

    def _typed(self, event: Any) -> None:
        if event.isTrusted:
            self._text = str(self._field.value)

    def _key(self, event: Any) -> None:
        # 229: the key belongs to the input method (Safari says so only this way).
        composing = event.isComposing or event.keyCode == 229
        if event.key != "Enter" or event.shiftKey or composing:
            return
        event.preventDefault()
        if event.isTrusted and self._on_enter is not None:
            self._on_enter()
