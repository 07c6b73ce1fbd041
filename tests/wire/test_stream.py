"""Recorded streams through the whole reader, however the network cuts them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagehand.errors import BufferLimitError, NotAStreamError
from pagehand.wire.chunks import Chunk, Finish, FinishStep, Start, TextDelta, UnknownChunk
from pagehand.wire.codec import encode_chunk
from pagehand.wire.mastra import mastra_codec
from pagehand.wire.stream import ChunkReader, Codec, ui_codec

DATA = Path(__file__).parents[1] / "data"
UI = sorted(DATA.glob("mastra/*.sse")) + sorted(DATA.glob("pydantic-ai/0*.sse"))
NATIVE = sorted(DATA.glob("mastra-native/*.sse"))
ALL = [(path, ui_codec) for path in UI] + [(path, mastra_codec) for path in NATIVE]

UNICODE = (
    ": hi\r\n\r\ndata: "
    '{"type":"text-delta","id":"1",\r\ndata: "delta":"名 é 😀 \u2028\u0085"}\r\r'
    'data: {"type":"finish"}\n\ndata: [DONE]\n\n'
).encode()
SPLIT = {
    "unicode": UNICODE,
    "parallel": (DATA / "mastra/d_parallel_client_tools.sse").read_bytes(),
    "data parts": (DATA / "mastra/l_data_parts.sse").read_bytes(),
}


def name(value: object) -> str | None:
    return f"{value.parent.name}/{value.stem}" if isinstance(value, Path) else None


def read(data: bytes, *cuts: int, codec: Codec = ui_codec) -> tuple[list[Chunk], ChunkReader]:
    """The chunks of a stream that arrives cut at these places."""
    reader = ChunkReader(codec=codec)
    chunks: list[Chunk] = []
    start = 0
    for cut in (*cuts, len(data)):
        chunks += reader.feed(data[start:cut])
        start = cut
    return chunks + reader.flush(), reader


def sse(*events: object) -> bytes:
    return b"".join(
        f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
        for event in events
    )


def test_recordings_are_there() -> None:
    assert len(UI) > 50
    assert len(NATIVE) > 15


@pytest.mark.parametrize(("path", "codec"), ALL, ids=name)
def test_byte_by_byte_gives_the_same(path: Path, codec: Codec) -> None:
    data = path.read_bytes()
    whole, reader = read(data, codec=codec)
    assert whole
    assert reader.warnings == []
    again, slow = read(data, *range(1, len(data)), codec=codec)
    assert again == whole
    assert (slow.finished, slow.done) == (reader.finished, reader.done)


@pytest.mark.parametrize("data", SPLIT.values(), ids=SPLIT)
def test_every_split_gives_the_same(data: bytes) -> None:
    whole, _ = read(data)
    for cut in range(len(data)):
        assert read(data, cut)[0] == whole


@pytest.mark.parametrize("path", UI, ids=name)
def test_every_event_survives_the_codec(path: Path) -> None:
    lines = path.read_bytes().split(b"\n")
    events = [json.loads(line[6:]) for line in lines if line.startswith(b"data: {")]
    assert [encode_chunk(chunk) for chunk in read(path.read_bytes())[0]] == events


def test_text_with_line_breaks_that_are_none() -> None:
    chunks, reader = read(UNICODE)
    assert chunks == [TextDelta("1", "名 é 😀 \u2028\u0085"), Finish()]
    assert reader.comments == 1


def test_the_end_is_known_from_finish_and_done() -> None:
    reader = ChunkReader()
    reader.feed(sse({"type": "start"}))
    assert (reader.finished, reader.done) == (False, False)
    reader.feed(sse({"type": "finish"}))
    assert (reader.finished, reader.done) == (True, False)
    reader.feed(sse("[DONE]"))
    assert (reader.finished, reader.done) == (True, True)


def test_done_may_stand_anywhere() -> None:
    chunks, reader = read(sse("[DONE]", {"type": "start"}, "[DONE]", {"type": "finish-step"}))
    assert chunks == [Start(), FinishStep()]
    assert reader.done


def test_what_cannot_be_read_is_passed_over_once_named() -> None:
    chunks, reader = read(
        sse(
            {"type": "start", "messageId": 7},
            '{"type": "text-del',
            '{"type": "text-delta"',
            [1],
            {"type": "text-delta", "id": "1"},
            {"type": "new-thing", "x": 1},
            {"type": "new-thing", "x": 2},
            {"type": "finish-step"},
        )
        + b"data:\n\n"
    )
    assert chunks == [
        Start(),
        UnknownChunk("new-thing", {"type": "new-thing", "x": 1}),
        UnknownChunk("new-thing", {"type": "new-thing", "x": 2}),
        FinishStep(),
    ]
    assert len(reader.warnings) == 5
    assert "messageId was ignored" in reader.warnings[0]
    assert "not JSON" in reader.warnings[1]
    assert "no JSON object" in reader.warnings[2]
    assert "text-delta event whose delta is missing" in reader.warnings[3]
    assert "'new-thing'" in reader.warnings[4]


def test_warnings_are_bounded() -> None:
    _, reader = read(sse(*({"type": f"new-{number}"} for number in range(500))))
    assert len(reader.warnings) == 50


def test_a_cut_last_event_is_no_fault() -> None:
    chunks, reader = read(sse({"type": "start"}) + b'data: {"type":"text-sta')
    assert chunks == [Start()]
    assert reader.warnings == []
    assert not reader.finished


def test_a_last_event_without_its_blank_line_is_read() -> None:
    chunks, reader = read(b'data: {"type":"finish"}\n\ndata: [DONE]')
    assert chunks == [Finish()]
    assert reader.done


def test_an_event_over_the_limit_ends_the_reading() -> None:
    reader = ChunkReader(limit=100)
    with pytest.raises(BufferLimitError):
        reader.feed(b'data: {"type":"text-delta","id":"1","delta":"' + b"x" * 200)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("pydantic-ai/agui-01-text.sse", "ag-ui"),
        ("mastra-native/a_text.sse", "mastra-native"),
    ],
)
def test_another_protocol_is_named(path: str, kind: str) -> None:
    reader = ChunkReader()
    with pytest.raises(NotAStreamError) as caught:
        reader.feed((DATA / path).read_bytes())
    assert caught.value.kind == kind


def test_a_body_that_is_no_stream_is_named_when_it_ends() -> None:
    reader = ChunkReader(content_type="application/json")
    assert reader.feed(b'{"message": "sign in') == []
    reader.feed(b' first"}')
    with pytest.raises(NotAStreamError, match="sign in first"):
        reader.flush()


def test_a_stream_too_short_to_judge_is_judged_at_its_end() -> None:
    reader = ChunkReader()
    assert reader.feed(b"data") == []
    assert reader.flush() == []
