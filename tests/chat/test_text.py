from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pagehand.chat.text import GrowingText


def test_pieces_become_one_text() -> None:
    text = GrowingText("Hel")
    text.append("lo")
    text.append("")
    assert text.value() == "Hello"
    assert text.length == 5


def test_since_gives_what_is_new() -> None:
    text = GrowingText()
    for piece in ("ab", "cd", "ef"):
        text.append(piece)
    assert text.since(0) == "abcdef"
    assert text.since(3) == "def"
    assert text.since(6) == ""
    assert text.since(9) == ""


def test_since_after_reading_the_whole() -> None:
    text = GrowingText("abc")
    assert text.value() == "abc"
    text.append("def")
    assert text.since(2) == "cdef"


def test_a_character_cut_in_two_halves_is_joined() -> None:
    text = GrowingText()
    text.append("a\ud83d")
    assert text.value() == "a"
    text.append("\ude00b")
    assert text.value() == "a😀b"
    assert text.length == 3


def test_halves_without_a_partner_become_a_replacement_character() -> None:
    text = GrowingText()
    text.append("\ude00x\ud83d")
    text.append("y")
    assert text.value() == "\ufffdx\ufffdy"


def test_closing_gives_up_on_a_waiting_half() -> None:
    text = GrowingText("a\ud83d")
    assert text.close()
    assert not text.close()
    assert text.value() == "a\ufffd"
    assert text.length == 2


@given(st.text(), st.lists(st.integers(0, 40)), st.integers(0, 60))
def test_any_cut_between_utf16_units_gives_the_text_back(
    whole: str, cuts: list[int], offset: int
) -> None:
    units = whole.encode("utf-16-le")
    places = sorted({0, len(units), *(2 * cut for cut in cuts if 2 * cut < len(units))})
    text = GrowingText()
    for start, end in pairwise(places):
        text.append(units[start:end].decode("utf-16-le", "surrogatepass"))
    text.close()
    assert text.value() == whole
    assert text.length == len(whole)
    assert text.since(offset) == whole[offset:]
