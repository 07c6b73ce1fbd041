"""Reads key names: one key, or a chord.

read_chord("Control+Shift+k")    # Chord("K", "KeyK", 75, {"ctrlKey", "shiftKey"})
"""

from __future__ import annotations

from typing import NamedTuple

from pagehand.tools.outcome import TroubleError

# Name: (key, code, the number that old code reads)
_KEYS: dict[str, tuple[str, str, int]] = {
    "enter": ("Enter", "Enter", 13),
    "tab": ("Tab", "Tab", 9),
    "escape": ("Escape", "Escape", 27),
    "esc": ("Escape", "Escape", 27),
    "space": (" ", "Space", 32),
    "backspace": ("Backspace", "Backspace", 8),
    "delete": ("Delete", "Delete", 46),
    "arrowup": ("ArrowUp", "ArrowUp", 38),
    "arrowdown": ("ArrowDown", "ArrowDown", 40),
    "arrowleft": ("ArrowLeft", "ArrowLeft", 37),
    "arrowright": ("ArrowRight", "ArrowRight", 39),
    "home": ("Home", "Home", 36),
    "end": ("End", "End", 35),
    "pageup": ("PageUp", "PageUp", 33),
    "pagedown": ("PageDown", "PageDown", 34),
    **{f"f{n}": (f"F{n}", f"F{n}", 111 + n) for n in range(1, 13)},
}
_MODIFIERS = {
    "control": "ctrlKey",
    "ctrl": "ctrlKey",
    "shift": "shiftKey",
    "alt": "altKey",
    "option": "altKey",
    "meta": "metaKey",
    "cmd": "metaKey",
    "command": "metaKey",
}
_SIGNS = {
    "-": ("Minus", 189),
    "=": ("Equal", 187),
    ",": ("Comma", 188),
    ".": ("Period", 190),
    "/": ("Slash", 191),
    "?": ("Slash", 191),
    ";": ("Semicolon", 186),
    "'": ("Quote", 222),
    "[": ("BracketLeft", 219),
    "]": ("BracketRight", 221),
    "\\": ("Backslash", 220),
    "`": ("Backquote", 192),
}


class Chord(NamedTuple):
    """One key with its modifiers."""

    key: str
    code: str
    number: int
    modifiers: frozenset[str]

    @property
    def writes(self) -> bool:
        """Whether it would put a character into a field."""
        return len(self.key) == 1 and not self.modifiers & {"ctrlKey", "metaKey", "altKey"}


def read_chord(text: str) -> Chord:
    """Reads "Enter", "a", "Shift+Tab", "Control+Shift+K".

    Raises:
        TroubleError: `bad_key`.
    """
    # A plus sign may be the key itself: "+", "Control++".
    before = text[:-1].removesuffix("+").split("+") if text.endswith("+") else text.split("+")
    name = "+" if text.endswith("+") else before.pop()
    before = [one for one in before if one]
    modifiers = frozenset(_MODIFIERS.get(one.strip().lower(), "") for one in before)
    known = _KEYS.get(name.strip().lower()) or _character(name if name == " " else name.strip())
    if known is None or "" in modifiers:
        raise TroubleError(
            "bad_key",
            f'"{text}" is no key; use one character, or {", ".join(_named())}, with Control+, '
            "Shift+, Alt+ or Meta+ before it.",
            f"“{text}”不是按键；请用单个字符或 Enter、Tab、Escape 等，可加 Control+、Shift+。",
        )
    key, code, number = known
    if "shiftKey" in modifiers and len(key) == 1:
        key = key.upper()
    return Chord(key, code, number, modifiers)


def _named() -> list[str]:
    return sorted({key for key, _, _ in _KEYS.values() if key != " "} | {"Space"})


def _character(name: str) -> tuple[str, str, int] | None:
    if len(name) != 1 or not name.isprintable():
        return None
    if name.isascii() and name.isalpha():
        return name, f"Key{name.upper()}", ord(name.upper())
    if name.isdecimal() and name.isascii():
        return name, f"Digit{name}", ord(name)
    code, number = _SIGNS.get(name, ("", 0))
    return name, code, number
