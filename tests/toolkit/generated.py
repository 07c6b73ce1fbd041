"""Signatures made by a seeded generator, with what their schema must still say.

Used here against the portable pass, and by the peer tests against real servers.
"""

from __future__ import annotations

import datetime as dt
import enum
import random
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Priority(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Address(BaseModel):
    street: str = Field(description="Street and number")
    city: str
    zip_code: str = Field("", description="Postal code")


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int = Field(description="In years", ge=0)
    home: Address
    colour: Colour = Colour.RED


@dataclass
class Size:
    width: int
    height: int = 1


# Annotation, the types a schema may show for it, and a value that fits.
PLAIN: list[tuple[Any, set[str], Any]] = [
    (str, {"string"}, "text"),
    (int, {"integer"}, 3),
    (float, {"number"}, 1.5),
    (bool, {"boolean"}, True),
    (Literal["a", "b", "c"], {"string"}, "b"),
    (Literal[1, 2], {"integer"}, 2),
    (Colour, {"string"}, "blue"),
    (Priority, {"integer"}, 2),
    (dt.date, {"string"}, "2026-01-31"),
    (dt.datetime, {"string"}, "2026-01-31T09:30:00Z"),
    (dt.time, {"string"}, "09:30:00"),
    (Annotated[int, Field(ge=1, le=10)], {"integer"}, 5),
    (Annotated[str, Field(min_length=1, max_length=20)], {"string"}, "x"),
    (Annotated[str, Field(pattern="^[a-z]+$")], {"string"}, "abc"),
    (list[str], {"array"}, ["a"]),
    (list[int], {"array"}, [1]),
    (list[Address], {"array"}, [{"street": "a", "city": "b"}]),
    (set[str], {"array"}, ["a"]),
    (tuple[int, str], {"array"}, [1, "a"]),
    (Address, {"object"}, {"street": "a", "city": "b"}),
    (Person, {"object"}, {"name": "a", "age": 1, "home": {"street": "a", "city": "b"}}),
    (Size, {"object"}, {"width": 1}),
    (dict[str, int], {"object"}, {"a": 1}),
    (int | str, {"integer", "string"}, "x"),
    (list[str] | bool, {"array", "boolean"}, [True] and ["x"]),
    (Any, {"string", "number", "boolean", "object", "array", "null"}, {"free": [1]}),
]


class Made:
    """One generated function.

    Attributes:
        function: What would be a tool's function.
        types: Argument name to the types its schema must allow.
        required: The names that must be required.
        descriptions: Argument name to the words its description must hold.
        arguments: Arguments that fit.
    """

    def __init__(self, number: int, chosen: random.Random) -> None:
        self.number = number
        self.types: dict[str, set[str]] = {}
        self.required: list[str] = []
        self.descriptions: dict[str, str] = {}
        self.arguments: dict[str, Any] = {}
        annotations: dict[str, Any] = {}
        defaults: list[Any] = []
        count = chosen.randint(0, 7)
        optional_from = chosen.randint(0, count)
        for index in range(count):
            name = chosen.choice(["value", "formId", "order_no", "q", "schema"]) + str(index)
            annotation, types, value = chosen.choice(PLAIN)
            self.types[name] = set(types)
            self.arguments[name] = value
            if index < optional_from:
                self.required.append(name)
            elif chosen.random() < 0.6 and annotation is not Any:
                annotation = annotation | None if not _is_marked(annotation) else annotation
                if not _is_marked(annotation):
                    self.types[name].add("null")
                defaults.append(None)
            else:
                defaults.append(None if annotation is Any else _default(value, annotation))
            if chosen.random() < 0.5:
                self.descriptions[name] = f"Argument number {index}, made by {number}."
                annotation = Annotated[annotation, Field(description=self.descriptions[name])]
            annotations[name] = annotation
        self.function = _function(f"made_{number}", annotations, tuple(defaults))


def made(count: int, seed: int = 20260131) -> list[Made]:
    """So many functions, always the same ones."""
    chosen = random.Random(seed)
    return [Made(number, chosen) for number in range(count)]


def _function(name: str, annotations: dict[str, Any], defaults: tuple[Any, ...]) -> Any:
    source = f"def {name}({', '.join(annotations)}):\n    return locals()\n"
    names: dict[str, Any] = {}
    exec(source, names)
    function = names[name]
    function.__annotations__ = annotations
    function.__defaults__ = defaults
    function.__doc__ = f"Does number {name}."
    return function


def _is_marked(annotation: Any) -> bool:
    return hasattr(annotation, "__metadata__")


def _default(value: Any, annotation: Any) -> Any:
    return value if annotation in (str, int, float, bool, list[str], list[int]) else None


def lost(sent: Any, got: Any, path: str = "") -> list[str]:
    """What of a schema another side no longer says: properties, types, required, descriptions.

    Other words for the same are no loss: Mastra writes `{"enum": [1, 2]}` as two constants.

    Args:
        sent: The schema as declared.
        got: The same schema as the model sees it.
        path: Where it stands, for the texts that are returned.
    """
    if not isinstance(got, dict):
        return [f"{path or 'the schema'} is {got!r}"]
    gone = []
    for what, read in (("type", types_of), ("values", values_of), ("required", _required)):
        if not read(sent) <= read(got):
            gone.append(f"{path}.{what}: {read(sent)} became {read(got)}")
    if "description" in sent and got.get("description") != sent["description"]:
        gone.append(
            f"{path}.description: {sent['description']!r} became {got.get('description')!r}"
        )
    inner = got.get("properties", {})
    for name, schema in sent.get("properties", {}).items():
        gone += lost(schema, inner.get(name), f"{path}.{name}")
    if isinstance(sent.get("items"), dict) and sent["items"]:
        gone += lost(sent["items"], got.get("items"), f"{path}.items")
    others = got.get("anyOf", ())
    if len(others) == len(sent.get("anyOf", ())):
        for index, option in enumerate(sent.get("anyOf", ())):
            gone += lost(option, others[index], f"{path}.anyOf[{index}]")
    return gone


def types_of(schema: dict[str, Any]) -> set[str]:
    """The types a schema allows; every integer counts as a number."""
    found = set[str]()
    for option in schema.get("anyOf", ()):
        found |= types_of(option)
    stated = schema.get("type", [])
    found |= {stated} if isinstance(stated, str) else set(stated)
    return {"number" if name == "integer" else name for name in found}


def values_of(schema: dict[str, Any]) -> set[Any]:
    """The constants a schema allows, without null: that is one of its types."""
    found = set(schema.get("enum", ())) | ({schema["const"]} if "const" in schema else set())
    for option in schema.get("anyOf", ()):
        found |= values_of(option)
    return found - {None}


def _required(schema: dict[str, Any]) -> set[str]:
    return set(schema.get("required", ()))
