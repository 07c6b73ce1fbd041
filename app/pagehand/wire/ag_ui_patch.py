"""JSON Patch (RFC 6902) on JSON values: atomic, and nothing of the old value is changed.

apply_patch({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}])   # {"a": [1, 2]}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pagehand.errors import MalformedEventError
from pagehand.wire.pointer import index_of, steps_of

_MOST = 10_000


def apply_patch(value: Any, operations: Any) -> Any:
    """The value after all operations.

    Args:
        value: Any JSON value; it stays as it is.
        operations: The list of operations; one of an unknown `op` is passed over.

    Raises:
        MalformedEventError: An operation cannot be done; then none counts.
    """
    if not isinstance(operations, list) or len(operations) > _MOST:
        raise MalformedEventError("A patch that is no list of operations")
    for operation in operations:
        if not isinstance(operation, dict):
            raise MalformedEventError("A patch with an operation that is no object")
        run = _OPERATIONS.get(str(operation.get("op")))
        if run is not None:
            value = run(value, operation)
    return value


def _add(value: Any, operation: dict[str, Any]) -> Any:
    return _put(value, _path(operation, "path"), _given(operation), insert=True)


def _replace(value: Any, operation: dict[str, Any]) -> Any:
    path = _path(operation, "path")
    _get(value, path)
    return _put(value, path, _given(operation), insert=False)


def _remove(value: Any, operation: dict[str, Any]) -> Any:
    return _drop(value, _path(operation, "path"))


def _move(value: Any, operation: dict[str, Any]) -> Any:
    source, target = _path(operation, "from"), _path(operation, "path")
    if target[: len(source)] == source and target != source:
        raise _impossible("moves a value into itself")
    moved = _get(value, source)
    return _put(_drop(value, source), target, moved, insert=True) if source else moved


def _copy(value: Any, operation: dict[str, Any]) -> Any:
    copied = _get(value, _path(operation, "from"))
    return _put(value, _path(operation, "path"), copied, insert=True)


def _test(value: Any, operation: dict[str, Any]) -> Any:
    found, wanted = _get(value, _path(operation, "path")), _given(operation)
    if found != wanted or isinstance(found, bool) != isinstance(wanted, bool):
        raise _impossible("tests for another value")
    return value


_OPERATIONS: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "add": _add,
    "replace": _replace,
    "remove": _remove,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _given(operation: dict[str, Any]) -> Any:
    if "value" not in operation:
        raise _impossible("has no value")
    return operation["value"]


def _path(operation: dict[str, Any], key: str) -> list[str]:
    """The tokens of a JSON Pointer."""
    pointer = operation.get(key)
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        raise _impossible(f"has a {key} that is no JSON Pointer")
    return steps_of(pointer)


def _get(value: Any, path: list[str]) -> Any:
    for token in path:
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list):
            value = value[_index(token, len(value) - 1)]
        else:
            raise _impossible("names a place that is not there")
    return value


def _put(value: Any, path: list[str], new: Any, *, insert: bool) -> Any:
    """A copy along the path, with `new` at its end."""
    if not path:
        return new
    token, rest = path[0], path[1:]
    if isinstance(value, dict) and (not rest or token in value):
        return {**value, token: _put(value.get(token), rest, new, insert=insert)}
    if isinstance(value, list):
        if not rest and insert:
            place = len(value) if token == "-" else _index(token, len(value))
            return [*value[:place], new, *value[place:]]
        place = _index(token, len(value) - 1)
        return [*value[:place], _put(value[place], rest, new, insert=insert), *value[place + 1 :]]
    raise _impossible("names a place that is not there")


def _drop(value: Any, path: list[str]) -> Any:
    """A copy along the path, without what is at its end."""
    if not path:
        return None
    token, rest = path[0], path[1:]
    if isinstance(value, dict) and token in value:
        if rest:
            return {**value, token: _drop(value[token], rest)}
        return {key: item for key, item in value.items() if key != token}
    if isinstance(value, list):
        place = _index(token, len(value) - 1)
        kept = [_drop(value[place], rest)] if rest else []
        return [*value[:place], *kept, *value[place + 1 :]]
    raise _impossible("names a place that is not there")


def _index(token: str, last: int) -> int:
    index = index_of(token, last + 1)
    if index is None:
        raise _impossible("names a place that is not there")
    return index


def _impossible(what: str) -> MalformedEventError:
    return MalformedEventError(f"A patch that {what}")
