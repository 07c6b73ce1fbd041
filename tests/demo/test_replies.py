from __future__ import annotations

import pytest

from pagehand.demo.replies import ask_for, asks_back, capabilities

TOOL = {"inputSchema": {"properties": {"city": {"description": "Where", "enum": ["Oslo", "Rome"]}}}}


@pytest.mark.parametrize("chinese", [False, True])
def test_a_question_for_arguments_is_known_again(chinese: bool) -> None:
    asked = ask_for("weather", TOOL, ["city"], chinese)
    assert "weather" in asked
    assert "city (Oslo / Rome)" in asked
    assert asks_back(asked)
    assert not asks_back(capabilities({"weather": {"description": "Tells it."}}, chinese))
