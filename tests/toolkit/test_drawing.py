import datetime as dt

import pytest

from pagehand.toolkit.tool import Tool

URL = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}


class Call:
    def __init__(self, args=None, state="input-available"):
        self.args = args
        self.state = state


def test_without_render_there_is_nothing_to_draw():
    assert Tool("a", "frontend", execute=lambda: 1).draw(Call()) is None


def test_a_render_of_one_parameter_gets_the_call_in_every_state():
    tool = Tool("a", "backend", render=lambda call: ("card", call.state))
    assert tool.draw(Call(state="input-streaming")) == ("card", "input-streaming")


def test_a_human_card_gets_converted_arguments():
    def card(call, day: dt.date, url: str = "x"):
        return day, url

    tool = Tool("a", "human", render=card)
    assert tool.draw(Call({"day": "2026-01-31"})) == (dt.date(2026, 1, 31), "x")


@pytest.mark.parametrize(
    "call", [Call({"day": "2026-01-31"}, "input-streaming"), Call({"day": "soon"}), Call({})]
)
def test_a_human_card_waits_for_complete_arguments(call):
    def card(call, day: dt.date):
        return day

    assert Tool("a", "human", render=card).draw(call) is None


def test_beside_a_schema_arguments_come_as_they_are():
    tool = Tool(
        "a", "frontend", execute=lambda url: url, render=lambda call, url: url, parameters=URL
    )
    assert tool.draw(Call({"url": "https://exa"}, "input-streaming")) == "https://exa"
    assert tool.draw(Call({}, "input-streaming")) is None
    assert tool.draw(Call(None)) is None
