"""Tables, lists and storage."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page

from browser.support.fake_server import FakeServer
from browser.support.workbench import Workbench

pytestmark = pytest.mark.browser


@pytest.fixture
def bench(page: Page, fake_server: FakeServer) -> Workbench:
    return Workbench(page, fake_server)


TABLE = """
<h2>Sales</h2>
<table id="sales"><caption>Sales</caption>
  <thead>
    <tr><th rowspan=2>Name</th><th colspan=2>Price</th><th rowspan=2>Day</th>
      <th rowspan=2>Done</th></tr>
    <tr><th>net</th><th>gross</th></tr>
  </thead>
  <tfoot><tr><th>Total</th><td>30</td><td>36</td><td></td><td></td></tr></tfoot>
  <tbody>
    <tr><td>Ann <script>"x"</script></td><td>10</td><td>12</td>
      <td><time datetime="2026-03-18">today</time></td><td><input type=checkbox checked></td></tr>
    <tr><td>Bo</td><td>20</td><td>24</td>
      <td><time datetime="2026-03-17">yesterday</time></td><td><input type=checkbox></td></tr>
    <tr hidden><td>Ghost</td><td>99</td><td>99</td><td></td><td></td></tr>
    <tr class="total"><td>Sum</td><td>30</td><td>36</td><td></td><td></td></tr>
  </tbody></table>
<table id="layout"><tr><td><table><tr><th>A</th></tr><tr><td>1</td></tr></table></td></tr></table>
<h2>People</h2>
<dl><dt>Lead</dt><dd>Mei</dd><dt>Mail</dt><dt>Chat</dt><dd>m@x.example</dd></dl>
<ul><li>First</li><li>Second</li></ul>
<div role="grid" aria-label="Stock" aria-rowcount="500">
  <div role="row"><span role="columnheader">Part</span><span role="columnheader">Left</span></div>
  <div role="row"><span role="gridcell">Bolt</span><span role="gridcell">7</span></div>
</div>"""


def test_what_there_is(bench: Workbench) -> None:
    bench.show(TABLE)
    listed = bench.call("list_tables")["data"]["tables"]
    shapes = [(one["kind"], one.get("caption") or one["heading"], one["rows"]) for one in listed]
    assert shapes == [
        ("table", "Sales", 2),
        ("table", "Sales", 1),
        ("terms", "People", 3),
        ("list", "People", 2),
        ("table", "Stock", 1),
    ]
    assert [column["name"] for column in listed[0]["columns"]] == [
        "Name",
        "Price / net",
        "Price / gross",
        "Day",
        "Done",
    ]


def test_a_table_with_everything(bench: Workbench) -> None:
    bench.show(TABLE)
    data = bench.call("query_data", target="sales", sortBy="net", sortOrder="desc")["data"]
    assert [row["Name"] for row in data["rows"]] == ["Bo", "Ann"]
    assert data["rows"][1]["Done"] == "✓"
    assert {column["name"]: column["type"] for column in data["columns"]}["Day"] == "date"
    assert data["footer"][0][:3] == ["Sum", "30", "36"]
    assert data["notes"] == ["1 hidden rows were left out"]
    assert (data["complete"], data["incomplete_reason"]) == (False, "hidden")
    found = bench.call("query_data", target="sales", filters={"Day": {"lt": "2026-03-18"}})
    assert [row["Name"] for row in found["data"]["rows"]] == ["Bo"]
    done = bench.call("query_data", target="sales", filters={"Done": True})
    assert done["data"]["matched"] == 1


def test_lists_and_definitions_and_grids(bench: Workbench) -> None:
    bench.show(TABLE)
    people = bench.call("query_data", target="css=dl")["data"]["rows"]
    assert people[1:] == [
        {"name": "Mail", "value": "m@x.example"},
        {"name": "Chat", "value": "m@x.example"},
    ]
    items = bench.call("query_data", target="css=ul")["data"]["rows"]
    assert items == [{"text": "First"}, {"text": "Second"}]
    stock = bench.call("query_data", target="Stock")["data"]
    assert stock["rows"] == [{"Part": "Bolt", "Left": "7"}]
    assert (stock["total_declared"], stock["incomplete_reason"]) == (500, "virtualised")


def test_the_limit_says_where_to_go_on(bench: Workbench) -> None:
    rows = "".join(f"<tr><td>{n}</td><td>x</td></tr>" for n in range(120))
    bench.show(f"<table><tr><th>N</th><th>V</th></tr>{rows}</table>")
    first = bench.call("query_data", limit=50)["data"]
    assert (first["matched"], first["returned"], first["next_offset"]) == (120, 50, 50)
    rest = bench.call("query_data", limit=500, offset=first["next_offset"])["data"]
    assert (rest["returned"], rest["complete"]) == (70, True)


def test_which_table_is_found_by_its_columns(bench: Workbench) -> None:
    bench.show(
        "<table><caption>A</caption><tr><th>X</th><th>Y</th></tr><tr><td>1</td><td>2</td></tr></table>"
        "<table><caption>B</caption><tr><th>X</th><th>Z</th></tr><tr><td>3</td><td>4</td></tr></table>"
    )
    assert bench.call("query_data", filters={"Z": 4})["data"]["caption"] == "B"
    unclear = bench.call("query_data", target="table")
    assert unclear["code"] == "ambiguous"
    assert [table["caption"] for table in unclear["data"]["tables"]] == ["A", "B"]
    wrong = bench.call("query_data", target="A", filters={"Q": 1})
    assert wrong["data"]["columns"] == ["X", "Y"]


def test_ten_thousand_rows_are_quick(bench: Workbench) -> None:
    rows = "".join(
        f"<tr><td>HP-{n}</td><td>Customer {n % 97}</td><td>¥{n * 7 % 5000}.50</td></tr>"
        for n in range(10_000)
    )
    bench.show(f"<table><tr><th>Order</th><th>Who</th><th>Amount</th></tr>{rows}</table>")
    bench.call("query_data", limit=1)
    start = time.monotonic()
    answer = bench.call("query_data", filters={"Amount": {"ge": 4990}}, sortBy="Amount")["data"]
    assert time.monotonic() - start < 10, "a bound for a busy machine; make bench has the figure"
    assert answer["matched"] == sum(1 for n in range(10_000) if n * 7 % 5000 + 0.5 >= 4990)


def test_links(bench: Workbench) -> None:
    bench.show(
        "<nav><a href='/a'>Alpha</a></nav><main><a href='https://b.example/?q=1'>Beta</a>"
        "<a href='/c' hidden>Gone</a></main><page-hand><a href='/own'>Own</a></page-hand>"
    )
    links = bench.call("extract_links")["data"]["links"]
    assert [link["text"] for link in links] == ["Alpha", "Beta"]
    only = bench.call("extract_links", target="css=main", contains="b.example")["data"]
    assert [link["url"] for link in only["links"]] == ["https://b.example/?q=1"]


STORED = """<script>
  localStorage.setItem("theme", "dark");
  localStorage.setItem("cart", '{"items": [1, 2], "accessToken": "abc"}');
  localStorage.setItem("session", '{"user": 1}');
  localStorage.setItem("pagehand:thread", "private");
  localStorage.setItem("null", "null");
