"""Arguments of a call, found in the clause that asks for it and shaped by the tool's schema."""

from __future__ import annotations

import re
from typing import Any

from pagehand.demo.phrases import number_near, rest_of, superlative, target_of
from pagehand.demo.request import Clause, pairs
from pagehand.demo.values import as_boolean, as_date, as_number, pick_choice
from pagehand.demo.words import STATUSES, ideas, is_chinese, same_meaning, split_name

Schema = dict[str, Any]

_URL = ("url", "href", "link", "uri", "website")
_TARGETS = (
    "selector",
    "target",
    "element",
    "section",
    "anchor",
    "place",
    "location",
    "where",
    "destination",
)
_PATHS = ("path", "route", "pathname")
_KEYS = ("key",)
_POINTING = {"scroll", "go", "highlight", "click"}
"""What is done to an element, so that whatever the person names is one."""

_FREE = (
    "filters",
    "filter",
    "params",
    "conditions",
    "where",
    "criteria",
    "values",
    "fields",
    "data",
)


class Filling:
    """What was found: `arguments`, and the names of required ones that were not."""

    def __init__(self, arguments: dict[str, Any], missing: list[str]) -> None:
        self.arguments = arguments
        self.missing = missing


def properties_of(tool: dict[str, Any]) -> dict[str, Schema]:
    """The properties of a tool's schema."""
    schema = tool.get("inputSchema")
    found = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(found, dict):
        return {}
    return {key: value if isinstance(value, dict) else {} for key, value in found.items()}


def required_of(tool: dict[str, Any]) -> list[str]:
    """The names of required properties, in the order of the properties."""
    schema = tool.get("inputSchema")
    required = schema.get("required") if isinstance(schema, dict) else None
    names = required if isinstance(required, list) else []
    return [key for key in properties_of(tool) if key in names]


def takes_url(tool: dict[str, Any]) -> bool:
    """Whether a tool has a place for a web address."""
    return any(_is_url(key, schema) for key, schema in properties_of(tool).items())


def takes_pairs(tool: dict[str, Any]) -> bool:
    """Whether a tool has a place for names with values."""
    return any(
        _pair_keys(schema) is not None or _is_free(key, schema)
        for key, schema in properties_of(tool).items()
    )


def fill(name: str, tool: dict[str, Any], clause: Clause) -> Filling:
    """Find the arguments of a tool in a clause."""
    required = required_of(tool)
    filler = _Filler(name, tool, clause)
    arguments: dict[str, Any] = {}
    properties = properties_of(tool)
    # Required ones first: they have the first claim on a quoted text or a number.
    for key in sorted(properties, key=lambda key: key not in required):
        value = filler.value(key, properties[key], required=key in required)
        if value is not None:
            arguments[key] = value
    ordered = {key: arguments[key] for key in properties if key in arguments}
    return Filling(ordered, [key for key in required if key not in arguments])


