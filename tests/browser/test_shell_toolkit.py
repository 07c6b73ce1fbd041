"""The integrator's own Python file: from any origin, its mistakes shown with file and line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant, events, record_events
from browser.support.fake_server import FakeServer, called, said, stream
from browser.support.watch import Watch

pytestmark = pytest.mark.browser


@pytest.fixture
def other_origin(vendored: None) -> Iterator[FakeServer]:
    server = FakeServer()
    yield server
    server.close()


def test_toolkit_from_another_origin_with_its_own_imports(
    page: Page, fake_server: FakeServer, other_origin: FakeServer
) -> None:
    address = other_origin.file(
        "shop_tools.py",
        '''
import statistics
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, Field
from pagehand import Toolkit

toolkit = Toolkit()


class Basket(BaseModel):
    prices: list[float] = Field(description="Prices in euros")


@toolkit.tool("mean-price")
async def mean_price(basket: Basket) -> str:
    """Mean of some prices."""
    return str(Decimal(str(statistics.mean(basket.prices))))
''',
    )
    fake_server.answer(
        stream(called(("c1", "mean-price", {"basket": {"prices": [1, 2]}}))), stream(said("1.5"))
    )
    page.goto(fake_server.page(f'<page-hand toolkit="{address}"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    assert set(assistant.get("tools")) == {"mean-price"}
    assistant.say("Mean?")
    expect(assistant.answers).to_contain_text("1.5")
    assert fake_server.requests[1]["messages"][-1]["parts"][-1]["output"] == "1.5"


def test_top_level_await_is_allowed(page: Page, fake_server: FakeServer) -> None:
    fake_server.file(
        "t.py",
        "import asyncio\nfrom pagehand import Toolkit\n"
        "await asyncio.sleep(0)\ntoolkit = Toolkit()\n",
    )
    page.goto(fake_server.page('<page-hand toolkit="/made/t.py"></page-hand>'))
    Assistant(page).wait_ready()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\nraise ValueError('no stock')\n", "t.py, line 2: ValueError: no stock"),
        ("x = 1\n\ndef f(:\n", "t.py, line 3: SyntaxError: invalid syntax"),
        ("import no_such_thing\n", "t.py, line 1: ModuleNotFoundError: No module named"),
        ("x = 1\n", "defines no `toolkit`"),
        ("toolkit = 3\n", "is of type int, not a Toolkit"),
        (
            "from pagehand import Toolkit\ntoolkit = Toolkit()\n\n"
            "@toolkit.tool('bad name')\ndef f():\n    pass\n",
            "t.py, line 4: ToolDefinitionError",
        ),
    ],
)
def test_mistakes_are_shown_with_file_and_line(
    page: Page, watch: Watch, fake_server: FakeServer, source: str, words: str
) -> None:
    record_events(page)
    fake_server.file("t.py", source)
    page.goto(fake_server.page('<page-hand toolkit="/made/t.py"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_status("ready", timeout=60_000)
    expect(assistant.part("notices")).to_contain_text(words)
    assert assistant.get("error")["code"] == "toolkit"
    assert words in events(page, "error")[0]["message"]
    watch.problems.clear()


def test_missing_file_is_named_and_the_chat_still_works(
    page: Page, fake_server: FakeServer
) -> None:
    fake_server.answer(stream(said("I can still talk")))
    page.goto(fake_server.page('<page-hand toolkit="/made/none.py"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_status("ready", timeout=60_000)
    expect(assistant.part("notices")).to_contain_text("/made/none.py could not be loaded: HTTP 404")
    assistant.say("Hello?")
    expect(assistant.answers).to_have_text("I can still talk")


def test_traceback_of_a_tool_names_the_integrators_line(
    page: Page, watch: Watch, fake_server: FakeServer
) -> None:
    fake_server.file(
        "t.py",
        'from pagehand import Toolkit\ntoolkit = Toolkit()\n\n@toolkit.tool("broken")\n'
        'def broken() -> str:\n    """Breaks."""\n    return {}["price"]\n',
    )
    fake_server.answer(stream(called(("c1", "broken", {}))), stream(said("Sorry")))
    page.goto(fake_server.page('<page-hand toolkit="/made/t.py"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("Break")
    expect(assistant.answers).to_contain_text("Sorry")
    told = "\n".join(watch.console)
    assert "/made/t.py" in told
    assert 'return {}["price"]' in told
    watch.problems.clear()


def test_a_host_tool_that_cannot_be_declared_is_refused_at_once(
    page: Page, fake_server: FakeServer
) -> None:
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.wait_ready()
    told = assistant.element.evaluate(
        """(element) => [
          {parameters: {type: "string"}}, {description: "long".repeat(2000)},
        ].map((odd) => {
          try { element.registerTool({name: "odd", execute() {}, ...odd}); } catch (error) {
            return error.message;
          }
        })"""
    )
    assert "arguments are an object" in told[0]
    assert "description is longer" in told[1]
    assert "odd" not in assistant.get("tools")
    fake_server.answer(stream(said("Hello")))
    assistant.say("Hi")
    expect(assistant.answers).to_contain_text("Hello")
