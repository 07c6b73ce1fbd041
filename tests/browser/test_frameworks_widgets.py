"""Widgets of real libraries: lists, boxes, switches, dates and menus that scripts draw."""

from __future__ import annotations

from typing import Any

import pytest

from browser.support.gallery import Gallery

pytestmark = pytest.mark.browser

CASES: list[tuple[str, list[tuple[str, Any]], dict[str, Any]]] = [
    ("radix", [("Fruit", "Pear"), ("Agree", True)], {"fruit": "pear", "agree": True, "action": ""}),
    ("headless", [("Fruit", "Pear"), ("Dark", True)], {"fruit": "Pear", "dark": True}),
    (
        "react-select",
        [("Fruit", "Pear"), ("Tags", ["Apple", "Plum"])],
        {
            "fruit": {"label": "Pear", "value": "pear"},
            "tags": [{"label": "Apple", "value": "apple"}, {"label": "Plum", "value": "plum"}],
        },
    ),
    (
        "mui",
        [
            ("Name", "Mei"),
            ("Note", "two\nlines"),
            ("Fruit", "Pear"),
            ("Tags", ["Apple", "Plum"]),
            ("City", "Bern"),
            ("Agree", True),
            ("Dark", True),
            ("Plan", "Pro"),
            ("Volume", 5),
        ],
        {
            "name": "Mei",
            "note": "two\nlines",
            "fruit": "pear",
            "tags": ["apple", "plum"],
            "city": "Bern",
            "agree": True,
            "dark": True,
            "plan": "pro",
            "volume": 5,
        },
    ),
    (
        "antd",
        [
            ("Name", "Mei"),
            ("Fruit", "Pear"),
            ("City", "City 57"),
            ("Tags", ["Apple", "Plum"]),
            ("Agree", True),
            ("Dark", True),
            ("Pro", True),
            ("Amount", 12),
            ("Day", "2026-03-18"),
            ("Volume", 5),
        ],
        {
            "name": "Mei",
            "fruit": "pear",
            "city": 57,
            "tags": ["apple", "plum"],
            "agree": True,
            "dark": True,
            "plan": "pro",
            "amount": 12,
            "day": "2026-03-18",
            "volume": 5,
        },
    ),
    (
        "element-plus",
        [
            ("Name", "Mei"),
            ("Fruit", "Pear"),
            ("City", "City of Plum"),
            ("Tags", ["Apple", "Plum"]),
            ("Agree", True),
            ("Dark", True),
            ("Plan", "Pro"),
            ("Amount", 12),
            ("Day", "2026-03-18"),
            ("Volume", 5),
        ],
        {
            "name": "Mei",
            "fruit": "pear",
            "city": "plum",
            "tags": ["apple", "plum"],
            "agree": True,
            "dark": True,
            "plan": "pro",
            "amount": 12,
            "day": "2026-03-18",
            "volume": 5,
            "opened": "",
        },
    ),
    (
        "shoelace",
        [
            ("Name", "Mei"),
            ("Note", "two\nlines"),
            ("Fruit", "Pear"),
            ("Tags", ["Alpha", "Gamma"]),
            ("Agree", True),
            ("Dark", True),
            ("Plan", "Pro"),
            ("Volume", 5),
        ],
        {
            "name": "Mei",
            "note": "two\nlines",
            "fruit": "pear",
            "tags": ["a", "c"],
            "agree": "yes",
            "dark": "yes",
            "plan": "pro",
            "volume": "5",
        },
    ),
    (
        "material",
        [
            ("Name", "Mei"),
            ("Note", "two\nlines"),
            ("Fruit", "Pear"),
            ("Agree", True),
            ("Dark", True),
            ("Plan", "Pro"),
            ("Volume", 5),
        ],
        {
            "name": "Mei",
            "note": "two\nlines",
            "fruit": "pear",
            "agree": "yes",
            "dark": "yes",
            "plan": "pro",
            "volume": "5",
        },
    ),
]


@pytest.mark.parametrize(("name", "fills", "held"), CASES, ids=[case[0] for case in CASES])
def test_every_widget_reaches_the_state(
    gallery: Gallery, name: str, fills: list[tuple[str, Any]], held: dict[str, Any]
) -> None:
    gallery.draw(name)
    result = gallery.fill(*fills)
    assert result["data"]["failed"] == []
    assert gallery.state() == held
    again = gallery.fill(*fills)
    assert [one["name"] for one in again["data"]["unchanged"]] == [asked for asked, _ in fills]
    assert gallery.state() == held


def test_a_menu_that_opens_by_pointer_events(gallery: Gallery) -> None:
    gallery.draw("radix")
    opened = gallery.call("click", target="Options")
    assert any("menuitem" in line and "Rename" in line for line in opened["data"]["added"])
    assert gallery.call("click", target="Rename")["success"]
    assert gallery.state()["action"] == "Rename"


def test_a_menu_whose_title_row_is_what_is_pressed(gallery: Gallery) -> None:
    gallery.draw("element-plus")
    opened = gallery.call("click", target="Goods")
    assert any("Stock" in line for line in opened["data"]["added"]), opened
    assert gallery.call("click", target="Stock")["success"]
    assert gallery.state()["opened"] == "1-1"


@pytest.mark.parametrize("name", ["radix", "headless", "react-select", "mui", "antd"])
def test_a_choice_that_is_not_there_is_told(gallery: Gallery, name: str) -> None:
    gallery.draw(name)
    before = gallery.state()
    result = gallery.fill(("Fruit", "Mango"))
    failed = result["data"]["failed"][0]
    assert failed["code"] == "bad_value"
    assert "Mango" in failed["reason"]
    assert gallery.state() == before
    expanded = "document.querySelectorAll('[aria-expanded=true]').length"
    assert gallery.page.evaluate(expanded) == 0, "the list is closed again"


def test_fewer_are_chosen_again(gallery: Gallery) -> None:
    for name in ("mui", "antd", "element-plus"):
        gallery.draw(name)
        assert gallery.fill(("Tags", ["Apple", "Plum"]))["success"]
        result = gallery.fill(("Tags", ["Pear"]))
        assert result["success"], (name, result)
        assert gallery.state()["tags"] == ["pear"]


@pytest.mark.parametrize("name", ["mui", "antd", "element-plus", "material", "shoelace"])
def test_boxes_that_styles_hide_are_in_the_outline(gallery: Gallery, name: str) -> None:
    gallery.draw(name)
    outline = gallery.call("read_page")["data"]["outline"]
    for wanted in ('checkbox "Agree"', 'radio "Pro"', 'switch "Dark"', 'slider "Volume"'):
        assert wanted in outline, outline
    assert 'combobox "Fruit"' in outline
    assert gallery.call("set_checked", target="Dark", checked=True)["success"]
    assert gallery.call("set_checked", target="Dark", checked=False)["success"]
