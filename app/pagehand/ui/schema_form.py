"""A form drawn from a JSON Schema, for answers that a server describes with one.

    form = SchemaForm({"type": "object", "properties": {"city": {"type": "string"}}}, submit)
    form.read()     # {"city": "Oslo"}

Choices become radio buttons and check boxes, lists of texts one line each, objects fields of
their own; what has no control of its own is written as JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from pagehand.html import div, fieldset, label, legend, p, span
from pagehand.ui.fields import ChoiceField, Field, TextField
from pagehand.ui.format import raw, title_of
from pagehand.ui.i18n import text as say
from pagehand.wire.jsontext import dumps, loads
from pagehand.wire.pointer import find

_MANY = 30  # more choices than these are written, not clicked
_DEEP = 3
_LONG = 200  # characters that ask for more than one line
_numbers = count(1)
_NOTHING = object()


class FormError(Exception):
    """Something cannot be read; `field` is the control to look at."""

    def __init__(self, text: str, field: Field | None = None) -> None:
        super().__init__(text)
        self.field = field


class SchemaForm:
    """One form.

    Args:
        schema: What the answer must be; None takes any words, and JSON as JSON.
        submit: Called when the person presses Enter in a line.
    """

    def __init__(self, schema: dict[str, Any] | None, submit: Callable[[], object]) -> None:
        whole = schema or {}
        self._node = _node(_plain(whole, whole), whole, submit, say("form.answer"), True, 0)
        self.element = div(self._node.element, class_="ph-form")

    def read(self) -> Any:
        """The answer.

        Raises:
            FormError: Something is missing, cannot be read, or was changed by a script.
        """
        value = self._node.read()
        return None if value is _NOTHING else value

    def focus(self) -> None:
        """Puts the cursor into the first field."""
        self._node.focus()


class _Leaf:
    """One field with its label."""

    def __init__(
        self,
        field: Field,
        name: str,
        required: bool,
        convert: Callable[[Any], Any],
        hint: str = "",
        label_id: str = "",
    ) -> None:
        self._field = field
        self._name = name
        self._required = required
        self._convert = convert
        marks = span(say("form.optional"), class_="ph-field-optional") if not required else None
        words = span(name, id=label_id or None, class_="ph-field-name", dir="auto")
        head = div(words, marks, class_="ph-field-head")
        body = [head, hint and p(hint, class_="ph-field-hint", dir="auto"), field.element]
        box = label if isinstance(field, TextField) else div
        self.element = box(body, class_="ph-field-row")

    def read(self) -> Any:
        value = self._field.read()
        if value is None:
            raise FormError(say("form.meddled", name=self._name), self._field)
        if value in ("", []):
            if self._required:
                raise FormError(say("form.required", name=self._name), self._field)
            return _NOTHING
        try:
            return self._convert(value)
        except ValueError as error:
            raise FormError(say("form.unreadable", name=self._name), self._field) from error

    def focus(self) -> None:
        self._field.focus()


class _Group:
    """An object: a field for each property."""

    def __init__(self, nodes: dict[str, Any], name: str, required: bool, depth: int) -> None:
        self._nodes = nodes
        self._required = required
        inner = [node.element for node in nodes.values()]
        self.element = (
            fieldset(legend(name, dir="auto"), inner, class_="ph-field-group")
            if depth
            else div(inner, class_="ph-field-rows")
        )

    def read(self) -> Any:
        values = {key: node.read() for key, node in self._nodes.items()}
        given = {key: value for key, value in values.items() if value is not _NOTHING}
        return given if given or self._required else _NOTHING

    def focus(self) -> None:
        for node in self._nodes.values():
            node.focus()
            return


def _node(
    schema: dict[str, Any],
    whole: dict[str, Any],
    submit: Callable[[], object],
    name: str,
    required: bool,
    depth: int,
) -> Any:
    name = str(schema.get("title") or name)
    hint = str(schema.get("description") or "")
    properties = schema.get("properties")
    if isinstance(properties, dict) and properties and depth < _DEEP:
        needed = schema.get("required") or []
        nodes = {
            key: _node(_plain(inner, whole), whole, submit, title_of(key), key in needed, depth + 1)
            for key, inner in properties.items()
        }
        return _Group(nodes, name, required, depth)
    return _leaf(schema, submit, name, hint, required)


def _leaf(
    schema: dict[str, Any], submit: Callable[[], object], name: str, hint: str, required: bool
) -> _Leaf:
    kind, first = schema.get("type"), schema.get("default", _NOTHING)
    items = schema.get("items")
    values = _values(schema)
    several = _values(items) if kind == "array" and isinstance(items, dict) else []
    if values or several:
        return _choice(values or several, bool(several), first, name, hint, required)
    texts = kind == "array" and isinstance(items, dict) and items.get("type") == "string"
    convert, note, lines = _WRITTEN.get("texts" if texts else kind, _WRITTEN[None])
    if kind == "string" and (schema.get("maxLength") or 0) > _LONG:
        lines = 3
    text = "" if first is _NOTHING else first if isinstance(first, str) else dumps(first)
    more = {"inputmode": "decimal"} if kind in ("integer", "number") else {}
    hint = f"{hint} {say(note)}".strip() if note else hint
    return _Leaf(TextField(submit, text=text, lines=lines, **more), name, required, convert, hint)


def _choice(
    options: list[Any], several: bool, first: Any, name: str, hint: str, required: bool
) -> _Leaf:
    number = next(_numbers)
    wanted = first if several and isinstance(first, list) else [first]
    field = ChoiceField(
        {str(n): _label(value) for n, value in enumerate(options)},
        f"ph-field-{number}",
        multiple=several,
        chosen=tuple(str(n) for n, value in enumerate(options) if value in wanted),
        labelled_by=f"ph-label-{number}",
    )

    def pick(chosen: list[str]) -> Any:
        found = [options[int(key)] for key in chosen]
        return found if several else found[0]

    return _Leaf(field, name, required, pick, hint, f"ph-label-{number}")


def _values(schema: dict[str, Any]) -> list[Any]:
    """What there is to choose from; empty when it is to be written."""
    if "const" in schema:
        return [schema["const"]]
    listed = schema.get("enum")
    if isinstance(listed, list):
        return listed if len(listed) <= _MANY else []
    if schema.get("type") == "boolean":
        return [True, False]
    either = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(either, list) and all(isinstance(e, dict) and "const" in e for e in either):
        return [each["const"] for each in either]
    return []


def _label(value: Any) -> str:
    if isinstance(value, bool):
        return say("value.yes" if value else "value.no")
    return value if isinstance(value, str) else raw(value)


def _plain(schema: Any, whole: dict[str, Any]) -> dict[str, Any]:
    """The schema with its references followed and "or null" taken away."""
    found: dict[str, Any] = schema if isinstance(schema, dict) else {}
    for _ in range(8):  # a reference to itself ends too
        reference = found.get("$ref")
        either = found.get("anyOf") or found.get("oneOf") or []
        rest = [one for one in either if isinstance(one, dict) and one.get("type") != "null"]
        if isinstance(reference, str) and reference.startswith("#/"):
            found = {**_find(whole, reference), **_without(found, "$ref")}
        elif len(rest) == 1:
            found = {**rest[0], **_without(found, "anyOf", "oneOf")}
        else:
            break
    kinds = found.get("type")
    if isinstance(kinds, list):
        some = [kind for kind in kinds if kind != "null"]
        found = {**found, "type": some[0] if len(some) == 1 else None}
    return found


def _without(schema: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in keys}


def _find(whole: Any, reference: str) -> dict[str, Any]:
    found = find(whole, reference)
    return found if isinstance(found, dict) else {}


def _integer(text: str) -> int:
    return int(text.replace(" ", ""))


def _number(text: str) -> float:
    return float(text.replace(" ", "").replace(",", "."))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _anything(text: str) -> Any:
    from pagehand.errors import MalformedEventError

    try:
        return loads(text)
    except MalformedEventError:
        return text


def _json(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        from pagehand.errors import MalformedEventError

        try:
            return read(text)
        except MalformedEventError as error:
            raise ValueError(str(error)) from error

    return convert


# How a kind that is written, not clicked, is read; a note for the person; how many lines it gets.
_WRITTEN: dict[str | None, tuple[Callable[[str], Any], str, int]] = {
    "string": (str, "", 1),
    "integer": (_integer, "", 1),
    "number": (_number, "", 1),
    "texts": (_lines, "form.lines", 3),
    "object": (_json(loads), "form.json", 3),
    "array": (_json(loads), "form.json", 3),
    None: (_json(_anything), "", 3),
}
