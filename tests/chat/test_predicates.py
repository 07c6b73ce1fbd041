"""Behaviours 132 to 154: when a conversation may go on by itself."""

from __future__ import annotations

from typing import Any

from chat.support import STEP, assistant, call, user
from pagehand.chat.predicates import complete_with_approval_responses, complete_with_tool_calls

DONE = {"type": "text", "text": "Hi", "state": "done"}


def tools(*parts: dict[str, Any]) -> bool:
    return complete_with_tool_calls([user(), assistant(*parts)])


def approvals(*parts: dict[str, Any]) -> bool:
    return complete_with_approval_responses([user(), assistant(*parts)])


def responded(id: str = "c1", **more: Any) -> dict[str, Any]:
    return call("approval-responded", id=id, approval={"id": f"p-{id}", "approved": True}, **more)


def requested(id: str = "c1", **more: Any) -> dict[str, Any]:
    return call("approval-requested", id=id, approval={"id": f"p-{id}"}, **more)


class TestToolCalls:
    def test_b132_last_step_only_text(self) -> None:
        assert not tools(STEP, call("output-available"), STEP, DONE)

    def test_b133_text_after_tool(self) -> None:
        assert tools(STEP, call("output-available"), DONE)

    def test_b133_open_text_after_tool(self) -> None:
        for state in ({"state": "streaming"}, {}):
            text = {"type": "text", "text": "Hi", **state}
            assert not tools(STEP, call("output-available"), text)
            assert tools(STEP, text, call("output-available"))

    def test_b133_open_reasoning_and_data_do_not_count(self) -> None:
        reasoning = {"type": "reasoning", "text": "", "state": "streaming"}
        assert tools(STEP, call("output-available"), reasoning, {"type": "data-x", "data": 1})

    def test_b134_output_error(self) -> None:
        assert tools(STEP, call("output-error"))

    def test_b135_dynamic_complete(self) -> None:
        assert tools(STEP, call("output-available", dynamic=True))

    def test_b136_dynamic_streaming(self) -> None:
        assert not tools(STEP, call("input-streaming", dynamic=True))

    def test_b137_dynamic_available(self) -> None:
        assert not tools(STEP, call("input-available", dynamic=True))

    def test_b138_dynamic_error(self) -> None:
        assert tools(STEP, call("output-error", dynamic=True))

    def test_b139_mixed_all_complete(self) -> None:
        assert tools(STEP, call("output-available"), call("output-error", id="c2", dynamic=True))

    def test_b140_mixed_one_incomplete(self) -> None:
        both = call("output-available"), call("input-available", id="c2", dynamic=True)
        assert not tools(STEP, *both)

    def test_b141_last_step_complete(self) -> None:
        assert tools(STEP, call("input-available"), STEP, call("output-available", id="c2"))

    def test_b142_last_step_incomplete(self) -> None:
        assert not tools(STEP, call("output-available"), STEP, call("input-available", id="c2"))

    def test_b143_only_provider_executed(self) -> None:
        assert not tools(STEP, call("output-available", providerExecuted=True))

    def test_b127_preliminary_is_no_result(self) -> None:
        assert not tools(STEP, call("output-available", preliminary=True))

    def test_denied_is_no_result_here(self) -> None:
        denied = call("output-denied", approval={"id": "p", "approved": False})
        assert not tools(STEP, denied)

    def test_without_a_step_border_the_message_is_the_step(self) -> None:
        assert tools(call("output-available"))


class TestApprovals:
    def test_b144_empty(self) -> None:
        assert not complete_with_approval_responses([])
        assert not complete_with_tool_calls([])

    def test_b145_user_last(self) -> None:
        history = [assistant(STEP, responded()), user()]
        assert not complete_with_approval_responses(history)
        assert not complete_with_tool_calls([assistant(call("output-available")), user()])

    def test_b146_no_tools(self) -> None:
        assert not approvals(STEP, DONE)

    def test_b147_none_responded(self) -> None:
        assert not approvals(STEP, call("output-available"))

    def test_b148_one_still_requested(self) -> None:
        assert not approvals(STEP, responded(), requested("c2"))

    def test_b149_responded(self) -> None:
        assert approvals(STEP, responded())

    def test_b150_responded_provider_executed(self) -> None:
        assert approvals(STEP, responded(providerExecuted=True))

    def test_b151_terminal_and_one_responded(self) -> None:
        others = call("output-available", id="c2"), call("output-error", id="c3")
        assert approvals(STEP, responded(), *others)

    def test_b151_denied_is_terminal(self) -> None:
        denied = call("output-denied", id="c2", approval={"id": "p", "approved": False})
        assert approvals(STEP, responded(), denied)

    def test_b152_mixed_provider(self) -> None:
        assert approvals(
            STEP, responded(), call("output-available", id="c2", providerExecuted=True)
        )

    def test_b153_provider_responded_but_regular_requested(self) -> None:
        assert not approvals(STEP, responded(providerExecuted=True), requested("c2"))

    def test_b154_last_step_only(self) -> None:
        assert not approvals(STEP, responded(), STEP, DONE)
        assert approvals(STEP, requested(), STEP, responded("c2"))

    def test_preliminary_is_not_terminal(self) -> None:
        assert not approvals(STEP, responded(), call("output-available", id="c2", preliminary=True))

    def test_a_call_that_the_server_runs_may_wait_behind(self) -> None:
        waiting = call("input-available", id="c2", providerExecuted=True)
        assert approvals(STEP, responded(), waiting)
        assert not approvals(STEP, responded(), call("input-available", id="c2"))
        assert not approvals(STEP, responded(), requested("c2", providerExecuted=True))
        assert not approvals(STEP, waiting)
