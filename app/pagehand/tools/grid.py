"""A table's cells as records: spans resolved, columns named, values typed.

    table = read_grid(facts)             # facts: what eyes-tables.js tells of one table
    table.columns                        # [Column("Amount", "currency"), ...]
    table.record(0)["Amount"]            # "¥428.00", as shown
    table.texts("Amount")[0]             # the same
    table.value("Amount", 0)             # 428, for comparing

A column's type is told by a sample of its cells; values are read when a question needs them.

The algorithm is the HTML table model: a spanning cell's value is repeated in
every slot it covers, and a span never reaches past its row group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pagehand.tools.values import (
    day_first,
    decimal_mark,
    folded,
    parse_bool,
    parse_date,
    parse_number,
)

if TYPE_CHECKING:
    from collections.abc import Callable

# Text, header kind (0 no, 1 column, 2 row), and the value to compare by (of a header: the name
# that programs use), or None. Most cells are nothing but their text.
Cell = str | tuple[str, int, Any]

Rows = list[list[Cell | None]]

_MAX_COLUMNS = 200
_EVIDENCE = 300


class Column(NamedTuple):
    """A column's label and what its values are."""

    name: str
    type: str


class _Body:
    """The records' cells, by column; a column is made when a question needs it.

    Args:
        rows: Rows of cells.
        columns: Further rows after them, packed: of each column one text with a line for each row.
        size: How many rows are packed.
    """

    __slots__ = ("_columns", "_rows", "_size", "_sortables", "_texts", "packed", "size")

    def __init__(self, rows: Rows, columns: list[str], size: int) -> None:
        self.packed = len(columns)
        self.size = len(rows) + size
        self._rows = rows
        self._columns = columns
        self._size = size
        self._texts: dict[int, list[str]] = {}
        self._sortables: dict[int, list[str]] = {}

    def texts(self, place: int) -> list[str]:
        """A column's cells as shown."""
        if place not in self._texts:
            self._texts[place] = [_text(row, place) for row in self._rows] + self._lines(place)
        return self._texts[place]

    def sortables(self, place: int) -> list[str]:
        """What a column's cells are compared by."""
        if not self._rows:
            return self.texts(place)
        if place not in self._sortables:
            plain = [_sortable(_slot(row, place)) for row in self._rows]
            self._sortables[place] = plain + self._lines(place)
        return self._sortables[place]

    def _lines(self, place: int) -> list[str]:
        if place < len(self._columns):
            return self._columns[place].split("\n")
        return [""] * self._size


class Grid:
    """One table, read.

    Attributes:
        columns: Labels and types.
        size: How many records there are.
        footer: The cells of its summing rows.
        notes: What was left unclear.
        aliases: The page's own names of columns.
    """

    __slots__ = (
        "_body",
        "_folded",
        "_places",
        "_readers",
        "_values",
        "aliases",
        "columns",
        "footer",
        "notes",
        "size",
    )

    def __init__(
        self, names: list[str], head: Rows, body: _Body, foot: Rows, language: str
    ) -> None:
        self.size = body.size
        self.columns: list[Column] = []
        self.notes: list[str] = []
        self.footer = [[_text(row, i) for i in range(len(row))] for row in foot]
        self.aliases = _aliases(head, names)
        self._body = body
        self._places = {name: index for index, name in enumerate(names)}
        self._readers: dict[str, Callable[[str], Any]] = {}
        self._folded: dict[str, list[str]] = {}
        self._values: dict[str, dict[str, Any]] = {name: {} for name in names}
        for index, name in enumerate(names):
            sample = body.sortables(index)[:_EVIDENCE]
            kind, self._readers[name] = _type_of(sample, language)
            if kind == "ambiguous":
                kind = "text"
                note = 'figures like "1.234" can be read two ways; kept as text'
                self.notes.append(f'column "{name}": {note}')
            self.columns.append(Column(name, kind))

    def texts(self, column: str) -> list[str]:
        """A column's cells as shown."""
        return self._body.texts(self._places[column])

    def folded(self, column: str) -> list[str]:
        """The same for comparing: case, accents and full-width forms do not count."""
        if column not in self._folded:
            texts = self.texts(column)
            known = {text: folded(text) for text in set(texts)}
            self._folded[column] = [known[text] for text in texts]
        return self._folded[column]

    def value(self, column: str, index: int) -> Any:
        """One cell's value for comparing; None when it has none of the column's type."""
        text = self._body.sortables(self._places[column])[index]
        known = self._values[column]
        if text not in known:
            known[text] = self._readers[column](text)
        return known[text]

    def record(self, index: int) -> dict[str, str]:
        """One row as shown."""
        body = self._body
        return {name: body.texts(place)[index] for name, place in self._places.items()}

    @property
    def records(self) -> list[dict[str, str]]:
        """All rows as shown."""
        return [self.record(index) for index in range(self.size)]

    @property
    def typed(self) -> list[dict[str, Any]]:
        """All rows as values."""
        names = list(self._places)
        return [{name: self.value(name, at) for name in names} for at in range(self.size)]


