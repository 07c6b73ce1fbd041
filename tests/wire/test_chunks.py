from __future__ import annotations

import pytest

from pagehand.wire.chunks import (
    CHUNK_TYPES,
    Chunk,
    Data,
    StartStep,
    TextDelta,
    ToolInputAvailable,
    UnknownChunk,
)


def test_values_by_place_and_by_name() -> None:
    chunk = TextDelta("1", delta="a")
    assert (chunk.id, chunk.delta, chunk.provider_metadata) == ("1", "a", None)
    assert chunk == TextDelta("1", "a", provider_metadata=None)
    assert chunk != TextDelta("1", "b")
    assert chunk != StartStep()
    assert repr(chunk) == "TextDelta(id='1', delta='a')"


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        (("1",), {}, "TextDelta needs delta"),
        (("1", "2", None, 4), {}, "TextDelta takes 3 values, got 4"),
        (("1", "2"), {"delta": "3"}, "TextDelta got delta twice"),
        (("1", "2"), {"foo": "3"}, "TextDelta has no foo"),
    ],
)
def test_wrong_values_are_refused(
    args: tuple[object], kwargs: dict[str, object], text: str
) -> None:
    with pytest.raises(TypeError, match=text):
        TextDelta(*args, **kwargs)  # type: ignore[arg-type]


def test_json_null_is_a_value() -> None:
    assert ToolInputAvailable("c", "t", None).input is None
    with pytest.raises(TypeError, match="needs input"):
        ToolInputAvailable("c", "t")  # type: ignore[call-arg]


def test_chunks_are_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(StartStep())


def test_every_type_of_the_protocol_has_its_class() -> None:
    protocol = """
        start start-step finish-step reset-step finish message-metadata abort error
        text-start text-delta text-end reasoning-start reasoning-delta reasoning-end
        custom source-url source-document file reasoning-file steering-message data
        tool-input-start tool-input-delta tool-input-available tool-input-error
        tool-output-available tool-output-error tool-output-denied
        tool-approval-request tool-approval-response
    """
    assert set(CHUNK_TYPES) == {*protocol.split(), ""}
    for wire_type, cls in CHUNK_TYPES.items():
        assert cls.type == wire_type
        assert cls is UnknownChunk or cls.__name__ == wire_type.title().replace("-", "")


def test_names_are_the_wire_names_in_snake_case() -> None:
    keys = {field.name: field.key for cls in CHUNK_TYPES.values() for field in cls.fields}
    assert keys["tool_call_id"] == "toolCallId"
    assert keys["input_schema_input"] == "inputSchemaInput"
    assert keys["url"] == "url"


def test_a_type_may_belong_to_the_chunk() -> None:
    chunk = UnknownChunk("new", {"type": "new"})
    assert chunk.type == "new"
    assert isinstance(chunk, Chunk)
    assert Data("weather", {"c": 1}).type == "data"
