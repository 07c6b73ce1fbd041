"""The sentence a model reads when its arguments do not fit.

The arguments of 'find-orders' do not fit. limit: expected an integer (at
least 1), got "many". colour: no such argument; known are: limit, status.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.toolkit.schema_words import expected_words, short

if TYPE_CHECKING:
    from pagehand.toolkit.parameters import Problem

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
    place = path_words(problem.path)
    if problem.kind == "unexpected":
        owner = _at(schema, problem.path[:-1]) or {}
        known = ", ".join(owner.get("properties", {})) or "none"
        return f"{place}: no such argument; known are: {known}."
    target, reached = _deepest(schema, problem.path)
    place = path_words(reached) if reached else place
    expected = expected_words(target) if target else ""
    if problem.kind == "missing":
        return f"{place}: is required ({expected or 'any value'}), but was left out."
    reason = "" if problem.reason == "" else f" ({problem.reason})"
    wanted = f"expected {expected}" if expected else "does not fit"
    return f"{place}: {wanted}, got {short(problem.came)}{reason}."


def _deepest(
    schema: dict[str, Any], path: tuple[str | int, ...]
) -> tuple[dict[str, Any] | None, tuple[str | int, ...]]:
    """The schema at the path; pydantic adds steps for union members, which are left out."""
    current: dict[str, Any] = schema
    reached: list[str | int] = []
    for step in path:
        inner = _step(current, step)
        if inner is None:
            continue
        current = inner
        reached.append(step)
    return (current, tuple(reached)) if reached else (None, path)


def _at(schema: dict[str, Any], path: tuple[str | int, ...]) -> dict[str, Any] | None:
    return _deepest(schema, path)[0] if path else schema


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
