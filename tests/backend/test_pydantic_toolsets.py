"""Toolsets of a Pydantic AI agent that are opened and closed, as those of MCP servers are."""

from __future__ import annotations

from typing import Any, Self

import pytest
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset, WrapperToolset
from test_pydantic_agent import TOOLS, Shop, ask, calls, part


def read(sku: str) -> dict[str, Any]:
    """Reads one."""
    return {"read": sku}


def write(sku: str) -> dict[str, Any]:
    """Writes one."""
    return {"wrote": sku}


class Far(WrapperToolset[Any]):
    """Tools somewhere else: there while it is open, as those of an MCP server."""

    def __init__(self, *, down: bool = False) -> None:
        super().__init__(FunctionToolset([read, write]))
        self.down = down
        self.open = self.opened = 0

    async def __aenter__(self) -> Self:
        if self.down:
            raise ConnectionError("http://inner.example:9000 refused, token secret")
        self.open += 1
        self.opened += 1
        return self

    async def __aexit__(self, *args: Any) -> None:
        self.open -= 1

    async def get_tools(self, ctx: Any) -> Any:
        assert self.open == 1
        return await super().get_tools(ctx)

    async def call_tool(self, *args: Any) -> Any:
        assert self.open == 1
        return await super().call_tool(*args)


def shop(far: Far, *steps: Any) -> Shop:
    """An agent with the far tools under a prefix, of which one asks a person."""
    asking = far.prefixed("far").approval_required(lambda ctx, tool, args: tool.name == "far_write")
    near = FunctionToolset([read])
    return Shop(*steps, toolsets=[CombinedToolset([asking, near])])


async def test_its_tools_run_here_beside_the_pages() -> None:
    far = Far()
    step = calls(("far_read", {"sku": "A"}), ("read", {"sku": "B"}), ("open", {"url": "x"}))
    answer = await ask(shop(far, step, "ok").backend())
    assert [chunk["output"] for chunk in answer.of("tool-output-available")] == [
        {"read": "A"},
        {"read": "B"},
    ]
    assert answer.chunks[-1]["finishReason"] == "tool-calls"
    assert (far.open, far.opened) == (0, 1)


async def test_they_hide_the_pages_of_the_same_name() -> None:
    tools = {**TOOLS, "far_read": TOOLS["open"]}
    answer = await ask(shop(Far(), calls(("far_read", {"sku": "A"})), "ok").backend(), tools=tools)
    assert answer.of("tool-output-available")[0]["output"] == {"read": "A"}
    assert answer.text == "ok"


@pytest.mark.parametrize("approved", [True, False])
async def test_one_that_asks_a_person(approved: bool) -> None:
    far = Far()
    step = calls(("far_write", {"sku": "A"}))
    backend = shop(far, step, "ok").backend()
    first = await ask(backend)
    (request,) = first.of("tool-approval-request")
    assert not first.of("tool-output-available")
    approval = {"id": request["approvalId"], "approved": approved}
    state = {"state": "approval-responded", "approval": approval}
    more = await ask(backend, part("far_write", {"sku": "A"}, **state))
    outputs = [chunk["output"] for chunk in more.of("tool-output-available")]
    assert outputs == ([{"wrote": "A"}] if approved else [])
    assert more.text == "ok"
    assert (far.open, far.opened) == (0, 2)


async def test_a_server_that_is_down_is_masked_and_the_stream_ends_properly() -> None:
    answer = await ask(shop(Far(down=True), "ok").backend())
    assert "reference" in answer.of("error")[0]["errorText"]
    assert "secret" not in answer.response.text
    assert answer.chunks[-1] == {"type": "finish", "finishReason": "error"}
