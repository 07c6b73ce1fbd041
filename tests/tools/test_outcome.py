"""The shape of every answer."""

from __future__ import annotations

from pagehand.tools.outcome import Outcome, TroubleError


def test_a_result_speaks_the_pages_language() -> None:
    outcome = Outcome("Done.", "已完成。", data={"n": 0})
    expected = {"success": True, "code": "ok", "summary": "Done.", "data": {"n": 0}}
    assert outcome.to_wire("en") == expected
    assert outcome.to_wire("zh-CN")["summary"] == "已完成。"


def test_a_failure_has_a_code_and_an_error() -> None:
    wire = TroubleError("not_found", "Nothing there.", "没有找到。").outcome().to_wire("en")
    assert wire == {
        "success": False,
        "code": "not_found",
        "summary": "Nothing there.",
        "error": "Nothing there.",
    }


def test_falsy_data_is_data() -> None:
    assert Outcome("x", "x", data=0).to_wire("en")["data"] == 0
    assert "data" not in Outcome("x", "x").to_wire("en")
