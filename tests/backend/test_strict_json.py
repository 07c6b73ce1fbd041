from __future__ import annotations

import json
import random
import sys
import tracemalloc
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

from backend import strict_json
from backend.refusals import RefusalError
from backend.strict_json import MAX_COMMAS, MAX_CONTAINERS, MAX_KEYS, parse_json


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
    assert "deep" in refused(opening * 9_000).message
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


def rows(row: bytes, count: int) -> bytes:
    return b"[" + b",".join([row] * count) + b"]"


FULL = MAX_CONTAINERS - 10
"""As many lists or objects as one body may hold."""

WORST = {
    "objects": rows(b'{"a":1}', FULL),
    "objects-of-two": rows(b'{"a":1,"b":"x"}', FULL),
    "rows": rows(b'{"id":1,"name":"ab","c":1.5}', MAX_KEYS // 3),
    "empty-objects": rows(b"{}", FULL),
    "empty-lists": rows(b"[]", FULL),
    "mixed": rows(b'{"a":1},1,"x"', FULL),
    "keys": b"{" + b",".join(b'"k%d":1' % n for n in range(MAX_KEYS)) + b"}",
    "numbers": rows(b"1", MAX_COMMAS),
    "floats": rows(b"1.5e10", MAX_COMMAS),
    "exponents": rows(b"1e308", MAX_COMMAS),
    "long-numbers": rows(b"1" * 299, 3_490),
    "texts": rows(b'"ab"', MAX_COMMAS),
    "text": b'"' + b"a" * 1_000_000 + b'"',
    "escapes": b'"' + b"\\u0041" * 170_000 + b'"',
    "quotes": rows(b'"\\":{}"', MAX_COMMAS),
    "deep-lists": rows(b"[" * 98 + b"]" * 98, FULL // 98),
    "deep-objects": rows(b'{"a":' * 98 + b"1" + b"}" * 98, FULL // 98),
}
"""The costliest bodies that are taken, one for each thing that costs."""

CROWDED = {
    "objects": rows(b"{}", 340_000),
    "lists": rows(b"[]", 340_000),
    "keys": b"{" + b",".join(b'"k%d":1' % n for n in range(MAX_KEYS + 1)) + b"}",
    "numbers": rows(b"1", 500_000),
    "open-lists": b"[" * 1_000_000,
    "open-objects": b'{"a":' * 200_000,
}


def seconds_of(work: Callable[[], object]) -> float:
    """Seconds of this process's time, at best."""
    best = float("inf")
    for _ in range(3):
        started = process_time()
        work()
        best = min(best, process_time() - started)
    return best


@pytest.mark.parametrize("raw", WORST.values(), ids=WORST)
def test_the_costliest_bodies_are_taken_in_bounded_time_and_memory(raw: bytes) -> None:
    assert len(raw) <= 1_048_576
    assert parse_json(raw, 100) == json.loads(raw)
    # Some shapes cost the plain parser next to nothing, so a passage over the bytes counts too.
    plain = seconds_of(lambda: json.loads(raw)) + 40 * seconds_of(lambda: raw.replace(b"#", b""))
    assert seconds_of(lambda: parse_json(raw, 100)) < 8 * plain
    tracemalloc.start()
    parse_json(raw, 100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


@pytest.mark.parametrize("raw", CROWDED.values(), ids=CROWDED)
def test_what_would_cost_more_is_not_even_parsed(
    raw: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strict_json, "_decoder", None)
    refusal = refused(raw)
    assert refusal.status == 400
    assert "Send fewer rows" in refusal.message


def test_no_object_costs_a_call() -> None:
    calls: list[str] = []
    raw = rows(b'{"a":1,"b":{"c":[]}}', FULL // 3)
    sys.setprofile(lambda frame, event, _: calls.append(event) if event == "call" else None)
    try:
        parse_json(raw, 100)
    finally:
        sys.setprofile(None)
    assert len(calls) < 100


@pytest.mark.parametrize("twice", [b'{"b":1,"b":1}', b'{"\\u0062":":","b":"\\":"}'])
def test_one_key_twice_is_found_among_many_objects(twice: bytes) -> None:
    assert "twice" in refused(rows(b'{"a":":"}', 5_000)[:-1] + b"," + twice + b"]").message
    assert "twice" in refused(b'{"x": [[' + twice + b"]]}").message


@pytest.mark.parametrize("key", ["__proto__", "\\u005f_proto__", "__prot\\u006F__"])
def test_the_key_that_is_no_key_is_found_however_it_is_written(key: str) -> None:
    assert "__proto__" in refused(f'[{{"a": [{{"b": 1}}, {{"{key}": {{}}}}]}}]'.encode()).message
    assert parse_json(f'{{"a": "{key}"}}'.encode(), 100) == {"a": "__proto__"}


def test_brackets_inside_texts_do_not_count() -> None:
    raw = b'{"code": "' + b"[{:" * 50_000 + b'"}'
    assert parse_json(raw, 100)["code"].startswith("[{:")
