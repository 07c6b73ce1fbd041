"""The sentence a model reads when its arguments do not fit.

The arguments of 'find-orders' do not fit. limit: expected an integer (at
least 1), got "many". colour: no such argument; known are: limit, status.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.toolkit.portable import ANY_TYPE
from pagehand.toolkit.schema_words import expected_words, short

if TYPE_CHECKING:
    from pagehand.toolkit.arguments import Problem

_AT_MOST = 8


def complain(name: str, problems: list[Problem], schema: dict[str, Any]) -> str:
    """One text with every problem, each with its argument, what was expected and what came."""
    lines = list(dict.fromkeys(_line(problem, schema) for problem in problems))
    more = len(lines) - _AT_MOST
    lines = lines[:_AT_MOST] + ([f"And {more} more problems."] if more > 0 else [])
    return f"The arguments of {name!r} do not fit. " + " ".join(lines)


def path_words(path: tuple[str | int, ...]) -> str:
    """A path as "fields[0].name"."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "the arguments"


def _line(problem: Problem, schema: dict[str, Any]) -> str:
    target, reached = _deepest(schema, problem.path)
    place = path_words(reached or problem.path)
    if problem.kind == "unexpected":
        owner, _ = _deepest(schema, problem.path[:-1])
        known = ", ".join(owner.get("properties", {})) or "none"
        return f"{path_words(problem.path)}: no such argument; known are: {known}."
    expected = expected_words(target) if target and target.get("type") != ANY_TYPE else ""
    if problem.kind == "missing":
        return f"{place}: is required ({expected or 'any value'}), but was left out."
    if not expected:
        return f"{place}: {problem.reason}, got {short(problem.came)}."
    reason = f" ({problem.reason})" if problem.telling else ""
    return f"{place}: expected {expected}, got {short(problem.came)}{reason}."


def _deepest(
    schema: dict[str, Any], path: tuple[str | int, ...]
) -> tuple[dict[str, Any], tuple[str | int, ...]]:
    """The schema at the path, as far as it goes, and the path without what is not in JSON.

    pydantic adds steps for the members of a union; those lead nowhere and are
    left out. Below a value of any type every step counts.
    """
    current: dict[str, Any] = schema
    reached: list[str | int] = []
    for step in path:
        inner = _step(current, step)
        if inner is None and current.get("type") != ANY_TYPE:
            continue
        current = current if inner is None else inner
        reached.append(step)
    return current, tuple(reached)


def _step(schema: dict[str, Any], step: str | int) -> dict[str, Any] | None:
    inside = schema if isinstance(step, int) else schema.get("properties", {})
    found = inside.get("items" if isinstance(step, int) else step)
    if isinstance(found, dict):
        return found
    for option in schema.get("anyOf", ()):
        inner = _step(option, step)
        if inner is not None:
            return inner
    return None
