"""Tables and lists of the page: which there are, and questions about their rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pagehand.tools.gathering import MOST_ROWS, pinned_together, total_in
from pagehand.tools.grid import Grid, read_grid
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing
from pagehand.tools.query import QueryError, find_column, run_query
from pagehand.tools.secrets import mask_text
from pagehand.tools.target import resolve
from pagehand.tools.values import folded

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_MOST_CHARACTERS = 40_000
_LONG_CELL = 400


def _about(page: Page, element: Any) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(page.eyes.tellTable(element))
    return facts


def _raw(page: Page, element: Any, *, packed: bool = False) -> str:
    """What the eyes tell of a table or list; `packed`: plain rows as columns."""
    return str(page.eyes.readRecords(element, MOST_ROWS, packed))


def _read(page: Page, element: Any) -> tuple[dict[str, Any], Grid]:
    return _understood(page, json.loads(_raw(page, element, packed=True)))


def _understood(page: Page, facts: dict[str, Any]) -> tuple[dict[str, Any], Grid]:
    facts["rows"] = pinned_together(facts["rows"])
    facts.setdefault("ended", None)
    facts.setdefault("notes", [])
    return facts, read_grid(facts)


async def _read_to_the_end(
    page: Page, ctx: ToolContext, facts: dict[str, Any]
) -> tuple[dict[str, Any], Grid]:
    """The same table with the rows that are not drawn yet."""
    from pagehand.tools.reading_on import Reader

    element = resolve(page, facts["ref"])

    def find() -> Any:
        nonlocal element
        if not element.isConnected:
            element = resolve(page, facts["ref"])
        return element

    reader = Reader(page, ctx, find, lambda: _raw(page, find()))
    await reader.run()
    return _understood(page, {**reader.facts, "ended": reader.ended, "notes": reader.notes})


async def list_tables(page: Page, ctx: ToolContext) -> Outcome:
    """Every table and list with its columns and size."""
    listed = []
    for element in page.eyes.tables(page.root, True):
        facts, grid = _read(page, element)
        entry = {
            key: facts[key] for key in ("ref", "kind", "caption", "heading", "id") if facts[key]
        }
        entry["rows"] = grid.size
        if facts["kind"] == "table":
            entry["columns"] = [{"name": name, "type": kind} for name, kind in grid.columns]
        if grid.size > 1 or facts["kind"] == "table":
            listed.append(entry)
    return Outcome(
        f"Found {len(listed)} tables and lists.",
        f"找到 {len(listed)} 个表格和列表。",
        data={"tables": listed, "untrusted": True},
    )


async def query_data(
    page: Page,
    ctx: ToolContext,
    target: str = "",
    filters: dict[str, Any] | None = None,
    where: list[dict[str, Any]] | None = None,
    sortBy: str = "",  # noqa: N803 - the model's names, as in every tool
    sortOrder: str = "asc",  # noqa: N803
    limit: int = 50,
    offset: int = 0,
    columns: list[str] | None = None,
    to_end: bool = False,
) -> Outcome:
    """Answers a question about one table or list."""
    conditions = [one["column"] for one in where or []]
    named = [*(filters or {}), *conditions, *([sortBy] if sortBy else []), *(columns or [])]
    facts, grid = _choose(page, target, named)
    if to_end:
        facts, grid = await _read_to_the_end(page, ctx, facts)
    try:
        answer = run_query(
            grid,
            filters=filters,
            where=where,
            sort_by=sortBy or None,
            descending=sortOrder == "desc",
            limit=limit,
            offset=offset,
            columns=columns,
        )
    except QueryError as error:
        known = {"columns": [column.name for column in grid.columns]}
        raise TroubleError("bad_query", f"{error}.", f"查询无法执行：{error}。", known) from error
    rows, cut = _within_budget(answer.rows)
    data = _result(facts, grid, rows, answer.matched, offset)
    data["sorted_by"] = f"{sortBy} {sortOrder}" if sortBy else None
    data["filters"] = filters or None
    data["notes"] = [*grid.notes, *answer.notes, *_notes(facts)]
    if cut:
        data["complete"], data["incomplete_reason"] = False, "size"
    return Outcome(
        f"{answer.matched} rows match; {len(rows)} returned.",
        f"查询到 {answer.matched} 条数据，返回 {len(rows)} 条。",
        data={key: value for key, value in data.items() if value not in (None, [])},
    )


def _notes(facts: dict[str, Any]) -> list[str]:
    notes = []
    if facts["hidden"]:
        notes.append(f"{facts['hidden']} hidden rows were left out")
    notes += facts["notes"]
    if facts["ended"] is not None:
        return notes  # read to the end, or as far as it went
    if facts["scrolls"]:
        notes.append("the list scrolls further: rows that are not drawn yet are not counted")
    if facts["pager"]:
        notes.append(f'the page says: "{facts["pager"]}"')
    return notes


def _result(
    facts: dict[str, Any], grid: Grid, rows: list[dict[str, str]], matched: int, offset: int
) -> dict[str, Any]:
    declared, source = facts["declared"], "aria"
    if declared is None:
        declared, source = total_in(facts["pager"]), "text"
    rendered = grid.size
    unread = _missing(facts, rendered, declared)
    reason = "limit" if offset + len(rows) < matched else unread
    return {
        "table": facts["ref"],
        "caption": facts["caption"] or facts["heading"],
        "columns": [{"name": name, "type": kind} for name, kind in grid.columns],
        "rows": rows,
        "offset": offset,
        "returned": len(rows),
        "matched": matched,
        "rendered": rendered,
        "total_declared": declared,
        "total_source": None if declared is None else source,
        "complete": reason is None,
        "incomplete_reason": reason,
        "next_offset": offset + len(rows) if reason == "limit" else None,
        "footer": grid.footer,
        "untrusted": True,
    }


def _missing(facts: dict[str, Any], rendered: int, declared: int | None) -> str | None:
    """Why not every row of the table was seen, or None."""
    read_on = facts["ended"] is not None
    if read_on and facts["ended"]:
        return str(facts["ended"])
    if facts["declared"] is not None and declared is not None:
        # The declared number counts the header's row too, on some pages.
        if declared < 0 and not read_on:
            return "virtualised"
        if declared > rendered + 1:
            return "virtualised"
    elif declared is not None and declared > rendered:
        return "paged"
    if facts["scrolls"] and not read_on:
        return "virtualised"
    if facts["pager"] and not read_on and declared is None:
        return "paged"
    if facts["hidden"]:
        return "hidden"
    return "size" if facts["cut"] else None


def _within_budget(rows: list[dict[str, str]]) -> tuple[list[dict[str, str]], bool]:
    """As many rows as fit; long cells cut with a mark, secrets masked."""
    kept: list[dict[str, str]] = []
    size = 0
    for row in rows:
        shown = {name: _cell(text) for name, text in row.items()}
        size += sum(len(name) + len(text) + 8 for name, text in shown.items())
        if size > _MOST_CHARACTERS:
            return kept, True
        kept.append(shown)
    return kept, False


def _cell(text: str) -> str:
    text = mask_text(text) if len(text) >= 16 else text
    return text if len(text) <= _LONG_CELL else text[:_LONG_CELL] + "…"


def _choose(page: Page, target: str, named: list[str]) -> tuple[dict[str, Any], Grid]:
    """The table that is meant: named, or the only one, or the only one with these columns."""
    wanted = target.strip()
    lists = wanted.lower() == "list"
    if wanted and wanted.lower() not in ("table", "list"):
        return _named(page, wanted)
    found = [(element, _about(page, element)) for element in page.eyes.tables(page.root, lists)]
    found = [(one, about) for one, about in found if (about["kind"] != "table") == lists]
    read = [_read(page, element) for element, _ in found]
    if len(read) > 1:
        fitting = [pair for pair in read if _has(pair[1], named)] if named else []
        read = fitting or read
    if len(read) > 1 and not named:
        # Nobody said which: the one with most rows, if it leaves the others far behind.
        read.sort(key=lambda pair: pair[1].size, reverse=True)
        if read[0][1].size > 3 * read[1][1].size:
            read = read[:1]
    if len(read) == 1:
        return read[0]
    if not read:
        raise TroubleError(
            "no_table", "There is no table or list on the page.", "页面上没有表格或列表。"
        )
    tables = [
        {
            "ref": facts["ref"],
            "caption": facts["caption"] or facts["heading"],
            "rows": grid.size,
            "columns": [column.name for column in grid.columns],
        }
        for facts, grid in read
    ]
    raise TroubleError(
        "ambiguous",
        f"There are {len(tables)}; say which one by its reference or caption.",
        f"共有 {len(tables)} 个，请用引用编号或标题指定。",
        {"tables": tables},
    )


def _has(grid: Grid, named: list[str]) -> bool:
    try:
        for name in named:
            find_column(grid, name)
    except QueryError:
        return False
    return True


def _named(page: Page, wanted: str) -> tuple[dict[str, Any], Grid]:
    low = folded(wanted)
    same = None
    for element in page.eyes.tables(page.root, True):
        about = _about(page, element)
        names = [about["ref"], about["id"] or "", about["caption"], about["heading"]]
        if any(folded(name) == low for name in names if name):
            same = element, about["kind"]
            break
    if same is None:
        element = resolve(page, wanted)
        same = element, _about(page, element)["kind"]
    element, kind = same
    inner = None if kind else element.querySelector("table")
    if not is_nothing(inner) and page.allows(inner):
        element, kind = inner, _about(page, inner)["kind"]
    if not kind:
        raise TroubleError(
            "no_table", f'"{wanted}" is no table or list.', f"“{wanted}”不是表格或列表。"
        )
    return _read(page, element)


async def extract_links(
    page: Page, ctx: ToolContext, target: str = "", contains: str = "", limit: int = 50
) -> Outcome:
    """Links with their texts and addresses."""
    scope = resolve(page, target) if target else page.root
    needle = folded(contains)
    links = []
    for anchor in page.eyes.select(scope, "a[href], area[href]", 2000):
        if not page.eyes.visible(anchor):
            continue
        text, address = str(page.eyes.name(anchor)), str(anchor.href)
        if needle and needle not in folded(text) and needle not in folded(address):
            continue
        links.append({"text": text, "url": mask_text(address), "ref": page.eyes.refOf(anchor)})
    data = {"links": links[:limit], "matched": len(links), "untrusted": True}
    return Outcome(f"Found {len(links)} links.", f"找到 {len(links)} 个链接。", data=data)
