"""The page's words in the language in force.

    text("tool.output-available")              # "Done" or "完成"
    text("tool.show", name="save-note")

There is one language at a time, that of the element whose language was set last. A key
without words is shown as it is: an ugly word is better than an error in the middle of a chat.
"""

from __future__ import annotations

from pagehand.ui.words import WORDS

LANGUAGES = ("en", "zh-CN")

_index = 0


def set_language(language: str) -> bool:
    """Speaks this language from now on; True when that is a change.

    Args:
        language: `zh-CN` (or any other Chinese) or `en`; everything else counts as English.
    """
    global _index  # noqa: PLW0603 - one page, one language
    before = _index
    _index = 1 if language.lower().startswith("zh") else 0
    return _index != before


def language() -> str:
    """The language in force."""
    return LANGUAGES[_index]


def text(key: str, **values: object) -> str:
    """The words for a key, `{name}` filled in from `values`."""
    words = WORDS.get(key)
    if words is None:
        return key
    return words[_index].format(**values) if values else words[_index]
