"""Names of keys."""

from __future__ import annotations

import pytest

from pagehand.tools.chords import read_chord
from pagehand.tools.outcome import TroubleError


@pytest.mark.parametrize(
    ("text", "key", "code", "number", "modifiers"),
    [
        ("Enter", "Enter", "Enter", 13, set()),
        ("esc", "Escape", "Escape", 27, set()),
        ("a", "a", "KeyA", 65, set()),
        ("7", "7", "Digit7", 55, set()),
        ("Space", " ", "Space", 32, set()),
        (" ", " ", "", 32, set()),
        ("F5", "F5", "F5", 116, set()),
        ("Shift+Tab", "Tab", "Tab", 9, {"shiftKey"}),
        ("Control+Shift+k", "K", "KeyK", 75, {"ctrlKey", "shiftKey"}),
        ("cmd + s", "s", "KeyS", 83, {"metaKey"}),
        ("+", "+", "", 0, set()),
        ("Control++", "+", "", 0, {"ctrlKey"}),
        ("?", "?", "Slash", 191, set()),
    ],
)
def test_keys_are_read(text: str, key: str, code: str, number: int, modifiers: set[str]) -> None:
    chord = read_chord(text)
    assert (chord.key, chord.modifiers) == (key, modifiers)
    if code:
        assert (chord.code, chord.number) == (code, number)


def test_what_writes_a_character_is_known() -> None:
    writing = [one for one in ("a", "Shift+a", "Control+a", "Enter", "5") if read_chord(one).writes]
    assert writing == ["a", "Shift+a", "5"]


@pytest.mark.parametrize("wrong", ["", "Hyper+a", "Return it", "ab", "\n", "Shift+Foo"])
def test_what_is_no_key_is_refused_with_the_names_there_are(wrong: str) -> None:
    with pytest.raises(TroubleError, match="ArrowDown") as caught:
        read_chord(wrong)
    assert caught.value.code == "bad_key"
