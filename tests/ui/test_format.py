from __future__ import annotations

import pytest

from pagehand.tools.catalogue import TOOLS
from pagehand.ui.format import duration, host_of, number, one_line, raw, title_of, visible
from pagehand.ui.i18n import set_language
from pagehand.ui.tool_names import TOOL_NAMES, name_of


@pytest.fixture(autouse=True)
def english() -> None:
    set_language("en")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("get-user-info-tool", "Get user info"),
        ("jump-url-tool", "Jump URL"),
        ("save_note", "Save note"),
        ("readLocalStorage", "Read local storage"),
        ("tool", "Tool"),
        ("orderId", "Order ID"),
        ("查询订单", "查询订单"),
        ("-", "-"),
    ],
)
def test_a_name_becomes_words(name: str, title: str) -> None:
    assert title_of(name) == title


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "1 ms"),
        (0.4, "400 ms"),
        (1.25, "1.2 s"),
        (59.4, "59 s"),
        (75, "1 min 15 s"),
        (3600, "60 min 0 s"),
    ],
)
def test_a_time_reads_well(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_time_reads_well_in_chinese() -> None:
    set_language("zh-CN")
    assert duration(75) == "1 分 15 秒"


def test_one_line_drops_what_hides_and_what_breaks() -> None:
    assert one_line("pay\u202e moc.knab\n\tnow\u200b") == "pay moc.knab now"
    assert one_line("x" * 50, 10) == "x" * 9 + "…"


def test_hidden_marks_are_written_out_where_all_of_the_text_matters() -> None:
    assert visible("a\u202eb") == "a\\u202eb"
    assert visible("line\nline\ttab 中文 é") == "line\nline\ttab 中文 é"


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://www.example.com/a?b", "example.com"),
        ("https://good.example@evil.example/", "evil.example"),
        ("http://127.0.0.1:8000/", "127.0.0.1"),
        ("/relative", ""),
        ("javascript:alert(1)", ""),
    ],
)
def test_the_host_shown_is_the_host_called(address: str, host: str) -> None:
    assert host_of(address) == host


def test_raw_data_is_readable_json() -> None:
    assert raw({"名": "值", "n": 1.0}) == '{\n  "名": "值",\n  "n": 1.0\n}'
    assert raw(object).startswith('"<class')


@pytest.mark.parametrize(
    ("value", "text"), [(99.0, "99"), (12.5, "12.5"), (0.1 + 0.2, "0.3"), (7, "7")]
)
def test_numbers_show_no_binary_dust(value: float, text: str) -> None:
    assert number(value) == text


def test_built_in_tools_have_names_in_both_languages() -> None:
    for entry in TOOLS:
        assert entry[0] in TOOL_NAMES, f"ui/tool_names.py lacks {entry[0]}"
    set_language("zh-CN")
    assert name_of("read_page") == "读取页面"
    set_language("en")
    assert name_of("read_page") == "Read the page"
    assert name_of("save-note") == "Save note"
    assert name_of("save-note", "Keep it\u202e") == "Keep it"
