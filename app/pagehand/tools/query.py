"""Filters, sorts and pages the records of a table.

    answer = run_query(grid, filters={"Status": "Pending review"}, sort_by="Amount",
                       descending=True, limit=5)
    answer.rows, answer.matched

A filter is a plain value or one or more operators: `{"Amount": {"ge": 500}}`.
On figures and dates a plain value means "equal"; on texts it means "equal", and
where no row is equal, "contains".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pagehand.tools.catalogue import OPERATORS
from pagehand.tools.values import decimal_mark, folded, parse_bool, parse_date, parse_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.tools.grid import Grid

_NUMBERS = frozenset({"number", "currency", "percent"})
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


class QueryError(ValueError):
    """A question the table cannot answer; the text says what it has."""


class Answer(NamedTuple):
    """Rows of one page of the answer, and how many matched in all."""

    rows: list[dict[str, str]]
    matched: int
    notes: list[str]


def find_column(grid: Grid, name: str) -> str:
    """The column a name means: the same, or the only one that contains it.

    Raises:
        QueryError: Naming the columns there are.
    """
    names = [column.name for column in grid.columns]
    wanted = folded(name)
    same = [known for known in names if folded(known) == wanted]
    near = same or [known for known in names if wanted and wanted in folded(known)]
    if len(near) == 1:
        return near[0]
    for alias, column in grid.aliases.items():
        if folded(alias) == wanted:
            return column
    listed = ", ".join(f'"{known}"' for known in names)
    problem = f'no column "{name}"' if not near else f'"{name}" fits several columns'
    raise QueryError(f"{problem}; the columns are {listed}")


def run_query(
    grid: Grid,
    *,
    filters: dict[str, Any] | None = None,
    where: list[dict[str, Any]] | None = None,
    sort_by: str | None = None,
    descending: bool = False,
    limit: int = 50,
    offset: int = 0,
    columns: list[str] | None = None,
) -> Answer:
    """Answers a question about a table; see the module's text for filters.

    `where` says the same as `filters` with operators, as a list of `{column, operator, value}`:
    some servers drop the keys of an open object.
    """
    notes: list[str] = []
    kept = list(range(grid.size))
    conditions = list((filters or {}).items())
    for one in where or []:
        operator = one.get("operator")
        value = one.get("value")
        conditions.append((one["column"], {operator: value} if operator else value))
    for name, condition in conditions:
        column = find_column(grid, name)
        kept = _filter(grid, kept, column, condition, notes)
    if sort_by:
        kept = _sort(grid, kept, find_column(grid, sort_by), descending)
    page = kept[offset : offset + limit]
    rows = [grid.record(index) for index in page]
    if columns:
        chosen = [find_column(grid, name) for name in columns]
        rows = [{name: row[name] for name in chosen} for row in rows]
    return Answer(rows, len(kept), notes)


def _type_of(grid: Grid, column: str) -> str:
    return next(known.type for known in grid.columns if known.name == column)


def _filter(
    grid: Grid, kept: list[int], column: str, condition: Any, notes: list[str]
) -> list[int]:
    if isinstance(condition, dict):
        for operator, value in condition.items():
            test = _test(grid, column, operator, value)
            kept = [index for index in kept if test(index)]
        return kept
    if isinstance(condition, list):
        return _filter(grid, kept, column, {"in": condition}, notes)
    equal = _test(grid, column, "eq", condition)
    found = [index for index in kept if equal(index)]
    if found or _type_of(grid, column) != "text":
        return found
    contains = _test(grid, column, "contains", condition)
    found = [index for index in kept if contains(index)]
    if found:
        notes.append(f'no "{column}" equals "{condition}"; rows that contain it are shown')
    return found


def _test(grid: Grid, column: str, operator: str, value: Any) -> Callable[[int], bool]:
    """A test of one row, by its index."""
    if operator not in OPERATORS:
        raise QueryError(f'no operator "{operator}"; use {", ".join(OPERATORS)}')
    if operator == "empty":
        texts = grid.texts(column)
        return lambda index: (not texts[index]) == (value is not False)
    if operator in ("contains", "starts"):
        return _text_test(grid, column, operator, value)
    if operator == "in":
        tests = [_test(grid, column, "eq", one) for one in _as_list(value, column, operator)]
        return lambda index: any(test(index) for test in tests)
    if operator == "between":
        pair = _as_list(value, column, operator)
        if len(pair) != 2:
            raise QueryError(f'"between" on "{column}" takes two values: [from, to]')
        low, high = (
            _test(grid, column, op, one) for op, one in zip(("ge", "le"), pair, strict=True)
        )
        return lambda index: low(index) and high(index)
    if operator in ("eq", "ne"):
        return _equality(grid, column, value, operator == "eq")
    return _comparison(grid, column, operator, value)


def _as_list(value: Any, column: str, operator: str) -> list[Any]:
    if isinstance(value, list):
        return value
    raise QueryError(f'"{operator}" on "{column}" takes a list')


def _text_test(grid: Grid, column: str, operator: str, value: Any) -> Callable[[int], bool]:
    needle, texts = folded(str(value)), grid.folded(column)
    if operator == "starts":
        return lambda index: texts[index].startswith(needle)
    return lambda index: needle in texts[index]


def _equality(grid: Grid, column: str, value: Any, wanted: bool) -> Callable[[int], bool]:
    kind = _type_of(grid, column)
    typed = _typed(value, kind)
    if kind != "text" and typed is not None:
        return lambda index: (grid.value(column, index) == typed) == wanted
    needle, texts = folded(str(value)), grid.folded(column)
    return lambda index: (texts[index] == needle) == wanted


def _comparison(grid: Grid, column: str, operator: str, value: Any) -> Callable[[int], bool]:
    kind = _type_of(grid, column)
    typed = _typed(value, kind)
    if typed is None or kind == "bool":
        raise QueryError(f'"{operator}" on "{column}" ({kind}) cannot use {value!r}')
    compare = _ORDER[operator]
    needle = folded(typed) if kind == "text" else typed

    def test(index: int) -> bool:
        cell = grid.value(column, index)
        if cell is None:
            return False
        if kind == "text":
            return compare(folded(cell), needle)
        return compare(cell, needle)

    return test


def _typed(value: Any, kind: str) -> Any:
    """A filter's value as the column's type, or None when it is none of that type."""
    if kind in _NUMBERS:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        text = str(value)
        number = parse_number(text, decimal_mark([text]) or ".")
        return number.value if number else None
    if kind == "date":
        return parse_date(str(value), None)
    if kind == "bool":
        return value if isinstance(value, bool) else parse_bool(str(value))
    return str(value)


def _sort(grid: Grid, kept: list[int], column: str, descending: bool) -> list[int]:
    """Stable, typed, empty cells last in both directions."""
    kind = _type_of(grid, column)
    values = {index: grid.value(column, index) for index in kept}
    filled = [index for index in kept if values[index] is not None]
    empty = [index for index in kept if values[index] is None]
    if kind == "text":
        texts = grid.folded(column)
        filled.sort(key=lambda i: natural(texts[i]), reverse=descending)
    else:
        filled.sort(key=values.__getitem__, reverse=descending)
    return filled + empty


_RUNS = re.compile(r"[0-9]+|[^0-9]+")


def natural(text: str) -> list[tuple[int, int, str]]:
    """A sort key of a folded text, in which "item 9" comes before "item 10".

    Figures go by their length first, so that no run of them is too long.
    """
    key: list[tuple[int, int, str]] = []
    for run in _RUNS.findall(text):
        figures = run.lstrip("0") if run[0] in "0123456789" else None
        key.append((1, 0, run) if figures is None else (0, len(figures), figures))
    return key
