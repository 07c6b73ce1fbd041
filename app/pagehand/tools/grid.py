"""A table's cells as records: spans resolved, columns named, values typed.

    table = read_grid(facts)             # facts: what eyes-tables.js tells of one table
    table.columns                        # [Column("Amount", "currency"), ...]
    table.records[0]["Amount"]           # "¥428.00", as shown
    table.typed[0]["Amount"]             # 428, for comparing

The algorithm is the HTML table model: a spanning cell's value is repeated in
every slot it covers, and a span never reaches past its row group.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pagehand.tools.values import day_first, decimal_mark, parse_bool, parse_date, parse_number

# Text, header kind (0 no, 1 column, 2 row), and the value to compare by (of a header: the name
# that programs use), or None.
Cell = tuple[str, int, Any]

_MAX_COLUMNS = 200
_EVIDENCE = 300


class Column(NamedTuple):
    """A column's label and what its values are."""

    name: str
    type: str


class Grid(NamedTuple):
    """One table, read."""

    columns: list[Column]
    records: list[dict[str, str]]
    typed: list[dict[str, Any]]
    footer: list[list[str]]
    notes: list[str]
    aliases: dict[str, str]


def read_grid(facts: dict[str, Any]) -> Grid:
    """Builds records from the rows that eyes-tables.js read."""
    sections = [_matrix(rows) for rows in _groups(facts["rows"])]
    head, body, foot = _parts(sections)
    names = facts.get("heads") or _names(head, _width(head, body))
    records = [{name: _text(row, i) for i, name in enumerate(names)} for row in body]
    language = facts.get("language") or ""
    columns: list[Column] = []
    typed: list[dict[str, Any]] = [{} for _ in body]
    notes: list[str] = []
    for index, name in enumerate(names):
        kind, values = _type_column([_slot(row, index) for row in body], language)
        columns.append(Column(name, kind))
        for record, value in zip(typed, values, strict=True):
            record[name] = value
        if kind == "ambiguous":
            columns[-1] = Column(name, "text")
            notes.append(
                f'column "{name}": figures like "1.234" can be read two ways; kept as text'
            )
    footer = [[_text(row, i) for i in range(len(row))] for row in foot]
    return Grid(columns, records, typed, footer, notes, _aliases(head, names))


def _groups(rows: list[list[Any]]) -> list[list[list[Any]]]:
    """Rows that stand together: spans end where a group ends."""
    groups: list[list[list[Any]]] = []
    for row in rows:
        if not groups or groups[-1][0][0] != row[0]:
            groups.append([])
        groups[-1].append(row)
    return groups


def _matrix(rows: list[list[Any]]) -> tuple[str, list[list[Cell | None]]]:
    section = rows[0][0]
    if not any(cell[1] > 1 or cell[2] != 1 for row in rows for cell in row[1]):
        return section, [[(c[0], c[3], c[4]) for c in row[1]] for row in rows]
    slots: list[list[Cell | None]] = [[] for _ in rows]
    for index, row in enumerate(rows):
        column = 0
        for text, across, down, header, sort in row[1]:
            while column < len(slots[index]) and slots[index][column] is not None:
                column += 1
            height = len(rows) - index if down == 0 else min(down, len(rows) - index)
            for line in slots[index : index + height]:
                _place(line, column, min(across, _MAX_COLUMNS - column), (text, header, sort))
            column += across
    return section, slots


def _place(line: list[Cell | None], column: int, across: int, cell: Cell) -> None:
    while len(line) < column + across:
        line.append(None)
    for at in range(column, column + max(across, 0)):
        line[at] = cell


Rows = list[list["Cell | None"]]


def _parts(sections: list[tuple[str, Rows]]) -> tuple[Rows, Rows, Rows]:
    head: Rows = []
    body: Rows = []
    foot: Rows = []
    for section, rows in sections:
        {"h": head, "f": foot}.get(section, body).extend(rows)
    while not head and body and all(cell and cell[1] == 1 for cell in body[0]) and len(body[0]) > 0:
        head = [body.pop(0)]
    return head, body, foot


def _width(head: Rows, body: Rows) -> int:
    return max((len(row) for row in [*head, *body]), default=0)


def _names(head: Rows, width: int) -> list[str]:
    names: list[str] = []
    for index in range(width):
        labels: list[str] = []
        for row in head:
            label = _text(row, index)
            if label and label not in labels:
                labels.append(label)
        name = " / ".join(labels) or f"col{index + 1}"
        same = sum(1 for known in names if known == name or known.startswith(f"{name} ("))
        names.append(f"{name} ({same + 1})" if same else name)
    return names


def _aliases(head: Rows, names: list[str]) -> dict[str, str]:
    """The page's own names of columns, which do not change with its language."""
    found: dict[str, str] = {}
    for row in head:
        for index, name in enumerate(names):
            cell = _slot(row, index)
            if cell and cell[2]:
                found[str(cell[2])] = name
    return found


def _slot(row: list[Cell | None], index: int) -> Cell | None:
    return row[index] if index < len(row) else None


def _text(row: list[Cell | None], index: int) -> str:
    cell = _slot(row, index)
    return cell[0] if cell else ""


def _type_column(cells: list[Cell | None], language: str) -> tuple[str, list[Any]]:
    """The type most cells share, and each cell's value for comparing (None when it has none)."""
    texts = [
        str(cell[2]) if cell and cell[2] is not None else cell[0] if cell else "" for cell in cells
    ]
    sample = [text for text in texts[:_EVIDENCE] if text and text not in ("-", "–", "—")]
    if not sample:
        return "text", [None] * len(cells)
    need = len(sample) * 0.8
    mark = decimal_mark(sample, language)
    numbers = [parse_number(text, mark) for text in sample]
    kinds = [number.kind for number in numbers if number]
    if len(kinds) >= need and not _are_codes(sample):
        kind = max(set(kinds), key=kinds.count)
        return kind, [number.value if (number := parse_number(t, mark)) else None for t in texts]
    first = day_first(sample, language)
    if sum(parse_date(text, first) is not None for text in sample) >= need:
        return "date", [parse_date(text, first) for text in texts]
    if sum(parse_bool(text) is not None for text in sample) >= need:
        return "bool", [parse_bool(text) for text in texts]
    lost = mark is None and sum(parse_number(t, ".") is not None for t in sample) >= need
    return "ambiguous" if lost else "text", [text or None for text in texts]


def _are_codes(sample: list[str]) -> bool:
    """Figures with leading zeros are names (postcodes, article numbers), not quantities."""
    return any(len(text) > 1 and text[0] == "0" and text.isdecimal() for text in sample)
