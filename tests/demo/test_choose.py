from __future__ import annotations

from typing import Any

import pytest
from demo_tools import OWN, PAGE, SEED, SITE, Tools

from pagehand.demo.choose import Catalogue
from pagehand.demo.request import clauses


def chosen(text: str, tools: Tools) -> list[tuple[str, dict[str, Any]]]:
    catalogue = Catalogue(tools)
    choices = [catalogue.choose(c) for c in clauses(text, catalogue.starts_something)]
    return [(c.name, c.arguments) for c in choices if c is not None and not c.missing]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("帮我打开 https://example.com", ("jump-url-tool", {"url": "https://example.com"})),
        (
            "Please open https://example.com/a?b=1&c=2.",
            ("jump-url-tool", {"url": "https://example.com/a?b=1&c=2"}),
        ),
        ("open example.com", ("jump-url-tool", {"url": "https://example.com"})),
        ("who am I?", ("get-user-info-tool", {})),
        ("我是谁", ("get-user-info-tool", {})),
        ("what is my email?", ("get-user-info-tool", {})),
        (
            "fill in the form: name Zhang San, email a@b.c",
            (
                "fill_form_field",
                {
                    "fields": [
                        {"name": "name", "value": "Zhang San"},
                        {"name": "email", "value": "a@b.c"},
                    ]
                },
            ),
        ),
        (
            "填写表单：姓名：张三，数量：3",
            (
                "fill_form_field",
                {"fields": [{"name": "姓名", "value": "张三"}, {"name": "数量", "value": "3"}]},
            ),
        ),
        (
            "把用户名填成张三",
            ("fill_form_field", {"fields": [{"name": "用户名", "value": "张三"}]}),
        ),
        (
            "set the quantity to 3",
            ("fill_form_field", {"fields": [{"name": "quantity", "value": "3"}]}),
        ),
        (
            "enter Zhang San into user name",
            ("fill_form_field", {"fields": [{"name": "user name", "value": "Zhang San"}]}),
        ),
        ("查询状态为待审核的订单", ("query_data", {"filters": {"状态": "待审核"}})),
        ("有哪些待审核的订单", ("query_data", {"filters": {"状态": "待审核"}})),
        ("which orders are pending?", ("query_data", {"filters": {"Status": "pending"}})),
        ("show me the orders over 500", ("query_data", {"filters": {"Amount": {"gt": 500}}})),
        ("what is the largest order?", ("query_data", {"sortBy": "Amount", "sortOrder": "desc"})),
        ("scroll to shipping", ("scroll_to", {"selector": "shipping"})),
        ("滚动到订单", ("scroll_to", {"selector": "订单"})),
        ("scroll to the bottom", ("scroll_to", {"direction": "bottom"})),
        ("go to the delivery section", ("scroll_to", {"selector": "delivery"})),
        ("go back", ("go_back", {})),
        ("remember that I like tea", ("write_storage", {"key": "note", "value": "I like tea"})),
        ("记住我喜欢喝茶", ("write_storage", {"key": "note", "value": "我喜欢喝茶"})),
        ("what do you remember?", ("read_storage", {"key": "note"})),
        ("click the Save button", ("click", {"target": "Save"})),
        ("点击保存按钮", ("click", {"target": "保存"})),
        ('copy "hello world" to the clipboard', ("write_clipboard", {"text": "hello world"})),
        (
            "uncheck express delivery",
            ("set_checked", {"target": "express delivery", "checked": False}),
        ),
        (
            "select Kettle in Product",
            ("select_option", {"target": "Product", "options": ["Kettle"]}),
        ),
        ("submit the form", ("submit_form", {})),
        ("提交表单", ("submit_form", {})),
        ("wait 5 seconds", ("wait_for", {"seconds": 5})),
        ("what's on this page?", ("read_page", {})),
        ("what tables are there?", ("list_tables", {})),
        ("highlight the orders table", ("highlight", {"target": "orders"})),
        ("undo that", ("undo_fill", {})),
    ],
)
def test_the_pages_own_tools(text: str, expected: tuple[str, dict[str, Any]]) -> None:
    assert chosen(text, PAGE | OWN) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what's the weather in Paris?", ("get_weather", {"city": "Paris"})),
        ("北京的天气怎么样", ("get_weather", {"city": "北京"})),
        ("add 3 lamps to the cart", ("add-to-cart", {"product": "lamps", "quantity": 3})),
        ("把台灯加入购物车，数量2", ("add-to-cart", {"product": "台灯", "quantity": 2})),
        ("switch to the dark theme", ("set_theme", {"theme": "dark"})),
        ("切换到深色主题", ("set_theme", {"theme": "dark"})),
        ("save a note: buy milk and bread", ("save-note", {"text": "buy milk and bread"})),
        (
            "create a contact: name Ann Lee, email ann@x.org, phone 12345",
            ("createContact", {"name": "Ann Lee", "email": "ann@x.org", "phone": "12345"}),
        ),
        (
            "book a table for 4 guests on 2026-12-24",
            ("book_table", {"date": "2026-12-24", "guests": 4}),
        ),
        ("播放“茉莉花”", ("播放音乐", {"song": "茉莉花"})),
    ],
)
def test_an_integrators_tools_it_has_never_seen(
    text: str, expected: tuple[str, dict[str, Any]]
) -> None:
    assert chosen(text, OWN | SITE) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("帮我打开 https://example.com", ("jump-url-tool", {"url": "https://example.com"})),
        ("Open https://example.com", ("jump-url-tool", {"url": "https://example.com"})),
        ("我是谁", ("get-user-info-tool", {})),
        ("查看当前登录用户信息", ("get-user-info-tool", {})),
        ("who am I", ("get-user-info-tool", {})),
        ('滚动到 "#orders"', ("scroll_to", {"selector": "#orders"})),
    ],
)
def test_tools_described_in_chinese(text: str, expected: tuple[str, dict[str, Any]]) -> None:
    assert chosen(text, SEED) == [expected]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("who am I and scroll to the orders", ["get-user-info-tool", "scroll_to"]),
        ("打开 https://example.com 并且滚动到订单", ["jump-url-tool", "scroll_to"]),
        ("我是谁？同时滚动到底部", ["get-user-info-tool", "scroll_to"]),
        ("Set the quantity to 3, then submit the form.", ["fill_form_field", "submit_form"]),
        (
            "scroll to shipping. Who am I? Remember that I like tea",
            ["scroll_to", "get-user-info-tool", "write_storage"],
        ),
    ],
)
def test_several_requests_make_several_calls(text: str, names: list[str]) -> None:
    assert [name for name, _ in chosen(text, PAGE)] == names


