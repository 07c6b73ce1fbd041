"""The toolkit offered to the browser's own agent: with a stand-in, and with Chromium's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from pagehand.testing import AssistantPage, open_toolkit

pytestmark = pytest.mark.browser

TOOLKIT = '''
from pagehand import Toolkit, ToolContext, ToolError
from pagehand.html import button, div, p

toolkit = Toolkit()

@toolkit.tool("find-orders", category="data")
def find_orders(status: str) -> dict:
    """Finds orders."""
    return {"status": status, "token": "abcd1234efgh"}

@toolkit.tool("delete", risk="dangerous")
def delete(order: str) -> str:
    """Deletes an order."""
    return f"gone: {order}"

@toolkit.human("ask-name", description="Asks for a name.")
def ask_name(call, why: str):
    return div(p(why), button("Ada", data_action="confirm",
        on_click=lambda event: call.add_result("Ada")))

toolkit.tool("hidden", disabled=True, description="Not now.")(lambda: 1)
toolkit.backend("deploy", render=lambda call: div(p(call.state)))
toolkit.stub("later", description="Comes later.", parameters={"type": "object", "properties": {}})
'''

STAND_IN = """
const tools = new Map();
const context = {
  registerTool(tool, options) {
    if (tools.has(tool.name)) throw new DOMException("Duplicate tool name", "InvalidStateError");
    tools.set(tool.name, tool);
    options.signal.addEventListener("abort", () => tools.delete(tool.name));
    return OWNER === document ? Promise.resolve() : undefined;
  },
};
Object.defineProperty(OWNER, "modelContext", { value: context });
window.agent = {
  names: () => [...tools.keys()].sort(),
  tool: (name) => JSON.parse(JSON.stringify(tools.get(name))),
  call: async (name, input) => tools.get(name).execute(input, {}),
};
"""


@pytest.fixture(scope="module")
def kit(
    pagehand_browser: Browser, pagehand_static: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Any]:
    file = tmp_path_factory.mktemp("webmcp") / "shop.py"

    def open_(owner: str, more: str = "") -> Any:
        file.write_text(TOOLKIT + more, encoding="utf-8")
        browser = _WithScript(pagehand_browser, STAND_IN.replace("OWNER", owner))
        return open_toolkit(browser, pagehand_static, file)  # type: ignore[arg-type]

    return open_


class _WithScript:
    """A browser whose contexts run a script before each page's own."""

    def __init__(self, browser: Browser, script: str) -> None:
        self._browser = browser
        self._script = script

    def new_context(self, **options: Any) -> Any:
        context = self._browser.new_context(**options)
        context.add_init_script(f"{{{self._script}}}")
        return context


@pytest.fixture(scope="module")
def shop(kit: Callable[..., Any]) -> Iterator[AssistantPage]:
    with kit("document") as page:
        page.page.wait_for_function("agent.names().length === 4")
        yield page


def ask(page: AssistantPage, name: str, given: dict[str, Any]) -> None:
    page.page.evaluate(
        "([name, given]) => { window.answer = undefined;"
        " agent.call(name, given).then((told) => (window.answer = told)); }",
        [name, given],
    )


def answer(page: AssistantPage) -> Any:
    page.page.wait_for_function("window.answer !== undefined")
    return page.page.evaluate("window.answer")


def test_what_the_model_is_told_the_browser_is_told(shop: AssistantPage) -> None:
    assert shop.page.evaluate("agent.names()") == sorted(shop.tools)
    told = shop.page.evaluate("agent.tool('find-orders')")
    assert told["inputSchema"] == shop.tools["find-orders"]["inputSchema"]
    assert told["description"] == "Finds orders."
    assert told["annotations"]["readOnlyHint"] is True
    hints = shop.page.evaluate("agent.tool('delete').annotations")
    assert (hints["readOnlyHint"], hints["consequentialHint"]) == (False, True)


def test_a_call_goes_through_every_step(shop: AssistantPage) -> None:
    ask(shop, "find-orders", {"status": "pending"})
    told = answer(shop)
    assert told["isError"] is False
    assert told["structuredContent"]["status"] == "pending"
    assert "abcd1234" not in str(told)  # masked, as for the model
    ask(shop, "find-orders", {"status": 3, "more": 1})
    assert answer(shop)["isError"] is True
    record = shop.log[-1]
    assert record["tool_call_id"].startswith("webmcp_")
    assert record["steps"][-1]["step"] == "validate"
    assert shop.requests == []  # nothing of it is posted


def test_the_person_is_asked_by_us(shop: AssistantPage) -> None:
    ask(shop, "delete", {"order": "A1"})
    dialog = shop.part("confirmation")
    expect(dialog).to_contain_text("A1")
    expect(shop.part("outside")).to_contain_text("browser's agent")
    dialog.locator('[data-action="confirm"]:not([aria-disabled="true"])').click()
    assert answer(shop)["content"][0]["text"] == "gone: A1"
    ask(shop, "delete", {"order": "A2"})
    dialog.locator('[data-action="cancel"]:not([aria-disabled="true"])').click()
    told = answer(shop)
    assert told["isError"] is True
    assert "declined" in told["content"][0]["text"]
    expect(shop.part("outside")).to_be_hidden()


