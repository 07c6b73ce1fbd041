"""Tables that show a part at a time are read to their end, and put back."""

from __future__ import annotations

from typing import Any

import pytest

from browser.support.floor import Floor

pytestmark = pytest.mark.browser

VIRTUAL = """
<div id=box style="height:200px;overflow:auto"><div id=pad style="position:relative;height:%(h)dpx">
<table id=t role=grid aria-label=Orders %(count)s style="position:absolute;width:300px">
<thead><tr><th>No</th><th>Amount</th></tr></thead><tbody></tbody></table></div></div>
<script>
  {
    const all = 300, high = 20, shown = 14, indexed = %(indexed)s;
    const draw = () => {
      const first = Math.min(Math.floor(box.scrollTop / high), all - shown);
      t.style.top = `${first * high}px`;
      const rows = [];
      for (let n = first; n < first + shown; n += 1) {
        const row = document.createElement("tr");
        row.style.height = "20px";
        if (indexed) row.setAttribute("aria-rowindex", n + 2);
        row.innerHTML = `<td style="padding:0">A${n}</td><td style="padding:0">${n %% 7}</td>`;
        rows.push(row);
      }
      t.tBodies[0].replaceChildren(...rows);
    };
    box.onscroll = draw;
    draw();
    box.scrollTop = 400;
  }
</script>"""


@pytest.mark.parametrize("indexed", [True, False])
def test_rows_that_are_drawn_as_one_scrolls(floor: Floor, indexed: bool) -> None:
    count = "aria-rowcount=301" if indexed else ""
    floor.show(VIRTUAL % {"h": 6000, "count": count, "indexed": str(indexed).lower()})
    part = floor.call("query_data", target="Orders", limit=3)["data"]
    assert (part["rendered"], part["complete"]) == (14, False)
    assert floor.call("query_data", target="Orders", limit=100)["data"]["incomplete_reason"] == (
        "virtualised"
    )
    whole = floor.call("query_data", target="Orders", limit=500, to_end=True)["data"]
    assert [row["No"] for row in whole["rows"]] == [f"A{n}" for n in range(300)]
    assert (whole["complete"], whole["matched"]) == (True, 300)
    assert floor.page.evaluate("box.scrollTop") == 400, "the view is put back"
    filtered = floor.call(
        "query_data", target="Orders", filters={"Amount": 6}, limit=2, to_end=True
    )["data"]
    assert (filtered["matched"], filtered["returned"]) == (42, 2)


PAGED = """
<section><table id=t><caption>People</caption><thead><tr><th>Name</th></tr></thead><tbody></tbody>
</table><nav aria-label=Pagination><button id=a aria-label="First page">«</button>
<button id=b aria-label="Previous page">‹</button><span id=now></span>
<button id=c aria-label="Next page">›</button><button id=d aria-label="Last page">»</button></nav>
</section>
<script>
  {
    let at = 0;
    const names = Array.from({ length: 23 }, (_, n) => `P${n === 9 || n === 10 ? "same" : n}`);
    const draw = () => {
      t.tBodies[0].innerHTML = names.slice(at * 10, at * 10 + 10)
        .map((name) => `<tr><td>${name}</td></tr>`).join("");
      now.textContent = `${at * 10 + 1}–${Math.min(at * 10 + 10, 23)} of 23`;
      c.disabled = d.disabled = at === 2;
      a.disabled = b.disabled = at === 0;
    };
    const go = (to) => { t.tBodies[0].innerHTML = ""; setTimeout(() => { at = to; draw(); }, 60); };
    a.onclick = () => go(0);
    b.onclick = () => go(at - 1);
    c.onclick = () => go(at + 1);
    d.onclick = () => go(2);
    draw();
  }
</script>"""


def test_pages_are_turned_to_the_last_and_back(floor: Floor) -> None:
    floor.show(PAGED)
    part = floor.call("query_data", target="People")["data"]
    assert (part["total_declared"], part["total_source"]) == (23, "text")
    assert part["incomplete_reason"] == "paged"
    whole = floor.call("query_data", target="People", to_end=True)["data"]
    assert (whole["matched"], whole["complete"]) == (23, True)
    names = [row["Name"] for row in whole["rows"]]
    assert names[8:12] == ["P8", "Psame", "Psame", "P11"], "equal rows are kept"
    assert floor.text("#now").startswith("1–10"), "back on the first page"
    assert floor.questions == []


def test_load_more_is_pressed_until_it_is_gone(floor: Floor) -> None:
    floor.show(
        "<section><ul id=l aria-label=News></ul><button id=m>Load more</button></section><script>"
        "{ let n = 0; const add = () => { for (let i = 0; i < 5; i += 1) {"
        " const item = document.createElement('li'); item.textContent = `N${n++}`;"
        " l.append(item); }"
        " if (n >= 15) m.remove(); }; add(); m.onclick = () => setTimeout(add, 40); }</script>"
    )
    whole = floor.call("query_data", target="News", to_end=True)["data"]
    assert [row["text"] for row in whole["rows"]] == [f"N{n}" for n in range(15)]


@pytest.mark.parametrize(
    ("pager", "note"),
    [
        ("<a href='/made/page2'>Next</a>", "another address"),
        ("<form action='/next'><button>Next page</button></form>", "asked about"),
    ],
)
def test_what_would_leave_or_weigh_is_left_to_the_model(
    floor: Floor, pager: str, note: str
) -> None:
    rows = "".join(f"<tr><td>{n}</td><td>x</td></tr>" for n in range(3))
    floor.show(
        f"<section><table><tr><th>No</th><th>B</th></tr>{rows}</table>"
        f"<nav aria-label=pagination>{pager}</nav></section>"
    )
    data: dict[str, Any] = floor.call("query_data", target="table", to_end=True)["data"]
    assert (data["matched"], data["complete"], data["incomplete_reason"]) == (3, False, "paged")
    assert any(note in one for one in data["notes"]), data["notes"]


def test_pinned_columns_are_one_row(floor: Floor) -> None:
    cell = "<div role=gridcell>{}</div>"
    left = "".join(f"<div role=row aria-rowindex={n}>{cell.format(f'N{n}')}</div>" for n in (2, 3))
    right = "".join(f"<div role=row aria-rowindex={n}>{cell.format(n)}</div>" for n in (2, 3))
    head = "<div role=row aria-rowindex=1><div role=columnheader>{}</div></div>"
    floor.show(
        f"<div role=grid aria-label=Pinned aria-rowcount=3><div>{head.format('Name')}{left}</div>"
        f"<div>{head.format('Amount')}{right}</div></div>"
    )
    data = floor.call("query_data", target="Pinned")["data"]
    assert data["rows"] == [{"Name": "N2", "Amount": "2"}, {"Name": "N3", "Amount": "3"}]
    assert data["complete"] is True