</script>"""


def test_reading_storage(bench: Workbench) -> None:
    bench.show(STORED, storage=["theme"])
    listed = bench.call("list_storage")["data"]["keys"]
    assert [entry["key"] for entry in listed] == ["cart", "null", "session", "theme"]
    assert bench.call("read_storage", key="theme")["data"]["value"] == "dark"
    assert bench.questions == [], "the integrator allowed this key"
    cart = bench.call("read_storage", key="cart")["data"]
    assert cart["value"] == {"items": [1, 2], "accessToken": "[masked accessToken]"}
    assert bench.questions == ["Read “cart” from localStorage?"]
    session = bench.call("read_storage", key="session")["data"]
    assert (session["value"], session["masked"]) == ("[masked session]", True)
    assert bench.call("read_storage", key="null")["data"]["found"] is True
    assert bench.call("read_storage", key="nothing")["code"] == "no_such_key"
    asked = len(bench.questions)
    assert bench.call("read_storage", key="pagehand:thread")["code"] == "refused"
    assert bench.call("write_storage", key="pagehand:thread", value="x")["code"] == "refused"
    assert bench.call("write_storage", key="big", value="x" * 30_000)["code"] == "too_large"
    assert len(bench.questions) == asked, "nobody is asked in vain"
    missing = bench.call("read_storage", key="theme", storageType="sessionStorage")
    assert missing["data"]["found"] is False


def test_writing_and_removing_storage(bench: Workbench) -> None:
    bench.show(
        STORED
        + "<script>addEventListener('storage', (e) => { window.heard = e.newValue })</script>"
    )
    result = bench.call("write_storage", key="note", value="Call back")
    assert (result["success"], result["data"]["existed"]) == (True, False)
    assert "Call back" in bench.questions[0]
    assert bench.page.evaluate("[localStorage.note, heard]") == ["Call back"] * 2
    assert bench.call("write_storage", key="note", value="x" * 30_000)["code"] == "too_large"
    assert bench.call("remove_storage", key="note")["success"]
    assert bench.page.evaluate("localStorage.getItem('note')") is None
    bench.answer(False)
    assert "declined" in bench.call("remove_storage", key="theme")["failed"]
    assert bench.page.evaluate("localStorage.theme") == "dark"


def test_blocked_storage_is_an_answer(bench: Workbench) -> None:
    bench.show("<p>x</p>")
    bench.page.evaluate(
        "Object.defineProperty(window, 'localStorage',"
        " { get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    assert bench.call("list_storage")["code"] == "storage_blocked"
