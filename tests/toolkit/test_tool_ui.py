"""Tool UIs (document 004): a tag, a state, an answer, and a view that draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from engine.helpers import Bench, turns
from pagehand import Showing, Toolkit, ToolUI, define_toolkit
from pagehand.engine.outcome import Failure, Output
from pagehand.errors import ToolDefinitionError, ToolUIError


@dataclass
class Pick:
    prompt: str
    candidates: list[str]


class Progress(BaseModel):
    text: str
    percent: int = 0


PickAsset: ToolUI[Pick, str] = ToolUI("pick_asset", state=Pick, answer=str)
Status: ToolUI[Progress, None] = ToolUI("status", state=Progress)
STATE = {"prompt": "Which?", "candidates": ["a", "b"]}


def test_a_state_comes_plain_or_tagged() -> None:
    assert PickAsset.read_state(STATE) == Pick("Which?", ["a", "b"])
    wire = {"_tag": "pick_asset", "state": STATE}
    assert PickAsset.read_state(wire) == Pick("Which?", ["a", "b"])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"_tag": "status", "state": STATE}, "'status' cannot be shown as 'pick_asset'"),
        ({"prompt": "x"}, "candidates: Field required"),
        ({"_tag": "pick_asset", "state": {"prompt": 1, "candidates": []}}, "prompt"),
        (None, "state does not fit"),
    ],
)
def test_what_is_no_state(value: Any, words: str) -> None:
    with pytest.raises(ToolUIError, match=words):
        PickAsset.read_state(value)


def test_answers_are_checked_and_travel_as_json() -> None:
    assert PickAsset.read_answer("a") == "a"
    with pytest.raises(ToolUIError, match="answer does not fit"):
        PickAsset.read_answer(3)
    model: ToolUI[Pick, Progress] = ToolUI("m", state=Pick, answer=Progress)
    assert model.read_answer(Progress(text="x")) == {"text": "x", "percent": 0}
    with pytest.raises(ToolUIError, match="only shows"):
        Status.read_answer("x")


def test_json_schemas_serve_as_types() -> None:
    ui: ToolUI[Any, Any] = ToolUI(
        "colour", state={"type": "object", "required": ["of"]}, answer={"enum": ["red", "blue"]}
    )
    assert ui.read_state({"of": "car"}) == {"of": "car"}
    with pytest.raises(ToolUIError, match="'of' is a required property"):
        ui.read_state({})
    with pytest.raises(ToolUIError, match="'green' is not one of"):
        ui.read_answer("green")


@pytest.mark.parametrize("tag", ["", "1x", "a b", None])
def test_a_tag_is_a_name(tag: Any) -> None:
    with pytest.raises(ToolDefinitionError, match="a tag begins with"):
        ToolUI(tag, state=Pick)


# Tools that the person fulfils


def asset_toolkit() -> Toolkit:
    toolkit = Toolkit()
    toolkit.fulfilled(PickAsset, description="Let the user pick an asset.")
    return toolkit


def test_a_tool_without_a_view_is_an_error_at_start() -> None:
    for look in (asset_toolkit().check, asset_toolkit().declarations):
        with pytest.raises(ToolDefinitionError, match=r"pick_asset.*test_tool_ui.*has no view"):
            look()


def test_with_a_view_it_is_declared_with_its_state() -> None:
    toolkit = asset_toolkit()
    toolkit.view(PickAsset)(lambda ui: ui.state.prompt)
    declared = toolkit.declarations()["pick_asset"]
    assert declared["description"] == "Let the user pick an asset."
    assert set(declared["inputSchema"]["properties"]) == {"prompt", "candidates"}


def test_a_view_may_stand_in_another_toolkit() -> None:
    views = Toolkit()
    views.view(PickAsset)(lambda ui: ui.state.prompt)
    assert "pick_asset" in Toolkit(asset_toolkit(), views).declarations()


def test_a_view_of_a_scope_goes_with_it() -> None:
    toolkit = asset_toolkit()
    with toolkit.scope("dialog") as dialog:
        dialog.view(PickAsset)(lambda ui: ui.state.prompt)
        assert toolkit.view_of("pick_asset") is not None
    assert toolkit.view_of("pick_asset") is None


def test_two_views_of_one_tag_name_both_places() -> None:
    toolkit = Toolkit()
    toolkit.view(PickAsset)(lambda ui: 1)
    with pytest.raises(ToolDefinitionError, match=r"two views.*test_tool_ui.*test_tool_ui"):
        toolkit.view(PickAsset)(lambda ui: 2)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda t: t.fulfilled(Status, description="x"), "could never fulfil it"),
        (
            lambda t: define_toolkit({"other": {"ui": PickAsset, "description": "x"}}),
            "has the tag 'pick_asset'",
        ),
        (lambda t: t.tool("pick_asset", ui=PickAsset)(lambda: 1), "its type is 'human'"),
        (lambda t: define_toolkit({"x": {"type": "human", "ui": 3}}), "`ui` is a ToolUI"),
    ],
)
def test_what_cannot_be(make: Any, words: str) -> None:
    with pytest.raises(ToolDefinitionError, match=words):
        make(Toolkit())


def test_the_mapping_form() -> None:
    toolkit = define_toolkit({"pick_asset": {"ui": PickAsset, "description": "Pick."}})
    tool = toolkit.get("pick_asset")
    assert tool is not None
    assert (tool.kind, tool.display) == ("human", "standalone")


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.toolkit.fulfilled(PickAsset, description="Pick.")
    bench.shown = []  # type: ignore[attr-defined]

    @bench.toolkit.view(PickAsset)
    def pick(ui: Showing[Pick, str]) -> list[str]:
        bench.shown.append(ui)  # type: ignore[attr-defined]
        return ui.state.candidates

    return bench


def draw(bench: Bench) -> Any:
    tool = bench.toolkit.get("pick_asset")
    assert tool is not None
    return tool.draw(bench.engine.handle("c1"))


@pytest.mark.parametrize("given", [STATE, {"_tag": "pick_asset", "state": STATE}])
async def test_the_person_fulfils_it(bench: Bench, given: dict[str, Any]) -> None:
    bench.start("pick_asset", given)
    await turns()
    assert draw(bench) == ["a", "b"]
    (ui,) = bench.shown  # type: ignore[attr-defined]
    assert (ui.tag, ui.busy, ui.waits, ui.answer) == ("pick_asset", False, True, None)
    with pytest.raises(ToolUIError):
        ui.resolve(3)
    assert bench.sink.outcomes == {}
    assert ui.resolve("b")
    assert bench.sink.outcomes["c1"] == Output("b")
    assert not ui.resolve("a")
    draw(bench)
    after = bench.shown[-1]  # type: ignore[attr-defined]
    assert (after.busy, after.answer, after.resolve("a")) == (True, "b", False)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"prompt": "x"}, "candidates: is required"),
        ({"_tag": "status", "state": STATE}, "cannot be shown as"),
        ({"_tag": "pick_asset", "state": {}}, "prompt: Field required"),
    ],
)
async def test_arguments_that_no_view_can_show_go_back_to_the_model(
    bench: Bench, given: dict[str, Any], words: str
) -> None:
    outcome = await bench.run("pick_asset", given)
    assert isinstance(outcome, Failure)
    assert words in outcome.error_text


async def test_parameters_may_be_less_than_the_state() -> None:
    bench = Bench()
    ui: ToolUI[dict[str, Any], str] = ToolUI("ask", state={"type": "object"}, answer=str)
    parameters = {"type": "object", "properties": {"prompt": {"type": "string"}}}
    bench.toolkit.fulfilled(ui, description="Ask.", parameters=parameters)
    bench.toolkit.view(ui)(lambda shown: shown.state["prompt"])
    bench.start("ask", {"prompt": "Name?"})
    await turns()
    tool = bench.toolkit.get("ask")
    assert tool is not None
    assert tool.draw(bench.engine.handle("c1")) == "Name?"


# Cards of the stream


def test_cards_of_the_stream_are_found_by_their_tag() -> None:
    toolkit = Toolkit()
    toolkit.view(Status)(lambda ui: (ui.state.text, ui.waits, ui.resolve))
    card = {"_tag": "status", "id": "s1", "state": {"text": "Working"}}
    draw = toolkit.data_view_of("mastra-effect-block", card)
    assert draw is not None
    assert draw(card)[:2] == ("Working", False)
    assert toolkit.data_view_of("other", card) is None
    assert toolkit.data_view_of("mastra-effect-block", {"_tag": "nope", "state": 1}) is None
    toolkit.configure(card_part="other")
    assert toolkit.data_view_of("other", card) is not None


def test_data_of_a_name_has_its_own_view() -> None:
    inner = Toolkit()
    inner.data("weather")(lambda data: data["city"])
    draw = Toolkit(inner).data_view_of("weather", {})
    assert draw is not None
    assert draw({"city": "Oslo"}) == "Oslo"