def test_b21_a_card_is_shown_and_answered_in_the_page(shop: AssistantPage) -> None:
    ask(shop, "ask-name", {"why": "For the label"})
    card = shop.part("outside").locator('[data-tool-name="ask-name"]')
    expect(card).to_contain_text("For the label")
    card.locator('[data-action="confirm"]').click()
    assert answer(shop)["content"][0]["text"] == "Ada"
    expect(shop.part("outside")).to_be_hidden()


def test_the_pause_switch_holds_this_agent_too(shop: AssistantPage) -> None:
    shop.part("pause").click()
    ask(shop, "find-orders", {"status": "pending"})
    assert "paused" in answer(shop)["content"][0]["text"]
    shop.part("pause").click()


def test_the_offer_follows_the_toolkit(shop: AssistantPage) -> None:
    remove = shop.element.evaluate_handle(
        "element => element.registerTool({name: 'from-page', description: 'Of the page.',"
        " execute: ({n}) => n * 2,"
        " parameters: {type: 'object', properties: {n: {type: 'number'}}, required: ['n']}})"
    )
    shop.page.wait_for_function("agent.names().includes('from-page')")
    ask(shop, "from-page", {"n": 21})
    assert answer(shop)["content"][0]["text"] == "42"
    remove.evaluate("remove => remove()")
    shop.page.wait_for_function("!agent.names().includes('from-page')")


def test_the_older_place_and_a_name_that_is_taken(kit: Callable[..., Any]) -> None:
    with kit("navigator") as page:
        page.page.wait_for_function("agent.names().length === 4")
        ask(page, "find-orders", {"status": "pending"})
        assert answer(page)["structuredContent"]["status"] == "pending"
        lines: list[str] = []
        page.page.on("console", lambda message: lines.append(message.text))
        page.page.evaluate(
            "navigator.modelContext.registerTool({name: 'taken', description: 'x', execute() {}},"
            " {signal: new AbortController().signal})"
        )
        for name in ("taken", "free"):
            page.element.evaluate(
                "(element, name) =>"
                " void element.registerTool({name, description: 'x', execute() {}})",
                name,
            )
        page.page.wait_for_function("agent.names().includes('free')")
        assert any("taken is not offered" in line for line in lines)
        page.page.evaluate("document.querySelector('page-hand').remove()")
        page.page.wait_for_function("agent.names().join() === 'taken'")  # ours are gone with it
        assert page.problems == []


def test_a_question_opens_a_panel_that_is_closed(
    pagehand_browser: Browser, pagehand_static: Path, tmp_path: Path
) -> None:
    file = tmp_path / "shop.py"
    file.write_text(TOOLKIT, encoding="utf-8")
    modal = {"mode": "modal"}
    with open_toolkit(pagehand_browser, pagehand_static, file, attributes=modal) as page:
        expect(page.part("panel")).to_be_hidden()
        (tool_call_id,) = page.model.calls(("delete", {"order": "A1"}))
        page.element.evaluate("element => element.send('Delete it.')")
        dialog = page.part("confirmation")
        expect(dialog).to_contain_text("A1")
        dialog.locator('[data-action="confirm"]:not([aria-disabled="true"])').click()
        expect(page.element.locator(f'[data-tool-call-id="{tool_call_id}"]')).to_have_attribute(
            "data-state", "output-available"
        )


def test_a_toolkit_may_keep_to_itself(kit: Callable[..., Any]) -> None:
    with kit("document", more="toolkit.configure(webmcp=False)\n") as page:
        assert page.call("find-orders", status="x").state == "output-available"
        assert page.page.evaluate("agent.names()") == []


def test_chromiums_own_model_context(
    pagehand_browser: Browser, pagehand_static: Path, tmp_path: Path
) -> None:
    file = tmp_path / "shop.py"
    file.write_text(TOOLKIT, encoding="utf-8")
    kind = pagehand_browser.browser_type
    flags = ["--no-sandbox", "--enable-experimental-web-platform-features"]
    with (
        kind.launch(executable_path=_program(), args=flags) as browser,
        open_toolkit(browser, pagehand_static, file) as page,
    ):
        if not page.page.evaluate("Boolean(document.modelContext ?? navigator.modelContext)"):
            pytest.skip("this Chromium has no WebMCP")
        names = page.page.evaluate(
            """async () => {
              const context = document.modelContext ?? navigator.modelContext;
              window.tools = async () => Object.fromEntries(
                (await context.getTools()).map((tool) => [tool.name, tool]));
              window.agent = async (name, given) => JSON.parse(
                await context.executeTool((await tools())[name], JSON.stringify(given)));
              for (;;) {
                const names = Object.keys(await tools()).sort();
                if (names.length === 4) return names;
                await new Promise(requestAnimationFrame);
              }
            }"""
        )
        assert names == sorted(page.tools)
        told = page.page.evaluate("agent('find-orders', {status: 'open'})")
        assert told["structuredContent"]["status"] == "open"
        assert page.page.evaluate("agent('find-orders', {})")["isError"] is True


def _program() -> str | None:
    import chromium

    return chromium.find()  # type: ignore[no-any-return]
