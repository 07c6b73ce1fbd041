"""Text of a message: Markdown for the assistant's, plain for the person's.

The Markdown itself is read and drawn by `static/markdown.js`; a delta costs what the delta
costs. Where that script could not be loaded, the text is shown as it is.
"""

from __future__ import annotations

from typing import Any

from pagehand.html import div, text_node
from pagehand.ui.i18n import text as say


class TextView:
    """One text part."""

    def __init__(self, part: Any, *, markdown: bool = True) -> None:
        self.element = div(class_="ph-text", dir="auto")
        self._writer = _writer(self.element, markdown)
        self._shown = 0
        self._done = False
        self._part = part
        self.update(part)

    def update(self, part: Any) -> None:
        """Appends what is new."""
        before, self._part = self._part, part
        if part.length < self._shown or (part is not before and not _goes_on(before, part)):
            self._writer.restart()
            self._shown = 0
        done = part.state != "streaming"
        if part.length > self._shown or done != self._done:
            self._writer.append(part.since(self._shown), done)
            self._shown = part.length
            self._done = done
        self.element.toggleAttribute("data-streaming", not done)

    def close(self) -> None:
        """Frees the writer."""
        self._writer.close()


def _goes_on(before: Any, part: Any) -> bool:
    """Whether another part in the place of one holds its text and perhaps more."""
    return bool(part.text.startswith(before.text))


class PlainText:
    """Shows text as it is, in one text node."""

    def __init__(self, element: Any) -> None:
        element.classList.add("ph-text-plain")
        self._node = text_node("")
        element.append(self._node)

    def append(self, text: str, final: bool) -> None:
        """Adds text."""
        if text:
            self._node.appendData(text)

    def restart(self) -> None:
        """Forgets the text."""
        self._node.data = ""

    def close(self) -> None:
        """Nothing is held."""


class _Markdown:
    """Shows text through `static/markdown.js`."""

    def __init__(self, element: Any, create: Any) -> None:
        self._element = element
        self._create = create
        self._markdown = self._start()

    def append(self, text: str, final: bool) -> None:
        self._markdown.append(text, final)

    def restart(self) -> None:
        self.close()
        self._element.replaceChildren()
        self._markdown = self._start()

    def close(self) -> None:
        self._markdown.close()

    def _start(self) -> Any:
        return self._create(
            self._element,
            say("action.copy"),
            say("action.copied"),
            say("markdown.code"),
            say("markdown.image"),
        )


def _writer(element: Any, markdown: bool) -> Any:
    if markdown:
        try:
            from pagehand_markdown import createMarkdown
        except ImportError:
            pass  # the script is missing or blocked: the text still shows
        else:
            return _Markdown(element, createMarkdown)
    return PlainText(element)
