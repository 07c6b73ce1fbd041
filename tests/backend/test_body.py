from __future__ import annotations

import json
import random
import tracemalloc
from contextlib import suppress
from time import perf_counter
from typing import Any

import pytest

from backend.body import parse_json
from backend.refusals import RefusalError


def refused(raw: bytes, depth: int = 100) -> RefusalError:
    with pytest.raises(RefusalError) as caught:
        parse_json(raw, depth)
    return caught.value


def test_reads_json_as_it_is() -> None:
    raw = '{"a": [1, 2.5, true, null, "中文 \\ud83d\\ude00"], "b": {"c": {}}}'.encode()
    assert parse_json(raw, 100) == {"a": [1, 2.5, True, None, "中文 😀"], "b": {"c": {}}}


def test_forgives_a_byte_order_mark() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": 1}', 100) == {"a": 1}


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"{", "not valid JSON"),
        (b'{"a": 1} x', "not valid JSON"),
        (b'\xff{"a": 1}', "UTF-8"),
        (b'{"a": "\xc3"}', "UTF-8"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"x": {"__proto__": {"y": 1}}}', "__proto__"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "NaN"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": -1e+400}', "too large"),
        (b'{"a": ' + b"9" * 250 + b"e99}", "too large"),
        (b'{"a": ' + b"9" * 250 + b".5E+99}", "too large"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "too large"),
        (b'{"a": ' + b"9" * 400 + b"}", "too large"),
    ],
)
def test_refuses_what_two_readers_could_take_differently(raw: bytes, word: str) -> None:
    refusal = refused(raw)
    assert refusal.status == 400
    assert word in refusal.message


def test_long_digits_in_a_text_are_no_number() -> None:
    digits = "7" * 500
    assert parse_json(f'{{"pi": "{digits}"}}'.encode(), 100) == {"pi": digits}


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_refuses_deep_nesting_whether_closed_or_not(opening: bytes) -> None:
    assert "deep" in refused(opening * 20_000).message
    assert refused(opening * 200_000).status == 400
    closing = {b"[": b"]", b'{"a":': b"}", b'[{"a":': b"}]"}[opening]
    assert "deep" in refused(opening * 150 + b"1" + closing * 150).message


def test_depth_is_counted_exactly() -> None:
    assert parse_json(b"[" * 100 + b"]" * 100, 100)
    assert "deeper than 100" in refused(b"[" * 101 + b"]" * 101).message


def nesting(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(nesting, value), default=0) if isinstance(value, list) else 0


def test_depth_is_counted_whatever_stands_in_texts() -> None:
    rng = random.Random(7)
    texts = ('a"[]{}', "\\", '\\"[', "[[[{{", '"', "中", '\\\\"', "]}", "")

    def value(level: int) -> Any:
        if level > 6 or rng.random() < 0.3:
            return rng.choice((1, None, *texts))
        if rng.random() < 0.5:
            return [value(level + 1) for _ in range(rng.randrange(4))]
        return {rng.choice(texts): value(level + 1) for _ in range(rng.randrange(4))}

    for _ in range(300):
        made = [[[value(0)]]]
        raw = json.dumps(made, ensure_ascii=rng.random() < 0.5).encode()
        deep = nesting(made)
        assert parse_json(raw, deep) == made
        assert "deeper than" in refused(raw, deep - 1).message


@pytest.mark.parametrize(
    "raw",
    [
        b"[" + b"{}," * 340_000 + b"{}]",
        b"[" + b"[]," * 340_000 + b"[]]",
        b"{" + b",".join(b'"k%d":1' % n for n in range(110_000)) + b"}",
        b"[" * 1_000_000,
        b'{"a":' * 200_000,
        b"[" + b"1," * 500_000 + b"1]",
        b'"' + b"a" * 1_000_000 + b'"',
        b'"' + b"\\u0041" * 170_000 + b'"',
        b"[" + b",".join([b"1" * 299] * 3_490) + b"]",
        b"[" + b"1e308," * 170_000 + b"1]",
    ],
    ids=[
        "objects",
        "lists",
        "keys",
        "open-lists",
        "open-objects",
        "numbers",
        "text",
        "escapes",
        "long-numbers",
        "exponents",
    ],
)
def test_a_megabyte_costs_bounded_time_and_memory(raw: bytes) -> None:
    started = perf_counter()
    with suppress(RefusalError):
        parse_json(raw, 100)
    seconds = perf_counter() - started
    tracemalloc.start()
    with suppress(RefusalError):
        parse_json(raw, 100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000
    assert seconds < 0.5  # far above what it takes, so that a busy machine does not fail it


def test_brackets_inside_texts_do_not_count() -> None:
    raw = b'{"code": "' + b"[{:" * 50_000 + b'"}'
    assert parse_json(raw, 100)["code"].startswith("[{:")
