import asyncio

import pytest

from engine.helpers import Bench, turns
from pagehand.engine.outcome import Output
from pagehand.engine.streaming import ArgumentReader
from pagehand.errors import CallCancelledError
from pagehand.toolkit.result import to_wire
from pagehand.wire import partial_json

TEXT = (
    '{"title": "Hi \\u4f60", "rows": [{"n": 1}, {"n": 2}, 3], '
    '"body": "long text", "constructor": null}'
)


async def feed(reader, text, size):
    for start in range(0, len(text), size):
        reader.feed(text[start : start + size])
        await turns(3)
    reader.close()


async def collect(iterator):
    return [value async for value in iterator]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
async def test_every_reader_sees_its_values(size):
    reader = ArgumentReader()
    results = await asyncio.gather(
        reader.get("title"),
        collect(reader.items("rows")),
        collect(reader.text("body")),
        reader.get("rows", 1, "n"),
        reader.get("constructor"),
        reader.get("absent", default="none"),
        feed(reader, TEXT, size),
    )
    title, rows, pieces, n, null, absent, _ = results
    assert (title, rows, n, null, absent) == ("Hi 你", [{"n": 1}, {"n": 2}, 3], 2, None, "none")
    assert "".join(pieces) == "long text"
    assert len(pieces) > 1 or size > 1


async def test_a_value_is_given_before_the_rest_has_come():
    reader = ArgumentReader()
    waiting = asyncio.create_task(reader.get("title"))
    reader.feed('{"title": "a')
    await turns()
    assert not waiting.done()
    reader.feed('b", "rows": [1')
    assert await waiting == "ab"


async def test_a_long_text_is_not_read_anew_for_each_piece(monkeypatch):
    parse, lengths = partial_json._parse, []

    def counted(text):
        lengths.append(len(text))
        return parse(text)

    monkeypatch.setattr(partial_json, "_parse", counted)
    body = "word " * 20_000
    reader = ArgumentReader()
    pieces, _ = await asyncio.gather(
        collect(reader.text("body")), feed(reader, f'{{"body": "{body}"}}', 20)
    )
    assert "".join(pieces) == body
    assert len(pieces) > 300, "it still comes in small pieces"
    assert sum(lengths) < 100 * len(body), "5,000 pieces, each with all before it, would be 2,500"


async def test_items_come_one_by_one():
    reader, seen = ArgumentReader(), []

    async def read():
        async for item in reader.items("rows"):
            seen.append(item)

    task = asyncio.create_task(read())
    reader.feed('{"rows": [1, 2')
    await turns()
    assert seen == [1]
    reader.feed("0, 3]")
    await turns()
    assert seen == [1, 20]
    reader.feed(', "next": 1}')
    await turns()
    assert seen == [1, 20, 3]
    assert task.done()


async def test_late_readers_get_everything():
    reader = ArgumentReader()
    reader.feed(TEXT)
    reader.close()
    assert await collect(reader.items("rows")) == [{"n": 1}, {"n": 2}, 3]
    assert await collect(reader.values("title")) == ["Hi 你"]
    assert await collect(reader.items("nothing")) == []


async def test_a_stop_reaches_open_readers_and_leaves_complete_values():
    reader = ArgumentReader()
    reader.feed('{"a": 1, "b": "x')
    open_ = asyncio.create_task(reader.get("b"))
    await turns()
    reader.fail(CallCancelledError("stopped"))
    with pytest.raises(CallCancelledError):
        await open_
    assert await reader.get("a") == 1
    reader.feed('y"}')


async def test_a_tool_reads_while_arguments_arrive():
    bench, seen = Bench(), []

    async def preview(reader, ctx):
        seen.append(ctx.tool_call_id)
        async for piece in reader.text("body"):
            seen.append(piece)
        seen.append("end")

    bench.toolkit.tool("write", stream_call=preview)(lambda body: len(body))  # noqa: PLW0108 -- the name counts
    bench.engine.feed("c9", "write", '{"body": "He')
    await turns()
    bench.engine.feed("c9", "write", "llo")
    await turns()
    assert seen == ["c9", "He", "llo"]
    assert await bench.run("write", {"body": "Hello"}, tool_call_id="c9") == Output(5)
    await turns()
    assert seen == ["c9", "He", "llo", "end"]
    bench.engine.feed("c9", "write", "late")
    assert seen.count("c9") == 1


async def test_an_error_in_a_preview_changes_nothing():
    bench = Bench()

    async def preview(reader, ctx):
        raise RuntimeError("oops")

    bench.toolkit.tool("write", stream_call=preview)(lambda body: body)
    bench.engine.feed("c1", "write", "{")
    await turns()
    assert bench.reports == ["stream_call of write failed: RuntimeError('oops')"]
    assert await bench.run("write", {"body": "x"}, tool_call_id="c1") == Output("x")


async def test_cancel_stops_a_preview():
    bench, ends = Bench(), []

    async def preview(reader, ctx):
        try:
            await reader.get("body")
        except (CallCancelledError, asyncio.CancelledError):
            ends.append("stopped")
            raise

    bench.toolkit.tool("write", stream_call=preview)(lambda body: body)
    bench.engine.feed("c1", "write", "{")
    await turns()
    bench.engine.cancel()
    await turns()
    assert ends == ["stopped"]
    assert bench.reports == []


async def test_tools_without_a_preview_cost_nothing():
    bench = Bench()
    bench.toolkit.tool("a")(lambda: 1)
    bench.engine.feed("c1", "a", "{")
    bench.engine.feed("c1", "unknown", "{")
    assert bench.engine._streams is None
    assert to_wire(bench.engine.log) == []
