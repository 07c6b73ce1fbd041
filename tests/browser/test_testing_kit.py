"""The testing kit: an integrator's toolkit tested in a page, in a few lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pagehand.testing import AssistantPage, TestingError, open_toolkit
from pagehand.testing.opening import find_static

pytestmark = pytest.mark.browser

TOOLKIT = '''
import js
from pagehand import Toolkit, ToolContext, ToolError
from pagehand.html import button, div, input_, p

toolkit = Toolkit()

@toolkit.tool("add")
def add(a: int, b: int = 1) -> int:
    """Adds."""
    return a + b

@toolkit.tool("title")
def title() -> str:
    """Reads the page's heading."""
    return js.document.querySelector("h1").textContent

@toolkit.tool("fail")
def fail() -> None:
    """Fails."""
    raise ToolError("No stock.")

@toolkit.tool("delete", risk="dangerous")
def delete(order: str) -> dict:
    """Deletes an order."""
    return {"deleted": order}

@toolkit.human("name", description="Asks for a name.")
def name(call):
    field = input_(name="name")
    return div(field, button("Send", data_action="confirm",
        on_click=lambda event: call.add_result(field.value)))

toolkit.backend("deploy", render=lambda call: div(p(call.state)))
'''


@pytest.fixture(scope="module")
def shop(
    pagehand_browser: Browser, pagehand_static: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AssistantPage]:
    """One page for all tests here: a start takes its seconds."""
    file = tmp_path_factory.mktemp("kit") / "shop.py"
    file.write_text(TOOLKIT, encoding="utf-8")
    with open_toolkit(pagehand_browser, pagehand_static, file, html="<h1>Shop</h1>") as page:
        yield page


def test_a_call_and_its_result(shop: AssistantPage) -> None:
    assert shop.tools["add"]["inputSchema"]["required"] == ["a"]
    result = shop.call("add", a=2, b=3)
    assert (result.state, result.output, result.error) == ("output-available", 5, None)
    assert result.input == {"a": 2, "b": 3}
    assert [step["step"] for step in result.record["steps"]][-1] == "settle"
    assert shop.call("title").output == "Shop"
    assert shop.problems == []
    posted = [m["parts"] for request in shop.requests for m in request["messages"]]
    outputs = [p["output"] for parts in posted for p in parts if "output" in p]
    assert 5 in outputs


def test_wrong_arguments_and_failures_are_results_too(shop: AssistantPage) -> None:
    wrong = shop.call("add", a="many")
    assert wrong.state == "output-error"
    assert "a: expected an integer" in (wrong.error or "")
    assert shop.call("fail").error == "No stock."
    assert "not JSON" in (shop.start_raw("add", '{"a": ').result().error or "")
    assert "There is no tool 'adds'" in (shop.call("adds").error or "")


def test_several_calls_in_one_step(shop: AssistantPage) -> None:
    before = len(shop.requests)
    results = shop.call_all(("add", {"a": 1}), ("fail", {}), ("add", {"a": 2}))
    assert [result.output for result in results] == [2, None, 3]
    assert len(shop.requests) - before == 2  # one continuation for all of them


def test_a_question_is_answered_as_a_person_does(shop: AssistantPage) -> None:
    asked = shop.start("delete", order="A1").confirm().result()
    assert asked.output == {"deleted": "A1"}
    assert asked.record["confirmed_by"] == "person"
    refused = shop.start("delete", order="A2").decline().result()
    assert "declined" in (refused.error or "")


def test_a_card_is_filled_in_and_answered(shop: AssistantPage) -> None:
    asked = shop.start("name")
    asked.fill("name", "Ada").press("confirm")
    assert asked.result().output == "Ada"


def test_a_gate_of_the_server_is_answered(shop: AssistantPage) -> None:
    gate = shop.start_approval("deploy", target="live")
    gate.approve()
    shop.page.wait_for_function(
        "document.querySelector('page-hand').status === 'ready'"
        " && document.querySelector('page-hand').messages.at(-1).parts.at(-1).text === 'Done.'"
    )
    assert gate.state == "approval-responded"
    assert shop.requests[-1]["messages"][-1]["parts"][-1]["approval"]["approved"] is True


def test_what_does_not_come_says_what_is_there_instead(
    shop: AssistantPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = shop.start("delete", order="A1")
    shop.part("confirmation").wait_for()
    monkeypatch.setattr(shop, "_milliseconds", 200)
    with pytest.raises(TestingError, match=r"delete to end\. .*Running: delete.*confirm\(\)"):
        asked.result()
    monkeypatch.undo()
    asked.decline().result()


def test_a_toolkit_that_does_not_run_is_told_with_its_line(
    pagehand_page: Callable[..., AssistantPage], tmp_path: Path
) -> None:
    (tmp_path / "bad.py").write_text("x = 1\nraise ValueError('no stock')\n", encoding="utf-8")
    with pytest.raises(TestingError, match=r"bad\.py, line 2: ValueError: no stock"):
        pagehand_page(tmp_path / "bad.py")
    with pytest.raises(TestingError, match="no toolkit file"):
        pagehand_page(tmp_path / "missing.py")


def test_a_page_of_ones_own(pagehand_page: Callable[..., AssistantPage], tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOLKIT, encoding="utf-8")
    (tmp_path / "index.html").write_text(
        '<!doctype html><script type="module" src="/static/pagehand.js"></script>'
        '<h1>Mine</h1><page-hand toolkit="./tools.py"></page-hand>',
        encoding="utf-8",
    )
    page = pagehand_page(tmp_path / "tools.py", site=tmp_path)
    assert page.call("title").output == "Mine"


def test_a_folder_that_is_not_ours_or_not_built_is_told(tmp_path: Path) -> None:
    with pytest.raises(TestingError, match=r"no pagehand\.js in .*pagehand_static"):
        find_static(tmp_path)
    (tmp_path / "pagehand.js").touch()
    with pytest.raises(TestingError, match="is not built: run `make vendor`"):
        find_static(tmp_path)
