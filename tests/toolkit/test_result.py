import enum
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import PurePosixPath
from types import SimpleNamespace
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from pagehand.errors import UnsendableValueError
from pagehand.toolkit.result import to_wire


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Note(BaseModel):
    text: str
    made: date
    alias: int = Field(1, alias="theAlias")


@dataclass
class Row:
    id: int
    day: date


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "value", [None, False, True, 0, 1, -1.5, "", "text", [], {}, [None, [False]], {"a": {"b": [0]}}]
)
def test_every_json_value_is_a_result(value):
    assert to_wire(value) == value
    assert type(to_wire(value)) is type(value)


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (
            Note(text="a", made=date(2026, 1, 31)),
            {"text": "a", "made": "2026-01-31", "theAlias": 1},
        ),
        (Row(1, date(2026, 1, 31)), {"id": 1, "day": "2026-01-31"}),
        ([Row(1, date(2026, 1, 31))], [{"id": 1, "day": "2026-01-31"}]),
        (datetime(2026, 1, 31, 9, 30, tzinfo=UTC), "2026-01-31T09:30:00+00:00"),
        (time(9, 30), "09:30:00"),
        (timedelta(minutes=1.5), 90.0),
        (Colour.RED, "red"),
        (Level.LOW, 1),
        ({"b", "a"}, ["a", "b"]),
        (frozenset([2, 1]), [1, 2]),
        ((1, "a"), [1, "a"]),
        (Point(1, 2), {"x": 1, "y": 2}),
        (OrderedDict(a=1), {"a": 1}),
        (deque([1, 2]), [1, 2]),
        (range(3), [0, 1, 2]),
        (Decimal("1.10"), "1.10"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("/a/b"), "/a/b"),
        (b"abc", "YWJj"),
        (
            {2: "a", Colour.RED: "b", date(2026, 1, 1): "c", True: "d"},
            {"2": "a", "red": "b", "2026-01-01": "c", "true": "d"},
        ),
    ],
)
def test_common_python_values_travel(value, wire):
    assert to_wire(value) == wire


def loop():
    value = []
    value.append({"self": value})
    return value


async def later():
    return 1


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"rows": [1, float("nan")]}, r"result\.rows\[1\]: nan is not a JSON number"),
        (float("inf"), "result: inf is not a JSON number"),
        ({"f": print}, r"result\.f: a function cannot travel"),
        (loop(), r"result\[0\]\.self: refers to itself"),
        ({"o": object()}, r"result\.o: a builtins\.object cannot travel"),
        ({(1, 2): 3}, r"result: the key \(1, 2\) is not a text"),
        ([int], r"result\[0\]: the class int cannot travel"),
    ],
)
def test_what_cannot_travel_is_an_error_with_its_place(value, words):
    with pytest.raises(UnsendableValueError, match=words):
        to_wire(value)


def test_a_forgotten_await_is_named():
    coroutine = later()
    with pytest.raises(UnsendableValueError, match="put `await` before it"):
        to_wire({"x": coroutine})
    coroutine.close()


def test_too_deep_is_an_error_not_a_crash():
    value = []
    for _ in range(200):
        value = [value]
    with pytest.raises(UnsendableValueError, match="deeper than 64"):
        to_wire(value)


def test_the_same_object_twice_is_no_cycle():
    shared = {"a": 1}
    assert to_wire([shared, shared]) == [{"a": 1}, {"a": 1}]


def test_a_javascript_object_is_turned_into_python():
    class Proxy:
        def to_py(self):
            return {"a": [1]}

    assert to_wire({"js": Proxy()}) == {"js": {"a": [1]}}


def test_null_of_javascript_is_none():
    null = type("JsNull", (), {"__module__": "pyodide.ffi"})()
    proxy = SimpleNamespace(to_py=lambda: {"note": null})
    assert to_wire(null) is None
    assert to_wire({"rows": [null, proxy]}) == {"rows": [None, {"note": None}]}
