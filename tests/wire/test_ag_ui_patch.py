"""JSON Patch as RFC 6902 has it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.errors import MalformedEventError
from pagehand.wire.ag_ui_patch import apply_patch

BASE: dict[str, Any] = {"a": [1, {"b": 2}], "x/y": 1, "~": 0, "n": None}

GOOD = [
    ([{"op": "add", "path": "/c", "value": 3}], {**BASE, "c": 3}),
    ([{"op": "add", "path": "/a/-", "value": 3}], {**BASE, "a": [1, {"b": 2}, 3]}),
    ([{"op": "add", "path": "/a/0", "value": 0}], {**BASE, "a": [0, 1, {"b": 2}]}),
    ([{"op": "add", "path": "/a/1/c", "value": None}], {**BASE, "a": [1, {"b": 2, "c": None}]}),
    ([{"op": "add", "path": "", "value": 5}], 5),
    ([{"op": "replace", "path": "/n", "value": 1}], {**BASE, "n": 1}),
    ([{"op": "replace", "path": "/a/1/b", "value": 9}], {**BASE, "a": [1, {"b": 9}]}),
    ([{"op": "replace", "path": "/x~1y", "value": 2}], {**BASE, "x/y": 2}),
    ([{"op": "remove", "path": "/~0"}], {key: BASE[key] for key in ("a", "x/y", "n")}),
    ([{"op": "remove", "path": "/a/0"}], {**BASE, "a": [{"b": 2}]}),
    ([{"op": "remove", "path": "/a/1/b"}], {**BASE, "a": [1, {}]}),
    ([{"op": "remove", "path": ""}], None),
    ([{"op": "move", "from": "/a/0", "path": "/m"}], {**BASE, "a": [{"b": 2}], "m": 1}),
    ([{"op": "move", "from": "/a", "path": "/a"}], BASE),
    ([{"op": "move", "from": "", "path": ""}], BASE),
    ([{"op": "copy", "from": "/a/1", "path": "/a/0"}], {**BASE, "a": [{"b": 2}, 1, {"b": 2}]}),
    ([{"op": "test", "path": "/a/1", "value": {"b": 2}}], BASE),
    ([{"op": "leap", "path": "/a"}, {"op": "remove", "path": "/n", "extra": 1}],
     {key: BASE[key] for key in ("a", "x/y", "~")}),
]  # fmt: skip


@pytest.mark.parametrize(("patch", "wanted"), GOOD)
def test_it_is_applied_and_the_old_value_stays(patch: Any, wanted: Any) -> None:
    before = json.dumps(BASE)
    assert apply_patch(BASE, patch) == wanted
    assert json.dumps(BASE) == before


BAD: list[Any] = [
    {"op": "add"},
    ["add"],
    [{"op": "add", "path": "/q"}],
    [{"op": "add", "path": "q", "value": 1}],
    [{"op": "add", "path": 5, "value": 1}],
    [{"op": "add", "path": "/q/r", "value": 1}],
    [{"op": "add", "path": "/a/9", "value": 1}],
    [{"op": "add", "path": "/a/01", "value": 1}],
    [{"op": "add", "path": "/a/-1", "value": 1}],
    [{"op": "add", "path": "/a/-/b", "value": 1}],
    [{"op": "add", "path": "/a/١", "value": 1}],
    [{"op": "replace", "path": "/q", "value": 1}],
    [{"op": "replace", "path": "/a/-", "value": 1}],
    [{"op": "remove", "path": "/q"}],
    [{"op": "remove", "path": "/a/0/b"}],
    [{"op": "move", "from": "/a", "path": "/a/0"}],
    [{"op": "copy", "from": "/q", "path": "/r"}],
    [{"op": "test", "path": "/n", "value": 0}],
    [{"op": "test", "path": "/x~1y", "value": True}],
    [{"op": "remove", "path": "/a"}, {"op": "test", "path": "/a", "value": 1}],
    [{"op": "remove", "path": "/a"}] * 10_001,
]


@pytest.mark.parametrize("patch", BAD)
def test_what_cannot_be_done_changes_nothing(patch: Any) -> None:
    with pytest.raises(MalformedEventError):
        apply_patch(BASE, patch)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)
POINTER = st.text("/~01ab-", max_size=6)
OPERATION = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "x"])},
    optional={"path": POINTER, "from": POINTER, "value": JSON},
)


@given(JSON, st.lists(OPERATION, max_size=4))
def test_nothing_else_can_happen(value: Any, patch: list[Any]) -> None:
    before = json.dumps(value)
    with suppress(MalformedEventError):
        json.dumps(apply_patch(value, patch))
    assert json.dumps(value) == before
