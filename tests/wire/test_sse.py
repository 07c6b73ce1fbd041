"""The event stream format, by the WHATWG standard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.errors import BufferLimitError
from pagehand.wire.sse import SseDecoder, encode_comment, encode_event


def decode(*pieces: bytes) -> list[str]:
    decoder = SseDecoder()
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.flush()


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_line_ends(end: str) -> None:
    text = f"data: a{end}data:b{end}{end}data: c{end}{end}"
    assert decode(text.encode()) == ["a\nb", "c"]
    assert decode(*(bytes([byte]) for byte in text.encode())) == ["a\nb", "c"]


def test_line_ends_may_be_mixed_and_split() -> None:
    assert decode(b"data: a\r", b"\n\r", b"\ndata: b\r", b"\rdata: c\n\n") == ["a", "b", "c"]


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_other_separators_do_not_end_a_line(char: str) -> None:
    assert decode(f"data: a{char}b\n\n".encode()) == [f"a{char}b"]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        ("data: a\n\n", ["a"]),
        ("data:  a\n\n", [" a"]),
        ("data:a: b\n\n", ["a: b"]),
        ("data\n\n", [""]),
        ("data:\n\n", [""]),
        ("data\ndata\n\n", ["\n"]),
        ("\n\n\ndata: a\n\n\n\n", ["a"]),
        ("event: x\nid: 1\nretry: 9\ndata: a\n\n", ["a"]),
        ("event: x\n\n", []),
        ("datas: a\n\nDATA: b\n\n data: c\n\n", []),
        (": data: a\n\n", []),
        ("\ufeffdata: a\n\n", ["a"]),
        ("data: a\n\n\ufeffdata: b\n\n", ["a"]),
    ],
)
def test_fields(stream: str, events: list[str]) -> None:
    assert decode(stream.encode()) == events
    assert decode(*(bytes([byte]) for byte in stream.encode())) == events


def test_comments_are_counted_as_signs_of_life() -> None:
    decoder = SseDecoder()
    decoder.feed(b": stream-open\n\n:\ndata: a\n: keep-alive\n\n")
    assert decoder.comments == 3


def test_characters_may_be_split() -> None:
    data = "data: é名😀\n\n".encode()
    for cut in range(len(data)):
        assert decode(data[:cut], data[cut:]) == ["é名😀"]


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert decode(b"data: a\xffb\n\ndata: c\xe5\x90") == ["a\ufffdb", "c\ufffd"]


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r", b"\r\n"])
def test_the_end_of_the_stream_ends_the_last_event(ending: bytes) -> None:
    assert decode(b"data: a\n\ndata: b" + ending) == ["a", "b"]


def test_flush_gives_an_event_once() -> None:
    decoder = SseDecoder()
    decoder.feed(b"data: a")
    assert decoder.flush() == ["a"]
    assert decoder.flush() == []


@pytest.mark.parametrize(
    "pieces",
    [
        [b"data: 123", b"456789012"],
        [b"data: 12345\n", b"data: 67890\n", b"data: 1\n"],
        [b"data: 12345678901\n\n"],
        [b": 123456789012"],
    ],
)
def test_an_event_has_a_limit(pieces: list[bytes]) -> None:
    decoder = SseDecoder(limit=10)
    for piece in pieces[:-1]:
        decoder.feed(piece)
    with pytest.raises(BufferLimitError, match="One event is larger than the limit of 10"):
        decoder.feed(pieces[-1])


def test_events_before_the_limit_are_given_first() -> None:
    decoder = SseDecoder(limit=10)
    assert decoder.feed(b"data: a\n\ndata: 12345678901\n\ndata: b\n\n") == ["a"]
    with pytest.raises(BufferLimitError):
        decoder.feed(b"")
    with pytest.raises(BufferLimitError):
        decoder.flush()


def test_the_limit_is_for_one_event_not_for_all() -> None:
    decoder = SseDecoder(limit=10)
    for _ in range(100):
        assert decoder.feed(b"data: 123456\n\n") == ["123456"]


@given(text=st.text(st.characters(codec="utf-8"), min_size=1), data=st.data())
def test_what_is_written_is_read(text: str, data: st.DataObject) -> None:
    written = encode_event(text)
    cut = data.draw(st.integers(0, len(written)))
    expected = text.replace("\r\n", "\n").replace("\r", "\n")
    assert decode(written[:cut], written[cut:]) == [expected]


def test_writing() -> None:
    assert encode_event('{"a":1}') == b'data: {"a":1}\n\n'
    assert encode_event("a\nb\r\nc") == b"data: a\ndata: b\ndata: c\n\n"
    assert encode_event("\ud83d") == b"data: ?\n\n"
    assert encode_comment("keep\nalive") == b": keep alive\n\n"
    assert decode(encode_comment("x\n\ndata: y")) == []
