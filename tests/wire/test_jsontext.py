from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.errors import MalformedEventError, UnsendableValueError
from pagehand.wire.jsontext import dumps, loads, well_formed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.0, "1"),
        (-0.0, "0"),
        (1.5, "1.5"),
        (1e300, "1e+300"),
        (2**60, "1152921504606846976"),
        ({"a": [1.0, ("x", None)]}, '{"a":[1,["x",null]]}'),
        ({1: "a"}, '{"1":"a"}'),
        ("名\u2028", '"名\u2028"'),
        ("a\ud83db", '"a\ufffdb"'),
        ("\ud83d\ude00", '"😀"'),
        ({"\udc00": 1}, '{"\ufffd":1}'),
        ("\x00\n", '"\\u0000\\n"'),
    ],
)
def test_writing(value: object, text: str) -> None:
    assert dumps(value) == text
    assert dumps(value).encode()


def cycle() -> list[Any]:
    inner: dict[str, Any] = {}
    inner["again"] = [inner]
    return [inner]


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"rows": [{"price": float("nan")}]}, r"result\.rows\[0\]\.price: JSON has no number nan"),
        ([float("-inf")], r"result\[0\]: JSON has no number -inf"),
        ({"f": print}, r"result\.f: JSON cannot carry a builtin_function_or_method"),
        ({"s": {1}}, r"result\.s: JSON cannot carry a set"),
        (b"x", "result: JSON cannot carry a bytes"),
        ({None: 1}, "result: its keys must be text, not NoneType"),
        ({True: 1}, "result: its keys must be text, not bool"),
        (cycle(), r"result\[0\]\.again\[0\]: it contains itself"),
        (deep(250), "it is nested deeper than 200 levels"),
    ],
)
def test_what_json_cannot_carry(value: object, text: str) -> None:
    with pytest.raises(UnsendableValueError, match=text):
        dumps(value, "result")


def test_the_same_object_twice_is_no_cycle() -> None:
    shared = [1]
    assert dumps([shared, shared]) == "[[1],[1]]"


def test_the_path_is_kept_apart() -> None:
    with pytest.raises(UnsendableValueError) as caught:
        dumps([object()], "output")
    assert caught.value.path == "output[0]"


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner)
        ),
        max_leaves=10,
    )
)
def test_what_is_written_is_read(value: object) -> None:
    assert loads(dumps(value)) == value
    assert json.loads(dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    ["", "{", "NaN", "[Infinity]", "-Infinity", "{'a': 1}", "1 2", "\ufeff1", "[" * 100_000],
)
def test_what_is_not_json(text: str) -> None:
    with pytest.raises(MalformedEventError) as caught:
        loads(text)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"}]":'])
def test_depth_is_limited_before_the_parser_sees_it(opening: str) -> None:
    with pytest.raises(MalformedEventError, match="nested too deeply"):
        loads(opening * 50_000)


def test_many_brackets_are_not_depth() -> None:
    assert len(loads("[" + ",".join(["[[]]"] * 5_000) + "]")) == 5_000
    assert loads(dumps(["[" * 5_000, "\\", '"{' * 5_000])) == ["[" * 5_000, "\\", '"{' * 5_000]
    assert loads("[" * 200 + "]" * 200)


def test_a_number_of_thousands_of_digits() -> None:
    with pytest.raises(MalformedEventError):
        loads("9" * 10_000)


def test_a_key_twice() -> None:
    assert loads('{"a": 1, "a": 2}') == {"a": 2}
    with pytest.raises(MalformedEventError, match="one key twice"):
        loads('[{"a": 1, "a": 2}]', unique_keys=True)
    assert loads('[{"a": 1, "b": 2}]', unique_keys=True) == [{"a": 1, "b": 2}]


def test_well_formed_leaves_good_text_alone() -> None:
    text = "é😀"
    assert well_formed(text) is text