class _Filler:
    """Finds one value after the other, and gives none away twice."""

    def __init__(self, name: str, tool: dict[str, Any], clause: Clause) -> None:
        self._tool = name
        self._clause = clause
        self._pairs = [(name, clause.plain(value)) for name, value in pairs(clause.text)]
        self._free_pairs = list(self._pairs)
        self._quotes = clause.values("quote")
        self._counts = any(
            _kinds(schema) & {"integer", "number"} for schema in properties_of(tool).values()
        )
        self._taken = False  # the free words of the clause
        self._aimed = False  # what the clause points at

    def value(self, key: str, schema: Schema, *, required: bool) -> Any:
        """The value of one property, or None."""
        kinds = _kinds(schema)
        if "array" in kinds and "string" not in kinds:
            return self._list(schema, required=required)
        if "object" in kinds:
            return self._object(key, schema)
        named = self._named(key, schema)
        if named is not None:
            return named
        if isinstance(schema.get("enum"), list):
            return pick_choice(key, schema["enum"], self._clause.about(), required=required)
        if "boolean" in kinds and "string" not in kinds:
            return self._boolean(key, required=required)
        if kinds & {"integer", "number"} and "string" not in kinds:
            return self._number(key, schema, required=required)
        return self._text(key, schema, required=required)

    def _named(self, key: str, schema: Schema) -> Any:
        """The value that stands beside the property's own name."""
        label = str(schema.get("title") or "")
        for name, text in self._pairs:
            if same_meaning(name, split_name(key)) or (label and same_meaning(name, label)):
                value = coerce(text, schema)
                if value is not None:
                    return value
        return None

    def _boolean(self, key: str, *, required: bool) -> bool | None:
        text = self._clause.about()
        known = as_boolean(text)
        said, lowered = ideas(text), text.lower()
        mentioned = all(
            ideas(word) & said or word.lower() in lowered for word in split_name(key).split()
        )
        if required:
            return True if known is None else known
        return (known is not False) if mentioned else None

    def _number(self, key: str, schema: Schema, *, required: bool) -> int | float | None:
        text = number_near(key, self._clause.plain(), required=required)
        return None if text is None else as_number(text, schema)

    def _text(self, key: str, schema: Schema, *, required: bool) -> str | None:
        word = key.lower()
        if _is_url(key, schema):
            return next(iter(self._clause.urls()), None)
        if schema.get("format") == "email" or word in ("email", "mail", "e_mail"):
            return next(iter(self._clause.values("email")), None)
        if schema.get("format") in ("date", "date-time") or "date" in split_name(word).split():
            return as_date(self._clause.plain())
        if word in _PATHS:
            found = re.search(r"(?:^|\s)([/#][\w/#?=&.-]*)", self._clause.plain())
            return found[1] if found else None
        if word in _KEYS:
            return self._key(required=required)
        if word in ("sortby", "sort_by", "orderby", "order_by"):
            return superlative(self._clause.plain())[0]
        if self._is_target(word, schema):
            return self._target(required=required)
        return self._free_text() if required else None

    def _is_target(self, word: str, schema: Schema) -> bool:
        about = str(schema.get("description") or "").lower()
        return word in _TARGETS or "selector" in about or "选择器" in about

    def _target(self, *, required: bool) -> str | None:
        if not required and (self._aimed or not ideas(split_name(self._tool)) & _POINTING):
            return None
        self._aimed = True
        if self._quotes:
            return self._quotes.pop(0)
        if self._pairs:
            return self._pairs[0][0]
        found = target_of(self._clause, self._tool)
        return found or None

    def _key(self, *, required: bool) -> str | None:
        text = self._clause.plain()
        found = re.search(
            r"(?:\bkey\s+|\bunder\s+(?:the\s+key\s+)?|键名?(?:为|是)?\s*)[\"'“]?([\w.-]+)",
            text,
            re.IGNORECASE,
        ) or re.search(
            r"(?:\bas\s+|(?:保存|存储|存)[为到]\s*)[\"'“]?([\w.-]+)[\"'”]?\s*$", text, re.IGNORECASE
        )
        if found:
            return found[1]
        if not required:
            return None
        if ideas(text) & {"save"} or re.search(r"remember|记(?:住|得)", text):
            return "note"
        return rest_of(self._clause, self._tool) or None

    def _free_text(self) -> str | None:
        if self._quotes:
            return self._quotes.pop(0)
        if self._taken:
            return None
        self._taken = True
        text = rest_of(self._clause, self._tool)
        if self._counts:
            text = re.sub(r"^\d+\s*(?:个|件|只|份|x\b|pieces? of\b)?\s*", "", text)
        # `save tea as drink`: the last word is the key, not part of the text.
        text = re.sub(r"(?<=\S)\s+(?:as|under)\s+(?:the\s+key\s+)?[\w.-]+$", "", text)
        return text or None

    def _list(self, schema: Schema, *, required: bool) -> list[Any] | None:
        keys = _pair_keys(schema)
        if keys is not None:
            name, value = keys
            items = [{name: n, value: v} for n, v in self._take_pairs()]
            return items or None
        if self._quotes:
            found, self._quotes = self._quotes, []
            return found
        if not required:
            return None
        inner = schema.get("items")
        inner = inner if isinstance(inner, dict) else {}
        text = self._pairs[0][1] if self._pairs else rest_of(self._clause, self._tool)
        items_ = [item.strip() for item in re.split(r"[,，、]|\band\b|和", text) if item.strip()]
        return [coerce(item, inner) or item for item in items_] or None

    def _take_pairs(self) -> list[tuple[str, str]]:
        """All pairs, to the first property that takes them."""
        taken, self._free_pairs = self._free_pairs, []
        return taken

    def _object(self, key: str, schema: Schema) -> dict[str, Any] | None:
        inner = schema.get("properties")
        if isinstance(inner, dict) and inner:
            found = {
                name: value
                for name, part in inner.items()
                if isinstance(part, dict) and (value := self._named(name, part)) is not None
            }
            return found or None
        if not _is_free(key, schema):
            return None
        found = dict(self._take_pairs())
        if key.lower().startswith("filter") and not found:
            found = _implied_filters(self._clause, operators="ge" in str(schema.get("description")))
        return found or None