def test_the_source_documents_sentence() -> None:
    text = "帮我把表单里的用户名填成张三，然后查询表格中状态为待审核的记录"
    assert chosen(text, SEED) == [
        ("fill_form_field", {"fields": [{"name": "用户名", "value": "张三"}]}),
        ("query_data", {"target": "table", "filters": {"状态": "待审核"}}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "你好",
        "thank you",
        "tell me a joke",
        "What can you do?",
        "",
        "…",
        "讲个笑话",
        "1 + 1",
        "why is the sky blue",
    ],
)
def test_small_talk_calls_nothing(text: str) -> None:
    assert chosen(text, PAGE | OWN) == []


def test_words_inside_a_quoted_text_divide_nothing() -> None:
    text = 'save a note: "scroll down and open https://x.com, then wait"'
    assert chosen(text, OWN | PAGE) == [
        ("save-note", {"text": "scroll down and open https://x.com, then wait"})
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"properties": []},
        {"properties": {"url": True, "x": None}},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": "a"},
        {
            "type": "object",
            "properties": {"a": {"enum": []}, "b": {"anyOf": 7}},
            "required": ["a", 7],
        },
        {
            "type": "object",
            "properties": {"a": {"type": "array", "items": True}},
            "required": ["a"],
        },
        True,
    ],
)
def test_odd_schemas_break_nothing(schema: Any) -> None:
    tools: Tools = {"open_thing": {"description": "Opens a thing.", "inputSchema": schema}}
    Catalogue(tools)
    assert isinstance(chosen("open the thing https://x.com", tools), list)
