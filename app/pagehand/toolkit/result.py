"""Turns what a tool returns into JSON that can travel.

    to_wire({"day": date(2026, 1, 31), "tags": {"b", "a"}})
    # {"day": "2026-01-31", "tags": ["a", "b"]}

Every JSON value is a result, also None, False, 0 and "". Pydantic models,
dataclasses, dates, enums, sets, bytes, paths, decimals and UUIDs are written
the usual way. What cannot travel is an error that says where it sits.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from pagehand.errors import UnsendableValueError

_DEEPEST = 64


class ToolResponse:
    """A result with more to it than its value. Return it from a tool.

    Args:
        result: The value for the model and the view.
        artifact: Something for the view only; it never leaves the page.
        is_error: Whether the result tells of a failure.
        model_content: What the model reads instead of `result`: a text, or a
            list of `{"type": "text", "text": ...}` and
            `{"type": "file", "data": base64, "mediaType": ...}`.
    """

    __slots__ = ("artifact", "is_error", "model_content", "result")

    def __init__(
        self,
        result: Any = None,
        *,
        artifact: Any = None,
        is_error: bool = False,
        model_content: Any = None,
    ) -> None:
        self.result = result
        self.artifact = artifact
        self.is_error = is_error
        self.model_content = model_content


def to_wire(value: Any, path: str = "result") -> Any:
    """The value as plain JSON.

    Raises:
        UnsendableValueError: With the path of what cannot travel.
    """
    return _convert(value, path, 0, ())


def _convert(value: Any, path: str, depth: int, above: tuple[int, ...]) -> Any:
    if value is None or type(value) in (bool, str, int):
        return value
    if type(value) is float:
        if not isfinite(value):
            raise UnsendableValueError(f"{value} is not a JSON number", path)
        return value
    if id(value) in above:
        raise UnsendableValueError("refers to itself", path)
    if depth > _DEEPEST:
        raise UnsendableValueError(f"is nested deeper than {_DEEPEST} levels", path)
    above = (*above, id(value))
    if isinstance(value, dict):
        return {
            _key(key, path): _convert(item, f"{path}.{key}", depth + 1, above)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        if hasattr(value, "_asdict"):
            return _convert(value._asdict(), path, depth + 1, above)
        return [_convert(item, f"{path}[{n}]", depth + 1, above) for n, item in enumerate(value)]
    return _convert(_simplify(value, path), path, depth + 1, above)


def _key(key: Any, path: str) -> str:
    if isinstance(key, bool) or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    if isinstance(key, (str, int, float)):
        return str(key)
    if hasattr(key, "value") and isinstance(key.value, (str, int)):
        return str(key.value)
    if hasattr(key, "isoformat"):
        return str(key.isoformat())
    raise UnsendableValueError(f"the key {key!r} is not a text", path)


def _simplify(value: Any, path: str) -> Any:
    """One step towards JSON for a value that is not JSON yet."""
    for simplify in (_structured, _scalar, _collected, _foreign):
        found = simplify(value)
        if found is not _NO:
            return found
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if hasattr(value, "__await__"):
        raise UnsendableValueError("is something to await; put `await` before it", path)
    if isinstance(value, type):
        what = f"the class {value.__name__}"
    else:
        what = "a function" if callable(value) else f"a {kind}"
    raise UnsendableValueError(
        f"{what} cannot travel as JSON; return numbers, texts, lists and dicts", path
    )


_NO = object()


def _structured(value: Any) -> Any:
    if isinstance(value, type):
        return _NO
    if hasattr(value, "model_dump") and hasattr(type(value), "model_fields"):
        return value.model_dump(mode="json", by_alias=True)
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        return {name: getattr(value, name) for name in fields}
    return _NO


def _scalar(value: Any) -> Any:
    if hasattr(value, "name") and hasattr(value, "value") and hasattr(type(value), "__members__"):
        return value.value
    if isinstance(value, (str, int, float)):
        for plain in (str, int, float):
            if isinstance(value, plain):
                return plain(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    name = type(value).__name__
    module = type(value).__module__
    if module in ("decimal", "fractions"):
        return int(value) if value == int(value) and module == "fractions" else str(value)
    if module == "datetime" and name == "timedelta":
        return value.total_seconds()
    if module in ("uuid", "pathlib", "pathlib._local", "ipaddress", "pydantic.networks"):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        from base64 import b64encode

        return b64encode(bytes(value)).decode()
    return _NO


def _collected(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        try:
            return sorted(value)
        except TypeError:
            return sorted(value, key=repr)
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}  # noqa: SIM118 -- has keys, maybe no iteration
    if type(value).__module__ in ("collections", "builtins") and hasattr(value, "__iter__"):
        return list(value) if hasattr(value, "__len__") else _NO
    return _NO


def _foreign(value: Any) -> Any:
    """JavaScript's null, or an object of it: a proxy that can turn itself into Python."""
    if type(value).__name__ == "JsNull" and type(value).__module__ == "pyodide.ffi":
        return None
    convert = getattr(value, "to_py", None)
    if not callable(convert):
        return _NO
    converted = convert()
    return _NO if converted is value else converted