def coerce(text: str, schema: Schema) -> Any:
    """A text as the type the schema wants, or None if it cannot be."""
    kinds = _kinds(schema)
    if isinstance(schema.get("enum"), list):
        return pick_choice("", schema["enum"], text, required=False)
    if "string" in kinds or not kinds:
        wants_date = schema.get("format") == "date"
        return as_date(text) or text if wants_date else text
    if kinds & {"integer", "number"}:
        return as_number(text, schema)
    return as_boolean(text) if "boolean" in kinds else None


def _kinds(schema: Schema) -> set[str]:
    kind = schema.get("type")
    if isinstance(kind, str):
        return {kind}
    if isinstance(kind, list):
        return {k for k in kind if isinstance(k, str)}
    found: set[str] = set()
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        for branch in branches if isinstance(branches, list) else ():
            found |= _kinds(branch) if isinstance(branch, dict) else set()
    return found


def _is_url(key: str, schema: Schema) -> bool:
    words = split_name(key).lower().split()
    return schema.get("format") in ("uri", "url") or any(word in _URL for word in words)


def _is_free(key: str, schema: Schema) -> bool:
    """Whether a property is an object with whatever names one likes."""
    return "object" in _kinds(schema) and not schema.get("properties") and key.lower() in _FREE


def _pair_keys(schema: Schema) -> tuple[str, str] | None:
    """The keys for name and value in a list of objects that are pairs."""
    items = schema.get("items")
    inner = items.get("properties") if isinstance(items, dict) else None
    if not isinstance(inner, dict):
        return None
    name = next(
        (key for key in ("name", "field", "label", "key", "column", "id") if key in inner), ""
    )
    value = next((key for key in ("value", "text", "content", "val") if key in inner), "")
    return (name, value) if name and value else None


def _implied_filters(clause: Clause, *, operators: bool) -> dict[str, Any]:
    """`pending orders` and `over 500`, without naming a column."""
    text = clause.plain()
    chinese = is_chinese(text)
    found: dict[str, Any] = {}
    for idea in STATUSES:
        if idea in ideas(text):
            found["状态" if chinese else "Status"] = _as_written(idea, text)
    limit = re.search(
        r"(?P<low>over|above|more than|greater than|at least|>=?|大于|超过|高于|不少于)|"
        r"(?P<high>under|below|less than|at most|<=?|小于|低于|少于|不超过)",
        text,
        re.IGNORECASE,
    )
    number = re.search(r"\d[\d,]*(?:\.\d+)?", text[limit.end() :]) if limit else None
    if operators and limit and number:
        column = re.search(r"([\u4e00-\u9fff]{2,4}|[A-Za-z]+)\s*(?:is\s+)?$", text[: limit.start()])
        name = column[1] if column and ideas(column[1]) & {"amount", "quantity"} else ""
        found[name or ("金额" if chinese else "Amount")] = {
            "gt" if limit["low"] else "lt": as_number(number[0], {"type": "number"})
        }
    return found


def _as_written(idea: str, text: str) -> str:
    from pagehand.demo.words import chinese_words

    if is_chinese(text):
        for word in chinese_words(frozenset((idea,))):
            if word in text:
                return word
    return idea
