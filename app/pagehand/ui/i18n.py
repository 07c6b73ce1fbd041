"""The page's words in the language in force.

    text("tool.output-available")              # "Done" or "完成"
    text("tool.show", name="save-note")

Each assistant speaks its own language (`browser/tongue.py`). A key without words is shown as it
is: an ugly word is better than an error in the middle of a chat.
"""

from __future__ import annotations

from pagehand.browser.tongue import LANGUAGES, set_language, spoken
from pagehand.ui.words import WORDS

__all__ = ["LANGUAGES", "language", "set_language", "text"]


def language() -> str:
    """The language in force."""
    return spoken() or LANGUAGES[0]


def text(key: str, **values: object) -> str:
    """The words for a key, `{name}` filled in from `values`."""
    words = WORDS.get(key)
    if words is None:
        return key
    index = LANGUAGES.index(language())
    return words[index].format(**values) if values else words[index]
