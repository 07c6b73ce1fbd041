"""The tables of the AI SDK's partial JSON parser, and what must hold for any text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.wire.partial_json import PartialJson

REPAIRS = [
    ("", ""),
    ("nul", "null"),
    ("t", "true"),
    ("fals", "false"),
    ("12.", "12"),
    ("12.2", "12.2"),
    ("-12", "-12"),
    ("-", ""),
    ("2.5e", "2.5"),
    ("2.5e-", "2.5"),
    ("2.5E", "2.5"),
    ("2.5E-", "2.5"),
    ("2.5e3", "2.5e3"),
    ("-2.5e3", "-2.5e3"),
    ("2.5E3", "2.5E3"),
    ("-2.5E3", "-2.5E3"),
    ("12.e", "12"),
    ("12.34e", "12.34"),
    ("5e", "5"),
    ('"abc', '"abc"'),
    ('"value with \\', '"value with "'),
    ('"a \\"q\\" and \\\\ b', '"a \\"q\\" and \\\\ b"'),
    ('"\\u', '""'),
    ('"\\u12', '""'),
    ('"text \\u00', '"text "'),
    ('{"a":"\\u12', '{"a":""}'),
    ("[", "[]"),
    ("[[1], [2", "[[1], [2]]"),
    ('[["1"], ["2', '[["1"], ["2"]]'),
    ("[[false], [nu", "[[false], [null]]"),
    ("[[[]], [[]", "[[[]], [[]]]"),
    ("[[{}], [{", "[[{}], [{}]]"),
    ("[1, ", "[1]"),
    ("[[], 123", "[[], 123]"),
    ('{"key":', "{}"),
    ('{"a": {"b": 1}, "c": {"d": 2', '{"a": {"b": 1}, "c": {"d": 2}}'),
    ('{"a": {"b": "1"}, "c": {"d": 2', '{"a": {"b": "1"}, "c": {"d": 2}}'),
    ('{"a": {"b": false}, "c": {"d": 2', '{"a": {"b": false}, "c": {"d": 2}}'),
    ('{"a": {"b": []}, "c": {"d": 2', '{"a": {"b": []}, "c": {"d": 2}}'),
    ('{"a": {"b": {}}, "c": {"d": 2', '{"a": {"b": {}}, "c": {"d": 2}}'),
    ('{"ke', "{}"),
    ('{"k1": 1, "k2', '{"k1": 1}'),
    ('{"k1": 1, "k2":', '{"k1": 1}'),
    ('{"key": "value"  ', '{"key": "value"}'),
    ('{"a": {"b": {}', '{"a": {"b": {}}}'),
    ("[1, [2, 3, [", "[1, [2, 3, []]]"),
    ("[false, [true, [", "[false, [true, []]]"),
    ('{"key": {"subKey":', '{"key": {}}'),
    ('{"key": 123, "key2": {"subKey":', '{"key": 123, "key2": {}}'),
    ('{"key": null, "key2": {"subKey":', '{"key": null, "key2": {}}'),
    ('{"key": [1, 2, {', '{"key": [1, 2, {}]}'),
    ('[1, 2, {"key": "value",', '[1, 2, {"key": "value"}]'),
    ('{"a": {"b": ["c", {"d": "e",', '{"a": {"b": ["c", {"d": "e"}]}}'),
    ('{"a": {"b": {"c": {"d":', '{"a": {"b": {"c": {}}}}'),
    ('{"a": 1, "b": [', '{"a": 1, "b": []}'),
    ('{"a": 1, "b": {', '{"a": 1, "b": {}}'),
    ('{"a": 1, "b": "', '{"a": 1, "b": ""}'),
    (
        '{"type":"div","children":[{"type":"Card","props":{}',
        '{"type":"div","children":[{"type":"Card","props":{}}]}',
    ),
    ('{\n  "a": [\n    {\n      "b1": "n', '{\n  "a": [\n    {\n      "b1": "n"}]}'),
    ("[-", "[]"),
]

FAILED = object()
VALUES = [
    ("", FAILED),
    ("   ", FAILED),
    ("{", {}),
    ('{"', {}),
    ('{"a', {}),
    ('{"a"', {}),
    ('{"a":', {}),
    ('{"a":-', {}),
    ('{"a":-1', {"a": -1}),
    ('{"a":1.', {"a": 1}),
    ('{"a":1e', {"a": 1}),
    ('{"a":1e+', {"a": 1}),
    ('{"a":1e+5', {"a": 1}),
    ('{"a":1e+5}', {"a": 100000}),
    ('{"a":tru', {"a": True}),
    ('{"a":n', {"a": None}),
    ('{"a":"x\\', {"a": "x"}),
    ('{"a":"\\u00e9', {"a": "é"}),
    ('{"a":"\\ud83d', {"a": "\ud83d"}),
    ('{"a":"\\ud83d\\ude0', {"a": "\ud83d"}),
    ('{"a":"\\ud83d\\ude00', {"a": "😀"}),
    ('{"a\\"b":1', {'a"b': 1}),
    ('{"a\\\\":1', {"a\\": 1}),
    ("[-", []),
    ("[1,-", [1]),
    ("[1 2", FAILED),
    ('{"a":1}xx', {"a": 1}),
    ('{"a":1} {', {"a": 1}),
    ('{"a":1]', {"a": 1}),
    ("[1,2]}", [1, 2]),
    ('{"a":1,}', {"a": 1}),
    ("[1,]", [1]),
    ("{a:1", {}),
    ('{"a":01', FAILED),
    ('{"a":.5', FAILED),
    ('{"a":Infinity', FAILED),
    ('{"a":"x\ny', FAILED),
    ('{"a":tru }', FAILED),
    ("[tru,", FAILED),
    ("trux", FAILED),
    ("nope", FAILED),
    ("-", FAILED),
    ('{"__proto__":{"x":1', FAILED),
    ('{"a":1,"a":2', {"a": 2}),
    ("\ufeff{}", FAILED),
    ("12", 12),
    ("tr", True),
    ('"abc', "abc"),
    ('{"a":{}', {"a": {}}),
    ('{ "a" : 1 , "b"', {"a": 1}),
    ('{"a":[],', {"a": []}),
]


def parser_of(text: str, size: int | None = None) -> PartialJson:
    parser = PartialJson()
    for start in range(0, len(text), size or len(text) or 1):
        parser.feed(text[start : start + (size or len(text))])
    if not text:
        parser.feed("")
    return parser


@pytest.mark.parametrize("size", [None, 1, 2])
@pytest.mark.parametrize(("text", "repaired"), REPAIRS)
def test_text_is_cut_and_closed(text: str, repaired: str, size: int | None) -> None:
    assert parser_of(text, size).repaired() == repaired


@pytest.mark.parametrize("size", [None, 1, 2])
@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_value_so_far(text: str, expected: object, size: int | None) -> None:
    value, state = parser_of(text, size).value()
    if expected is FAILED:
        assert (value, state) == (None, "failed-parse")
    else:
        assert value == expected
        assert state == ("successful-parse" if is_json(text) else "repaired-parse")


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


plain_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(value=plain_json, ascii_only=st.booleans(), data=st.data())
def test_looking_on_the_way_changes_nothing(
    value: object, ascii_only: bool, data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    parser = PartialJson()
    end = 0
    while end < len(text):
        size = data.draw(st.integers(1, 7))
        parser.feed(text[end : end + size])
        end = min(end + size, len(text))
        assert parser.value() == parser_of(text[:end]).value()
    assert parser.value() == (value, "successful-parse")
    assert parser.text == text


@given(value=st.lists(plain_json, max_size=3), data=st.data())
def test_no_beginning_of_a_list_fails(value: object, data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text)))
    _, state = parser_of(text[:cut]).value()
    assert state != "failed-parse"


@given(text=st.text(alphabet='{}[]":,\\u0123e+-.tfn \n', max_size=40))
def test_any_text_gives_a_state(text: str) -> None:
    parser = parser_of(text)
    value, state = parser.value()
    assert state in {"successful-parse", "repaired-parse", "failed-parse"}
    assert (state == "successful-parse") == is_json(text)
    if state == "failed-parse":
        assert value is None


def test_nothing_fed_is_told_from_bad_text() -> None:
    assert PartialJson().value() == (None, "undefined-input")


def test_the_value_is_kept_until_more_comes() -> None:
    parser = parser_of('{"a": [1')
    first = parser.value()[0]
    assert parser.value()[0] is first
    parser.feed(", 2")
    assert parser.value()[0] == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ('{"a": [{"\\u005f_proto__": 1}]}', True),
        ('{"constructor": {"prototype": 1}}', True),
        ('{"constructor": 1, "b": ["__proto__"]}', False),
    ],
)
def test_keys_that_reach_a_prototype(text: str, refused: bool) -> None:
    assert (parser_of(text).value()[1] == "failed-parse") is refused


def test_deep_nesting_fails_without_harm() -> None:
    assert parser_of("[" * 100_000).value() == (None, "failed-parse")


def test_cost_of_a_piece_does_not_grow_with_the_text() -> None:
    parser = PartialJson()
    parser.feed('{"text": "')
    for _ in range(50):
        parser.feed("x" * 1000)
    parser.value()
    scanned = parser._position
    parser.feed("y" * 40)
    parser.repaired()
    assert parser._position - scanned == 40
