"""Says in words what a JSON Schema expects: for descriptions, errors and confirmations.

expected_words({"type": "integer", "minimum": 1, "maximum": 9})   # "an integer from 1 to 9"
"""

from __future__ import annotations

from typing import Any

_NAMES = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}
_FORMATS = {
    "date": "date as YYYY-MM-DD",
    "date-time": "date and time as YYYY-MM-DDTHH:MM:SS+00:00",
    "time": "time as HH:MM:SS",
    "duration": "duration as in P1DT2H",
    "email": "mail address",
    "uri": "full URL",
    "uuid": "UUID",
    "binary": "binary text",
    "ipv4": "IPv4 address",
    "ipv6": "IPv6 address",
}


def rule_words(schema: dict[str, Any]) -> str:
    """The rules that get lost on the way, in words: formats, lengths, steps, uniqueness."""
    words = []
    shape = schema.get("format")
    if isinstance(shape, str):
        words.append(_FORMATS.get(shape, f"format {shape}"))
    words.extend(_range_words(schema, "minLength", "maxLength", "characters"))
    if "multipleOf" in schema:
        words.append(f"a multiple of {schema['multipleOf']}")
    if schema.get("uniqueItems") is True:
        words.append("no item twice")
    return ", ".join(words)


def expected_words(schema: dict[str, Any]) -> str:
    """What a value must be, in one phrase."""
    if "const" in schema:
        return f"exactly {short(schema['const'])}"
    if "enum" in schema:
        return "one of " + ", ".join(short(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(expected_words(option) for option in schema["anyOf"]))
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if len(kinds) >= 6 or not kinds:
        return "any value"
    phrase = " or ".join(_NAMES.get(kind, kind) for kind in kinds)
    rules = [*_number_words(schema), *([rule_words(schema)] if rule_words(schema) else [])]
    rules.extend(_range_words(schema, "minItems", "maxItems", "items"))
    if "pattern" in schema:
        rules.append(f"matching {schema['pattern']}")
    return " ".join([phrase, *([f"({', '.join(rules)})"] if rules else [])])


def short(value: Any, limit: int = 80) -> str:
    """A value as short JSON-like text, for a sentence."""
    from json import dumps

    try:
        text = dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}..."


def _number_words(schema: dict[str, Any]) -> list[str]:
    words = []
    for key, phrase in (
        ("minimum", "at least"),
        ("exclusiveMinimum", "more than"),
        ("maximum", "at most"),
        ("exclusiveMaximum", "less than"),
    ):
        if key in schema:
            words.append(f"{phrase} {schema[key]}")
    return words


def _range_words(schema: dict[str, Any], least: str, most: str, unit: str) -> list[str]:
    low, high = schema.get(least), schema.get(most)
    if low is not None and high is not None:
        return [f"exactly {low} {unit}" if low == high else f"{low} to {high} {unit}"]
    if low:
        return [f"at least {low} {unit}"]
    if high is not None:
        return [f"at most {high} {unit}"]
    return []