def read_grid(facts: dict[str, Any]) -> Grid:
    """Builds records from the rows that eyes-tables.js read."""
    sections = [_matrix(rows) for rows in _groups(facts["rows"])]
    head, rows, foot = _parts(sections)
    body = _Body(rows, facts.get("columns") or [], facts.get("size") or 0)
    names = facts.get("heads") or _names(head, max(_width(head, rows), body.packed))
    return Grid(names, head, body, foot, facts.get("language") or "")


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
    special = [cell for row in rows for cell in row[1] if type(cell) is not str]
    if not any(cell[1] > 1 or cell[2] != 1 for cell in special):
        if not special:
            return section, [row[1] for row in rows]
        return section, [[_cell(cell) for cell in row[1]] for row in rows]
    slots: list[list[Cell | None]] = [[] for _ in rows]
    for index, row in enumerate(rows):
        column = 0
        for cell in row[1]:
            text, across, down, header, sort = (cell, 1, 1, 0, None) if type(cell) is str else cell
            while column < len(slots[index]) and slots[index][column] is not None:
                column += 1
            height = len(rows) - index if down == 0 else min(down, len(rows) - index)
            for line in slots[index : index + height]:
                _place(line, column, min(across, _MAX_COLUMNS - column), (text, header, sort))
            column += across
    return section, slots


def _cell(cell: Any) -> Cell:
    return cell if type(cell) is str else (cell[0], cell[3], cell[4])


def _place(line: list[Cell | None], column: int, across: int, cell: Cell) -> None:
    while len(line) < column + across:
        line.append(None)
    for at in range(column, column + max(across, 0)):
        line[at] = cell


def _parts(sections: list[tuple[str, Rows]]) -> tuple[Rows, Rows, Rows]:
    head: Rows = []
    body: Rows = []
    foot: Rows = []
    for section, rows in sections:
        {"h": head, "f": foot}.get(section, body).extend(rows)
    while not head and body and body[0] and all(map(_is_head, body[0])):
        head = [body.pop(0)]
    return head, body, foot


def _is_head(cell: Cell | None) -> bool:
    return cell is not None and not isinstance(cell, str) and cell[1] == 1


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
            if cell is not None and not isinstance(cell, str) and cell[2]:
                found[str(cell[2])] = name
    return found


def _slot(row: list[Cell | None], index: int) -> Cell | None:
    return row[index] if index < len(row) else None


def _text(row: list[Cell | None], index: int) -> str:
    cell = _slot(row, index)
    if isinstance(cell, str):
        return cell
    return cell[0] if cell else ""


def _sortable(cell: Cell | None) -> str:
    """What a cell is compared by: a value beside its text goes first."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    return cell[0] if cell[2] is None else str(cell[2])


def _type_of(texts: list[str], language: str) -> tuple[str, Callable[[str], Any]]:
    """The type most cells share, and what reads one of them (None when it has none of it)."""
    sample = [text for text in texts if text and text not in ("-", "–", "—")]
    if not sample:
        return "text", lambda text: text or None
    need = len(sample) * 0.8
    mark = decimal_mark(sample, language)
    kinds = [number.kind for text in sample if (number := parse_number(text, mark))]
    if len(kinds) >= need and not _are_codes(sample):
        return max(set(kinds), key=kinds.count), lambda text: _figure(text, mark)
    first = day_first(sample, language)
    if sum(parse_date(text, first) is not None for text in sample) >= need:
        return "date", lambda text: parse_date(text, first)
    if sum(parse_bool(text) is not None for text in sample) >= need:
        return "bool", parse_bool
    lost = mark is None and sum(parse_number(t, ".") is not None for t in sample) >= need
    return "ambiguous" if lost else "text", lambda text: text or None


def _figure(text: str, mark: str | None) -> float | None:
    number = parse_number(text, mark)
    return number.value if number else None


def _are_codes(sample: list[str]) -> bool:
    """Figures with leading zeros are names (postcodes, article numbers), not quantities."""
    return any(len(text) > 1 and text[0] == "0" and text.isdecimal() for text in sample)
